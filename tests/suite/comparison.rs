//! Comparisons of two profiles: which functions are the same, what is told of them, and limits.

use cg_preprocess::compare::{Comparison, Limit, LimitError, Verdict};
use cg_preprocess::io::SourceFiles;
use cg_preprocess::output::json;
use cg_preprocess::output::text;
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use crate::library::{profile_options, read, text_of, text_options};
use crate::schema::Schema;

/// A comparison borrows its sides, which live to the end of the test.
fn compare(base: &str, new: &str) -> Comparison<'static> {
    let [base, new] = [base, new].map(|functions| {
        let text = format!("events: Ir\n{functions}");
        let profile = read(text, profile_options(|options| options.parts = true));
        &*Box::leak(Box::new(profile))
    });
    Comparison::new(base, new).unwrap()
}

/// The comparison as a document, which is checked against its schema.
pub fn as_json(comparison: &Comparison<'_>) -> String {
    let per_run = Comparison::per_run(comparison.profiles.base, comparison.profiles.new).unwrap();
    let document = text_of(|output| json::write_comparison(&per_run, None, output));
    let document = serde_json::from_str(&document).unwrap();
    Schema::read("comparison").check(&document, "comparison per run");
    let text = text_of(|output| json::write_comparison(comparison, None, output));
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
        let mut sources = SourceFiles::default();
        text_of(|output| text::write_comparison(&comparison, &options, &mut sources, output))
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

/// What comes of a limit on the growth of the total.
fn check(base: i128, new: i128, limit: &str) -> Result<Verdict, LimitError> {
    let [base, new] = [base, new].map(|cost| format!("fn=a\n1 {cost}\n"));
    let comparison = compare(&base, &new);
    let limit = Limit::growth(limit.as_bytes()).unwrap();
    limit.check(comparison.profiles.new, Some(&comparison))
}

#[test]
fn growth_that_cannot_be_given_in_percent_is_an_error() {
    for (base, new, told) in [
        (0, 70, "cannot be expressed in percent: from 0 to 70"),
        (0, 0, "cannot be expressed"),
        (-5, -4, "cannot be expressed in percent: from -5 to -4"),
        (5, 1 << 63, "64 bits"),
        (1 << 63, 5, "64 bits"),
    ] {
        let error = check(base, new, "1000000").unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
    }
}

#[test]
fn growth_is_allowed_up_to_the_last_unit() {
    const HUGE: i128 = 9_000_000_000_000_000_000;
    for (base, highest, limit, shown) in [
        (100_000, 102_000, "2", "grew by 2.00 %"),
        (100_000, 102_500, "2.5%", "grew by 2.50 %"),
        (100_000, 102_504, "2.504", "grew by 2.50 %"),
        (100_000, 100_000, "0", "grew by 0.00 %"),
        (100_000, 90_000, "-10", "shrank by 10.00 %"),
        (3, 4, "33.333334", "grew by 33.33 %"),
        (HUGE, HUGE, "0", "grew by 0.00 %"),
        (
            1,
            9_999_999_999,
            "999999999800",
            "grew by 999,999,999,800.00 %",
        ),
    ] {
        let kept = check(base, highest, limit).unwrap();
        assert!(kept.passed() && kept.text.contains(shown), "{kept:?}");
        let broken = check(base, highest + 1, limit).unwrap();
        assert!(
            !broken.passed() && broken.text.contains("more than the limit"),
            "{broken:?}"
        );
    }
}
