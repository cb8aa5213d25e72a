//! Comparisons of two profiles: which functions are the same, what is told of them, and limits.

use cg_preprocess::compare::{Comparison, Sides};
use cg_preprocess::io::SourceFiles;
use cg_preprocess::output::text;
use cg_preprocess::output::{Notes, ReportOptions, json};
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
    let Sides { base, new } = comparison.views.clone();
    let per_run = Comparison::of(base, new, true).unwrap();
    let document = text_of(|output| {
        json::write_comparison(
            &per_run,
            None,
            &Notes::default(),
            &ReportOptions::default(),
            output,
        )
    });
    let document = serde_json::from_str(&document).unwrap();
    Schema::read("comparison").check(&document, "comparison per run");
    let text = text_of(|output| {
        json::write_comparison(
            comparison,
            None,
            &Notes::default(),
            &ReportOptions::default(),
            output,
        )
    });
    let document: Value = serde_json::from_str(&text).unwrap();
    Schema::read("comparison").check(&document, "comparison");
    text
}

#[test]
fn a_comparison_fits_80_columns_and_the_width_of_a_terminal() {
    let name = "std::vector<std::string, std::allocator<std::string> >::push_back(std::string&&)";
    let text = |cost: u64| {
        let half = cost / 2;
        format!("fl=/srv/app/src/vector.h\nfn={name}\n7 {cost}\nfn=main\n1 {half}\n")
    };
    let comparison = compare(&text(123_456_789_012), &text(223_456_789_012));
    let report = |width| {
        let options = text_options(|options| options.width = width);
        let mut sources = SourceFiles::default();
        text_of(|output| text::write(&comparison, &options, &mut sources, output))
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
