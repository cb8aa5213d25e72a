//! Stacks for pprof.

use super::{Feature, Spec};
#[cfg(not(feature = "compression"))]
use std::io;
use std::io::Write;

use super::Material;
#[cfg(feature = "compression")]
use crate::output::pprof;
use crate::run::FormatError;

pub(super) const PPROF: Spec = Spec {
    names: &["pprof"],
    help: "All stacks, for `go tool pprof`, Pyroscope and Parca",
    endings: &[".pb.gz", ".pprof"],
    rows: None,
    features: &[
        Feature::Events,
        Feature::AllEvents,
        Feature::Comparison,
        Feature::PerRun,
        Feature::Limits,
        Feature::Binary,
    ],
    needs: |_, wanted| {
        wanted.contexts = true;
        (wanted.call_files, wanted.lines) = (true, true);
    },
    write,
};

#[cfg(feature = "compression")]
fn write(material: &mut Material<'_>, to: &mut dyn Write) -> Result<(), FormatError> {
    let (base, new) = material.stacks();
    let warnings = material.notes.warnings.iter();
    let notes: Vec<_> = warnings.chain(&material.estimates).cloned().collect();
    let warnings = pprof::write(new, base, material.options.per_run, &notes, to)?;
    material.warn(warnings);
    Ok(())
}

#[cfg(not(feature = "compression"))]
fn write(_: &mut Material<'_>, _: &mut dyn Write) -> Result<(), FormatError> {
    let reason = "this program was built without the feature \"compression\"";
    Err(io::Error::new(io::ErrorKind::Unsupported, reason).into())
}
