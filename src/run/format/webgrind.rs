//! webgrind's formats.

use std::io::Write;

use super::Material;
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
    write: |material, to| write(Version::V7, material, to),
};

pub(super) const V6: Spec = Spec {
    names: &["v6", "6"],
    help: "webgrind 0.6 to 1.1",
    endings: &[".v6"],
    write: |material, to| write(Version::V6, material, to),
    ..V7
};

pub(super) const V5: Spec = Spec {
    names: &["v5", "5"],
    help: "webgrind 0.5",
    endings: &[".v5"],
    write: |material, to| write(Version::V5, material, to),
    ..V7
};

pub(super) const V4: Spec = Spec {
    names: &["v4", "4"],
    help: "webgrind 0.4: every call",
    endings: &[".v4"],
    needs: |_, wanted| wanted.invocations = true,
    write: |material, to| write(Version::V4, material, to),
    ..V7
};

fn write(
    version: Version,
    material: &mut Material<'_>,
    to: &mut dyn Write,
) -> Result<(), FormatError> {
    let options = WriteOptions {
        version,
        on_overflow: material.options.on_overflow,
        escape_html: material.options.escape_html,
    };
    let warnings = webgrind::write(material.views.profile(), &options, to)?;
    material.warn(warnings);
    Ok(())
}
