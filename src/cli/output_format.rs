//! The format of the output: by `-f`, or by the name of the file after `-o`.

use std::path::Path;

use cg_preprocess::io::Source;
use cg_preprocess::run::Format;
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::inputs::PROFILES;

const PICTURE: &str = "image output is not supported; use -f html for a report with a flame graph, -f dot \
    for Graphviz, or -f collapsed for programs that draw flame graphs";
const TABLE: &str = "CSV output is not supported; use -f json with jq or DuckDB (see docs/json.md)";
const COMPRESSED: &str = "only pprof output (.pb.gz) is compressed; for others, use -f and pipe the output \
    to gzip or zstd";
const PROTOBUF: &str = "pprof output is compressed; use a name that ends in .pb.gz";
const XML: &str = "XML output is not supported; use -f json";

/// Endings of file names of formats that are not supported, in lower case: what to do instead.
const UNSUPPORTED: &[(&str, &str)] = &[
    (".svg", PICTURE),
    (".svgz", PICTURE),
    (".png", PICTURE),
    (".gif", PICTURE),
    (".pdf", PICTURE),
    (".csv", TABLE),
    (".tsv", TABLE),
    (".pb", PROTOBUF),
    (".gz", COMPRESSED),
    (".zst", COMPRESSED),
    (".xml", XML),
];

/// Names of image formats, which are not supported.
const PICTURES: &[&str] = &["svg", "png", "pdf", "flamegraph", "flame-graph", "icicle"];

/// webgrind's format has versions, of which its releases read one each.
const WEBGRIND: &str = "webgrind";
const WHICH_WEBGRIND: &str = "which webgrind? Use v7 for webgrind 1.2 and later, v6 for 0.6 to 1.1, v5 for 0.5, v4 for 0.4; \
    or --webgrind NAME, which makes webgrind list the profile";

/// The format that the name of an output chooses.
///
/// # Errors
///
/// What to do instead, if it chooses none, or one that is not supported.
pub fn from_name(path: &Path) -> Result<Format, String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let lower = name.to_ascii_lowercase();
    let endings = |&format: &Format| {
        format
            .endings()
            .iter()
            .map(move |&ending| (ending, Ok(format)))
    };
    let supported = Format::ALL.iter().flat_map(endings);
    let others = UNSUPPORTED
        .iter()
        .map(|&(ending, advice)| (ending, Err(advice)));
    // `.trace.json` wins over `.json`.
    let fitting = others
        .chain(supported)
        .filter(|(ending, _)| lower.ends_with(ending));
    if let Some((_, format)) = fitting.max_by_key(|(ending, _)| ending.len()) {
        return format.map_err(str::to_owned);
    }
    if PROFILES
        .iter()
        .any(|beginning| lower.starts_with(beginning))
    {
        return Ok(Format::Callgrind);
    }
    let what = match path.extension() {
        Some(ending) => format!("no format has the ending .{}", Source::File(ending.into())),
        None => "the name has no ending, so no format is chosen".to_owned(),
    };
    Err(format!(
        "{what}: choose one with -f, such as -f text, -f html or -f v7 (webgrind)"
    ))
}

/// The help of `-f` in `-h`.
pub fn help() -> String {
    let names = Format::ALL.iter().map(Format::to_string);
    let names: Vec<_> = names.filter(|name| !name.starts_with('v')).collect();
    format!("{}, v4 to v7 (webgrind)", names.join(", "))
}

/// The help of `-f` in `--help` and the manual.
pub fn long_help() -> String {
    let lines = Format::ALL.iter();
    let lines: Vec<_> = lines
        .map(|format| format!("{format}: {}", format.help()))
        .collect();
    let aliases = Format::ALL.iter().flat_map(|format| {
        let aliases = format.names()[1..].iter();
        // Versions of webgrind's format are also numbers.
        let words = aliases.filter(|alias| !alias.starts_with(|c: char| c.is_ascii_digit()));
        words.map(move |alias| format!("{alias} ({format})"))
    });
    format!(
        "Write this format [default: by the ending of FILE, else text]\n\n{}\n\nAlso {}.",
        lines.join("\n"),
        aliases.collect::<Vec<_>>().join(", ")
    )
}

/// The help of `-o`.
pub const FILE_HELP: &str =
    "Write to FILE; .html .txt .md .json .folded .dot .pb.gz .cg .pre choose the format";

/// The help of `-o` in `--help` and the manual.
pub fn long_file_help() -> String {
    let endings = Format::ALL.iter().map(|format| format.endings().join(" "));
    let endings: Vec<_> = endings.filter(|endings| !endings.is_empty()).collect();
    format!(
        "{FILE_HELP}\n\nDefault, and `-`: standard output. These endings choose a format: {}. Names that begin with \
         callgrind.out or cachegrind.out choose callgrind, and other names need -f. The file appears \
         complete or not at all. It must not be one of the inputs.",
        endings.join("; ")
    )
}

/// Parses the name of a format. For names of image formats, the error lists the formats that show
/// flame graphs; for webgrind, its versions.
pub fn parser() -> impl TypedValueParser<Value = Format> {
    let formats = Format::value_variants().iter();
    let others = PICTURES
        .iter()
        .chain([&WEBGRIND])
        .map(|&name| PossibleValue::new(name).hide(true));
    PossibleValuesParser::new(formats.filter_map(Format::to_possible_value).chain(others)).try_map(
        |name| {
            Format::from_str(&name, true).map_err(|_| {
                if name.eq_ignore_ascii_case(WEBGRIND) {
                    WHICH_WEBGRIND
                } else {
                    PICTURE
                }
            })
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_outputs_choose_the_format() {
        let format = |name: &str| from_name(Path::new(name));
        for (names, expected) in [
            ("a.html A.HTM x.v4.html", Format::Html),
            ("A.JSON callgrind.out.5.json", Format::Json),
            ("a.trace.json A.TRACE.JSON .trace.json", Format::Timeline),
            ("trace.json a.traces.json", Format::Json),
            ("a.txt a.text ci.LOG", Format::Text),
            ("a.md a.markdown", Format::Markdown),
            ("a.folded a.collapsed", Format::Collapsed),
            ("a.dot a.gv", Format::Dot),
            ("a.PB.GZ a.pprof", Format::Pprof),
            ("all.cg all.callgrind .cg", Format::Callgrind),
            (
                "/srv/callgrind.out callgrind.out.5 Cachegrind.out.1234",
                Format::Callgrind,
            ),
            ("out.pre cachegrind.out.1234.webgrind a.v7", Format::V7),
            ("a.v4", Format::V4),
            ("a.v5", Format::V5),
            ("callgrind.out.v6", Format::V6),
        ] {
            for name in names.split(' ') {
                assert_eq!(format(name), Ok(expected), "{name}");
            }
        }
        for (names, advice) in [
            ("a.svg a.svgz a.PNG a.gif a.pdf .svg", PICTURE),
            ("a.csv a.tsv", TABLE),
            ("a.pb", PROTOBUF),
            ("a.cg.gz a.zst callgrind.out.5.gz", COMPRESSED),
            ("a.xml", XML),
        ] {
            for name in names.split(' ') {
                assert_eq!(format(name).unwrap_err(), advice, "{name}");
            }
        }
        for (name, what) in [
            ("x.callgrind.out", "no format has the ending .out: "),
            ("a.v8", "no format has the ending .v8: "),
            ("a.\u{1b}", "no format has the ending .\\x1b: "),
            ("/srv/callgrind.out/x", "the name has no ending, "),
            ("v6", "the name has no ending, "),
            ("html", "the name has no ending, "),
            ("", "the name has no ending, "),
        ] {
            let advice = format(name).unwrap_err();
            assert!(
                advice.starts_with(what) && advice.contains("-f "),
                "{name}: {advice}"
            );
        }
    }
}
