//! Every public option of the library, alone: what is seen with it, and not without.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::{Debug, Write as _};
use std::fs;

use cg_preprocess::ProfileReader;
use cg_preprocess::callgrind::{self, PartFilter};
use cg_preprocess::compare::{Limit, Views};
use cg_preprocess::io::{Source, SourceFiles, Target};
use cg_preprocess::output::html::{self, HtmlOptions};
use cg_preprocess::output::{Names, Notes, Sort, timeline};
use cg_preprocess::profile::{EventChoice, InclusiveCost, Kind, Profile, ProfileOptions};
use cg_preprocess::run::{ConvertOptions, convert};
use cg_preprocess::stacks::Stacks;
use cg_preprocess::view::{GroupBy, View};
use cg_preprocess::webgrind::{self, OnOverflow, Version, WriteOptions};
use tempfile::TempDir;

use crate::library::{Reading, all_events, read, text_of};

/// An option, what it needs, how it is set, and what only the result with it contains.
type Effect<O> = (&'static str, fn(&mut O), fn(&mut O), &'static str);

fn nothing<O>(_: &mut O) {}

/// Sees that each option has its effect, and that none of these is left out.
#[track_caller]
fn check<O>(
    all: impl IntoIterator<Item = String>,
    new: impl Fn() -> O,
    result: impl Fn(&O) -> String,
    effects: &[Effect<O>],
) {
    for (option, given, set, seen) in effects {
        let mut options = new();
        given(&mut options);
        let plain = result(&options);
        set(&mut options);
        let changed = result(&options);
        assert!(
            !plain.contains(seen),
            "{option}: {seen} without it in {plain}"
        );
        assert!(changed.contains(seen), "{option}: no {seen} in {changed}");
    }
    let tested = effects.iter().map(|(option, ..)| (*option).to_owned());
    assert_eq!(tested.collect::<BTreeSet<_>>(), all.into_iter().collect());
}

/// The names of the fields, as `Debug` writes them.
fn fields(options: &impl Debug) -> Vec<String> {
    let text = format!("{options:#?}");
    let names = text
        .lines()
        .filter_map(|line| line.strip_prefix("    ")?.split_once(": "));
    let names = names.filter(|(name, _)| !name.starts_with(' '));
    names.map(|(name, _)| name.to_owned()).collect()
}

/// Two parts of a program: a long name, a function that is called more often than another, a call in
/// inlined code, and lines.
const SUMS: &str = "\
cmd: app <1>
part: 1
desc: Trigger: Client Request: one
events: Ir Dr
fl=src/main.c
fn=main
1 5 1
cfi=lib/read.c
cfn=lib::read(std::vector<std::basic_string<char>, std::allocator<std::basic_string<char>>> const&)
calls=2 7
2 30 20
fi=src/list.h
6 1 0
cfi=lib/write.c
cfn=write
calls=9 8
7 40 2
fl=lib/read.c
fn=lib::read(std::vector<std::basic_string<char>, std::allocator<std::basic_string<char>>> const&)
7 20 15
8 10 5
fl=lib/write.c
fn=write
8 40 2

part: 2
desc: Trigger: Client Request: two
events: Ir Dr
fl=src/main.c
fn=main
1 7 3
";

/// A function that calls itself from two lines, through one of PHP's.
const TRACE: &str = "\
creator: xdebug 3.4.0 (PHP 8.4.0)
events: Time_(10ns) Memory_(bytes)

fl=(1) /srv/a.php
fn=(1) walk
4 10 0

fl=(2) php:internal
fn=(2) php::array_map
5 2 0
cfl=(1)
cfn=(1)
calls=1 0 0
5 10 0

fl=(1)
fn=(1)
4 5 0
cfl=(2)
cfn=(2)
calls=1 0 0
5 12 0

fl=(1)
fn=(1)
4 5 0
cfl=(1)
cfn=(1)
calls=1 0 0
6 17 0

fl=(1)
fn=(1)
4 20 0
cfl=(1)
cfn=(1)
calls=1 0 0
6 22 0

fl=(1)
fn=(1)
4 4 0

fl=(1)
fn=(3) {main}
1 3 0
cfl=(1)
cfn=(1)
calls=1 0 0
9 42 0
cfl=(1)
cfn=(1)
calls=1 0 0
10 4 0

";

/// What can be seen of a profile.
fn described(profile: &Profile) -> String {
    let mut text = String::new();
    let events = profile.events().iter();
    let events: Vec<_> = events
        .map(|event| event.name().escape_ascii().to_string())
        .collect();
    writeln!(
        text,
        "{:?}, {events:?}, {} parts",
        profile.kind(),
        profile.parts().len()
    )
    .unwrap();
    let functions = View::of(profile);
    for (id, function) in profile.functions() {
        let name = |id| profile.name(id).escape_ascii().to_string();
        let costs = functions.inclusive_costs(id);
        let estimated = functions.is_inclusive_estimated(id);
        writeln!(
            text,
            "{} {costs:?}, estimated: {estimated}",
            name(function.name)
        )
        .unwrap();
        for line in profile.lines(id) {
            writeln!(text, "  line {} {:?}", line.line, line.costs).unwrap();
        }
        for call in profile.sub_calls(id) {
            let callee = name(profile.function(call.callee).name);
            let file = profile.call_file(&call).escape_ascii();
            writeln!(text, "  {file}:{} calls {callee}", call.line).unwrap();
        }
    }
    let exact = Stacks::new(profile).exact_share();
    writeln!(text, "{:?} stacks: {:.0} %", profile.kind(), exact * 100.0).unwrap();
    let lines = View::new(profile, GroupBy::Line, InclusiveCost::Once).unwrap();
    for (row, function) in lines.functions() {
        let name = lines.name(function.name).escape_ascii();
        let estimated = lines.is_inclusive_estimated(row);
        writeln!(
            text,
            "{name} {:?}, estimated: {estimated}",
            lines.inclusive_costs(row)
        )
        .unwrap();
    }
    if profile.invocations().is_some() {
        text += "every invocation\n";
    }
    let mut boxes = Vec::new();
    if timeline::write(profile, &mut boxes).is_ok() {
        text += &String::from_utf8(boxes).unwrap();
    }
    text
}

#[test]
fn profiles() {
    let result = |options: &ProfileOptions| {
        [SUMS, TRACE]
            .map(|text| described(&read(text, options.clone())))
            .concat()
    };
    let contexts = |o: &mut ProfileOptions| o.contexts = true;
    #[rustfmt::skip]
    let effects: &[Effect<ProfileOptions>] = &[
        ("events", nothing, |o| o.events = EventChoice::All, r#"["Ir", "Dr"]"#),
        ("proxies", nothing, |o| o.proxies = vec![b"php::array_map".to_vec()], "a.php:5 calls walk"),
        ("invocations", nothing, |o| o.invocations = true, "every invocation"),
        ("contexts", nothing, |o| o.contexts = true, "Some(Trace) stacks: 100 %"),
        ("call_sites", contexts, |o| o.call_sites = true, "a.php:6 [22], estimated: false"),
        ("timeline", nothing, |o| o.timeline = 3, "traceEvents"),
        ("call_files", nothing, |o| o.call_files = true, "src/list.h:7 calls write"),
        ("lines", nothing, |o| o.lines = true, "line 8 [10]"),
        ("parts", nothing, |o| o.parts = true, "2 parts"),
    ];
    check(
        fields(&ProfileOptions::default()),
        ProfileOptions::default,
        result,
        effects,
    );
}

#[test]
fn reading() {
    let text = format!("{SUMS}oops\n");
    let result = |options: &callgrind::ReadOptions| {
        let reading = Reading {
            read: options.clone(),
            profile: all_events(),
        };
        match reading.read([text.as_bytes()]) {
            Ok((profile, _)) => described(&profile),
            Err(error) => error,
        }
    };
    let lenient = |o: &mut callgrind::ReadOptions| o.lenient = true;
    let mut all = fields(&callgrind::ReadOptions::default());
    // The reference parser has to have no effect: `properties` has its tests.
    all.retain(|option| option != "line_by_line");
    #[rustfmt::skip]
    let effects: &[Effect<callgrind::ReadOptions>] = &[
        ("kind", lenient, |o| o.kind = Some(Kind::Trace), "Trace"),
        ("lenient", nothing, lenient, "Aggregate"),
        ("parts", lenient, |o| o.parts = vec![PartFilter::new("two")], "1 parts"),
    ];
    check(all, callgrind::ReadOptions::default, result, effects);
}

#[test]
fn reader() {
    let source = include_str!("../../src/run/reader.rs");
    let methods = source.lines().filter(|line| line.contains("(mut self"));
    let methods = methods.map(|line| {
        let name = line.trim_start().strip_prefix("pub fn ").unwrap();
        name.split(['(', '<']).next().unwrap().to_owned()
    });
    let result = |reader: &ProfileReader| {
        let read = |text: &str| match reader.read(text.as_bytes()) {
            Ok((profile, warnings)) => {
                let warnings = warnings.iter().map(|listed| listed.warning.to_string());
                described(&profile) + &warnings.collect::<String>()
            }
            Err(error) => error.to_string(),
        };
        [SUMS, TRACE, &format!("{SUMS}oops\n")].map(read).concat()
    };
    #[rustfmt::skip]
    let effects: &[Effect<ProfileReader>] = &[
        ("events", nothing, |r| *r = r.clone().events(["dr"]), r#"["Dr"]"#),
        ("all_events", nothing, |r| *r = r.clone().all_events(), r#"["Ir", "Dr"]"#),
        ("proxies", nothing, |r| *r = r.clone().proxies(["php::array_map"]), "a.php:5 calls walk"),
        ("lines", nothing, |r| *r = r.clone().lines(true), "line 8 [10]"),
        ("call_files", nothing, |r| *r = r.clone().call_files(true), "src/list.h:7 calls write"),
        ("stacks", nothing, |r| *r = r.clone().stacks(true), "Some(Trace) stacks: 100 %"),
        ("invocations", nothing, |r| *r = r.clone().invocations(true), "every invocation"),
        ("parts", nothing, |r| *r = r.clone().parts(true), "2 parts"),
        ("only_parts", nothing, |r| *r = r.clone().only_parts([PartFilter::new("two")]), "main [7]"),
        ("kind", nothing, |r| *r = r.clone().kind(Kind::Aggregate), "Some(Aggregate), [\"Time"),
        ("lenient", nothing, |r| *r = r.clone().lenient(true), "skipped"),
        ("name", nothing, |r| *r = r.clone().name("a.cg"), "a.cg"),
    ];
    check(methods, ProfileReader::new, result, effects);
}

#[test]
fn webgrind_files() {
    let costly = "cmd: app <1>\nevents: Ir\nfn=main\n1 5000000000\n";
    let profile = read(costly, ProfileOptions::default());
    let result = |options: &WriteOptions| {
        let mut file = Vec::new();
        match webgrind::write(&profile, options, &mut file) {
            Ok(warnings) => format!("{warnings:?} {}", file.escape_ascii()),
            Err(error) => error.to_string(),
        }
    };
    #[rustfmt::skip]
    let effects: &[Effect<WriteOptions>] = &[
        ("version", nothing, |o| o.version = Version::V5, r"\x05\x00\x00\x00"),
        ("on_overflow", nothing, |o| o.on_overflow = OnOverflow::Error, "does not fit"),
        ("escape_html", nothing, |o| o.escape_html = true, "&lt;1>"),
    ];
    check(
        fields(&WriteOptions::default()),
        WriteOptions::default,
        result,
        effects,
    );
}

#[test]
fn page() {
    let profile = read(SUMS, all_events());
    let views = Views::new(&profile, None, InclusiveCost::Once, false);
    let result = |options: &HtmlOptions| {
        text_of(|output| {
            let (notes, sources) = (&Notes::default(), &mut SourceFiles::default());
            html::write(&views, notes, sources, options, output)
        })
    };
    #[rustfmt::skip]
    let effects: &[Effect<HtmlOptions>] = &[
        ("source_url", nothing, |o| o.source_url = Some("editor:{file}:{line}".to_owned()), "editor:"),
        ("source_root", nothing, |o| o.source_root = Some(b"lib".to_vec()), r#""read.c""#),
        ("report", nothing, |o| o.report.names = Names::Full, r"read\n(std::vector\u003cstd::basic_string\u003cchar>, std::allocator\u003cstd"),
        ("report", nothing, |o| o.report.by = GroupBy::File, r#""by":"file""#),
        ("report", nothing, |o| o.report.hide = vec![b"read".to_vec()], r#""hide":"read""#),
        ("report", nothing, |o| o.report.filter = Some(b"read".to_vec()), r#""search":"read""#),
        ("report", nothing, |o| o.report.function = Some(b"write".to_vec()), r#""function":2"#),
    ];
    check(
        fields(&HtmlOptions::default()),
        HtmlOptions::default,
        result,
        effects,
    );
}

/// A conversion in a directory of its own.
struct Run {
    inputs: Vec<&'static str>,
    base: Vec<&'static str>,
    sources: bool,
    output: &'static str,
    options: ConvertOptions,
}

impl Run {
    fn new() -> Self {
        Run {
            inputs: vec!["sums"],
            base: Vec::new(),
            sources: false,
            output: "out",
            options: ConvertOptions::default(),
        }
    }

    fn text() -> Self {
        let mut run = Run::new();
        run.base = vec!["cheap"];
        run.options.format = "text".parse().unwrap();
        run
    }

    /// What there is to say, and what is in the output.
    fn result(&self) -> String {
        let directory = TempDir::new().unwrap();
        let at = |name: &str| directory.path().join(name);
        let cheap = SUMS
            .replace("\n8 40 2", "\n8 10 2")
            .replace("8 10 5", "8 4 5")
            .replace("calls=2", "calls=20");
        let headers = &SUMS[..SUMS.find("fl=").unwrap()];
        let costly = "events: Ir\nfn=main\n1 5000000000\n";
        let files = [
            ("sums", SUMS),
            ("trace", TRACE),
            ("cheap", &cheap),
            ("headers", headers),
            ("broken", "events: Ir\nfn=main\n1 5\noops\n"),
            ("costly", costly),
            ("old", SUMS),
        ];
        for (name, text) in files {
            fs::write(at(name), text).unwrap();
        }
        fs::create_dir_all(at("project/src")).unwrap();
        fs::write(at("project/src/main.c"), "int main(void) {\n").unwrap();

        let source = |name: &&str| Source::File(at(name));
        let mut options = self.options.clone();
        options.base = self.base.iter().map(source).collect();
        if self.sources {
            options.source.directories = vec![at("project")];
        }
        let inputs: Vec<_> = self.inputs.iter().map(source).collect();
        let mut text = String::new();
        match convert(&inputs, &Target::File(at(self.output)), &options) {
            Ok(report) => {
                report
                    .warnings
                    .iter()
                    .for_each(|warning| writeln!(text, "{warning}").unwrap());
                report
                    .verdicts
                    .iter()
                    .for_each(|verdict| writeln!(text, "{verdict}").unwrap());
                let written = fs::read(at(self.output)).unwrap();
                text + &String::from_utf8_lossy(&written)
            }
            Err(error) => {
                let cause = error.source().map(ToString::to_string);
                format!("{error} {cause:?}")
            }
        }
    }
}

#[test]
fn text() {
    let all = fields(&Run::text().options.text);
    #[rustfmt::skip]
    let effects: &[Effect<Run>] = &[
        ("top", nothing, |r| r.options.text.top = Some(1), "1 more changed function"),
        ("by", nothing, |r| r.options.text.by = GroupBy::File, "in 3 files"),
        ("sort", nothing, |r| r.options.text.sort = Sort::Calls, "calls change"),
        ("hide", nothing, |r| r.options.text.hide = vec![b"read".to_vec()], "hidden"),
        ("filter", nothing, |r| r.options.text.filter = Some(b"write".to_vec()), "matches 1 "),
        ("function", nothing, |r| r.options.text.function = Some(b"write".to_vec()), "callee"),
        ("width", nothing, |r| r.options.text.width = Some(40), "(…)"),
        ("names", nothing, |r| r.options.text.names = Names::Full, "std::allocator<std::basic"),
        ("color", nothing, |r| r.options.text.color = true, "\x1b["),
    ];
    check(all, Run::text, Run::result, effects);
}

#[test]
fn conversions() {
    let all = fields(&ConvertOptions::default());
    #[rustfmt::skip]
    let effects: &[Effect<Run>] = &[
        ("format", nothing, |r| r.options.format = "callgrind".parse().unwrap(), "fn=(1)"),
        ("text", |r| r.options.format = "text".parse().unwrap(), |r| r.options.text.top = Some(1), "2 more functions"),
        ("read", |r| r.inputs = vec!["broken"], |r| r.options.read.lenient = true, "skipped"),
        ("events", nothing, |r| r.options.events = EventChoice::Named(vec![b"Dr".to_vec()]), "event      Dr"),
        ("inclusive", |r| r.inputs = vec!["trace"], |r| r.options.inclusive = Some(InclusiveCost::Summed), " 950 "),
        ("proxies", |r| r.inputs = vec!["trace"], |r| r.options.proxies = vec![b"php::array_map".to_vec()], "calls      5"),
        ("on_overflow", |r| { r.inputs = vec!["costly"]; webgrind_file(r); }, |r| r.options.on_overflow = OnOverflow::Error, "does not fit"),
        ("escape_html", webgrind_file, |r| r.options.escape_html = true, "&lt;1>"),
        ("source_url", html, |r| r.options.source_url = Some("editor:{file}:{line}".to_owned()), "editor:"),
        ("source", html, |r| r.sources = true, "int main(void)"),
        ("output", |r| r.output = "old", |r| r.options.output.overwrite_profiles = true, "functions  3"),
        ("allow_empty", |r| r.inputs = vec!["headers"], |r| r.options.allow_empty = true, "ignored"),
        ("base", text_of_sums, |r| r.base = vec!["cheap"], "change"),
        ("per_run", |r| *r = Run::text(), |r| r.options.per_run = true, "per run"),
        ("limits", text_of_sums, |r| r.options.limits = vec![Limit::cost(b"10").unwrap()], "more than the limit of 10"),
        ("limit_each_part", |r| { text_of_sums(r); r.options.limits = vec![Limit::cost(b"10").unwrap()] }, |r| r.options.limit_each_part = true, r#"part "one" is 76"#),
        ("keep_going", |r| r.inputs = vec!["sums", "broken"], |r| r.options.keep_going = true, "the input was skipped"),
    ];
    check(all, Run::new, Run::result, effects);
}

fn webgrind_file(run: &mut Run) {
    run.options.format = "v7".parse().unwrap();
}

fn html(run: &mut Run) {
    run.options.format = "html".parse().unwrap();
}

fn text_of_sums(run: &mut Run) {
    run.options.format = "text".parse().unwrap();
}
