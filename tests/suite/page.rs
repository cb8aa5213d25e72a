//! The page, without a browser: what stands in it, and that nothing else runs or is loaded.
//! `tests/live/page/` opens it in one.

use std::fs;

use base64::prelude::{BASE64_STANDARD, Engine};
use cg_preprocess::compare::{Limit, Verdict, Views};
use cg_preprocess::io::{SourceFiles, SourceOptions};
use cg_preprocess::output::html::{self, HtmlOptions};
use cg_preprocess::output::{Names, Notes};
use cg_preprocess::profile::{InclusiveCost, Profile};
use cg_preprocess::view::View;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::common::{Random, fixtures};
use crate::library::{self, Reading, all_events, text_of};
use crate::schema::Schema;

/// How profiles are read that a page shows.
pub fn reading() -> Reading {
    let mut reading = Reading {
        profile: all_events(),
        ..Reading::default()
    };
    reading.profile.contexts = true;
    reading.profile.call_sites = true;
    reading
}

fn profile(text: impl AsRef<[u8]>) -> Profile {
    let mut profile = reading().sound(text.as_ref());
    profile.derive_events();
    profile
}

/// What stands at these places of the data, a line for each. The base of a comparison is incomplete.
pub fn shown(profile: &Profile, base: Option<Profile>, options: &[&str]) -> String {
    let base = base.map(|mut base| {
        base.set_incomplete();
        base
    });
    let inclusive = if options.contains(&"once") {
        InclusiveCost::Once
    } else {
        InclusiveCost::Summed
    };
    let per_run = options.contains(&"per-run");
    let views = Views::new(profile, base.as_ref(), inclusive, per_run);
    let (_, data) = written(&views, &mut SourceFiles::default(), |page| {
        for option in options {
            match option.split_once('=') {
                Some(("names", "full")) => page.report.names = Names::Full,
                Some(("source-root", root)) => page.source_root = Some(root.into()),
                Some(("source-url", url)) => page.source_url = Some(url.to_owned()),
                Some(option) => panic!("unknown option {option:?}"),
                None => {}
            }
        }
    });
    let places = options.iter().filter(|option| option.starts_with('/'));
    let lines = places.map(|place| {
        let value = data.pointer(place).unwrap_or_else(|| panic!("no {place}"));
        format!("{place} {value}\n")
    });
    lines.collect()
}

/// What comes of a limit on the cost of a function that costs 5.
fn verdict(function: &str, most: u64) -> Verdict {
    let profile = profile(format!("events: Ir\nfn={function}\n1 5\n"));
    let limit = Limit::cost(format!("{function}={most}").as_bytes()).unwrap();
    limit.check(&View::of(&profile)).unwrap()
}

/// A page, and its data as the schema has them.
fn written(
    views: &Views<'_>,
    sources: &mut SourceFiles,
    change: impl FnOnce(&mut HtmlOptions),
) -> (String, Value) {
    let mut options = HtmlOptions::default();
    change(&mut options);
    let notes = Notes {
        warnings: &[],
        limits: &[verdict("f", 4), verdict("f", 5)],
        ..Notes::default()
    };
    let page = text_of(|output| html::write(views, &notes, sources, &options, output));
    let data = data_text(&page).parse().unwrap();
    Schema::read("report").check(&data, "data");
    (page, data)
}

pub fn page(profile: &Profile) -> (String, Value) {
    let views = Views::new(profile, None, InclusiveCost::Summed, false);
    written(&views, &mut SourceFiles::default(), |_| {})
}

/// What stands between two texts, of which there is one each.
fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("{start}"));
    let (found, rest) = rest.split_once(end).unwrap_or_else(|| panic!("{end}"));
    assert!(!rest.contains(start), "{start} twice");
    found
}

fn data_text(page: &str) -> &str {
    let start = r#"<script type="application/json" id="data">"#;
    between(page, start, "</script>")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

/// A whole number, which is a text if a script could not know it exactly.
fn number(value: &Value) -> i128 {
    let text = value.as_str().map(str::to_owned);
    text.unwrap_or_else(|| value.to_string()).parse().unwrap()
}

fn index(value: &Value) -> usize {
    usize::try_from(number(value)).unwrap()
}

fn numbers(values: &Value) -> impl Iterator<Item = i128> {
    list(values).iter().map(number)
}

#[test]
fn every_fixture_is_a_document_and_a_page() {
    let schema = Schema::read("profile");
    for (name, text) in fixtures::profiles() {
        let profile = profile(text);
        let document = library::json(&profile).parse().unwrap();
        schema.check(&document, &name);
        let (_, data) = page(&profile);
        assert_eq!(data["total"], document["total"], "{name}");
    }
}

fn comparison_page(base: &Profile, new: &Profile) -> (String, Value) {
    let views = Views::new(new, Some(base), InclusiveCost::Summed, false);
    written(&views, &mut SourceFiles::default(), |_| {})
}

fn compared(base: &Profile, new: &Profile) -> Value {
    comparison_page(base, new).1
}

#[test]
fn only_its_own_script_and_style_may_run() {
    let template = concat!(env!("CARGO_MANIFEST_DIR"), "/src/output/html/page.html");
    let (page, _) = page(&profile("events: Ir\nfn=a\n1 5\n"));
    let script = between(&page, "<script>", "</script>");
    let style = between(&page, "<style>", "</style>");
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        sha256(script),
        sha256(style),
    );
    let start = r#"<meta http-equiv="Content-Security-Policy" content=""#;
    if fixtures::are_blessed() {
        let text = fs::read_to_string(template).unwrap();
        let text = text.replace(between(&text, start, "\">"), &policy);
        fs::write(template, text).unwrap();
        return;
    }
    assert_eq!(
        between(&page, start, "\">"),
        policy,
        "after a change of the script or the style, run BLESS=1 cargo test --test suite page"
    );
}

/// SHA-256 in base 64, as a policy names a script.
fn sha256(text: &str) -> String {
    BASE64_STANDARD.encode(Sha256::digest(text))
}

/// A character that takes six bytes in a page.
const LONG: &str = "<";

/// As much as there is room for: of functions, of their names and of calls.
#[test]
fn a_page_stays_small_and_sums_up_what_it_omits() {
    for (functions, files, calls, shown) in [
        (20_001_u64, 1, 0, (20_000, 0, 0)),
        (4_500, 4_500, 9, (4_350, 29_000, 4_500)),
    ] {
        let mut text = String::from("events: Ir Dr\n");
        for at in 0..functions {
            let (file, cost) = (at % files, 100_000_000_000_000 + at);
            let directory = LONG.repeat(140) + "/";
            text += &format!("fl=({file}) {directory}{file}\nfn=({at}) f{at}\n{at} {cost} 1\n");
        }
        for (at, call) in (0..functions).flat_map(|at| (1..=calls).map(move |call| (at, call))) {
            let callee = (at + call) % 1000;
            text += &format!(
                "fl=({at})\nfn=({at})\ncfi=({callee})\ncfn=({callee})\ncalls=1 0\n{call} 10000000000 5\n"
            );
        }
        let profile = profile(text);
        let (page, data) = page(&profile);
        assert!(page.len() < 8_000_000, "{}", page.len());
        let names = list(&data["functions"]["parts"]).len();
        let is_call = |[caller, callee]: [i128; 2]| caller >= 0 && callee >= 0;
        let ends = ["caller", "callee"].map(|end| numbers(&data["calls"][end]));
        let [callers, callees] = ends;
        let ends = callers.zip(callees).map(<[i128; 2]>::from);
        let calls_shown = ends.filter(|&ends| is_call(ends)).count();
        let stacks = data["stacks"]["parent"].as_array().map_or(0, Vec::len);
        assert!(
            names >= shown.0 && calls_shown >= shown.1,
            "{names} {calls_shown}"
        );
        assert_eq!(stacks, shown.2);
        let rest = index(&data["rest"]["functions"]);
        assert_eq!(names + rest, profile.functions().len());
        assert!(names <= 20_000);
        for (at, total) in profile.totals().into_iter().enumerate() {
            let own: i128 = numbers(&data["functions"]["self"][at]).sum();
            assert_eq!(own + number(&data["rest"]["self"][at][0]), total.into());
        }
        // The calls that are left out are summed up for those that are shown.
        for (end, count) in [("caller", names as u64), ("callee", functions)] {
            let sums = numbers(&data["calls"][end]).zip(numbers(&data["calls"]["calls"]));
            let sum: i128 = sums
                .filter(|(end, _)| *end >= 0)
                .map(|(_, calls)| calls)
                .sum();
            assert_eq!(sum, (calls * count).into());
        }
    }
}

#[test]
fn a_sum_of_stacks_is_estimated_if_one_of_them_is() {
    let mut text = String::from("events: Ir\nfn=(0) other\n");
    for at in 2..1_000 {
        let name = LONG.repeat(2_000);
        text += &format!("cfn=({at}) {name}{at}\ncalls=1 0\n1 1000\n");
    }
    text += "fn=(1) main\n";
    for at in 2..1_000 {
        text += &format!("cfn=({at})\ncalls=1 0\n1 1000\n");
    }
    // Only this one has one caller, and it costs least.
    text += "cfn=last\ncalls=1 0\n1 1\nfn=last\n1 1\n";
    text.extend((2..1_000).map(|at| format!("fn=({at})\n1 2000\n")));
    let (_, data) = page(&profile(text));
    let frames = list(&data["stacks"]["frame"]).iter();
    let sums = frames.enumerate();
    let sums = sums.filter(|(_, frame)| data["frames"]["parts"][index(frame)] == "…");
    let estimated = data["stacks"]["estimated"].as_str().unwrap().as_bytes();
    let estimated: Vec<_> = sums.map(|(at, _)| estimated.get(at)).collect();
    assert_eq!(estimated, [Some(&b'1'); 2]);
}

#[test]
fn omitted_changes_are_summed_up() {
    // Every other one grows, the others shrink: what is left out is a sum of both.
    let text = |more: u64| {
        let functions = (0..5_000_u64).map(|at| {
            let cost = if at % 2 == 0 {
                1_000_000 + at * (1 + more)
            } else {
                1_001_000 - at * more
            };
            format!(
                "fl={}/{at}\nfn=Long\\Class{at}->method{at}\n{at} {cost}\n",
                LONG.repeat(200)
            )
        });
        "events: Ir\nfl=a\nfn=same\n1 7\n".to_owned() + &functions.collect::<String>()
    };
    let [base, new] = [text(0), text(1)].map(profile);
    let data = compared(&base, &new);
    let rows = |side: &str| numbers(&data["functions"][side][0]);
    let changed = rows("self")
        .zip(rows("base_self"))
        .filter(|(new, base)| new != base);
    // The first function of both sides costs the same.
    let rest = &data["rest"];
    assert_eq!(changed.count() + index(&rest["changed"][0]), 4_999);
    let sum = |side: &str| rows(side).sum::<i128>();
    let change = sum("self") - sum("base_self") + number(&rest["self"][0][0])
        - number(&rest["base_self"][0][0]);
    assert_eq!(change, i128::from(new.total() - base.total()));
    assert!(index(&rest["functions"]) > 1000, "{rest}");
}

#[test]
fn a_comparison_of_many_events_stays_small_too() {
    let functions = 1_500_u64;
    let side = |seed: u64| {
        let mut random = Random(seed);
        let mut costs = || -> String {
            let costs = (0..60).map(|_| format!(" {}", random.below(1 << 30)));
            costs.collect()
        };
        let events: String = (0..60)
            .map(|event| format!(" {}{event}", LONG.repeat(250)))
            .collect();
        let mut text = format!("events:{events}\n");
        for at in 0..functions {
            text += &format!("fl=a.c\nfn=f{at}\n{at}{}\n", costs());
            for callee in (2 * at + 1..2 * at + 3).filter(|&callee| callee < functions) {
                text += &format!("cfn=f{callee}\ncalls=1 0\n{at}{}\n", costs());
            }
        }
        profile(text)
    };
    let (base, new) = (side(1), side(2));
    let (page, data) = comparison_page(&base, &new);
    assert!(page.len() < 8_000_000, "{}", page.len());
    assert!(list(&data["stacks"]["parent"]).len() > 3_500);
    let own: i128 = numbers(&data["stacks"]["self"][59]).sum();
    assert_eq!(own, number(&data["total"][59]));
}

#[test]
fn a_page_with_source_is_as_the_schema_has_it() {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("a.c"), "one\ntwo\n").unwrap();
    let mut options = SourceOptions::default();
    options.directories = vec![directory.path().to_owned()];
    let mut sources = SourceFiles::open(&options, None).unwrap();
    let profile = profile("events: Ir\nfl=a.c\nfn=f\n2 1\n");
    let views = Views::new(&profile, None, InclusiveCost::Summed, false);
    let (_, data) = written(&views, &mut sources, |_| {});
    assert_eq!(data["source"]["text"][0], "one\ntwo");
}

/// Whatever is long or many: names of events, limits, numbers of 14 digits, markup that is escaped.
#[test]
fn a_report_never_passes_8_mb() {
    let row = |events: usize, cost: u64| format!(" {cost}").repeat(events);
    let functions = |count: u64, events: usize, name: &str| -> String {
        let functions = (0..count).map(|at| {
            let cost = 10_000_000_000_000 + at;
            let callee = format!(
                "cfn={name}{}\ncalls=1 0\n{at}{}\n",
                at / 2,
                row(events, cost)
            );
            let call = if at > 0 { callee } else { String::new() };
            format!("fn={name}{at}\n{at}{}\n{call}", row(events, cost))
        });
        functions.collect()
    };
    let short: String = (0..9).map(|at| format!(" E{at}")).collect();
    let long: String = (0..60)
        .map(|at| format!(" {}{at}", LONG.repeat(250)))
        .collect();
    let lines = |function: u64| -> String {
        let lines = (1..=12_000_u64).map(|line| format!("{line} {}\n", 10_000_000_000_000 + line));
        format!("fn=f{function}\n{}", lines.collect::<String>())
    };
    let mut reports = Vec::new();
    for (text, limits) in [
        (format!("events:{short}\n{}", functions(5_600, 9, "f")), 0),
        (format!("events:{long}\n{}", functions(200, 60, "f")), 0),
        (
            format!("events: Ir\n{}", functions(800, 1, &"<".repeat(2_000))),
            20_000,
        ),
        (
            format!(
                "events: Ir\nfl=a.c\n{}",
                (0..6).map(lines).collect::<String>()
            ),
            0,
        ),
    ] {
        let profile = profile(text);
        let verdicts = vec![verdict(&"<".repeat(1_000), 4); limits];
        let notes = Notes {
            limits: &verdicts,
            ..Notes::default()
        };
        let views = Views::new(&profile, None, InclusiveCost::Summed, false);
        let options = HtmlOptions::default();
        let page = text_of(|output| {
            let mut sources = SourceFiles::default();
            html::write(&views, &notes, &mut sources, &options, output)
        });
        assert!(page.len() < 8_000_000, "{}", page.len());
        let data: Value = data_text(&page).parse().unwrap();
        Schema::read("report").check(&data, "data");
        reports.push(data);
    }
    assert!(index(&reports[0]["rest"]["functions"]) > 0);
    let limits = list(&reports[2]["limits"]);
    assert_eq!(
        (limits.len(), &limits[100]["text"]),
        (101, &json!("19,900 more limits"))
    );
    // Of functions for whose lines there is no room, it is said how many there are.
    let lines = &reports[3]["lines"];
    let shown = list(&lines["line"]).len();
    assert_eq!(shown / 12_000 + index(&lines["omitted"]), 6);
    assert!(index(&lines["omitted"]) > 0 && shown > 0);
}
