//! Tables for a terminal or a log.

use super::{Feature, Spec};
use crate::output::text;

pub(super) const TEXT: Spec = Spec {
    names: &["text", "table"],
    help: "A table of the most expensive functions",
    endings: &[".txt", ".text", ".log"],
    rows: Some(30),
    features: &[
        Feature::Events,
        Feature::Groups,
        Feature::CountsOnce,
        Feature::Comparison,
        Feature::PerRun,
        Feature::Limits,
        Feature::Names,
        Feature::Sort,
        Feature::Function,
        Feature::Filter,
        Feature::Hidden,
        Feature::Source,
    ],
    needs: |options, wanted| {
        let shows_lines = options.text.function.is_some();
        wanted.call_files = true;
        wanted.lines |= shows_lines;
        wanted.call_sites |= shows_lines;
    },
    write: |material, to| {
        let rows = material.rows()?;
        Ok(text::write(
            rows.subject(),
            material.report_options(),
            material.sources,
            to,
        )?)
    },
};
