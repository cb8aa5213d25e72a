//! The HTML report.

use super::{Feature, Spec};
use crate::output::Notes;
use crate::output::html::{self, HtmlOptions};

pub(super) const HTML: Spec = Spec {
    names: &["html"],
    help: "The HTML report: functions, calls, flame graph and tree",
    endings: &[".html", ".htm"],
    rows: None,
    features: &[
        Feature::Events,
        Feature::AllEvents,
        Feature::DerivedEvents,
        Feature::KnownEvents,
        Feature::Groups,
        Feature::CountsOnce,
        Feature::Comparison,
        Feature::PerRun,
        Feature::Limits,
        Feature::Names,
        Feature::Function,
        Feature::Filter,
        Feature::Hidden,
        Feature::Source,
        Feature::Links,
    ],
    needs: |options, wanted| {
        (wanted.contexts, wanted.call_sites) = (true, true);
        (wanted.call_files, wanted.lines) = (true, true);
        if !options.has_base() {
            wanted.timeline = html::MAX_TIMELINE;
        }
    },
    write: |material, to| {
        // The page hides by itself, so that readers can show what is hidden.
        material.views = material.whole;
        if html::has_stacks(material.views.profile(), material.options.has_base()) {
            material.stacks();
        }
        let estimates = material.estimates.take();
        let notes = Notes {
            estimates: estimates.as_deref(),
            ..material.notes
        };
        let options = HtmlOptions {
            report: material.report_options().clone(),
            source_url: material.options.source_url.clone(),
            source_root: material.options.source.root.clone(),
        };
        Ok(html::write(
            material.views,
            &notes,
            material.sources,
            &options,
            to,
        )?)
    },
};
