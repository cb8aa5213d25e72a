//! A profile as one page for a browser: it needs no server, no network and no other file.
//!
//! The page is `page.html` with its style, its script and the data, which stand in it as JSON. The
//! data are what `-f json` writes, as columns: rows would not fit. `docs/page.schema.json`
//! describes them.
//!
//! The page is never larger than 8 MB. It holds the costliest functions, calls and stacks; what
//! there is no room for is summed up.
//!
//! Every byte of a profile is hostile here too: in the data, what could end their element is
//! escaped, and the script puts names into the page as text only. The page's own policy allows no
//! other script or style than its own, and nothing that is loaded.

mod changes;
mod data;
mod stacks;

use std::io::{self, BufWriter, Write};

use self::data::Tables;
use super::markdown::Verdict;
use super::text::Names;
use crate::profile::{Comparison, Stacks};

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Options of the page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// The address of a line of source, with `{file}` and `{line}` in it: places are links then.
    pub source_url: Option<String>,
    /// The folder that is left out of the names of files in it.
    pub source_root: Option<Vec<u8>>,
    /// How long names are in lists.
    pub names: Names,
}

/// What a profile is compared with.
#[derive(Clone, Copy, Debug)]
pub struct Compared<'a> {
    /// The base.
    pub base: &'a Stacks<'a>,
    /// What has changed since.
    pub comparison: &'a Comparison<'a>,
    /// What was found of limits on growth.
    pub limits: &'a [Verdict],
}

/// Writes a profile as a page, in UTF-8; also what changed, if there is a base. `warnings` are those
/// about the inputs.
///
/// The stacks of traces are those of a profile that was read with
/// [`ProfileOptions::contexts`](crate::profile::ProfileOptions::contexts).
///
/// # Errors
///
/// When the output fails.
pub fn write<'a>(
    stacks: &Stacks<'a>,
    compared: Option<&Compared<'a>>,
    warnings: &[String],
    options: &Options,
    output: impl Write,
) -> io::Result<()> {
    let mut output = BufWriter::new(output);
    for part in PAGE.split("{{") {
        let (name, text) = part.split_once("}}").unwrap_or(("", part));
        match name {
            "style" => output.write_all(STYLE.as_bytes())?,
            "script" => output.write_all(SCRIPT.as_bytes())?,
            "data" => Tables::new(stacks, compared, options).write(warnings, &mut output)?,
            _ => {}
        }
        output.write_all(text.as_bytes())?;
    }
    output.flush()
}
