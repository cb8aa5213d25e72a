//! Profiles.

use super::{Feature, Spec};
use std::io::Write;

use super::Material;
use crate::callgrind;
use crate::display::text::printable;
use crate::run::FormatError;

pub(super) const CALLGRIND: Spec = Spec {
    names: &["callgrind"],
    help: "All functions and calls, for KCachegrind, and for merging again",
    endings: &[".cg", ".callgrind"],
    rows: None,
    features: &[
        Feature::Events,
        Feature::AllEvents,
        Feature::Formulas,
        Feature::Recorded,
        Feature::Limits,
    ],
    needs: |_, wanted| (wanted.call_files, wanted.lines) = (true, true),
    write,
};

fn write(material: &mut Material<'_>, to: &mut dyn Write) -> Result<(), FormatError> {
    let profile = material.views.profile();
    let mut text = Vec::new();
    let warnings = if material.to_terminal {
        callgrind::write(profile, &mut text)?
    } else {
        callgrind::write(profile, &mut *to)?
    };
    // Names must not control the terminal.
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        writeln!(to, "{}", printable(line))?;
    }
    material.warn(warnings);
    Ok(())
}
