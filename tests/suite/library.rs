//! The library as programs use it: text becomes a profile, and a profile files.

use std::io::{Cursor, Read};

use cg_preprocess::callgrind::{self, KindChoice};
use cg_preprocess::profile::{EventChoice, Kind, Profile, ProfileBuilder, ProfileOptions};
use cg_preprocess::report::{self, json::Notes, text};
use cg_preprocess::webgrind::{self, OnOverflow, ReadOutcome, Version, WriteOptions, WriteWarning};

use crate::common::tables::Tables;

/// Options of reading profiles that differ from the defaults.
pub fn profile_options(change: impl FnOnce(&mut ProfileOptions)) -> ProfileOptions {
    changed(change)
}

/// Options of the callgrind reader, likewise.
pub fn read_options(change: impl FnOnce(&mut callgrind::Options)) -> callgrind::Options {
    changed(change)
}

/// Options of tables and trees, likewise.
pub fn text_options(change: impl FnOnce(&mut text::Options)) -> text::Options {
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

/// How a test reads.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    pub read: callgrind::Options,
    pub profile: ProfileOptions,
}

impl Reading {
    /// Says what the blocks are, whatever the headers say.
    pub fn kind(mut self, kind: Kind) -> Self {
        self.read.kind = match kind {
            Kind::Trace => KindChoice::Trace,
            Kind::Aggregate => KindChoice::Aggregate,
        };
        self
    }

    /// Reads inputs one after the other into one profile; also what there is to say about them.
    pub fn read<R: Read>(
        &self,
        inputs: impl IntoIterator<Item = R>,
    ) -> Result<(Profile, Vec<String>), String> {
        let mut builder = ProfileBuilder::new(self.profile.clone());
        let mut warnings = Vec::new();
        for input in inputs {
            let outcome = callgrind::read(input, "test.cg", &self.read, &mut builder)
                .map_err(|error| error.to_string())?;
            warnings.extend(outcome.warnings.iter().map(ToString::to_string));
        }
        let profile = builder.finish().map_err(|error| error.to_string())?;
        Ok((profile, warnings))
    }

    /// Reads one text that can be read.
    pub fn sound(&self, text: &[u8]) -> Profile {
        let read = self.read([text]);
        read.expect("a sound profile is read").0
    }
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

/// Options for this event.
pub fn event(name: &str) -> ProfileOptions {
    profile_options(|options| options.events = EventChoice::Named(vec![name.as_bytes().to_vec()]))
}

/// Reads preprocessed files into one profile, with their invocations.
pub fn read_files(files: &[&[u8]]) -> Result<(Profile, Vec<ReadOutcome>), String> {
    let mut builder = ProfileBuilder::new(linked());
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
) -> (Vec<u8>, Vec<WriteWarning>) {
    write_as(
        profile,
        write_options(|options| {
            options.version = version;
            options.on_overflow = policy;
        }),
    )
}

/// Writes a preprocessed file with all options, and says what did not fit.
pub fn write_as(profile: &Profile, options: WriteOptions) -> (Vec<u8>, Vec<WriteWarning>) {
    let mut file = Cursor::new(Vec::new());
    let written = webgrind::write(profile, &options, &mut file).expect("memory takes it");
    let file = file.into_inner();
    assert_eq!(written.bytes, file.len() as u64);
    (file, written.warnings)
}

/// Writes the report for machines.
pub fn json(profile: &Profile) -> String {
    let mut output = Vec::new();
    report::json::write(profile, &Notes::default(), &mut output).expect("memory takes it");
    String::from_utf8(output).expect("UTF-8")
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

/// Gives a byte at a time.
pub struct Bytewise<'a>(pub &'a [u8]);

impl Read for Bytewise<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = buffer.len().min(1);
        self.0.read(&mut buffer[..count])
    }
}

/// Lists what a text holds, or says why it cannot be read.
///
/// Shortcuts look ahead: they are taken where enough follows, and the general path where each byte
/// comes alone. The reference parser has none.
#[track_caller]
pub fn listed(text: &str) -> Result<Vec<String>, String> {
    let reading = Reading::default();
    let followed = format!("{text}{}", "# what follows\n".repeat(20));
    let list = |read: Result<(Profile, _), _>| read.map(|(profile, _)| listing(&profile));
    let whole = list(reading.read([followed.as_bytes()]));
    assert_eq!(list(reading.read([text.as_bytes()])), whole, "at the end");
    let bytewise = list(reading.read([Bytewise(followed.as_bytes())]));
    assert_eq!(bytewise, whole, "byte by byte");
    let mut builder = ProfileBuilder::new(ProfileOptions::default());
    let reference =
        callgrind::read_line_by_line(text.as_bytes(), "test.cg", &reading.read, &mut builder)
            .map_err(|error| error.to_string())
            .map(|_| listing(&builder.finish().expect("what was read makes a profile")));
    assert_eq!(reference, whole, "by the reference parser");
    whole
}
