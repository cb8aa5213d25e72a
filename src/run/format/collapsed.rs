//! Stacks in lines.

use super::{Feature, Spec};
use crate::output::collapsed;

pub(super) const COLLAPSED: Spec = Spec {
    names: &["collapsed", "folded"],
    help: "All stacks, for flame graphs",
    endings: &[".folded", ".collapsed"],
    rows: None,
    features: &[Feature::Comparison, Feature::Limits, Feature::Hidden],
    needs: |_, wanted| wanted.contexts = true,
    write: |material, to| {
        let (base, new) = material.stacks();
        let warnings = match base {
            None => collapsed::write(new, to)?,
            Some(base) => collapsed::write_comparison(base, new, to)?,
        };
        material.warn(warnings);
        Ok(())
    },
};
