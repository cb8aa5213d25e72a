//! The format of the output: by `-f`, or by the name of the file after `-o`.

use std::ffi::OsStr;
use std::path::Path;

use cg_preprocess::run::Format;
use clap::builder::{EnumValueParser, OsStringValueParser, PossibleValue, TypedValueParser};
use clap::{Arg, Command, Error, ValueEnum};

/// Endings of file names, in lower case, and their formats.
const ENDINGS: &[(&str, Format)] = &[
    (".html", Format::Html),
    (".json", Format::Json),
    (".txt", Format::Text),
    (".md", Format::Markdown),
    (".folded", Format::Collapsed),
    (".dot", Format::Dot),
    #[cfg(feature = "compression")]
    (".pb.gz", Format::Pprof),
    (".cg", Format::Callgrind),
    (".callgrind", Format::Callgrind),
    // webgrind's own files, whose names begin like a profile's.
    (".webgrind", Format::V7),
];

/// Beginnings of the names that Valgrind and Xdebug give to profiles.
const BEGINNINGS: &[(&str, Format)] = &[
    ("callgrind.out", Format::Callgrind),
    ("cachegrind.out", Format::Callgrind),
];

const PICTURE: &str = "image output is not supported; use -f html for a report with a flame graph, -f dot \
    for Graphviz, or -f collapsed for programs that draw flame graphs";
const TABLE: &str = "CSV output is not supported; use -f json with jq or DuckDB (see docs/json.md)";
const COMPRESSED: &str = "only pprof output (.pb.gz) is compressed; for others, use -f and pipe the output \
    to gzip or zstd";
const PROTOBUF: &str = "pprof output is compressed; use a name that ends in .pb.gz";
const XML: &str = "XML output is not supported; use -f json";

/// Endings of formats that are not supported, and what to do instead.
const UNSUPPORTED: &[(&str, &str)] = &[
    (".svg", PICTURE),
    (".png", PICTURE),
    (".pdf", PICTURE),
    (".csv", TABLE),
    (".pb", PROTOBUF),
    (".gz", COMPRESSED),
    (".zst", COMPRESSED),
    (".xml", XML),
];

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
    if let Some(&(_, format)) = by_ending {
        return Ok(Some(format));
    }
    if let Some(&(_, advice)) = UNSUPPORTED
        .iter()
        .find(|(ending, _)| name.ends_with(ending))
    {
        return Err(advice);
    }
    let mut beginnings = BEGINNINGS.iter();
    let by_beginning = beginnings.find(|(beginning, _)| name.starts_with(beginning));
    Ok(by_beginning.map(|&(_, format)| format))
}

/// Reads the name of a format. For names of image formats, the error lists the formats that show flame
/// graphs.
#[derive(Clone)]
pub struct FormatParser;

impl TypedValueParser for FormatParser {
    type Value = Format;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Format, Error> {
        if PICTURES
            .iter()
            .any(|&name| value.eq_ignore_ascii_case(name))
        {
            let refuse = OsStringValueParser::new().try_map(|_| Err::<Format, _>(PICTURE));
            return refuse.parse_ref(command, argument, value);
        }
        EnumValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let formats = Format::value_variants().iter();
        Some(Box::new(formats.filter_map(Format::to_possible_value)))
    }
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
        #[cfg(feature = "compression")]
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
