//! Stacks for pprof.

use super::{Feature, Spec};
#[cfg(not(feature = "compression"))]
use std::io;
use std::io::Write;

use super::Writer;
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
fn write(writer: &mut Writer<'_>, to: &mut dyn Write) -> Result<(), FormatError> {
    let (base, new) = writer.stacks();
    let warnings = writer.notes.warnings.iter();
    let notes: Vec<_> = warnings.chain(&writer.estimates).cloned().collect();
    let warnings = pprof::write(new, base, writer.options.per_run, &notes, to)?;
    writer.warn(warnings);
    Ok(())
}

#[cfg(not(feature = "compression"))]
fn write(_: &mut Writer<'_>, _: &mut dyn Write) -> Result<(), FormatError> {
    let reason = "this program was built without the feature \"compression\"";
    Err(io::Error::new(io::ErrorKind::Unsupported, reason).into())
}
