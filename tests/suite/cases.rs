//! Profiles with what comes of them, as the pages in `cases/` show it.
//!
//! A block `callgrind` is an input. Several in a row are read into one profile, with the options of
//! the first; `xdebug` among them makes a trace of a tree of calls (`common/trace.rs`). Blocks after
//! them show what comes of it:
//!
//! | kind | what it shows |
//! |---|---|
//! | `tables` | headers, functions with their calls, and what there is to say, or the error; the same whether the shortcuts can be taken or not |
//! | `stacks` | the stacks with their costs, and which of these are estimated |
//! | `text`, `markdown`, `tree`, `collapsed`, `json`, `sums` | a report, or the profile in the callgrind format |
//! | `preprocessed` | what a preprocessed file holds |
//! | `pprof` | what a file for pprof holds: of a comparison if there is a `base` |
//! | `page` | what stands at these places of the data of a page; likewise |
//! | `comparison` | the report of a comparison with the inputs that are called `base`; `markdown=5` is one with a limit |
//!
//! `BLESS=1 cargo test --test suite cases` writes them anew; review the difference.

use std::path::Path;

use cg_preprocess::callgrind;
use cg_preprocess::compare::{Comparison, Limit};
use cg_preprocess::io::SourceFiles;
use cg_preprocess::output::collapsed;
use cg_preprocess::output::{Names, Notes, ReportOptions, Sort, text, tree};
use cg_preprocess::output::{json, markdown};
use cg_preprocess::profile::{EventChoice, InclusiveCost, Kind, Profile};
use cg_preprocess::stacks::Stacks;
use cg_preprocess::view::View;
use cg_preprocess::webgrind::{self, OnOverflow, Version, WriteOptions};

use crate::common::pages::{self, Block};
use crate::common::preprocessed::decode;
use crate::common::tables::Tables;
use crate::comparison::as_json;
use crate::library::{self, Reading, Reads};
#[cfg(feature = "compression")]
use crate::pprof;
use crate::{page, sum_stacks};

/// Takes options off a list: each with its value, or an empty one.
fn each<'a>(options: &[&'a str], mut set: impl FnMut(&'a str, &'a str)) {
    for option in options {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        set(name, value);
    }
}

/// How inputs are read.
fn reading(options: &[&str]) -> Reading {
    let mut reading = Reading::default();
    let mut events = Vec::new();
    let profile = &mut reading.profile;
    each(options, |name, value| match (name, value) {
        ("lenient", "") => reading.read.lenient = true,
        ("kind", "trace") => reading.read.kind = Some(Kind::Trace),
        ("invocations", "") => profile.invocations = true,
        ("contexts", "") => profile.contexts = true,
        ("call-files", "") => profile.call_files = true,
        ("lines", "") => profile.lines = true,
        ("parts", "") => profile.parts = true,
        ("outermost", "") => profile.contexts = true,
        ("proxy", name) => profile.proxies.push(name.into()),
        ("events", "all") => profile.events = EventChoice::All,
        ("event", name) => events.push(name.into()),
        // The text has no newline at its end.
        ("unended", "") => {}
        _ => panic!("unknown option {name:?}"),
    });
    if !events.is_empty() {
        reading.profile.events = EventChoice::Named(events);
    }
    reading
}

/// How a report is written.
fn report(options: &[&str]) -> ReportOptions {
    library::text_options(|report| {
        each(options, |name, value| match name {
            "top" => report.top = Some(value.parse().unwrap()),
            "width" => report.width = Some(value.parse().unwrap()),
            "filter" => report.filter = Some(value.into()),
            "function" => report.function = Some(value.into()),
            "color" => report.color = true,
            "names" if value == "full" => report.names = Names::Full,
            "sort" if value == "calls" => report.sort = Sort::Calls,
            "sort" if value == "inclusive" => report.sort = Sort::Inclusive,
            "markdown" => {}
            _ => panic!("unknown option {name:?}"),
        });
    })
}

/// The inputs above a block.
#[derive(Default)]
struct Inputs<'a> {
    texts: Vec<&'a str>,
    options: Vec<&'a str>,
}

impl Inputs<'_> {
    /// How inclusive costs treat recursion.
    fn inclusive(&self) -> InclusiveCost {
        if self.options.contains(&"outermost") {
            InclusiveCost::Once
        } else {
            InclusiveCost::Summed
        }
    }

    fn profile(&self) -> Profile {
        self.read(&reading(&self.options))
    }

    fn read(&self, reading: &Reading) -> Profile {
        let texts = self.texts.iter().map(|text| text.as_bytes());
        reading.read(texts).unwrap().0
    }

    /// With all that a page shows.
    fn page_profile(&self) -> Profile {
        let mut profile = self.read(&page::reading());
        profile.derive_events();
        profile
    }

    /// Headers, functions and warnings, whichever way they are read.
    fn tables(&self) -> String {
        let reading = reading(&self.options);
        let texts: Vec<_> = self.texts.iter().map(|text| text.as_bytes()).collect();
        let whole = reading.read_in_any_way(&texts, &[1]);
        if let ([text], Ok((profile, _))) = (&self.texts[..], &whole) {
            let followed = format!("{text}\n{}", "# what follows\n".repeat(20));
            let followed = reading.read([followed.as_bytes()]).unwrap().0;
            assert_eq!(library::listing(&followed), library::listing(profile));
        }
        shown(whole, self.inclusive())
    }
}

/// Headers, functions and warnings, or the error.
pub fn shown(read: Reads, inclusive: InclusiveCost) -> String {
    let (profile, warnings) = match read {
        Ok(read) => read,
        Err(error) => return format!("error: {error}\n"),
    };
    let mut lines = library::headers(&profile);
    lines.push(String::new());
    lines.extend(match inclusive {
        InclusiveCost::Summed => library::listing(&profile),
        InclusiveCost::Once => Tables::counted_once(&profile).listing(),
    });
    if !warnings.is_empty() {
        lines.push(String::new());
    }
    lines.extend(warnings.iter().map(|warning| format!("warning: {warning}")));
    lines.join("\n") + "\n"
}

/// A preprocessed file as it is decoded, and what did not fit, or the error.
fn preprocessed(profile: &Profile, options: &[&str]) -> String {
    let mut write = WriteOptions::default();
    each(options, |name, value| match (name, value) {
        ("version", "4") => write.version = Version::V4,
        ("saturate", "") => write.on_overflow = OnOverflow::Saturate,
        ("error", "") => write.on_overflow = OnOverflow::Error,
        ("escape", "") => write.escape_html = true,
        _ => panic!("unknown option {name:?}"),
    });
    let mut file = Vec::new();
    let warnings = match webgrind::write(profile, &write, &mut file) {
        Ok(warnings) => warnings,
        Err(error) => return format!("error: {error}\n"),
    };
    let file = decode(&file);
    let tables = file.tables();
    let mut lines = tables.headers.clone();
    lines.push(String::new());
    lines.extend(tables.listing());
    for (number, function) in file.functions.iter().enumerate() {
        let invocations = function.invocations.iter();
        if !function.invocations.is_empty() {
            let cost = function.call_cost;
            lines.push(format!("function {number}: calls cost {cost}"));
        }
        lines.extend(invocations.map(|invocation| format!("  {invocation:?}")));
    }
    let warnings = warnings.iter();
    lines.extend(warnings.map(|warning| format!("warning: {warning}")));
    lines.join("\n") + "\n"
}

/// What a report writes, then what it warns of, or the error.
fn written<W: ToString, E: ToString>(
    write: impl FnOnce(&mut Vec<u8>) -> Result<Vec<W>, E>,
) -> String {
    let mut output = Vec::new();
    match write(&mut output) {
        Ok(warnings) => {
            let mut text = String::from_utf8(output).unwrap();
            let warnings = warnings.iter().map(ToString::to_string);
            let warnings = warnings.map(|warning| format!("warning: {warning}\n"));
            text.extend(warnings);
            text
        }
        Err(error) => {
            assert!(output.is_empty());
            format!("error: {}\n", error.to_string())
        }
    }
}

/// The profile in the callgrind format, which is the same once it is read and written again.
fn sums(profile: &Profile) -> String {
    let shown = written(|output| callgrind::write(profile, output));
    if !shown.starts_with("error: ") {
        let text = shown.split("warning: ").next().unwrap();
        let again = library::read(text, library::all_events());
        let again = written(|output| callgrind::write(&again, output));
        assert!(shown.starts_with(&again), "{shown} becomes {again}");
    }
    let version = concat!("creator: cg-preprocess ", env!("CARGO_PKG_VERSION"));
    shown.replace(version, "creator: cg-preprocess VERSION")
}

fn none(_: ()) -> Vec<String> {
    Vec::new()
}

/// Of a new profile, data are missing where that shows: in JSON, and beside limits.
fn comparison(
    base: &Profile,
    new: &mut Profile,
    inclusive: InclusiveCost,
    options: &[&str],
) -> String {
    if options == ["json"] || options.iter().any(|option| option.starts_with("markdown=")) {
        new.set_incomplete();
    }
    if options == ["collapsed"] {
        return written(|output| {
            collapsed::write_comparison(&Stacks::new(base), &Stacks::new(new), output)
        });
    }
    let [base, new] = [base, &*new].map(|side| View::by_function(side, inclusive));
    let comparison = match Comparison::of(base, new, false) {
        Ok(comparison) => comparison,
        Err(error) => return format!("error: {error}\n"),
    };
    if options == ["json"] {
        return as_json(&comparison);
    }
    let mut words = options.iter();
    let limit = words.find_map(|option| option.strip_prefix("markdown"));
    let options = report(options);
    if let Some(limit) = limit {
        let limit = limit.strip_prefix('=');
        let check = |limit: &&str| Limit::growth(limit.as_bytes()).unwrap().check(&comparison);
        let verdicts: Vec<_> = match limit.iter().map(check).collect() {
            Ok(verdicts) => verdicts,
            Err(error) => return format!("error: {error}\n"),
        };
        return written(|output| {
            let sources = &mut SourceFiles::default();
            markdown::write_comparison(&comparison, &verdicts, &options, sources, output).map(none)
        });
    }
    written(|output| {
        let mut sources = SourceFiles::default();
        text::write(&comparison, &options, &mut sources, output).map(none)
    })
}

fn check(page: &Path) {
    let text = std::fs::read_to_string(page).unwrap();
    let known = pages::blocks(&text);
    let mut number = 0;
    let (mut inputs, mut base) = (Inputs::default(), Inputs::default());
    let mut is_open = false;
    pages::check(page, |block| {
        let Block { options, kind, .. } = block;
        // The same block, which outlives this one.
        let known = &known[number];
        number += 1;
        if let "callgrind" | "base" = *kind {
            if !is_open {
                inputs = Inputs::default();
                base = Inputs::default();
                is_open = true;
            }
            let is_base = *kind == "base";
            let side = if is_base { &mut base } else { &mut inputs };
            let text = if options.contains(&"unended") {
                known.text.trim_end_matches('\n')
            } else {
                &known.text
            };
            side.texts.push(text);
            if side.options.is_empty() {
                side.options.clone_from(&known.options);
            }
            return None;
        }
        is_open = false;
        Some(match *kind {
            "tables" => inputs.tables(),
            "text" => {
                let options = report(options);
                let profile = inputs.profile();
                let view = View::by_function(&profile, inputs.inclusive());
                let mut sources = SourceFiles::default();
                written(|output| text::write(&view, &options, &mut sources, output).map(none))
            }
            "markdown" => {
                let options = report(options);
                let profile = inputs.profile();
                let view = View::by_function(&profile, inputs.inclusive());
                let stacks = Stacks::new(&profile);
                written(|output| {
                    let sources = &mut SourceFiles::default();
                    markdown::write(&stacks, &view, &view, &[], &options, sources, output).map(none)
                })
            }
            "tree" => {
                let options = report(options);
                let profile = inputs.profile();
                let view = View::by_function(&profile, InclusiveCost::Summed);
                let stacks = Stacks::new(&profile);
                written(|output| tree::write(&view, &stacks, None, &options, output).map(none))
            }
            "collapsed" => {
                written(|output| collapsed::write(&Stacks::new(&inputs.profile()), output))
            }
            "stacks" => sum_stacks::shown(&inputs.profile()),
            "sums" => {
                let profile = inputs.profile();
                sums(&View::as_recorded(&profile, inputs.inclusive()).counted())
            }
            "json" => {
                let profile = inputs.profile();
                let view = View::as_recorded(&profile, inputs.inclusive());
                library::text_of(|output| {
                    json::write(
                        &view,
                        None,
                        &Notes::default(),
                        &ReportOptions::default(),
                        output,
                    )
                })
            }
            "preprocessed" => preprocessed(&inputs.profile(), options),
            #[cfg(not(feature = "compression"))]
            "pprof" => block.text.to_string(),
            #[cfg(feature = "compression")]
            "pprof" => {
                let base = (!base.texts.is_empty()).then(|| base.profile());
                pprof::shown(&inputs.profile(), base.as_ref(), options)
            }
            "page" => {
                let base = (!base.texts.is_empty()).then(|| base.page_profile());
                page::shown(&inputs.page_profile(), base, options)
            }
            "comparison" => {
                let inclusive = inputs.inclusive();
                comparison(&base.profile(), &mut inputs.profile(), inclusive, options)
            }
            _ => panic!("unknown kind of block {kind:?}"),
        })
    });
}

#[test]
fn every_page_shows_what_comes_of_its_profiles() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/cases");
    let pages = pages::pages(&directory);
    assert!(pages.len() > 5);
    pages.iter().for_each(|page| check(page));
}
