//! Reads one profile in any format: the simple way for programs that use the library.

use std::io::{self, Read};
use std::path::Path;
use std::{error, fmt};

use super::load::load_one;
use super::{ConvertError, ConvertOptions, Warning};
use crate::callgrind::{PartFilter, ProblemKind};
use crate::io::{Input, ResolvedSource, Source};
use crate::profile::{EventChoice, Kind, ModelError, Profile, ProfileOptions};
use crate::warnings::Warnings;

/// Reads a profile in any format that the program reads, compressed or not.
///
/// Without options, it reads the costs of the first event, and sums them by function and by call.
///
/// # Examples
///
/// ```
/// use cg_preprocess::ProfileReader;
///
/// let text = "events: Ir Dr\nfl=a.c\nfn=main\n16 400 7\n17 10 1\n";
/// let (profile, warnings) = ProfileReader::new().events(["Dr"]).lines(true).read(text.as_bytes())?;
/// assert!(warnings.is_empty());
/// assert_eq!(profile.total(), 8);
/// let (main, _) = profile.functions().next().expect("there is one");
/// let lines: Vec<_> = profile.lines(main).map(|line| (line.line, line.costs[0])).collect();
/// assert_eq!(lines, [(16, 7), (17, 1)]);
/// # Ok::<(), cg_preprocess::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ProfileReader {
    name: Option<String>,
    profile: ProfileOptions,
    /// Only what says how inputs are read.
    options: ConvertOptions,
}

impl ProfileReader {
    /// A reader with default options.
    pub fn new() -> Self {
        ProfileReader::default()
    }

    /// Reads the costs of these events, in this order. A name may be the beginning of an event's, if it
    /// is that of only one, in upper or lower case.
    pub fn events<N: Into<Vec<u8>>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        let names = names.into_iter().map(Into::into).collect();
        self.profile.events = EventChoice::Matching(names);
        self
    }

    /// Reads the costs of all events.
    pub fn all_events(mut self) -> Self {
        self.profile.events = EventChoice::All;
        self
    }

    /// Steps over these functions in the call lists of traces, such as `php::call_user_func`.
    pub fn proxies<N: Into<Vec<u8>>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.profile.proxies = names.into_iter().map(Into::into).collect();
        self.options.proxies.clone_from(&self.profile.proxies);
        self
    }

    /// Keeps the self costs of aggregates by line; see [`Profile::lines`].
    pub fn lines(mut self, kept: bool) -> Self {
        self.profile.lines = kept;
        self
    }

    /// Keeps the files of calls in inlined code; see [`Profile::call_file`].
    pub fn call_files(mut self, kept: bool) -> Self {
        self.profile.call_files = kept;
        self
    }

    /// Keeps the call stacks of traces, for [`Stacks`](crate::stacks::Stacks).
    pub fn stacks(mut self, kept: bool) -> Self {
        self.profile.contexts = kept;
        self
    }

    /// Keeps every invocation of traces; see [`Profile::invocations`].
    pub fn invocations(mut self, kept: bool) -> Self {
        self.profile.invocations = kept;
        self
    }

    /// Lists the parts of the profile; see [`Profile::parts`].
    pub fn parts(mut self, listed: bool) -> Self {
        self.profile.parts = listed;
        self
    }

    /// Reads only the parts of aggregates that a filter chooses.
    pub fn only_parts(mut self, filters: impl IntoIterator<Item = PartFilter>) -> Self {
        self.options.read.parts = filters.into_iter().collect();
        self
    }

    /// Sets whether the records are single calls or sums. Default: the header decides.
    pub fn kind(mut self, kind: Kind) -> Self {
        self.options.read.kind = Some(kind);
        self
    }

    /// Skips lines that cannot be read, with a warning.
    pub fn lenient(mut self, lenient: bool) -> Self {
        self.options.read.lenient = lenient;
        self
    }

    /// Sets what messages call a stream. Default: `input`.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Reads a file, on all cores if it is a large trace. Returns the profile, which is marked as
    /// [incomplete](Profile::is_complete) if something is missing, and what a user should know.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, is no profile or has no data, or lacks a requested event or part.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<(Profile, Warnings<Warning>), Error> {
        let source = Source::File(path.as_ref().to_owned());
        match source.find() {
            Ok(found) => self.load(&found, None),
            Err(source_error) => {
                let input = source.clone();
                let cause = ConvertError::Open {
                    input,
                    source: source_error,
                };
                Err(Error::new(cause, &source))
            }
        }
    }

    /// Reads a stream to its end, likewise. A webgrind file, or a compressed one, is copied first.
    ///
    /// # Errors
    ///
    /// As for [`open`](Self::open).
    pub fn read(&self, stream: impl Read) -> Result<(Profile, Warnings<Warning>), Error> {
        let source = Source::File(self.name.as_deref().unwrap_or("input").into());
        match Input::of_stream(stream) {
            Ok(input) => self.load(&ResolvedSource::unknown(&source), Some(input)),
            Err(source_error) => {
                let input = source.clone();
                let cause = ConvertError::Read {
                    input,
                    source: source_error,
                };
                Err(Error::new(cause, &source))
            }
        }
    }

    fn load(
        &self,
        found: &ResolvedSource<'_>,
        stream: Option<Input<'_>>,
    ) -> Result<(Profile, Warnings<Warning>), Error> {
        let read = load_one(found, stream, &self.options, &self.profile);
        read.map_err(|error| Error::new(error, found.source))
    }
}

impl Profile {
    /// Reads the first event of a profile in any format, compressed or not. [`ProfileReader`] has
    /// options, and returns warnings.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, is no profile or has no data.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use cg_preprocess::profile::Profile;
    ///
    /// let profile = Profile::open("cachegrind.out.1234.gz")?;
    /// println!("{} functions cost {}", profile.functions().len(), profile.total());
    /// # Ok::<(), cg_preprocess::Error>(())
    /// ```
    pub fn open(path: impl AsRef<Path>) -> Result<Profile, Error> {
        Ok(ProfileReader::new().open(path)?.0)
    }

    /// The same from a stream.
    ///
    /// # Errors
    ///
    /// As for [`open`](Self::open).
    pub fn read(stream: impl Read) -> Result<Profile, Error> {
        Ok(ProfileReader::new().read(stream)?.0)
    }
}

/// Why a profile cannot be read.
#[derive(Debug)]
pub struct Error {
    file: String,
    cause: Box<ConvertError>,
}

/// The kinds of an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The file cannot be opened, or the stream fails.
    Io,
    /// It is no profile.
    NotAProfile,
    /// It is a profile without any costs.
    NoData,
    /// A line, or a number of a webgrind file, is wrong.
    Invalid,
    /// It lacks a requested event or part.
    NotFound,
    /// It has more functions, names or calls than can be numbered.
    TooLarge,
}

impl Error {
    fn new(cause: ConvertError, source: &Source) -> Self {
        Error {
            file: source.to_string(),
            cause: Box::new(cause),
        }
    }

    /// Its kind.
    pub fn kind(&self) -> ErrorKind {
        match &*self.cause {
            cause if cause.is_no_data() => ErrorKind::NoData,
            ConvertError::Read { source, .. } if source.kind() == io::ErrorKind::Unsupported => {
                ErrorKind::NotAProfile
            }
            ConvertError::Callgrind(error) => match error.kind() {
                ProblemKind::Io(_) => ErrorKind::Io,
                ProblemKind::NotAProfile => ErrorKind::NotAProfile,
                _ => ErrorKind::Invalid,
            },
            ConvertError::Preprocessed(_) => ErrorKind::Invalid,
            ConvertError::Model { error, .. } => match error {
                ModelError::Event(_) => ErrorKind::NotFound,
                ModelError::TooMany { .. } => ErrorKind::TooLarge,
            },
            ConvertError::NoPart(_) | ConvertError::EmptyPart(_) => ErrorKind::NotFound,
            _ => ErrorKind::Io,
        }
    }

    /// The file, as messages name it.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The number of the line that is wrong, from 1, if it is one line of text.
    pub fn line(&self) -> Option<u64> {
        match &*self.cause {
            ConvertError::Callgrind(error) => match error.kind() {
                ProblemKind::Empty => None,
                _ => Some(error.line),
            },
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cause.fmt(f)
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        self.cause.source()
    }
}
