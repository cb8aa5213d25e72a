//! The page, without a browser: what stands in it, and that nothing else runs or is loaded.
//! `tests/live/page/` opens it in one.

use std::env;
use std::fs;

use cg_preprocess::profile::{Comparison, EventChoice, Profile, Stacks};
use cg_preprocess::report::html::{self, Compared, Options};
use cg_preprocess::report::json::{Completeness, Notes};
use cg_preprocess::report::markdown::Verdict;
use cg_preprocess::report::text::Names;
use serde_json::{Value, json};

use crate::common::fixtures;
use crate::library::{self, profile_options, read};
use crate::schema::Schema;

fn profile(text: impl AsRef<[u8]>) -> Profile {
    let options = profile_options(|options| {
        options.events = EventChoice::All;
        options.contexts = true;
        options.call_files = true;
    });
    let mut profile = read(text, options);
    profile.derive_events();
    profile
}

fn page(profile: &Profile) -> String {
    let mut page = Vec::new();
    html::write(
        &Stacks::new(profile),
        None,
        &Notes::default(),
        &Options::default(),
        &mut page,
    )
    .unwrap();
    String::from_utf8(page).unwrap()
}

/// What stands between two texts, of which there is one each.
fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("{start}"));
    let (found, rest) = rest.split_once(end).unwrap_or_else(|| panic!("{end}"));
    assert!(!rest.contains(start), "{start} twice");
    found
}

fn data_text(page: &str) -> &str {
    between(
        page,
        r#"<script type="application/json" id="data">"#,
        "</script>",
    )
}

fn data(page: &str) -> Value {
    serde_json::from_str(data_text(page)).unwrap()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

/// A whole number, which is a text if a script could not know it exactly.
fn number(value: &Value) -> i128 {
    let text = value.as_str().map(str::to_owned);
    text.unwrap_or_else(|| value.to_string()).parse().unwrap()
}

#[test]
fn every_fixture_is_a_page_with_the_figures_of_its_document() {
    let schema = Schema::read("page");
    for folder in [
        "xdebug2",
        "xdebug3",
        "valgrind",
        "other",
        "producers",
        "reports",
    ] {
        let files = fixtures::files_below(&fixtures::path(folder));
        for path in files {
            if !path
                .extension()
                .is_some_and(|extension| extension == "cg" || extension == "out")
            {
                continue;
            }
            let name = fixtures::short(&path);
            let profile = profile(fs::read(&path).unwrap());
            let page = page(&profile);
            let data = data(&page);
            schema.check(&data, &name);
            check_figures(
                &data,
                &serde_json::from_str(&library::json(&profile)).unwrap(),
                &name,
            );
        }
    }
}

/// Compares the columns with the rows of `-f json`.
fn check_figures(data: &Value, document: &Value, name: &str) {
    assert_eq!(list(&data["total"]).len(), list(&document["events"]).len());
    let columns = &data["functions"];
    let functions = list(&document["functions"]);
    assert_eq!(list(&columns["name"]).len(), functions.len(), "{name}");
    let mut expected = Vec::new();
    for (at, function) in functions.iter().enumerate() {
        for figure in ["self", "inclusive"] {
            let costs = list(&columns[figure])
                .iter()
                .map(|column| number(&column[at]));
            let expected = list(&function[figure]).iter().map(number);
            assert!(costs.eq(expected), "{name}: {function}");
        }
        for figure in ["number", "line", "invocations"] {
            assert_eq!(columns[figure][at], function[figure], "{name}");
        }
        expected.extend(list(&function["sub_calls"]).iter().map(|call| {
            let file = call.get("file").unwrap_or(&function["file"]);
            let costs: Vec<_> = list(&call["cost"]).iter().map(number).collect();
            let [callee, line, calls] = ["function", "line", "calls"].map(|key| number(&call[key]));
            (file.clone(), vec![at as i128, callee, line, calls], costs)
        }));
    }
    let calls = &data["calls"];
    let found = (0..list(&calls["calls"]).len()).map(|call| {
        let file = data["files"][number_of(&calls["file"][call])].clone();
        let place = ["caller", "callee", "line", "calls"].map(|key| number(&calls[key][call]));
        let costs = list(&calls["cost"])
            .iter()
            .map(|event| number(&event[call]));
        (file, place.to_vec(), costs.collect::<Vec<_>>())
    });
    let mut found: Vec<_> = found.collect();
    let key = |call: &(Value, Vec<i128>, Vec<i128>)| (call.0.to_string(), call.1.clone());
    found.sort_by_key(key);
    expected.sort_by_key(key);
    assert_eq!(found, expected, "{name}");
    let event = |column: &Value| list(column).iter().map(number).sum::<i128>();
    for (at, total) in list(&document["total"]).iter().enumerate() {
        // Nothing that the stacks leave out is missing.
        if data["stacks"].is_object() {
            assert_eq!(event(&data["stacks"]["self"][at]), number(total), "{name}");
        }
    }
}

/// A trace of `{main}`, which calls `old` and `new` where these cost something: time, and memory.
fn trace([main, old, new]: [[u32; 2]; 3]) -> Profile {
    let called = [("old", old), ("new", new)]
        .into_iter()
        .filter(|(_, costs)| *costs != [0, 0]);
    let mut text = String::from("creator: xdebug 3.4.0\nevents: Time Memory\n");
    let mut calls = String::new();
    for (name, [time, memory]) in called {
        text += &format!("fl=a.php\nfn={name}\n1 {time} {memory}\n\n");
        calls += &format!("cfn={name}\ncalls=1 0 0\n2 {time} {memory}\n");
    }
    let [time, memory] = main;
    profile(text + &format!("fl=a.php\nfn={{main}}\n1 {time} {memory}\n{calls}"))
}

fn comparison_page(base: &Profile, new: &Profile, comparison: &Comparison<'_>) -> (String, Value) {
    let complete = Completeness {
        base: true,
        new: true,
    };
    let limit = |kept, text: &str| Verdict {
        kept,
        text: text.to_owned(),
    };
    let compared = Compared {
        base: &Stacks::new(base),
        comparison,
        complete,
        limits: &[limit(false, "too much"), limit(true, "enough")],
    };
    let mut page = Vec::new();
    html::write(
        &Stacks::new(new),
        Some(&compared),
        &Notes::default(),
        &Options::default(),
        &mut page,
    )
    .unwrap();
    let page = String::from_utf8(page).unwrap();
    let data = data(&page);
    Schema::read("page").check(&data, "comparison");
    (page, data)
}

#[test]
fn a_comparison_has_the_changes_and_the_stacks_of_both_sides() {
    let base = trace([[10, 5], [20, 9], [0, 0]]);
    let new = trace([[15, 5], [0, 0], [30, 2]]);
    let (_, data) = comparison_page(&base, &new, &Comparison::new(&base, &new).unwrap());
    let comparison = &data["comparison"];
    let limits = json!([{"kept": false, "text": "too much"}, {"kept": true, "text": "enough"}]);
    assert_eq!(comparison["limits"], limits);
    assert_eq!(
        comparison["functions"]["name"],
        json!(["new", "old", "{main}"])
    );
    assert_eq!(comparison["functions"]["is"], json!(["new", "gone", ""]));
    // Rows of the functions: new, old and {main}.
    assert_eq!(comparison["functions"]["function"], json!([0, -1, 1]));
    let [time, memory] = [&comparison["events"][0], &comparison["events"][1]];
    assert_eq!(time["verdict"], "grew by 15 (50.00 %)");
    assert_eq!(time["totals"], json!([30, 45]));
    assert_eq!(time["changes"]["row"], json!([0, 1, 2]));
    assert_eq!(time["changes"]["self"], json!([[0, 20, 10], [30, 0, 15]]));
    assert_eq!(time["unchanged"], 0);
    // Sorted by the change of this event; {main} has not changed in it.
    assert_eq!(memory["verdict"], "shrank by 7 (50.00 %)");
    assert_eq!(memory["changes"]["row"], json!([1, 0, 2]));
    assert_eq!(memory["changes"]["self"], json!([[9, 0, 5], [0, 2, 5]]));
    assert_eq!(
        memory["changes"]["inclusive"],
        json!([[9, 0, 14], [0, 2, 7]])
    );
    let stacks = &data["stacks"];
    assert_eq!(stacks["parent"], json!([-1, 0, 0]));
    assert_eq!(stacks["self"], json!([[15, 30, 0], [5, 2, 0]]));
    assert_eq!(stacks["base"], json!([[10, 0, 20], [5, 0, 9]]));
    assert_eq!(
        stacks["frames"]["name"][number_of(&stacks["frame"][2])],
        "old"
    );
}

#[test]
fn a_comparison_per_run_divides_all_but_the_stacks() {
    let runs = |time: u32| {
        let run = format!("creator: xdebug 3.4.0\nevents: Time\nfl=a.php\nfn={{main}}\n1 {time}\n");
        profile(format!("{run}\n==== NEW PROFILING FILE ====\n{run}"))
    };
    let (base, new) = (
        profile("events: Time\nfl=a.php\nfn={main}\n1 10\n"),
        runs(15),
    );
    let (_, data) = comparison_page(&base, &new, &Comparison::per_run(&base, &new).unwrap());
    let text = "costs and calls are divided: by 1 run in the base, 2 runs in the new profile";
    assert_eq!(data["comparison"]["per_run"], text);
    assert_eq!(data["comparison"]["runs"], json!([1, 2]));
    assert_eq!(
        data["comparison"]["events"][0]["changes"]["self"],
        json!([[10], [15]])
    );
    assert_eq!(data["total"], json!([15]));
    assert_eq!(data["functions"]["self"], json!([[15]]));
    assert_eq!(data["functions"]["invocations"], json!([1]));
    assert_eq!(data["stacks"]["self"], json!([[30]]));
}

#[test]
fn a_comparison_has_no_scales() {
    let side = |events: &str| {
        profile(format!(
            "events: {events}\nfn=a\n1 3\ncfn=b\ncalls=1 0\n2 4\nfn=b\n1 4\n"
        ))
    };
    let (base, new) = (side("Ir_(x1000)"), side("Ir"));
    let (_, data) = comparison_page(&base, &new, &Comparison::new(&base, &new).unwrap());
    assert_eq!(data["events"][0]["name"], "Ir");
    assert_eq!(data["comparison"]["events"][0]["totals"], json!([7000, 7]));
    assert_eq!(data["stacks"]["self"], json!([[3, 4]]));
    assert_eq!(data["stacks"]["base"], json!([[3000, 4000]]));
    let (_, data) = comparison_page(&new, &base, &Comparison::new(&new, &base).unwrap());
    assert_eq!(data["total"], json!([7000]));
    assert_eq!(data["functions"]["inclusive"], json!([[7000, 4000]]));
    assert_eq!(data["calls"]["cost"], json!([[4000]]));
    assert_eq!(data["stacks"]["self"], json!([[3000, 4000]]));
}

#[test]
fn names_are_short_unless_they_are_wanted_in_full() {
    let name = format!("a<{}>()", "b".repeat(100));
    let profile = profile(format!("events: Ir\nfn={name}\n1 5\n"));
    for (names, short) in [(Names::Auto, "a<…>()"), (Names::Full, "")] {
        let mut options = Options::default();
        options.names = names;
        let mut page = Vec::new();
        let stacks = Stacks::new(&profile);
        html::write(&stacks, None, &Notes::default(), &options, &mut page).unwrap();
        let data = data(std::str::from_utf8(&page).unwrap());
        assert_eq!(data["functions"]["short"], json!([short]));
    }
}

fn number_of(value: &Value) -> usize {
    usize::try_from(number(value)).unwrap()
}

#[test]
fn calls_in_inlined_code_are_at_its_file() {
    let text =
        "events: Ir\nfl=a.c\nfn=a\n1 5\nfi=inlined.h\ncfi=a.c\ncfn=b\ncalls=1 9\n3 4\nfn=b\n9 4\n";
    let data = data(&page(&profile(text)));
    let file = number_of(&data["calls"]["file"][0]);
    assert_eq!(data["files"][file], "inlined.h");
    assert_eq!(data["calls"]["line"][0], 3);
}

#[test]
fn the_same_profile_is_the_same_page() {
    let text = fixtures::bytes("xdebug3/features.cg");
    assert!(page(&profile(&text)) == page(&profile(&text)));
}

#[test]
fn only_its_own_script_and_style_may_run() {
    let template = concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/html/page.html");
    let page = page(&profile("events: Ir\nfn=a\n1 5\n"));
    let script = between(&page, "<script>", "</script>");
    let style = between(&page, "<style>", "</style>");
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        sha256(script.as_bytes()),
        sha256(style.as_bytes()),
    );
    let start = r#"<meta http-equiv="Content-Security-Policy" content=""#;
    if env::var_os("BLESS").is_some() {
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
fn sha256(bytes: &[u8]) -> String {
    let mut primes = (2u64..).filter(|n| (2..*n).take_while(|d| d * d <= *n).all(|d| n % d != 0));
    let primes: Vec<u64> = primes.by_ref().take(64).collect();
    // The first 32 bits of the fractions of roots: searched for in whole numbers.
    let root = |prime: u64, power: u32, shift: u32| {
        let (mut least, mut most) = (0u128, 1u128 << 40);
        while most - least > 1 {
            let middle = (least + most) / 2;
            if middle.pow(power) <= u128::from(prime) << shift {
                least = middle;
            } else {
                most = middle;
            }
        }
        u32::try_from(least & 0xffff_ffff).unwrap()
    };
    let mut state: Vec<u32> = primes[..8]
        .iter()
        .map(|&prime| root(prime, 2, 64))
        .collect();
    let rounds: Vec<u32> = primes.iter().map(|&prime| root(prime, 3, 96)).collect();
    let mut message = bytes.to_vec();
    message.push(0x80);
    message.resize(message.len().next_multiple_of(64), 0);
    if bytes.len() % 64 > 55 {
        message.resize(message.len() + 64, 0);
    }
    let end = message.len() - 8;
    message[end..].copy_from_slice(&(bytes.len() as u64 * 8).to_be_bytes());
    for block in message.chunks(64) {
        let words = block
            .chunks(4)
            .map(|word| u32::from_be_bytes(word.try_into().unwrap()));
        let mut words: Vec<u32> = words.collect();
        for at in 16..64 {
            let [a, b] = [words[at - 15], words[at - 2]];
            let a = a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3);
            let b = b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10);
            words.push(
                [words[at - 16], a, words[at - 7], b]
                    .into_iter()
                    .fold(0, u32::wrapping_add),
            );
        }
        let mut v = state.clone();
        for (word, round) in words.iter().zip(&rounds) {
            let (a, e) = (v[0], v[4]);
            let ones = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let choice = (e & v[5]) ^ (!e & v[6]);
            let first = [v[7], ones, choice, *round, *word]
                .into_iter()
                .fold(0, u32::wrapping_add);
            let zeros = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let majority = (a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]);
            v.rotate_right(1);
            v[4] = v[4].wrapping_add(first);
            v[0] = first.wrapping_add(zeros).wrapping_add(majority);
        }
        for (sum, value) in state.iter_mut().zip(v) {
            *sum = sum.wrapping_add(value);
        }
    }
    base64(
        &state
            .iter()
            .flat_map(|word| word.to_be_bytes())
            .collect::<Vec<u8>>(),
    )
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let three = [0, 1, 2].map(|at| u32::from(chunk.get(at).copied().unwrap_or(0)));
        let bits = three[0] << 16 | three[1] << 8 | three[2];
        for digit in 0..4 {
            let place = (bits >> (18 - 6 * digit)) & 63;
            text.push(if digit <= chunk.len() {
                DIGITS[place as usize].into()
            } else {
                '='
            });
        }
    }
    text
}

#[test]
fn no_name_ends_the_data_or_is_shown_raw() {
    let text = concat!(
        "cmd: </script><script>alert(1)</script>\nevents: Ir\nfl=<!--\u{2028}\u{2029}\n",
        "fn=</script><img src=x onerror=alert(1)>\u{202e}\n1 5\n"
    );
    let page = page(&profile(text));
    let found = data_text(&page);
    assert!(
        !found.contains(['<', '\u{2028}', '\u{2029}', '\u{202e}']),
        "{found}"
    );
    let name = &data(&page)["functions"]["name"][0];
    assert_eq!(name, "</script><img src=x onerror=alert(1)>\\u{202e}");
    // A line separator is escaped twice: for people, and for scripts.
    assert_eq!(data(&page)["files"][1], "<!--\\u{2028}\\u{2029}");
}

#[test]
fn a_script_knows_large_numbers_exactly() {
    let page = page(&profile(format!(
        "events: Ir\nfn=a\n1 {}\nfn=b\n1 9007199254740991\n",
        i64::MAX - 1
    )));
    let costs = &data(&page)["functions"]["self"][0];
    assert_eq!(costs[0], "9223372036854775806");
    assert_eq!(costs[1], 9_007_199_254_740_991_i64);
}

/// As many bytes as there are, and 8 MB of them at most.
#[test]
fn a_page_stays_small_and_sums_up_what_it_leaves_out() {
    let mut text = String::from("events: Ir Dr\nfl=/srv/app/src/some/folder/file.php\n");
    let functions = 28_000_u32;
    for at in 0..functions {
        let name = format!("Some\\Namespace\\That\\Is\\Long\\Class{at}->method{at}");
        text += &format!("fn={name}\n{at} {} 1\n", 1_000_000_000 + u64::from(at));
        for call in 1..=3 {
            text += &format!(
                "cfn=(callee) f{}\ncalls=1 0\n{call} 100000 5\n",
                (at + call) % 1000
            );
        }
    }
    let profile = profile(text);
    let page = page(&profile);
    assert!(page.len() < 8_000_000, "{}", page.len());
    let data = data(&page);
    let shown = list(&data["functions"]["name"]).len();
    assert!((10_000..28_000).contains(&shown), "{shown}");
    let rest = usize::try_from(number(&data["rest"]["functions"])).unwrap();
    assert_eq!(shown + rest, profile.functions().len());
    for (at, total) in profile.totals().into_iter().enumerate() {
        let own: i128 = list(&data["functions"]["self"][at])
            .iter()
            .map(number)
            .sum();
        assert_eq!(own + number(&data["rest"]["self"][at]), total.into());
    }
    // The calls that are left out are summed up for those that are shown.
    let calls: i128 = list(&data["calls"]["calls"]).iter().map(number).sum();
    assert!(calls >= i128::from(3 * shown as u64), "{calls}");
    let callers = list(&data["calls"]["caller"]).iter().map(number);
    assert!(callers.filter(|&caller| caller >= 0).count() >= shown);
}

#[test]
fn changes_that_are_left_out_are_summed_up() {
    let text = |more: u64| {
        let functions = (0..5000_u64).map(|at| {
            let cost = 1_000_000 + at * (1 + more);
            format!("fn=Some\\Namespace\\That\\Is\\Long\\Class{at}->method{at}\n{at} {cost}\n")
        });
        format!(
            "events: Ir\nfl=a\nfn=same\n1 7\n{}",
            functions.collect::<String>()
        )
    };
    let [base, new] = [text(0), text(1)].map(profile);
    let (_, data) = comparison_page(&base, &new, &Comparison::new(&base, &new).unwrap());
    let event = &data["comparison"]["events"][0];
    let costs = &event["changes"]["self"];
    let shown = list(&costs[0]).len();
    assert!((1000..4999).contains(&shown), "{shown}");
    // The first function of both sides costs the same.
    assert_eq!(shown + number_of(&event["rest"]["functions"]), 4999);
    let sum = |side: usize| list(&costs[side]).iter().map(number).sum::<i128>();
    let change = sum(1) - sum(0) + number(&event["rest"]["change"]);
    assert_eq!(change, i128::from(new.total() - base.total()));
}

#[test]
fn warnings_that_are_too_many_are_counted() {
    let profile = profile("events: Ir\nfn=a\n1 5\n");
    let notes = Notes {
        complete: false,
        warnings: vec!["lost".to_owned(); 103],
    };
    let mut page = Vec::new();
    let options = Options::default();
    html::write(&Stacks::new(&profile), None, &notes, &options, &mut page).unwrap();
    let data = data(std::str::from_utf8(&page).unwrap());
    let shown = list(&data["warnings"]);
    assert_eq!((shown.len(), &shown[100]), (101, &json!("3 more warnings")));
}

/// Also the nodes of stacks that stand for others have to find room.
#[test]
fn a_comparison_of_many_events_stays_small_too() {
    let functions = 1_000_u64;
    let side = |seed: u64| {
        let mut state = seed;
        let mut costs = || {
            let costs = (0..60).map(|_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                format!(" {}", state >> 34)
            });
            costs.collect::<String>()
        };
        let events: String = (0..60).map(|event| format!(" E{event}")).collect();
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
    let comparison = Comparison::new(&base, &new).unwrap();
    let (page, data) = comparison_page(&base, &new, &comparison);
    assert!(page.len() < 8_000_000, "{}", page.len());
    let stacks = data["stacks"].to_string().len();
    assert!((1_500_000..1_900_000).contains(&stacks), "{stacks}");
    let own: i128 = list(&data["stacks"]["self"][59]).iter().map(number).sum();
    assert_eq!(own, number(&data["total"][59]));
}

#[test]
fn the_source_root_is_left_out_of_files() {
    let profile =
        profile("events: Ir\nfl=/srv/app/src/a.php\nfn=a\n1 5\nfl=/srv/app2/b.php\nfn=b\n1 5\n");
    let mut options = Options::default();
    options.source_root = Some(b"/srv/app/".to_vec());
    options.source_url = Some("https://host/{file}#L{line}".to_owned());
    let mut page = Vec::new();
    html::write(
        &Stacks::new(&profile),
        None,
        &Notes::default(),
        &options,
        &mut page,
    )
    .unwrap();
    let data = data(std::str::from_utf8(&page).unwrap());
    let files = list(&data["files"]);
    assert!(files.contains(&"src/a.php".into()) && files.contains(&"/srv/app2/b.php".into()));
    assert_eq!(data["source_url"], "https://host/{file}#L{line}");
}
