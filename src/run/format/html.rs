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
    write: |writer, to| {
        writer.stacks();
        let estimates = writer.estimates.take();
        let notes = Notes {
            estimates: estimates.as_deref(),
            ..writer.notes
        };
        let options = HtmlOptions {
            report: writer.report_options().clone(),
            source_url: writer.options.source_url.clone(),
            source_root: writer.options.source.root.clone(),
        };
        Ok(html::write(
            writer.views,
            &notes,
            writer.sources,
            &options,
            to,
        )?)
    },
};
