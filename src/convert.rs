//! From inputs to an output: the one place that knows both formats, the model and the reports.

use std::io;

use thiserror::Error;

use crate::input::Source;
use crate::output::Target;
use crate::profile::{ModelError, Profile, ProfileBuilder, ProfileOptions};
use crate::{callgrind, webgrind};
use webgrind::{OnOverflow, Version};

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// webgrind's preprocessed format.
    Preprocessed(Version),
}

/// How to convert.
#[derive(Clone, Debug)]
pub struct Options {
    /// What is written.
    pub format: Format,
    /// How inputs are read.
    pub read: callgrind::Options,
    /// What is taken from them.
    pub profile: ProfileOptions,
    /// What happens to numbers of more than 32 bits.
    pub on_overflow: OnOverflow,
}

/// Why nothing was converted.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConvertError {
    /// An input cannot be opened.
    #[error("{input}: cannot be opened")]
    Open {
        /// The input.
        input: Source,
        /// Why.
        source: io::Error,
    },
    /// An input cannot be read.
    #[error(transparent)]
    Read(#[from] callgrind::Error),
    /// What was read makes no profile.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The profile cannot be written.
    #[error("{output}: cannot be written")]
    Write {
        /// The output.
        output: Target,
        /// Why.
        source: webgrind::WriteError,
    },
}

/// What there is to say after a conversion.
#[derive(Debug, Default)]
pub struct Report {
    /// What the user should know.
    pub warnings: Vec<String>,
    /// Functions in the profile.
    pub functions: usize,
    /// Call edges in the profile.
    pub edges: usize,
    /// Bytes of profile text read.
    pub bytes_in: u64,
    /// Bytes written.
    pub bytes_out: u64,
}

/// Reads `inputs` into one profile and writes it to `output`.
///
/// # Errors
///
/// See [`ConvertError`]; nothing appears at `output` then.
pub fn convert(
    inputs: &[Source],
    output: &Target,
    options: &Options,
) -> Result<Report, ConvertError> {
    let mut report = Report::default();
    let profile = load(inputs, options, &mut report)?;
    report.functions = profile.functions().len();
    report.edges = profile.edges().len();
    save(&profile, output, options, &mut report)?;
    Ok(report)
}

fn load(
    inputs: &[Source],
    options: &Options,
    report: &mut Report,
) -> Result<Profile, ConvertError> {
    let mut profile = options.profile.clone();
    profile.invocations = options.format == Format::Preprocessed(Version::V4);
    let mut builder = ProfileBuilder::new(profile);
    for input in inputs {
        let reader = input.open().map_err(|source| ConvertError::Open {
            input: input.clone(),
            source,
        })?;
        let outcome = callgrind::read(reader, &input.to_string(), &options.read, &mut builder)?;
        report.bytes_in += outcome.bytes;
        let warnings = outcome.warnings.iter().map(ToString::to_string);
        report.warnings.extend(warnings);
    }
    Ok(builder.finish()?)
}

fn save(
    profile: &Profile,
    output: &Target,
    options: &Options,
    report: &mut Report,
) -> Result<(), ConvertError> {
    let Format::Preprocessed(version) = options.format;
    let written = output
        .write(|file| webgrind::write(profile, version, options.on_overflow, file))
        .map_err(|source| ConvertError::Write {
            output: output.clone(),
            source,
        })?;
    report.bytes_out = written.bytes;
    let warnings = written.warnings.iter().map(ToString::to_string);
    report.warnings.extend(warnings);
    Ok(())
}
