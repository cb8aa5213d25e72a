//! Outputs of a profile, for people and for programs: a file or directory for each format.
//!
//! ```
//! use cg_preprocess::callgrind;
//! use cg_preprocess::io::SourceFiles;
//! use cg_preprocess::profile::{ProfileBuilder, ProfileOptions};
//! use cg_preprocess::output::{ReportOptions, text};
//! use cg_preprocess::view::View;
//!
//! let profile = "cmd: ./app\nevents: Ir\nfl=app.c\nfn=main\n3 250\nfn=work\n9 750\n";
//! let mut builder = ProfileBuilder::new(ProfileOptions::default());
//! let options = callgrind::ReadOptions::default();
//! callgrind::read(profile.as_bytes(), "app.cg", &options, &mut builder)?;
//! let profile = builder.finish()?;
//!
//! let mut report = Vec::new();
//! let mut options = ReportOptions::default();
//! options.top = Some(1);
//! text::write(&View::of(&profile), &options, &mut SourceFiles::default(), &mut report)?;
//! let report = String::from_utf8(report)?;
//! assert!(report.contains(" 75.00   750   75.00   750  work      app.c:9"));
//! assert!(report.ends_with("1 more function with a total self cost of 250 (25.00 %)\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod collapsed;
pub mod dot;
pub(crate) mod figures;
pub mod html;
mod joined_stacks;
pub mod json;
pub mod markdown;
mod options;
#[cfg(feature = "compression")]
pub mod pprof;
pub mod text;
pub mod timeline;
pub mod tree;

pub use crate::compare::Subject;
pub use options::{Names, Notes, ReportOptions, Sort};

/// The most frames of a stack: with deep recursion, the output would grow with the square of the
/// depth.
const MAX_FRAMES: usize = 1024;
