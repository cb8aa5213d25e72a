//! The format of the output: by `-f`, or by the name of the file after `-o`.

use std::path::Path;

use cg_preprocess::run::Format;
use cg_preprocess::webgrind::FILE_ENDING;
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

const PICTURE: &str = "image output is not supported; use -f html for a report with a flame graph, -f dot \
    for Graphviz, or -f collapsed for programs that draw flame graphs";
const TABLE: &str = "CSV output is not supported; use -f json with jq or DuckDB (see docs/json.md)";
const COMPRESSED: &str = "only pprof output (.pb.gz) is compressed; for others, use -f and pipe the output \
    to gzip or zstd";
const PROTOBUF: &str = "pprof output is compressed; use a name that ends in .pb.gz";
const XML: &str = "XML output is not supported; use -f json";

/// Endings of file names, in lower case: their formats, or what to do instead if these are not
/// supported. The first that fits counts.
const ENDINGS: &[(&str, Result<Format, &str>)] = &[
    (".html", Ok(Format::Html)),
    (".json", Ok(Format::Json)),
    (".txt", Ok(Format::Text)),
    (".md", Ok(Format::Markdown)),
    (".folded", Ok(Format::Collapsed)),
    (".dot", Ok(Format::Dot)),
    (".pb.gz", Ok(Format::Pprof)),
    (".cg", Ok(Format::Callgrind)),
    (".callgrind", Ok(Format::Callgrind)),
    // webgrind's own files, whose names begin like a profile's.
    (FILE_ENDING, Ok(Format::V7)),
    (".svg", Err(PICTURE)),
    (".png", Err(PICTURE)),
    (".pdf", Err(PICTURE)),
    (".csv", Err(TABLE)),
    (".pb", Err(PROTOBUF)),
    (".gz", Err(COMPRESSED)),
    (".zst", Err(COMPRESSED)),
    (".xml", Err(XML)),
];

/// Beginnings of the names that Valgrind and Xdebug give to profiles.
const PROFILES: [&str; 2] = ["callgrind.out", "cachegrind.out"];

/// Names of image formats, which are not supported.
const PICTURES: &[&str] = &["svg", "png", "pdf", "flamegraph", "flame-graph", "icicle"];

/// The format that the name of an output implies, if any.
///
/// # Errors
///
/// What to do instead, if the name implies a format that is not supported.
pub fn from_name(path: &Path) -> Result<Option<Format>, &'static str> {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_ascii_lowercase();
    let by_ending = ENDINGS.iter().find(|(ending, _)| name.ends_with(ending));
    let is_profile = || PROFILES.iter().any(|beginning| name.starts_with(beginning));
    match by_ending {
        Some(&(_, format)) => format.map(Some),
        None => Ok(is_profile().then_some(Format::Callgrind)),
    }
}

/// Parses the name of a format. For names of image formats, the error lists the formats that show
/// flame graphs.
pub fn parser() -> impl TypedValueParser<Value = Format> {
    let formats = Format::value_variants().iter();
    let pictures = PICTURES
        .iter()
        .map(|&name| PossibleValue::new(name).hide(true));
    PossibleValuesParser::new(
        formats
            .filter_map(Format::to_possible_value)
            .chain(pictures),
    )
    .try_map(|name| Format::from_str(&name, true).map_err(|_| PICTURE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_outputs_say_the_format() {
        let format = |name: &str| from_name(Path::new(name));
        for (name, expected) in [
            ("a.html", Some(Format::Html)),
            ("A.JSON", Some(Format::Json)),
            ("a.md", Some(Format::Markdown)),
            ("a.txt", Some(Format::Text)),
            ("a.folded", Some(Format::Collapsed)),
            ("all.cg", Some(Format::Callgrind)),
            ("all.callgrind", Some(Format::Callgrind)),
            ("/srv/callgrind.out", Some(Format::Callgrind)),
            ("callgrind.out.5", Some(Format::Callgrind)),
            ("Cachegrind.out.1234", Some(Format::Callgrind)),
            ("callgrind.out.5.json", Some(Format::Json)),
            ("cachegrind.out.1234.webgrind", Some(Format::V7)),
            ("/srv/callgrind.out/x", None),
            ("x.callgrind.out", None),
            ("out.pre", None),
            ("html", None),
            ("svg", None),
            ("gz", None),
            ("", None),
        ] {
            assert_eq!(format(name), Ok(expected), "{name}");
        }
        assert_eq!(format("a.PB.GZ"), Ok(Some(Format::Pprof)));
        for name in [
            "a.svg",
            "a.PNG",
            "a.pdf",
            "a.csv",
            "a.pb",
            "a.cg.gz",
            "a.zst",
            "a.xml",
            "callgrind.out.5.gz",
            ".svg",
        ] {
            assert!(format(name).is_err(), "{name}");
        }
    }
}
