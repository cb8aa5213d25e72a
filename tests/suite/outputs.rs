//! What three profiles become in every format, and what two of them become in comparison: a trace
//! with two events, a profile of Valgrind with parts, lines and source, and one whose stacks are
//! estimated.
//!
//! `BLESS=1 cargo test --test suite outputs` writes the files in `fixtures/outputs/` anew; review the
//! difference.

use cg_preprocess::io::{Source, Target};
use cg_preprocess::run::{ConvertOptions, Feature, Format, convert};

use crate::common::fixtures;

const PROFILES: [(&str, &str, Option<&str>); 3] = [
    (
        "trace",
        "comparison/xdebug-longer.cg",
        Some("comparison/xdebug-base.cg"),
    ),
    (
        "parts",
        "comparison/benchmarks-slower.cg",
        Some("valgrind/benchmarks.cg"),
    ),
    ("sums", "stacks/sums-plain.cg", None),
];

const FORMATS: [(Format, &str); 9] = [
    (Format::Text, "txt"),
    (Format::Tree, "tree.txt"),
    (Format::Markdown, "md"),
    (Format::Collapsed, "folded"),
    (Format::Callgrind, "callgrind.txt"),
    (Format::Json, "json"),
    (Format::Dot, "dot"),
    (Format::Html, "html.json"),
    (Format::Timeline, "trace.json"),
];

/// What is written, without what changes with each version; of a report in HTML, its data.
fn output(format: Format, profile: &str, base: Option<&str>) -> String {
    let source = |name| Source::File(fixtures::path(name));
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("output");
    let mut options = ConvertOptions::default();
    options.format = format;
    options.base = base.map(source).into_iter().collect();
    convert(&[source(profile)], &Target::File(path.clone()), &options).unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    let text = match format {
        Format::Html => {
            let data = text.split_once(r#"id="data">"#).unwrap().1;
            let data = data.split_once("</script>").unwrap().0;
            data.replace("],\"", "],\n\"").replace("},{", "},\n{")
        }
        _ => text,
    };
    // Inputs are as old as the checkout.
    let recorded = text
        .split_once(r#""recorded":["#)
        .and_then(|(_, rest)| rest.split_once("],"));
    let recorded = recorded.map_or("nothing", |(times, _)| times);
    text.replace(recorded, "…")
        .replace(
            concat!("cg-preprocess ", env!("CARGO_PKG_VERSION")),
            "cg-preprocess",
        )
        .replace(concat!(env!("CARGO_MANIFEST_DIR"), "/"), "")
}

#[test]
fn a_format_is_found_by_its_name_in_any_case() {
    for name in ["json", "JSON", "Json"] {
        assert_eq!(name.parse().ok(), Some(Format::Json), "{name}");
    }
    assert!("json ".parse::<Format>().is_err());
}

#[test]
fn every_format_is_that_of_its_golden_file() {
    for (name, profile, base) in PROFILES {
        for (format, ending) in FORMATS {
            // Sums have no timeline.
            if format == Format::Timeline && name != "trace" {
                continue;
            }
            let path = fixtures::path(&format!("outputs/{name}.{ending}"));
            fixtures::assert_holds(&path, &output(format, profile, None));
            if base.is_some() && format.has(Feature::Comparison) {
                let path = fixtures::path(&format!("outputs/{name}-changes.{ending}"));
                fixtures::assert_holds(&path, &output(format, profile, base));
            }
        }
    }
}
