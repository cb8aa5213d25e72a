//! Tables for pull requests.

use super::{Feature, Spec};
use crate::compare::Subject;
use crate::output::markdown;

pub(super) const MARKDOWN: Spec = Spec {
    names: &["markdown", "md"],
    help: "Tables for pull requests, CI summaries and AI coding assistants",
    endings: &[".md", ".markdown"],
    rows: 10,
    features: &[
        Feature::Events,
        Feature::Groups,
        Feature::CountsOnce,
        Feature::Comparison,
        Feature::PerRun,
        Feature::Limits,
        Feature::Top,
        Feature::Names,
        Feature::Filter,
        Feature::Hidden,
    ],
    needs: |options, wanted| {
        wanted.contexts = true;
        // Comparisons show no lines.
        wanted.lines |= !options.has_base();
    },
    write: |writer, to| {
        let (rows, functions) = (writer.rows()?, writer.functions()?);
        let (limits, options) = (writer.notes.limits, writer.report_options());
        match rows.subject() {
            Subject::View(rows) => {
                let (functions, (_, stacks)) = (functions.subject().view(), writer.views.stacks());
                markdown::write(stacks, functions, rows, limits, options, to)?;
            }
            Subject::Comparison(rows) => markdown::write_comparison(rows, limits, options, to)?,
        }
        Ok(())
    },
};
