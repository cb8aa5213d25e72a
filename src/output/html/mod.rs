//! The HTML report: one file that needs no server, no network and no other file.
//!
//! It consists of `page.html`, its style, its script (`page/`) and the data as JSON. The data are
//! those of `-f json`, by columns to save room; `docs/schema/report.json` describes them.
//!
//! A report has at most about 8 MB: the costliest functions, calls and stacks, and sums of those
//! that were omitted.
//!
//! Every byte of a profile is hostile. The data escape whatever could end their element, and the
//! script adds names to the page only as text. The page's content security policy allows its own
//! script and style, by their hashes, and nothing that is loaded.

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
mod start;
mod table;
mod timeline;

pub(crate) use stacks::has_stacks;
pub(crate) use timeline::MAX_CALLS as MAX_TIMELINE;

use std::io::{self, BufWriter, Write};

use self::data::Data;
pub use super::figures::ReportError as Error;
use super::{Notes, ReportOptions};
use crate::compare::Views;
use crate::io::SourceFiles;
use crate::view::GroupBy;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
/// The modules of the script, in the order in which they use each other.
const SCRIPT: &str = concat!(
    include_str!("page/numbers.js"),
    include_str!("page/names.js"),
    include_str!("page/trees.js"),
    include_str!("page/times.js"),
    include_str!("page/dom.js"),
    include_str!("page/model.js"),
    include_str!("page/state.js"),
    include_str!("page/tables.js"),
    include_str!("page/hints.js"),
    include_str!("page/labels.js"),
    include_str!("page/groups.js"),
    include_str!("page/functions.js"),
    include_str!("page/changes.js"),
    include_str!("page/function.js"),
    include_str!("page/lines.js"),
    include_str!("page/repeated.js"),
    include_str!("page/parts.js"),
    include_str!("page/stacks.js"),
    include_str!("page/flame.js"),
    include_str!("page/tree.js"),
    include_str!("page/timeline.js"),
    include_str!("page/report.js"),
);

/// Options of the HTML report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HtmlOptions {
    /// A URL template with `{file}` and `{line}`: locations become links.
    pub source_url: Option<String>,
    /// A directory that is stripped from the names of files in it.
    pub source_root: Option<Vec<u8>>,
    /// How it is shown at first, until its reader chooses something else: the rows of its first view
    /// ([`by`](ReportOptions::by)); what is hidden ([`hide`](ReportOptions::hide)) and searched for
    /// ([`filter`](ReportOptions::filter)); the function, or a search for its name if several have it
    /// ([`function`](ReportOptions::function)). Lists shorten [`names`](ReportOptions::names). Other
    /// options have no effect.
    pub report: ReportOptions,
}

impl HtmlOptions {
    /// Strips the source root from the name of a file in it.
    fn within_root<'f>(&self, file: &'f [u8]) -> Option<&'f [u8]> {
        let root = self.source_root.as_deref()?;
        let root = root.strip_suffix(b"/").unwrap_or(root);
        file.strip_prefix(root)?.strip_prefix(b"/")
    }
}

/// Writes the HTML report of a profile or of a comparison, in UTF-8, with lines of the source files
/// in `sources`.
///
/// A trace has stacks only if it was read with
/// [`ProfileOptions::contexts`](crate::profile::ProfileOptions::contexts).
///
/// # Errors
///
/// When the output fails, or if no function has the requested name or words; nothing is written then.
pub fn write(
    views: &Views<'_>,
    notes: &Notes<'_>,
    sources: &mut SourceFiles,
    options: &HtmlOptions,
    output: impl Write,
) -> Result<(), Error> {
    let functions = views.by(GroupBy::Function).map_err(io::Error::other)?;
    let data = Data::new(functions.subject(), views, options);
    let mut data = Some((data.start()?, data));
    let mut output = BufWriter::new(output);
    for part in PAGE.split("{{") {
        let (name, text) = part.split_once("}}").unwrap_or(("", part));
        match name {
            "style" => output.write_all(STYLE.as_bytes())?,
            "script" => output.write_all(SCRIPT.as_bytes())?,
            "data" => {
                if let Some((start, data)) = data.take() {
                    data.write(notes, &start, sources, &mut output)?;
                }
            }
            _ => {}
        }
        output.write_all(text.as_bytes())?;
    }
    Ok(output.flush()?)
}
