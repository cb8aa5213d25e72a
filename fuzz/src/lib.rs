//! What the fuzz targets share: options out of the first bytes, a reader of odd sizes, a whole
//! conversion as one comparable value, and profiles whose tables are known.

pub mod made;
#[path = "../../tests/common/tables.rs"]
#[allow(dead_code, missing_docs)]
pub mod tables;

use std::io::{self, Cursor, Read};

use cg_preprocess::callgrind;
use cg_preprocess::io::SourceFiles;
use cg_preprocess::output::{Notes, ReportOptions};
use cg_preprocess::output::{collapsed, json};
use cg_preprocess::output::{text, tree};
use cg_preprocess::profile::{
    EventChoice, InclusiveCost, Kind, Profile, ProfileBuilder, ProfileOptions,
};
use cg_preprocess::stacks::Stacks;
use cg_preprocess::view::View;
use cg_preprocess::webgrind::{self, OnOverflow, Version, WriteOptions};

/// Stands between two inputs that are merged.
const NEXT_INPUT: &[u8] = b"\n%%%%\n";

/// Events to ask for; the first stands for none.
const EVENTS: [&str; 8] = [
    "",
    "Ir",
    "Dr",
    "Sum",
    "Time_(10ns)",
    "Memory_(bytes)",
    "Memory",
    "e",
];

/// Functions to step over.
const PROXIES: [&str; 3] = ["php::call_user_func", "php::call_user_func_array", "a"];

/// What is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Format {
    /// A preprocessed file.
    Preprocessed(Version),
    /// The report for machines.
    Json,
    /// The report for people.
    Text(ReportOptions),
    /// Stacks for flame graphs.
    Collapsed,
    /// Stacks for people.
    Tree(ReportOptions),
}

/// Everything that changes the path of a conversion.
#[derive(Clone, Debug)]
pub struct Choices {
    /// What is written.
    pub format: Format,
    /// Policy for numbers of more than 32 bits.
    pub on_overflow: OnOverflow,
    /// How inputs are read.
    pub read: callgrind::ReadOptions,
    /// What is taken from them.
    pub profile: ProfileOptions,
}

impl Choices {
    /// Takes the choices off the front of the data: two bytes.
    pub fn take(data: &[u8]) -> Option<(Self, &[u8])> {
        let (&[first, second], rest) = data.split_first_chunk()?;
        let version = Version::ALL[usize::from(first & 3)];
        let mut rows = ReportOptions::default();
        rows.top = (first & 1 == 0).then_some(3);
        rows.width = (first & 2 == 0).then_some(60);
        let format = match second >> 4 {
            12 => Format::Collapsed,
            13 => Format::Tree(rows.clone()),
            14 => Format::Json,
            15 => Format::Text(rows),
            _ => Format::Preprocessed(version),
        };
        let keeps_invocations = format == Format::Preprocessed(Version::V4);
        let keeps_contexts = matches!(format, Format::Collapsed | Format::Tree(_));
        let wants_all = format == Format::Json;
        let mut read = callgrind::ReadOptions::default();
        read.kind = match first >> 4 & 3 {
            0 | 1 => None,
            2 => Some(Kind::Trace),
            _ => Some(Kind::Aggregate),
        };
        read.lenient = first & 0x40 != 0;
        let mut profile = ProfileOptions::default();
        profile.events = match EVENTS[usize::from(second & 7)] {
            "" if wants_all => EventChoice::All,
            "" => EventChoice::First,
            name => EventChoice::Named(vec![name.into()]),
        };
        if first & 0x80 != 0 {
            profile.call_sites = true;
        }
        if second & 8 != 0 {
            profile.proxies = PROXIES.map(Vec::from).to_vec();
        }
        profile.invocations = keeps_invocations;
        profile.contexts = keeps_contexts;
        let choices = Choices {
            format,
            on_overflow: match first >> 2 & 3 {
                0 | 1 => OnOverflow::Scale,
                2 => OnOverflow::Saturate,
                _ => OnOverflow::Error,
            },
            read,
            profile,
        };
        Some((choices, rest))
    }
}

/// Reads inputs into one profile; also what the warnings say. The error is its message.
pub fn read_all<R: Read>(
    choices: &Choices,
    inputs: impl Iterator<Item = R>,
) -> Result<(Profile, Vec<String>), String> {
    read_with(&choices.read, choices, inputs)
}

/// Does the same with the reference parser.
pub fn read_all_by_reference<R: Read>(
    choices: &Choices,
    inputs: impl Iterator<Item = R>,
) -> Result<(Profile, Vec<String>), String> {
    let mut read = choices.read.clone();
    read.line_by_line = true;
    read_with(&read, choices, inputs)
}

fn read_with<R: Read>(
    read: &callgrind::ReadOptions,
    choices: &Choices,
    inputs: impl Iterator<Item = R>,
) -> Result<(Profile, Vec<String>), String> {
    let mut builder = ProfileBuilder::new(choices.profile.clone());
    let mut warnings = Vec::new();
    for input in inputs {
        let outcome = callgrind::read(input, "fuzz.cg", read, &mut builder)
            .map_err(|error| error.to_string())?;
        warnings.extend(outcome.warnings.iter().map(|listed| listed.to_string()));
    }
    let profile = builder.finish().map_err(|error| error.to_string())?;
    Ok((profile, warnings))
}

/// The inputs that the data holds.
pub fn inputs(data: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(data);
    std::iter::from_fn(move || {
        let data = rest?;
        let at = data
            .windows(NEXT_INPUT.len())
            .position(|window| window == NEXT_INPUT);
        rest = at.map(|at| &data[at + NEXT_INPUT.len()..]);
        Some(at.map_or(data, |at| &data[..at + 1]))
    })
}

/// Writes a profile and returns the bytes with what the warnings say. The error is its message.
pub fn write(
    profile: &Profile,
    format: Format,
    on_overflow: OnOverflow,
) -> Result<(Vec<u8>, Vec<String>), String> {
    let mut output = Vec::new();
    let written = match format {
        Format::Preprocessed(version) => return write_file(profile, version, on_overflow),
        Format::Json => json::write(
            &View::as_recorded(profile, InclusiveCost::Once),
            None,
            &Notes::default(),
            &ReportOptions::default(),
            &mut output,
        )
        .map_err(io::Error::other),
        Format::Text(options) => {
            text::write(
                &View::of(profile),
                &options,
                &mut SourceFiles::default(),
                &mut output,
            )
            .map_err(|error| error.to_string())?;
            Ok(())
        }
        Format::Tree(options) => {
            let (view, stacks) = (View::of(profile), Stacks::new(profile));
            tree::write(&view, &stacks, None, &options, &mut output).map_err(io::Error::other)
        }
        Format::Collapsed => collapsed::write(&Stacks::new(profile), &mut output).map(drop),
    };
    written.map_err(|error| error.to_string())?;
    Ok((output, Vec::new()))
}

fn write_file(
    profile: &Profile,
    version: Version,
    on_overflow: OnOverflow,
) -> Result<(Vec<u8>, Vec<String>), String> {
    let mut output = Vec::new();
    let mut options = WriteOptions::new(version);
    options.on_overflow = on_overflow;
    let warnings =
        webgrind::write(profile, &options, &mut output).map_err(|error| error.to_string())?;
    let warnings = warnings.iter().map(ToString::to_string);
    Ok((output, warnings.collect()))
}

/// Reads a preprocessed file. The error is its message.
pub fn read_file(file: &[u8], options: ProfileOptions) -> Result<(Profile, Version), String> {
    let mut builder = ProfileBuilder::new(options);
    let outcome = webgrind::read(Cursor::new(file), "fuzz.pre", &mut builder)
        .map_err(|error| error.to_string())?;
    let profile = builder.finish().map_err(|error| error.to_string())?;
    Ok((profile, outcome.version))
}

/// Checks that a file that was written can be read, and becomes the same file again.
///
/// A `summary:` that scaling made 0 is then replaced by a right one, once.
pub fn assert_lasting(file: &[u8]) {
    let again = write_again(file);
    let body = |file: &[u8]| {
        let (_, rest) = file.split_first_chunk::<4>()?;
        let (address, rest) = rest.split_first_chunk()?;
        let end = usize::try_from(u32::from_le_bytes(*address)).ok()?;
        rest.get(..end - 8).map(<[u8]>::to_vec)
    };
    assert!(
        body(&again) == body(file),
        "functions and calls are the same"
    );
    assert!(
        write_again(&again) == again,
        "written again it is the same file"
    );
}

fn write_again(file: &[u8]) -> Vec<u8> {
    let mut options = ProfileOptions::default();
    options.invocations = true;
    let (profile, version) = read_file(file, options).expect("what was written can be read");
    let written = write_file(&profile, version, OnOverflow::Scale);
    written.expect("it fits").0
}

/// Gives the bytes of a slice in small pieces of changing sizes, with interruptions.
#[derive(Debug)]
pub struct OddReader<'a> {
    data: &'a [u8],
    state: u64,
}

impl<'a> OddReader<'a> {
    /// Reads `data` in pieces whose sizes follow from `seed`; 0: always one byte.
    pub fn new(data: &'a [u8], seed: u8) -> Self {
        OddReader {
            data,
            state: u64::from(seed),
        }
    }

    /// The next number of a xorshift sequence.
    fn next(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state
    }
}

impl Read for OddReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let number = self.next();
        if number % 16 == 15 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let largest = 1 << (number >> 8 & 15);
        let wanted = usize::try_from(number >> 32 & (largest - 1)).unwrap_or(0) + 1;
        let count = wanted.min(buffer.len()).min(self.data.len());
        let (now, later) = self.data.split_at(count);
        buffer[..count].copy_from_slice(now);
        self.data = later;
        Ok(count)
    }
}
