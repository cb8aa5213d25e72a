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
    write: |writer, to| {
        let (base, new) = writer.stacks();
        let functions = writer.functions()?;
        Ok(tree::write(
            functions.subject(),
            new,
            base,
            writer.report_options(),
            to,
        )?)
    },
};
