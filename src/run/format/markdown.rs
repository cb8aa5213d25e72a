//! Tables for pull requests.

use super::{Feature, Spec};
use crate::compare::Subject;
use crate::output::markdown;

pub(super) const MARKDOWN: Spec = Spec {
    names: &["markdown", "md"],
    help: "Tables for pull requests, CI summaries and AI coding assistants",
    endings: &[".md", ".markdown"],
    rows: Some(10),
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
        wanted.contexts = true;
        let shows_lines = options.text.function.is_some();
        // Comparisons show no other lines.
        wanted.lines |= shows_lines || !options.has_base();
        wanted.call_files |= shows_lines;
        wanted.call_sites |= shows_lines;
    },
    write: |material, to| {
        let (rows, functions) = (material.rows()?, material.functions()?);
        let (limits, options) = (material.notes.limits, material.report_options());
        match rows.subject() {
            Subject::View(rows) => {
                // Otherwise, no stacks are shown that could be estimates.
                let (_, stacks) = match options.shows_all() {
                    true => material.stacks(),
                    false => material.views.stacks(),
                };
                let functions = functions.subject().view();
                let sources = &mut *material.sources;
                markdown::write(stacks, functions, rows, limits, options, sources, to)?;
            }
            Subject::Comparison(rows) => {
                let sources = &mut *material.sources;
                markdown::write_comparison(rows, limits, options, sources, to)?;
            }
        }
        Ok(())
    },
};
