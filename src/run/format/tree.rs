//! Stacks as a tree.

use super::{Feature, Spec};
use crate::output::tree;

pub(super) const TREE: Spec = Spec {
    names: &["tree"],
    help: "The most expensive stacks as a tree",
    endings: &[],
    rows: Some(30),
    features: &[
        Feature::Comparison,
        Feature::PerRun,
        Feature::Limits,
        Feature::Names,
        Feature::Function,
        Feature::Filter,
        Feature::Hidden,
    ],
    needs: |_, wanted| wanted.contexts = true,
    write: |material, to| {
        let (base, new) = material.stacks();
        let functions = material.functions()?;
        Ok(tree::write(
            functions.subject(),
            new,
            base,
            material.report_options(),
            to,
        )?)
    },
};
