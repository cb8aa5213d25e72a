//! Comparisons of two profiles: which functions are the same, what is told of them, and limits.

use cg_preprocess::profile::{Comparison, Gate, Profile};
use cg_preprocess::report::json;
use cg_preprocess::report::text;
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use crate::library::{all_events, profile, read, text_of, text_options};
use crate::schema::Schema;

/// A comparison borrows its sides, which live to the end of the test.
fn compare(base: &str, new: &str) -> Comparison<'static> {
    let [base, new] = [base, new].map(|functions| {
        let profile = profile(format!("events: Ir\n{functions}"));
        &*Box::leak(Box::new(profile))
    });
    Comparison::new(base, new).unwrap()
}

/// The comparison as a document, which is checked against its schema.
pub fn as_json(comparison: &Comparison<'_>) -> String {
    let text = text_of(|output| json::write_comparison(comparison, output));
    let document: Value = serde_json::from_str(&text).unwrap();
    Schema::read("comparison").check(&document, "comparison");
    text
}

#[test]
fn the_order_of_functions_does_not_matter() {
    let function = |number: usize| {
        let (name, cost) = (number % 7, number * number % 11);
        format!("fl=/srv/{number}/f.c\nfn=f{name}\n{number} {cost}\n")
    };
    let text = |order: &dyn Fn(usize) -> usize, from: usize| {
        let chosen = (0..40).map(order).filter(|at| at % 5 != from);
        chosen.map(function).collect::<String>()
    };
    let expected = as_json(&compare(&text(&|at| at, 0), &text(&|at| at, 1)));
    let mixed = [|at| 39 - at, |at| at * 7 % 40, |at| at * 11 % 40];
    for (base, new) in mixed.into_iter().zip(mixed.into_iter().rev()) {
        let found = as_json(&compare(&text(&base, 0), &text(&new, 1)));
        assert_eq!(found, expected);
    }
    assert!(expected.matches("\"self\"").count() > 6);
}

#[test]
fn a_log_of_80_columns_suffices_and_a_terminal_is_not_overrun() {
    let name = "std::vector<std::string, std::allocator<std::string> >::push_back(std::string&&)";
    let text = |cost: u64| {
        let half = cost / 2;
        format!("fl=/srv/app/src/vector.h\nfn={name}\n7 {cost}\nfn=main\n1 {half}\n")
    };
    let comparison = compare(&text(123_456_789_012), &text(223_456_789_012));
    let report = |width| {
        let options = text_options(|options| options.width = width);
        text_of(|output| text::write_comparison(&comparison, &options, output))
    };
    let plain = report(None);
    let mut rows = plain.lines().filter(|line| !line.contains("push_back"));
    assert!(rows.all(|line| line.width() <= 80), "{plain}");
    for width in 0..200 {
        let report = report(Some(width));
        let fits = report.lines().all(|line| line.width() <= width);
        assert!(fits, "{width}: {report}");
    }
}

/// What is told of the growth of one function from one cost to another, if it is too much.
fn check(base: i64, new: i64, limit: &str) -> Option<String> {
    let [base, new] = [base, new].map(|cost| format!("fn=a\n1 {cost}\n"));
    let checked = compare(&base, &new).check(&Gate::parse(limit.as_bytes()).unwrap());
    checked.err().map(|failure| failure.to_string())
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
        let failure = check(base, new, "1000000").unwrap();
        assert!(failure.contains(told), "{failure}");
    }
}

#[test]
fn growth_is_allowed_up_to_the_last_unit() {
    for (new, limit) in [
        (102_000, "2"),
        (102_500, "2.5%"),
        (90_000, "0"),
        (90_000, "-10"),
    ] {
        assert_eq!(check(100_000, new, limit), None);
    }
    for (base, new, limit, shown) in [
        (100_000, 102_505, "2.504", "2.51 %, "),
        (100_000, 102_501, "2.50", "2.501 %, "),
        (100_000, 90_001, "-10", "-9.999 %, "),
        (100_000, 100_001, "0", "0.001 %, "),
        (100_000, 103_000, "2", "3.00 %, "),
        (
            9_000_000_000_000_000_000,
            9_000_000_000_000_000_001,
            "0",
            "0.000001 %, ",
        ),
        (
            100_000,
            102_001,
            "2",
            "2.001 %, from 100,000 to 102,001: more than the 2 % that are allowed; most grew a by 2,001",
        ),
        (
            100_000,
            250_000,
            "0",
            "150.00 %, from 100,000 to 250,000: more than the 0 % that are allowed; most grew a by 150,000",
        ),
    ] {
        let failure = check(base, new, limit).unwrap();
        let told = failure.strip_prefix("the total of Ir grew by ");
        assert!(told.unwrap().starts_with(shown), "{failure}");
        assert!(shown.ends_with(", ") || told == Some(shown), "{failure}");
    }
}

/// What both sides have is compared in the same way if they have nothing else.
#[test]
fn common_events_may_be_all_that_is_kept() {
    let side = |events: &str, costs: &str| {
        read(format!("events: {events}\nfn=f\n1 {costs}\n"), all_events())
    };
    let events = |profile: &Profile| -> Vec<Vec<u8>> {
        let events = profile.events().iter();
        events.map(|event| event.name().to_vec()).collect()
    };
    let (mut base, mut new) = (side("Ir Dw Dr", "5 1 7"), side("Ir Dr Dw Bc", "6 10 2 1"));
    let found = as_json(&Comparison::new(&base, &new).unwrap());
    base.keep_common_events(&mut new).unwrap();
    assert_eq!(events(&base), [b"Ir", b"Dr", b"Dw"]);
    assert_eq!(events(&new), events(&base));
    assert_eq!(base.totals(), [5, 7, 1]);
    assert_eq!(as_json(&Comparison::new(&base, &new).unwrap()), found);
    let mut other = side("Dr Ir", "6 10");
    assert!(base.keep_common_events(&mut other).is_err());
    assert_eq!(events(&other), [b"Dr", b"Ir"]);
}
