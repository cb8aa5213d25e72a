//! Documents for scripts.

use super::{Feature, Spec};
use crate::compare::Subject;
use crate::output::json;
use crate::view::GroupBy;

pub(super) const JSON: Spec = Spec {
    names: &["json"],
    help: "All functions and calls, for scripts",
    endings: &[".json"],
    rows: None,
    features: &[
        Feature::Events,
        Feature::AllEvents,
        Feature::DerivedEvents,
        Feature::Groups,
        Feature::CountsOnce,
        Feature::Comparison,
        Feature::PerRun,
        Feature::Limits,
        Feature::Function,
        Feature::Filter,
        Feature::Hidden,
    ],
    needs: |options, wanted| {
        (wanted.call_files, wanted.lines) = (true, true);
        wanted.call_sites |= !options.text.hide.is_empty();
    },
    write: |material, to| {
        let (functions, rows) = (material.functions()?, material.rows()?);
        let options = material.report_options();
        let is_grouped = options.by != GroupBy::Function;
        let groups = is_grouped.then(|| rows.subject());
        match functions.subject() {
            Subject::View(shown) => {
                // What is hidden is a function of the program, however it is recorded.
                let functions = match shown.hidden() {
                    Some(_) => shown,
                    None => &material.views.joined(),
                };
                let groups = groups.map(Subject::view);
                json::write(functions, groups, &material.notes, options, to)?;
            }
            Subject::Comparison(comparison) => {
                let groups = groups.and_then(Subject::comparison);
                json::write_comparison(comparison, groups, &material.notes, options, to)?;
            }
        }
        Ok(())
    },
};
