//! What stands above the tables of a report, in lines.

use super::line::TextLine;
use super::report::Report;
use super::{command, fact, part_count, per_run, share_of_base, sides_and_change, signed};
use crate::compare::{Comparison, Side};
use crate::display::numbers::{counted, grouped};
use crate::display::text::printable;
use crate::display::units::in_units;
use crate::profile::{Kind, Profile};
use crate::tables::first_cost;
use crate::view::GroupBy;

/// Why self costs add up to more than the profile says that its runs cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Excess {
    /// The self costs of functions that wait for fibers contain what these cost.
    Fibers,
    /// A single function of a trace costs more than all runs: the clock was changed meanwhile.
    Clock,
    Unknown,
}

/// Why self costs add up to more than the profile says, if they do.
pub(crate) fn excess(profile: &Profile) -> Option<Excess> {
    /// PHP's functions that wait for fibers.
    const WAITING: [&[u8]; 3] = [b"Fiber->start", b"Fiber->resume", b"Fiber->throw"];
    let stated = profile.stated_total()?;
    if profile
        .totals()
        .first()
        .is_none_or(|&total| total <= stated)
    {
        return None;
    }
    let is_trace = profile.kind() == Some(Kind::Trace);
    let mut waits = false;
    for (id, function) in profile.functions() {
        let name = profile.name(function.name);
        let is_waiting = WAITING.contains(&name.strip_prefix(b"php::").unwrap_or(name));
        if is_trace && !is_waiting && first_cost(profile.self_costs(id)) > stated {
            return Some(Excess::Clock);
        }
        waits |= is_waiting;
    }
    Some(if waits {
        Excess::Fibers
    } else {
        Excess::Unknown
    })
}

impl Report<'_> {
    /// The command or the totals of both sides, and the numbers of functions and calls, in lines.
    pub fn heading(&self) -> Vec<TextLine> {
        let facts = match self.comparison {
            None => self.facts(),
            Some(comparison) => self.facts_of(comparison),
        };
        let hidden = self.hidden().map(|hidden| ("hidden", hidden));
        let facts = facts.into_iter().chain(hidden);
        let lines = facts.map(|(what, text)| fact(what, &text));
        lines.collect()
    }

    /// What is hidden.
    pub fn hidden(&self) -> Option<String> {
        let words: Vec<&str> = self.view.hidden()?.words().collect();
        let counts = self
            .sides()
            .filter_map(|(_, view)| Some(view.hidden()?.count()));
        let counts: Vec<String> = counts.map(|count| grouped(count as u64)).collect();
        let functions = match &counts[..] {
            [base, new] if base != new => format!("{base} → {new} functions"),
            [.., one] if one == "1" => "1 function".to_owned(),
            [.., several] => format!("{several} functions"),
            [] => return None,
        };
        Some(format!(
            "{functions} ({}); their costs are their callers'",
            words.join(" ")
        ))
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let mut facts = vec![
            ("command", command(self.view.profile())),
            ("event", printable(self.first().name)),
            ("total", self.first().total()),
        ];
        facts.extend(self.summary().map(|summary| ("summary", summary)));
        facts.extend(self.events[1..].iter().map(|event| {
            let name = printable(event.name);
            let peak = event
                .peak()
                .map_or(String::new(), |peak| format!(", peak {peak}"));
            ("also", format!("{name}, total {}{peak}", event.total()))
        }));
        facts.extend(self.counts());
        facts
    }

    /// The numbers of runs, parts, rows and calls of a profile.
    pub fn counts(&self) -> Vec<(&'static str, String)> {
        let (profile, by) = (self.view.profile(), self.kind.by);
        let edges = self.view.edges().len() as u64;
        let several = |what, count| (count > 1).then(|| (what, grouped(count)));
        let calls = if self.view.has_invocations() || edges == 0 {
            let edges = counted(edges, "call site");
            (
                "calls",
                format!("{} at {edges}", grouped(self.view.calls())),
            )
        } else {
            ("call sites", grouped(edges))
        };
        let counts = [
            several("runs", profile.runs()),
            // Where each run is a part, their number is there already.
            several("parts", part_count(profile))
                .filter(|_| part_count(profile) != profile.runs() && by != GroupBy::Part),
            Some((by.names(), grouped(self.len() as u64))),
            by.groups_functions().then_some(calls),
        ];
        counts.into_iter().flatten().collect()
    }

    /// The total that the profile states, if it differs from the sum of all self costs.
    fn summary(&self) -> Option<String> {
        let first = self.first();
        if let Some(peak) = first.peak() {
            return Some(format!("{peak}, a peak, not a sum"));
        }
        let summary = i128::from(self.view.profile().stated_total()?);
        let explanation = match summary - first.totals.new {
            0 => return None,
            missing @ 1.. => format!("{} not attributed to any function", grouped(missing)),
            more => match excess(self.view.profile()) {
                Some(Excess::Fibers) => {
                    format!("{} counted twice, because of fibers", grouped(-more))
                }
                Some(Excess::Clock) => {
                    "less than a single function, because the clock was changed".to_owned()
                }
                Some(Excess::Unknown) | None => format!("{} less than the total", grouped(-more)),
            },
        };
        Some(format!("{}, {explanation}", in_units(summary, first.unit)))
    }

    fn facts_of(&self, comparison: &Comparison<'_>) -> Vec<(&'static str, String)> {
        let (first, scales) = (self.first(), comparison.first().scales());
        let side = |side: Side| {
            let view = &comparison.views[side];
            let total = in_units(first.totals[side], first.unit);
            let functions = counted(view.functions().len() as u64, self.kind.by.name());
            let runs = match view.profile().runs() {
                1 => String::new(),
                runs => format!(" of {} runs", grouped(runs)),
            };
            let rounding = match scales[side] {
                1 => String::new(),
                scale => format!(", in units of {}", grouped(scale)),
            };
            format!("{total} in {functions}{runs}{rounding}")
        };
        let by = comparison.first().change();
        let change = signed(by, in_units(by, first.unit));
        let share = share_of_base(by, first.totals.base);
        let mut facts = vec![
            ("event", printable(first.name)),
            ("base", side(Side::Base)),
            ("new", side(Side::New)),
            ("change", format!("{change}, {share}")),
        ];
        let caution = self.caution(first).map(str::to_owned);
        facts.extend(caution.map(|caution| ("caution", caution)));
        if comparison.is_per_run {
            facts.push(("per run", per_run(comparison.runs())));
        }
        facts.extend(self.events[1..].iter().map(|other| {
            let change = sides_and_change(other.totals, grouped);
            ("also", format!("{}: {change}", printable(other.name)))
        }));
        facts
    }
}
