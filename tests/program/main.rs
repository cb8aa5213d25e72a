//! The program: its arguments, what it reads, what it writes and says, and what it leaves behind.

mod runner;

mod cli;
mod comparison;
#[cfg(unix)]
mod docs;
mod input;
#[cfg(all(target_os = "linux", feature = "compression"))]
mod limits;
mod output;
mod webgrind_place;
