//! Call graphs.

use super::{Feature, Spec};
use crate::output::dot;

pub(super) const DOT: Spec = Spec {
    names: &["dot", "graphviz"],
    help: "The call graph of the most expensive functions, for Graphviz",
    endings: &[".dot", ".gv"],
    rows: Some(100),
    features: &[
        Feature::CountsOnce,
        Feature::Comparison,
        Feature::PerRun,
        Feature::Limits,
        Feature::Names,
        Feature::Function,
        Feature::Filter,
        Feature::Hidden,
    ],
    needs: |_, _| {},
    write: |material, to| {
        let functions = material.functions()?;
        Ok(dot::write(
            functions.subject(),
            material.report_options(),
            to,
        )?)
    },
};
