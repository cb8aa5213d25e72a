//! Comparisons of two profiles: which functions are the same, what is told of them, and limits.

use cg_preprocess::profile::{
    Comparison, EventChoice, FunctionChange, MaxGrowth, MaxGrowthError, Profile, ProfileOptions,
};
use cg_preprocess::report::json::{self, Completeness};
use cg_preprocess::report::text;
use cg_preprocess::webgrind::{OnOverflow, Version};
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use crate::common::fixtures;
use crate::library::{profile_options, read, read_file, text_options, write_with};
use crate::schema::Schema;

fn profile(text: impl AsRef<[u8]>) -> Profile {
    read(text, ProfileOptions::default())
}

fn fixture(name: &str) -> Profile {
    profile(fixtures::bytes(&format!("comparison/{name}.cg")))
}

/// A comparison borrows its sides, which live to the end of the test.
fn of(base: Profile, new: Profile) -> Comparison<'static> {
    let [base, new] = [base, new].map(|profile| &*Box::leak(Box::new(profile)));
    Comparison::new(base, new).unwrap()
}

fn compare(base: &str, new: &str) -> Comparison<'static> {
    let text = |functions: &str| format!("events: Ir\n{functions}");
    of(profile(text(base)), profile(text(new)))
}

fn shown(comparison: &Comparison<'_>, options: &text::Options) -> String {
    let mut output = Vec::new();
    text::write_comparison(comparison, options, &mut output).unwrap();
    String::from_utf8(output).unwrap()
}

fn as_text(comparison: &Comparison<'_>) -> String {
    shown(comparison, &text::Options::default())
}

fn as_json(comparison: &Comparison<'_>) -> Value {
    let complete = Completeness {
        base: true,
        new: false,
    };
    let mut output = Vec::new();
    json::write_comparison(comparison, &complete, &mut output).unwrap();
    let document: Value = serde_json::from_slice(&output).unwrap();
    Schema::read("comparison").check(&document, "comparison");
    assert_eq!(document["base"]["complete"], true);
    assert_eq!(document["new"]["complete"], false);
    document
}

fn name<'a>(change: &FunctionChange<'a>) -> &'a str {
    str::from_utf8(change.name).unwrap()
}

/// Names with what their self costs were before and after; none where they were not there.
fn changes<'a>(comparison: &Comparison<'a>) -> Vec<(&'a str, Option<i128>, Option<i128>)> {
    let changes = comparison.changes.iter();
    changes
        .map(|change| {
            let [base, new] = [change.base, change.new].map(|sums| Some(sums?.self_cost));
            (name(change), base, new)
        })
        .collect()
}

#[test]
fn the_function_that_became_slower_is_named_first_with_both_figures() {
    let comparison = of(fixture("valgrind-base"), fixture("valgrind-slower"));
    let first = &comparison.changes[0];
    assert_eq!(name(first), "hash");
    // The figures of callgrind_annotate.
    assert_eq!(first.base.unwrap().self_cost, 249_150);
    assert_eq!(first.new.unwrap().self_cost, 373_675);
    let expected = "\
event      Ir
base       252,433 in 8 functions
new        376,958 in 8 functions
change     +124,525, +49.33 %

  change  base %  function  file
+124,525  +49.33  hash      /srv/app/app.c
    self 249,150 → 373,675, inclusive 249,150 → 373,675, calls 25

6 more changed by 0 together, 0.00 %
1 function did not change
";
    let report = shown(&comparison, &text_options(|options| options.top = Some(1)));
    assert!(report == expected, "{report}");
}

#[test]
fn a_loop_that_became_longer_is_told_by_its_calls() {
    let comparison = of(fixture("xdebug-base"), fixture("xdebug-longer"));
    let mut calls: Vec<_> = comparison
        .changes
        .iter()
        .filter(|change| change.invocations() != 0)
        .map(|change| {
            (
                name(change),
                change.base.unwrap().invocations,
                change.invocations(),
            )
        })
        .collect();
    calls.sort_unstable();
    let expected = ["App\\parse", "App\\total", "php::array_sum", "php::explode"];
    assert_eq!(calls, expected.map(|name| (name, 20, 10)));
    let report = as_text(&comparison);
    assert!(report.contains(" calls 20 → 30 (+10)\n"), "{report}");
    assert!(
        report.contains("\nchange µs  base %  function "),
        "{report}"
    );
}

#[test]
fn scaled_files_are_compared_in_whole_units() {
    let text = "events: Ir\nfn=a\n1 4000000000000\nfn=b\n2 8000\n";
    let (file, _) = write_with(&profile(text), Version::V7, OnOverflow::Scale);
    let base = read_file(&file).unwrap();
    assert_eq!(base.event(), b"Ir_(x1000)");
    let new = profile("events: Ir\nfn=a\n1 4000000000000\nfn=b\n2 9500\n");
    let comparison = Comparison::new(&base, &new).unwrap();
    assert_eq!(comparison.first().name, b"Ir");
    assert_eq!(changes(&comparison), [("b", Some(8000), Some(9500))]);
    let report = as_text(&comparison);
    assert!(
        report.contains("\nbase       4,000,000,008,000 in 2 functions, in units of 1,000\n"),
        "{report}"
    );
}

#[test]
fn the_order_of_functions_does_not_matter() {
    let functions: Vec<String> = (0..40)
        .map(|number| {
            format!(
                "fl=/srv/{number}/f.c\nfn=f{}\n{number} {}\n",
                number % 7,
                number * number % 11
            )
        })
        .collect();
    let text = |order: &dyn Fn(usize) -> usize, from: usize| {
        let chosen = (0..40).map(order).filter(|at| at % 5 != from);
        chosen.map(|at| functions[at].as_str()).collect::<String>()
    };
    let expected = as_json(&compare(&text(&|at| at, 0), &text(&|at| at, 1)));
    let mixed = [|at| 39 - at, |at| at * 7 % 40, |at| at * 11 % 40];
    for (base, new) in mixed.into_iter().zip(mixed.into_iter().rev()) {
        let found = as_json(&compare(&text(&base, 0), &text(&new, 1)));
        assert_eq!(found, expected);
    }
    assert!(expected["functions"].as_array().unwrap().len() > 3);
}

#[test]
fn a_log_of_80_columns_suffices_and_a_terminal_is_not_overrun() {
    let text = |cost: u64| {
        let name =
            "std::vector<std::string, std::allocator<std::string> >::push_back(std::string&&)";
        format!(
            "fl=/srv/app/src/vector.h\nfn={name}\n7 {cost}\nfn=main\n1 {}\n",
            cost / 2
        )
    };
    let comparison = compare(&text(123_456_789_012), &text(223_456_789_012));
    let report = as_text(&comparison);
    let names = |line: &&str| !line.contains("push_back");
    assert!(
        report.lines().filter(names).all(|line| line.width() <= 80),
        "{report}"
    );
    for width in 0..200 {
        let report = shown(
            &comparison,
            &text_options(|options| options.width = Some(width)),
        );
        assert!(
            report.lines().all(|line| line.width() <= width),
            "{width}: {report}"
        );
    }
}

#[test]
fn limits_are_numbers_of_percent() {
    for (text, shown) in [
        ("5", "5 %"),
        ("5%", "5 %"),
        ("2.50 %", "2.5 %"),
        ("0", "0 %"),
        ("-0.5%", "-0.5 %"),
        ("007", "7 %"),
        ("999999999", "999,999,999 %"),
        ("0.000001", "0.000001 %"),
    ] {
        assert_eq!(text.parse::<MaxGrowth>().unwrap().to_string(), shown);
    }
    for wrong in [
        "",
        "%",
        "-",
        "five",
        "5 5",
        "1e3",
        "5.",
        ".5",
        "+5",
        "5%%",
        "0x5",
        "1234567890123",
        "0.0000001",
    ] {
        assert_eq!(wrong.parse::<MaxGrowth>(), Err(MaxGrowthError), "{wrong}");
    }
}

#[test]
fn growth_that_cannot_be_told_is_a_failure() {
    for (base, new, told) in [
        (0, 70, "cannot be told: it was 0, and is 70"),
        (0, 0, "cannot be told"),
        (-5, -4, "cannot be told"),
        (5, i64::MAX, "64 bits"),
        (i64::MAX, 5, "64 bits"),
    ] {
        let [base, new] = [base, new].map(|cost| format!("fn=a\n1 {cost}\n"));
        let failure = compare(&base, &new).check_growth("1000000".parse().unwrap());
        let failure = failure.unwrap_err().to_string();
        assert!(failure.contains(told), "{failure}");
    }
}

#[test]
fn growth_is_allowed_up_to_the_last_unit() {
    let check = |new: u64, limit: &str| {
        let comparison = compare("fn=a\n1 100000\n", &format!("fn=a\n1 {new}\n"));
        let checked = comparison.check_growth(limit.parse().unwrap());
        checked.map_err(|failure| failure.to_string())
    };
    assert_eq!(check(102_000, "2"), Ok(()));
    assert_eq!(check(102_500, "2.5%"), Ok(()));
    assert_eq!(check(90_000, "0"), Ok(()));
    assert_eq!(check(90_000, "-10"), Ok(()));
    assert_eq!(
        check(102_001, "2"),
        Err("the total of Ir grew by 2.001 %, from 100,000 to 102,001: more than the 2 % that are allowed; most grew a by 2,001".to_owned())
    );
    let more_decimals = check(102_505, "2.504").unwrap_err();
    assert!(more_decimals.contains("grew by 2.51 %"), "{more_decimals}");
    for (new, limit, shown) in [
        (102_501, "2.50", "2.501 %, "),
        (90_001, "-10", "-9.999 %, "),
        (100_001, "0", "0.001 %, "),
        (103_000, "2", "3.00 %, "),
    ] {
        let failure = check(new, limit).unwrap_err();
        assert!(failure.contains(&format!(" grew by {shown}")), "{failure}");
    }
    let [base, new] =
        [0, 1].map(|more: u64| format!("fn=a\n1 {}\n", 9_000_000_000_000_000_000 + more));
    let failure = compare(&base, &new).check_growth("0".parse().unwrap());
    let failure = failure.unwrap_err().to_string();
    assert!(failure.contains(" grew by 0.000001 %, "), "{failure}");
    assert_eq!(
        check(250_000, "0"),
        Err("the total of Ir grew by 150.00 %, from 100,000 to 250,000: more than the 0 % that are allowed; most grew a by 150,000".to_owned())
    );
}

#[test]
fn all_events_of_both_sides_are_compared() {
    let all = || profile_options(|options| options.events = EventChoice::All);
    let text = "events: Ir Dw Dr\nfl=a\nfn=f\n1 5 1 7\nfl=x/a\nfn=f\n1 1 1 1\nfn=g\n1 2 3 4\n";
    let mut base = read(text, all());
    let text = "events: Ir Dr Dw Bc\nfl=a\nfn=f\n1 6 10 2 1\nfn=g\n1 2 4 2 1\n";
    let mut new = read(text, all());
    let found = as_json(&Comparison::new(&base, &new).unwrap());
    let names = |found: &Value| -> Vec<String> {
        let events = found["events"].as_array().unwrap().iter();
        events
            .map(|event| event["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names(&found), ["Ir", "Dr", "Dw"]);
    assert_eq!(found["base"]["total"], json!([8, 12, 5]));
    assert_eq!(found["new"]["total"], json!([8, 14, 4]));
    // What is the same in one event may differ in another.
    let functions = &found["functions"];
    assert_eq!(functions[0]["name"], "f");
    assert_eq!(functions[0]["base"]["self"], json!([6, 8, 2]));
    assert_eq!(functions[0]["new"]["self"], json!([6, 10, 2]));
    assert_eq!(functions[1]["name"], "g");
    assert_eq!(functions[1]["base"]["inclusive"], json!([2, 4, 3]));
    assert_eq!(functions[1]["new"]["inclusive"], json!([2, 4, 2]));
    // Profiles that only have these are compared in the same way.
    base.keep_common_events(&mut new).unwrap();
    let events = |profile: &Profile| -> Vec<Vec<u8>> {
        let events = profile.events().iter();
        events.map(|event| event.name().to_vec()).collect()
    };
    assert_eq!(events(&base), [b"Ir", b"Dr", b"Dw"]);
    assert_eq!(events(&new), events(&base));
    assert_eq!(base.totals(), [8, 12, 5]);
    assert_eq!(as_json(&Comparison::new(&base, &new).unwrap()), found);
    let mut other = read("events: Dr Ir\nfn=f\n1 6 10\n", all());
    assert!(base.keep_common_events(&mut other).is_err());
    assert_eq!(events(&other), [b"Dr", b"Ir"]);
}
