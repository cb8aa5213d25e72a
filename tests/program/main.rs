//! The program: its arguments, what it reads, what it writes and says, and which files it leaves.

#[path = "../common/mod.rs"]
mod common;
mod runner;

#[cfg(all(unix, feature = "compression"))]
mod docs;
mod input;
#[cfg(all(unix, feature = "compression"))]
mod matrix;
mod names;
#[cfg(unix)]
mod output;
#[cfg(all(unix, feature = "compression"))]
mod transcripts;
