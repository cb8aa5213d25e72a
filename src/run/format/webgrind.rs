//! webgrind's formats.

use std::io::Write;

use super::Writer;
use super::{Feature, Spec};
use crate::run::FormatError;
use crate::webgrind::{self, Version, WriteOptions};

pub(super) const V7: Spec = Spec {
    names: &["v7", "7"],
    help: "webgrind 1.2 and later",
    // Names of webgrind's own files begin like a profile's.
    endings: &[".pre", webgrind::FILE_ENDING, ".v7"],
    rows: None,
    features: &[Feature::Recorded, Feature::Binary, Feature::Entities],
    needs: |_, _| {},
    write: |writer, to| write(Version::V7, writer, to),
};

pub(super) const V6: Spec = Spec {
    names: &["v6", "6"],
    help: "webgrind 0.6 to 1.1",
    endings: &[".v6"],
    write: |writer, to| write(Version::V6, writer, to),
    ..V7
};

pub(super) const V5: Spec = Spec {
    names: &["v5", "5"],
    help: "webgrind 0.5",
    endings: &[".v5"],
    write: |writer, to| write(Version::V5, writer, to),
    ..V7
};

pub(super) const V4: Spec = Spec {
    names: &["v4", "4"],
    help: "webgrind 0.4: every call",
    endings: &[".v4"],
    needs: |_, wanted| wanted.invocations = true,
    write: |writer, to| write(Version::V4, writer, to),
    ..V7
};

fn write(version: Version, writer: &mut Writer<'_>, to: &mut dyn Write) -> Result<(), FormatError> {
    let options = WriteOptions {
        version,
        on_overflow: writer.options.on_overflow,
        escape_html: writer.options.escape_html,
    };
    let warnings = webgrind::write(writer.views.profile(), &options, to)?;
    writer.warn(warnings);
    Ok(())
}
