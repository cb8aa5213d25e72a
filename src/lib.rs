//! Converts, merges and compares callgrind profiles.
//!
//! This is the library of the `cg-preprocess` program. It reads profiles in the callgrind format,
//! which Xdebug, Valgrind and a dozen other profilers write, and adds them up into tables of
//! functions and calls. It writes these in [webgrind]'s format, versions 4 to 7, in the callgrind
//! format, as JSON, text or an HTML report. It also writes call stacks, and compares profiles.
//!
//! # Data flow
//!
//! ```text
//! bytes ── callgrind::read ──┐                        ┌── webgrind::write, callgrind::write
//!                            ├─ ProfileBuilder ─ Profile ── output::{text, markdown, json}::write
//! .pre  ── webgrind::read ───┘                        └── Stacks ── output::{html, pprof, collapsed, tree}::write
//! ```
//!
//! [`callgrind`] and [`webgrind`] handle one format each and do not use each other. Both use the
//! model in [`profile`], which uses neither. [`run`] joins them: it opens inputs, recognises
//! them by their content, and makes sure that an output appears complete or not at all.
//!
//! # Examples
//!
//! Convert a file like the program:
//!
//! ```no_run
//! use cg_preprocess::run::{ConvertOptions, Format, convert};
//! use cg_preprocess::io::{Source, Target};
//!
//! let input = Source::File("cachegrind.out.1234.gz".into());
//! let output = Target::File("out.pre".into());
//! let mut options = ConvertOptions::default();
//! options.format = Format::V7;
//! options.read.lenient = true;
//! let report = convert(&[input], &output, &options)?;
//! report.warnings.iter().for_each(|warning| eprintln!("warning: {warning}"));
//! # Ok::<(), cg_preprocess::run::ConvertError>(())
//! ```
//!
//! Compare two profiles:
//!
//! ```
//! use cg_preprocess::callgrind;
//! use cg_preprocess::compare::{Comparison, Limit};
//! use cg_preprocess::profile::{Profile, ProfileBuilder, ProfileOptions};
//!
//! fn read(text: &str) -> Result<Profile, Box<dyn std::error::Error>> {
//!     let mut builder = ProfileBuilder::new(ProfileOptions::default());
//!     callgrind::read(text.as_bytes(), "a.cg", &callgrind::ReadOptions::default(), &mut builder)?;
//!     Ok(builder.finish()?)
//! }
//! let base = read("events: Ir\nfl=a.c\nfn=main\n16 400\n")?;
//! let new = read("events: Ir\nfl=a.c\nfn=main\n16 410\n")?;
//! let comparison = Comparison::new(&base, &new)?;
//! assert_eq!(comparison.changes[0].self_cost(), 10);
//! assert!(Limit::growth(b"2.5%")?.check(&comparison)?.passed());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Convert in memory, step by step:
//!
//! ```
//! use cg_preprocess::callgrind;
//! use cg_preprocess::profile::{ProfileBuilder, ProfileOptions};
//! use cg_preprocess::webgrind::{self, Version, WriteOptions};
//!
//! let text = "events: Ir\nfl=a.c\nfn=main\n16 20\ncfn=f\ncalls=2 50\n16 400\nfn=f\n51 400\n";
//! let mut builder = ProfileBuilder::new(ProfileOptions::default());
//! callgrind::read(text.as_bytes(), "a.cg", &callgrind::ReadOptions::default(), &mut builder)?;
//! let profile = builder.finish()?;
//!
//! let (id, main) = profile.functions().next().expect("there are two");
//! assert_eq!(profile.name(main.name), b"main");
//! // Costs are rows, with a number for each requested event.
//! assert_eq!((profile.self_costs(id), profile.inclusive_costs(id)), (&[20][..], &[420][..]));
//!
//! let mut file = Vec::new();
//! webgrind::write(&profile, &WriteOptions::new(Version::V7), &mut file)?;
//! assert_eq!(file[..4], [7, 0, 0, 0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `cli` | yes | the `cg-preprocess` program |
//! | `compression` | yes | gzip and zstd input |
//!
//! [webgrind]: https://github.com/jokkedk/webgrind

// Only `webgrind::narrow`, which owns the policy, narrows numbers.
#![warn(clippy::cast_possible_truncation)]

pub mod callgrind;
pub mod compare;
mod display;
mod in_order;
pub mod io;
mod maps;
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

/// The examples in the documents, which have to compile.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../README.md")]
    struct Readme;

    #[doc = include_str!("../docs/library.md")]
    struct Library;
}
