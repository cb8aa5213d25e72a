//! The library as programs use it: text becomes a profile, and a profile files.

use std::fmt::Debug;
use std::io::{self, BufReader, Cursor, Read};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use cg_preprocess::callgrind::{self, Parsed, Ranges};
use cg_preprocess::io::SourceFiles;
use cg_preprocess::output::{self, text};
use cg_preprocess::output::{Notes, collapsed, json, pprof, timeline};
use cg_preprocess::profile::{
    EventChoice, FunctionId, InclusiveCost, Kind, Line, Profile, ProfileBuilder, ProfileOptions,
};
use cg_preprocess::stacks::Stacks;
use cg_preprocess::view::View;
use cg_preprocess::webgrind::{
    self, OnOverflow, ReadOutcome, Version, WebgrindWriteWarning, WriteOptions,
};

use crate::common::tables::Tables;
use crate::common::{Random, get_on};

/// Options of reading profiles that differ from the defaults.
pub fn profile_options(change: impl FnOnce(&mut ProfileOptions)) -> ProfileOptions {
    changed(change)
}

/// Options of the callgrind reader, likewise.
pub fn read_options(change: impl FnOnce(&mut callgrind::ReadOptions)) -> callgrind::ReadOptions {
    changed(change)
}

/// Options of tables and trees, likewise.
pub fn text_options(change: impl FnOnce(&mut output::ReportOptions)) -> output::ReportOptions {
    changed(change)
}

/// Options of preprocessed files, likewise.
pub fn write_options(change: impl FnOnce(&mut WriteOptions)) -> WriteOptions {
    changed(change)
}

fn changed<T: Default>(change: impl FnOnce(&mut T)) -> T {
    let mut options = T::default();
    change(&mut options);
    options
}

/// What messages call an input.
const INPUT: &str = "test.cg";

/// How a test reads.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    pub read: callgrind::ReadOptions,
    pub profile: ProfileOptions,
}

impl Reading {
    /// Says what the blocks are, whatever the headers say.
    pub fn kind(mut self, kind: Kind) -> Self {
        self.read.kind = Some(kind);
        self
    }

    /// Reads inputs one after the other into one profile; also what there is to say about them.
    pub fn read<R: Read>(&self, inputs: impl IntoIterator<Item = R>) -> Reads {
        self.read_by(inputs, |input, builder| {
            callgrind::read(input, INPUT, &self.read, builder)
        })
    }

    fn read_by<R>(
        &self,
        inputs: impl IntoIterator<Item = R>,
        read: impl Fn(R, &mut ProfileBuilder) -> Result<Parsed, callgrind::ParseError>,
    ) -> Reads {
        get_on();
        let mut builder = ProfileBuilder::new(self.profile.clone());
        let mut warnings = Vec::new();
        for input in inputs {
            let outcome = read(input, &mut builder).map_err(|error| error.to_string())?;
            warnings.extend(outcome.warnings.iter().map(|listed| listed.to_string()));
        }
        let profile = builder.finish().map_err(|error| error.to_string())?;
        Ok((profile, warnings))
    }

    /// Reads inputs, and sees that the same comes of them in pieces of up to so many bytes, and by
    /// the reference parser.
    ///
    /// Shortcuts look ahead: they are taken where enough follows, and the general path where each
    /// byte comes alone. The reference parser has none.
    #[track_caller]
    pub fn read_in_any_way(&self, texts: &[&[u8]], sizes: &[u64]) -> Reads {
        let whole = self.read(texts.iter().copied());
        let expected = described(&whole);
        let assert_same = |read: &Reads, how: &str| {
            let (found, texts) = (described(read), texts.concat().escape_ascii().to_string());
            assert!(found == expected, "{how}: {texts}\n{found}\n{expected}");
        };
        for &size in sizes {
            let pieces = texts.iter().map(|text| Pieces::new(text, size));
            assert_same(&self.read(pieces), &format!("in pieces of {size}"));
        }
        let mut reference = self.read.clone();
        reference.line_by_line = true;
        let reference = self.read_by(texts, |text, builder| {
            callgrind::read(*text, INPUT, &reference, builder)
        });
        assert_same(&reference, "by the reference parser");
        whole
    }

    /// Reads ranges of a text on threads, and sees that the same comes of it as in one go.
    #[track_caller]
    pub fn read_in_ranges(&self, text: &[u8], range: u64, threads: usize) {
        let at = |byte: u64| usize::try_from(byte).map_or(text.len(), |at| at.min(text.len()));
        let (passed, left) = (AtomicU64::new(0), AtomicUsize::new(0));
        let ranges = Ranges {
            length: text.len() as u64,
            threads,
            range,
            open: &|range| Box::new(&text[at(range.start)..at(range.end)]),
            passed: &|bytes| _ = passed.fetch_add(bytes, Relaxed),
        };
        let found = self.read_by([text], |mut text, builder| {
            // Its buffer may have more than is taken from it.
            let input = BufReader::with_capacity(100, &mut text);
            let outcome = callgrind::read_ranges(input, Some(&ranges), INPUT, &self.read, builder);
            left.store(text.len(), Relaxed);
            outcome
        });
        if found.is_ok() {
            // Each byte has been read by way of the input, or has passed.
            assert_eq!(passed.into_inner(), left.into_inner() as u64, "{range}");
        }
        let expected = self.read([text]);
        if let (Ok((found, _)), Ok((expected, _))) = (&found, &expected) {
            assert!(self.linked(found) == self.linked(expected), "{range}");
        }
        let (found, expected) = (described(&found), described(&expected));
        let text = text.escape_ascii();
        assert!(
            found == expected,
            "ranges of {range}: {text}\n{found}\n{expected}"
        );
    }

    /// The stacks, their call sites, and when calls were made, as far as that is read.
    fn linked(&self, profile: &Profile) -> [Vec<u8>; 3] {
        let [mut lines, mut sites, mut times] = <[Vec<u8>; 3]>::default();
        if self.profile.contexts {
            let stacks = Stacks::new(profile);
            collapsed::write(&stacks, &mut lines).unwrap();
            pprof::write(&stacks, None, false, &[], &mut sites).unwrap();
        }
        if self.profile.timeline > 0 && timeline::write(profile, &mut times).is_err() {
            times.clear();
        }
        [lines, sites, times]
    }

    /// Reads one text that can be read.
    pub fn sound(&self, text: &[u8]) -> Profile {
        let read = self.read([text]);
        read.expect("a sound profile is read").0
    }
}

/// A profile and what there is to say of it, or why there is none.
pub type Reads = Result<(Profile, Vec<String>), String>;

/// Everything that can be seen of a profile.
fn described(read: &Reads) -> String {
    let (profile, warnings) = match read {
        Ok(read) => read,
        Err(error) => return format!("error: {error}"),
    };
    let functions: Vec<_> = profile.functions().map(|(_, function)| function).collect();
    let edges: Vec<_> = profile.edges().collect();
    let lines: Vec<_> = profile
        .functions()
        .map(|(id, _)| lines(profile, id))
        .collect();
    let files = [Version::V4, Version::V7]
        .map(|version| write_with(profile, version, OnOverflow::Saturate));
    format!("{warnings:?}\n{functions:?}\n{edges:?}\n{lines:?}\n{files:?}")
}

/// The self costs of a function by line, which add up to all of them.
pub fn lines(profile: &Profile, id: FunctionId) -> Vec<Line<'_>> {
    let lines: Vec<_> = profile.lines(id).collect();
    for (event, &cost) in profile.self_costs(id).iter().enumerate() {
        let costs = lines.iter().map(|line| i128::from(line.costs[event]));
        let sum = costs.sum::<i128>();
        assert!(sum == cost.into() || profile.has_saturated(), "{lines:?}");
    }
    lines
}

/// Gives bytes in pieces of any sizes up to the largest, with interruptions.
pub struct Pieces<'a> {
    bytes: &'a [u8],
    random: Random,
    largest: u64,
}

impl<'a> Pieces<'a> {
    pub fn new(bytes: &'a [u8], largest: u64) -> Self {
        let random = Random(largest);
        Pieces {
            bytes,
            random,
            largest,
        }
    }
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.largest > 1 && self.random.below(20) == 0 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let size = buffer
            .len()
            .min(self.random.below(self.largest) as usize + 1);
        self.bytes.read(&mut buffer[..size])
    }
}

/// Reads a text that can be read, for its first event.
pub fn profile(text: impl AsRef<[u8]>) -> Profile {
    read(text, ProfileOptions::default())
}

/// Reads a text that can be read.
pub fn read(text: impl AsRef<[u8]>, options: ProfileOptions) -> Profile {
    let reading = Reading {
        profile: options,
        ..Reading::default()
    };
    reading.sound(text.as_ref())
}

/// Options that keep every invocation.
pub fn linked() -> ProfileOptions {
    profile_options(|options| options.invocations = true)
}

/// Options for all events, the files of calls, lines and parts.
pub fn all_events() -> ProfileOptions {
    profile_options(|options| {
        options.events = EventChoice::All;
        options.call_files = true;
        options.lines = true;
        options.parts = true;
    })
}

/// Options for this event.
pub fn event(name: &str) -> ProfileOptions {
    profile_options(|options| options.events = EventChoice::Named(vec![name.as_bytes().to_vec()]))
}

/// Adds one profile after the other to the first.
pub fn merged(profiles: impl IntoIterator<Item = Profile>) -> Profile {
    let merged = profiles.into_iter().reduce(|mut one, other| {
        one.merge(other).expect("there are few of everything");
        one
    });
    merged.expect("a profile")
}

/// Reads preprocessed files into one profile, with their invocations.
pub fn read_files(files: &[&[u8]]) -> Result<(Profile, Vec<ReadOutcome>), String> {
    read_files_with(files, linked())
}

/// Reads preprocessed files into one profile.
pub fn read_files_with(
    files: &[&[u8]],
    options: ProfileOptions,
) -> Result<(Profile, Vec<ReadOutcome>), String> {
    let mut builder = ProfileBuilder::new(options);
    let mut outcomes = Vec::new();
    for file in files {
        let outcome = webgrind::read(Cursor::new(file), "test.pre", &mut builder);
        outcomes.push(outcome.map_err(|error| error.to_string())?);
    }
    let profile = builder.finish().map_err(|error| error.to_string())?;
    Ok((profile, outcomes))
}

/// Reads a preprocessed file, with its invocations.
pub fn read_file(data: &[u8]) -> Result<Profile, String> {
    read_files(&[data]).map(|(profile, _)| profile)
}

/// Writes a preprocessed file, whatever does not fit.
pub fn write(profile: &Profile, version: Version) -> Vec<u8> {
    write_with(profile, version, OnOverflow::Scale).0
}

/// Writes a preprocessed file, and says what did not fit.
pub fn write_with(
    profile: &Profile,
    version: Version,
    policy: OnOverflow,
) -> (Vec<u8>, Vec<WebgrindWriteWarning>) {
    let options = write_options(|options| {
        options.version = version;
        options.on_overflow = policy;
    });
    let mut file = Vec::new();
    let warnings = webgrind::write(profile, &options, &mut file).expect("memory takes it");
    (file, warnings)
}

/// Writes the report for people, who have no source files.
pub fn write_text(
    profile: &Profile,
    options: &output::ReportOptions,
    output: &mut Vec<u8>,
) -> Result<(), text::ReportError> {
    let view = View::by_function(profile, InclusiveCost::Summed);
    text::write(&view, options, &mut SourceFiles::default(), output)
}

/// What a report writes.
pub fn text_of<T, E: Debug>(write: impl FnOnce(&mut Vec<u8>) -> Result<T, E>) -> String {
    let mut output = Vec::new();
    write(&mut output).expect("memory takes it");
    String::from_utf8(output).expect("UTF-8")
}

/// Writes the report for machines.
pub fn json(profile: &Profile) -> String {
    let view = View::as_recorded(profile, InclusiveCost::Summed);
    text_of(|output| {
        json::write(
            &view,
            None,
            &Notes::default(),
            &output::ReportOptions::default(),
            output,
        )
    })
}

/// All header lines.
pub fn headers(profile: &Profile) -> Vec<String> {
    let headers = profile.headers();
    let texts = headers.map(|header| String::from_utf8_lossy(header.text()).into_owned());
    texts.collect()
}

/// What there is to say of each function and of its calls, a line for each.
pub fn listing(profile: &Profile) -> Vec<String> {
    Tables::of(profile).listing()
}

/// Lists what a text holds, or says why it cannot be read, whichever way it is.
#[track_caller]
pub fn listed(text: &str) -> Result<Vec<String>, String> {
    let reading = Reading::default();
    let followed = format!("{text}{}", "# what follows\n".repeat(20));
    let [alone, followed] = [text, &followed].map(|text| {
        let read = reading.read_in_any_way(&[text.as_bytes()], &[1]);
        read.map(|(profile, _)| listing(&profile))
    });
    assert_eq!(alone, followed);
    followed
}
