//! When calls ran.

use super::Spec;
use crate::output::timeline;

pub(super) const TIMELINE: Spec = Spec {
    names: &["timeline"],
    help: "When each call of a trace ran, for Perfetto, speedscope and the Firefox Profiler",
    endings: &[".trace.json"],
    rows: None,
    features: &[],
    needs: |_, wanted| wanted.timeline = timeline::MAX_CALLS,
    write: |material, to| {
        let omitted = timeline::write(material.views.profile(), to)?;
        material.warn(omitted);
        Ok(())
    },
};
