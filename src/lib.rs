//! Converts, merges and compares callgrind profiles.
//!
//! This is the library of the `cg-preprocess` program. It reads profiles in the callgrind format,
//! which Xdebug, Valgrind and a dozen other profilers write, and adds them up into tables of
//! functions and calls. It writes these in [webgrind]'s format, versions 4 to 7, in the callgrind
//! format, as JSON, text or an HTML report. It also writes call stacks, and compares profiles.
//!
//! # Reading
//!
//! [`Profile::open`](profile::Profile::open) reads a file in any format that the program reads,
//! compressed or not; [`Profile::read`](profile::Profile::read), any bytes.
//!
//! ```
//! use cg_preprocess::profile::Profile;
//!
//! let text = "events: Ir\nfl=a.c\nfn=main\n16 20\ncfn=f\ncalls=2 50\n16 400\nfn=f\n51 400\n";
//! let profile = Profile::read(text.as_bytes())?;
//! let (id, main) = profile.functions().next().expect("there are two");
//! assert_eq!(profile.name(main.name), b"main");
//! // Costs are rows, with a number for each requested event.
//! assert_eq!((profile.self_costs(id), profile.inclusive_costs(id)), (&[20][..], &[420][..]));
//! let call = profile.sub_calls(id).next().expect("it calls f");
//! assert_eq!((call.line, call.calls, call.costs()), (16, 2, &[400][..]));
//! # Ok::<(), cg_preprocess::Error>(())
//! ```
//!
//! Names are bytes, because they need not be UTF-8. Costs are signed 64-bit numbers.
//! [`ProfileReader`] has options, such as events and lines, and returns warnings. Its [`Error`] has a
//! kind, a file, and a line.
//!
//! ```
//! use cg_preprocess::{ErrorKind, ProfileReader};
//!
//! let reader = ProfileReader::new().name("a.cg").all_events();
//! let (profile, warnings) = reader.read(&b"events: Ir Dr\nfn=f\n1 5 2\n2 7"[..])?;
//! assert_eq!(profile.totals(), [12, 2]);
//! let warning = warnings.iter().next().expect("the last line may be truncated").warning;
//! assert_eq!((warning.line(), profile.is_complete()), (Some(4), false));
//!
//! let error = reader.read(&b"events: Ir\nfn=f\n1 x\n"[..]).unwrap_err();
//! assert_eq!((error.kind(), error.file(), error.line()), (ErrorKind::Invalid, "a.cg", Some(3)));
//! # Ok::<(), cg_preprocess::Error>(())
//! ```
//!
//! Several files, on all cores, added up as the program does it:
//!
//! ```no_run
//! use cg_preprocess::run::{self, ConvertOptions};
//! use cg_preprocess::io::Source;
//!
//! let inputs = ["cachegrind.out.1234.gz", "cachegrind.out.1235"];
//! let inputs = inputs.map(|path| Source::File(path.into()));
//! let (profile, report) = run::read(&inputs, &ConvertOptions::default())?;
//! for warning in report.warnings.iter() {
//!     eprintln!("warning: {warning}");
//! }
//! # Ok::<(), cg_preprocess::run::ConvertError>(())
//! ```
//!
//! [`Profile::merge`](profile::Profile::merge) adds one profile to another.
//!
//! # Writing
//!
//! [`webgrind::write`], [`callgrind::write`] and the modules in [`output`] write one format each.
//!
//! ```
//! use cg_preprocess::profile::Profile;
//! use cg_preprocess::webgrind::{self, Version, WriteOptions};
//!
//! let profile = Profile::read(&b"events: Ir\nfn=main\n16 20\n"[..])?;
//! let mut file = Vec::new();
//! webgrind::write(&profile, &WriteOptions::new("v7".parse()?), &mut file)?;
//! assert_eq!(file[..4], [7, 0, 0, 0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`run::convert`] does what the program does: it also checks that the output appears complete or
//! not at all, and that it is none of the inputs.
//!
//! ```no_run
//! use cg_preprocess::run::{ConvertOptions, convert};
//! use cg_preprocess::io::{Source, Target};
//!
//! let input = Source::File("cachegrind.out.1234.gz".into());
//! let output = Target::File("report.html".into());
//! let mut options = ConvertOptions::default();
//! options.format = "html".parse()?;
//! options.read.lenient = true;
//! let report = convert(&[input], &output, &options)?;
//! report.warnings.iter().for_each(|warning| eprintln!("warning: {warning}"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Comparing
//!
//! ```
//! use cg_preprocess::compare::{Comparison, Limit};
//! use cg_preprocess::profile::Profile;
//!
//! let base = Profile::read(&b"events: Ir\nfl=a.c\nfn=main\n16 400\n"[..])?;
//! let new = Profile::read(&b"events: Ir\nfl=a.c\nfn=main\n16 410\n"[..])?;
//! let comparison = Comparison::new(&base, &new)?;
//! assert_eq!(comparison.changes[0].self_cost(), 10);
//! assert!(Limit::growth(b"2.5%")?.check(&comparison)?.passed());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `cli` | yes | the `cg-preprocess` program; it needs `files` |
//! | `compression` | yes | gzip and zstd input, pprof output |
//! | `files` | with `cli` | [`run::convert`], [`run::read`] of several inputs, directories of source files |
//!
//! Without them, the library reads bytes and paths and writes to any [`Write`](std::io::Write), with
//! fewer than 20 crates. A webgrind file that comes as a stream is copied into memory then, not to a
//! temporary file.
//!
//! Neither clap nor anything else that only the program needs is built with:
//!
//! ```toml
//! [dependencies]
//! cg-preprocess = { version = "0.3", default-features = false, features = ["compression"] }
//! ```
//!
//! # Stability
//!
//! Public types that may grow are `#[non_exhaustive]`: begin with the default options and set the
//! fields that differ. Until 1.0, a new minor version may change the rest; the changelog lists the
//! changes.
//!
//! [webgrind]: https://github.com/jokkedk/webgrind

// Only `webgrind::narrow`, which owns the policy, narrows numbers.
#![warn(clippy::cast_possible_truncation)]
// Conversions of files use much that is private.
#![cfg_attr(not(feature = "files"), allow(dead_code, unused_imports))]

pub mod callgrind;
pub mod compare;
mod display;
mod in_order;
pub mod io;
mod maps;
mod named;
mod names;
pub mod output;
mod prefetch;
pub mod profile;
pub mod run;
pub mod stacks;
mod tables;
mod trace;
pub mod view;
pub mod warnings;
pub mod webgrind;

pub use named::UnknownName;
pub use run::{Error, ErrorKind, ProfileReader};

/// The examples in the documents, which have to compile.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../README.md")]
    struct Readme;
}
