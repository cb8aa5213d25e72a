//! A profile as one page for a browser: it needs no server, no network and no other file.
//!
//! The page is `page.html` with its style, its script (`page/`) and the data, which stand in it as JSON. The
//! data are what `-f json` writes, as columns: rows would not fit. `docs/report.schema.json`
//! describes them.
//!
//! The page has about 8 MB at most. It holds the costliest functions, calls and stacks; what
//! there is no room for is summed up.
//!
//! Every byte of a profile is hostile here too: in the data, what could end their element is
//! escaped, and the script puts names into the page as text only. The page's own policy allows no
//! other script or style than its own, and nothing that is loaded.

mod calls;
mod costs;
mod data;
mod document;
mod functions;
mod groups;
mod header;
mod lines;
mod source;
mod stacks;
mod table;

use std::io::{self, BufWriter, Write};

use self::data::Data;
use super::Names;
use crate::compare::{Comparison, Verdict};
use crate::io::SourceFiles;
use crate::profile::{GroupBy, InclusiveCost};
use crate::stacks::Stacks;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
/// The script's modules, in their order.
const SCRIPT: &str = concat!(
    include_str!("page/numbers.js"),
    include_str!("page/names.js"),
    include_str!("page/trees.js"),
    include_str!("page/dom.js"),
    include_str!("page/model.js"),
    include_str!("page/state.js"),
    include_str!("page/tables.js"),
    include_str!("page/functions.js"),
    include_str!("page/function.js"),
    include_str!("page/lines.js"),
    include_str!("page/stacks.js"),
    include_str!("page/flame.js"),
    include_str!("page/tree.js"),
    include_str!("page/report.js"),
);

/// Options of the page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HtmlOptions {
    /// The address of a line of source, with `{file}` and `{line}` in it: places are links then.
    pub source_url: Option<String>,
    /// The folder that is left out of the names of files in it.
    pub source_root: Option<Vec<u8>>,
    /// How long names are in lists.
    pub names: Names,
    /// What rows of functions are at first.
    pub by: GroupBy,
    /// How the inclusive costs of groups of functions treat recursion: as those of the functions do.
    pub inclusive: InclusiveCost,
}

impl HtmlOptions {
    /// The name of a file from the source root on, if it is in there.
    fn within_root<'f>(&self, file: &'f [u8]) -> Option<&'f [u8]> {
        let root = self.source_root.as_deref()?;
        let root = root.strip_suffix(b"/").unwrap_or(root);
        file.strip_prefix(root)?.strip_prefix(b"/")
    }
}

/// What a profile is compared with.
#[derive(Clone, Copy, Debug)]
pub struct Compared<'a> {
    /// The base.
    pub base: &'a Stacks<'a>,
    /// What has changed since.
    pub comparison: &'a Comparison<'a>,
}

/// What readers of a page should know.
#[derive(Clone, Copy, Debug, Default)]
pub struct Notes<'a> {
    /// Warnings about the inputs.
    pub warnings: &'a [String],
    /// What came of limits.
    pub limits: &'a [Verdict],
    /// The warning that stacks are estimated, which stands where such stacks are shown.
    pub estimates: Option<&'a str>,
}

/// Writes a profile as a page, in UTF-8; also what changed, if there is a base. Source is shown of
/// the files that `sources` has.
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
    notes: &Notes<'_>,
    sources: &mut SourceFiles,
    options: &HtmlOptions,
    output: impl Write,
) -> io::Result<()> {
    let mut output = BufWriter::new(output);
    for part in PAGE.split("{{") {
        let (name, text) = part.split_once("}}").unwrap_or(("", part));
        match name {
            "style" => output.write_all(STYLE.as_bytes())?,
            "script" => output.write_all(SCRIPT.as_bytes())?,
            "data" => Data::new(stacks, compared, options).write(notes, sources, &mut output)?,
            _ => {}
        }
        output.write_all(text.as_bytes())?;
    }
    output.flush()
}
