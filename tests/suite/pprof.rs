//! Files for pprof, decoded with a reader of their own. `tests/live` has others read them.

use std::collections::BTreeMap;
use std::io::Read;

use cg_preprocess::output::pprof::{self, PprofWarning};
use cg_preprocess::profile::Profile;
use cg_preprocess::stacks::Stacks;
use flate2::read::GzDecoder;

use crate::library::{profile_options, read};

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut number = 0;
    for shift in (0..).step_by(7) {
        let (&byte, rest) = bytes.split_first().unwrap();
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    number
}

/// A message's fields of this number: what each holds, a number as it is encoded.
fn fields(mut message: &[u8], wanted: u64) -> Vec<&[u8]> {
    let mut fields = Vec::new();
    while !message.is_empty() {
        let tag = varint(&mut message);
        let mut rest = message;
        let number = varint(&mut rest);
        let (field, rest) = match tag & 7 {
            0 => message.split_at(message.len() - rest.len()),
            2 => rest.split_at(usize::try_from(number).unwrap()),
            other => panic!("wire type {other}"),
        };
        message = rest;
        if tag >> 3 == wanted {
            fields.push(field);
        }
    }
    fields
}

/// The numbers of a field, packed or single.
fn numbers(message: &[u8], wanted: u64) -> Vec<u64> {
    let encoded = fields(message, wanted).concat();
    let mut bytes = encoded.as_slice();
    std::iter::from_fn(|| (!bytes.is_empty()).then(|| varint(&mut bytes))).collect()
}

/// What a file holds.
struct Decoded {
    types: Vec<String>,
    default_type: String,
    comments: Vec<String>,
    /// The names of the mappings' files.
    programs: Vec<String>,
    /// Stacks as `frame@file:line;…`, the root first, with their values.
    samples: Vec<(String, Vec<i64>)>,
    labels: Vec<Vec<String>>,
    /// By `function@file`: the first line.
    first_lines: BTreeMap<String, u64>,
}

fn decode(file: &[u8]) -> Decoded {
    let mut data = Vec::new();
    GzDecoder::new(file).read_to_end(&mut data).unwrap();
    let strings = fields(&data, 6).into_iter().map(str::from_utf8);
    let strings: Vec<_> = strings.map(Result::unwrap).collect();
    assert_eq!(strings[0], "");
    let texts = |message: &[u8], field: u64| -> Vec<String> {
        let numbers = numbers(message, field).into_iter();
        numbers
            .map(|number| strings[number as usize].to_owned())
            .collect()
    };
    let functions = fields(&data, 5).into_iter().map(|function| {
        let name = format!("{}@{}", texts(function, 2)[0], texts(function, 4)[0]);
        // What stands for others begins nowhere.
        assert!(name != "(deeper)@" || numbers(function, 5).iter().all(|&line| line == 0));
        (numbers(function, 1)[0], name)
    });
    let functions: BTreeMap<u64, String> = functions.collect();
    let first_lines = fields(&data, 5).into_iter().map(|function| {
        let line = numbers(function, 5).first().copied().unwrap_or(0);
        (functions[&numbers(function, 1)[0]].clone(), line)
    });
    let first_lines = first_lines.collect();
    let locations = fields(&data, 4).into_iter().map(|location| {
        let line = fields(location, 4)[0];
        let function = &functions[&numbers(line, 1)[0]];
        let place = format!("{function}:{}", numbers(line, 2)[0]);
        (numbers(location, 1)[0], place)
    });
    let locations: BTreeMap<u64, String> = locations.collect();
    let samples = fields(&data, 2);
    let sample = |sample: &&[u8]| {
        let frames = numbers(sample, 1).into_iter().rev();
        let frames: Vec<_> = frames.map(|id| &*locations[&id]).collect();
        let values = numbers(sample, 2).into_iter();
        (frames.join(";"), values.map(u64::cast_signed).collect())
    };
    // Names, files and lines are known: nobody has to look for them in the program. Nobody can:
    // there are no addresses.
    for mapping in fields(&data, 3) {
        assert_eq!([7, 8, 9].map(|known| numbers(mapping, known)), [[1]; 3]);
    }
    for location in fields(&data, 4) {
        assert_eq!([2, 3].map(|at| numbers(location, at).len()), [0, 0]);
    }
    let labels = |sample: &&[u8]| {
        let labels = fields(sample, 3).into_iter();
        labels
            .flat_map(|label| [texts(label, 1), texts(label, 2)].concat())
            .collect()
    };
    let kind = |kind: &&[u8]| [texts(kind, 1), texts(kind, 2)].concat().join("/");
    Decoded {
        types: fields(&data, 1).iter().map(kind).collect(),
        default_type: texts(&data, 14).concat(),
        comments: texts(&data, 13),
        programs: fields(&data, 3)
            .iter()
            .flat_map(|mapping| texts(mapping, 5))
            .collect(),
        samples: samples.iter().map(sample).collect(),
        labels: samples.iter().map(labels).collect(),
        first_lines,
    }
}

/// What a file holds: the types of samples, comments, samples, and first lines; what is said of it
/// last.
pub fn shown(profile: &Profile, base: Option<&Profile>, options: &[&str]) -> String {
    let (file, warnings) = write_against(profile, base, options == ["per-run"]);
    assert_eq!(file, write_against(profile, base, options == ["per-run"]).0);
    let decoded = decode(&file);
    let mut lines = vec![decoded.types.join(", ")];
    assert!(decoded.types[0].starts_with(&decoded.default_type));
    let programs = decoded.programs.iter();
    lines.extend(programs.map(|program| format!("program {program}")));
    let version = concat!("written by cg-preprocess ", env!("CARGO_PKG_VERSION"));
    let mut comments = decoded.comments;
    comments.retain(|comment| comment != version);
    lines.extend(comments);
    for ((stack, values), labels) in decoded.samples.iter().zip(decoded.labels) {
        let label = labels.join("=");
        let values = values.iter().map(ToString::to_string);
        let values = values.collect::<Vec<_>>().join(" ");
        lines.push(format!("{stack} {values} {label}").trim_end().to_owned());
    }
    let first_lines = decoded.first_lines.iter();
    lines.extend(first_lines.map(|(function, line)| format!("{function} begins at {line}")));
    let warnings = warnings.iter();
    lines.extend(warnings.map(|warning| format!("warning: {warning}")));
    lines.join("\n") + "\n"
}

fn write(profile: &Profile) -> (Vec<u8>, Vec<PprofWarning>) {
    write_against(profile, None, false)
}

fn write_against(
    profile: &Profile,
    base: Option<&Profile>,
    per_run: bool,
) -> (Vec<u8>, Vec<PprofWarning>) {
    let mut file = Vec::new();
    let (stacks, base) = (Stacks::new(profile), base.map(Stacks::new));
    let notes = ["a note".to_owned()];
    let warnings = pprof::write(&stacks, base.as_ref(), per_run, &notes, &mut file).unwrap();
    (file, warnings)
}

#[test]
fn frames_of_pprof_that_are_too_deep_are_merged() {
    let mut text = "creator: xdebug 3.4.0\nevents: Ir\nfl=a.php\nfn=f\n1 1\n\n".to_owned();
    for depth in 1..3000 {
        text += &format!("fl=a.php\nfn=f\n1 1\ncfl=a.php\ncfn=f\ncalls=1 0 0\n2 {depth}\n\n");
    }
    let (file, warnings) = write(&read(
        text,
        profile_options(|options| options.contexts = true),
    ));
    assert_eq!(warnings, [PprofWarning::Deeper(1)]);
    let decoded = decode(&file);
    let (deepest, values) = decoded.samples.last().unwrap();
    assert_eq!(decoded.samples.len(), 1025);
    assert!(deepest.ends_with(";f@a.php:2;(deeper)@:0"), "{deepest}");
    assert_eq!(*values, [3000 - 1024; 2]);
}
