//! The lines of a function with what they cost, and with their source where it can be read.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::cost_of;
use crate::display::numbers::counted;
use crate::display::text::printable;
use crate::io::SourceFiles;
use crate::output::figures::summary::ProfileSummary;
use crate::output::figures::table::{SourceLocation, Table};
use crate::profile::FunctionId;
use crate::tables::first_cost;

/// Blanks that stand for a tab.
const TAB: &str = "    ";

/// What a line costs of itself, in each event, and by the calls made there.
#[derive(Default)]
struct LineCosts {
    own: Vec<i128>,
    calls: i128,
}

/// Lines by their files and numbers. Those of the function's own file have no name of it, and come
/// first.
type Lines<'a> = BTreeMap<(Option<&'a [u8]>, u64), LineCosts>;

/// A row of the table.
enum Row {
    /// The lines from here on are in this file.
    File(String),
    /// Lines are left out.
    Gap,
    Line {
        number: u64,
        costs: LineCosts,
        source: String,
    },
}

impl<'a> ProfileSummary<'a> {
    /// The costliest lines of a function in their order, after an empty line. There is nothing to
    /// show where all is on one line without source.
    pub(super) fn line_table(&self, id: FunctionId, sources: &mut SourceFiles) -> Vec<String> {
        let mut all = self.line_costs(id);
        let function = self.profile.function(id);
        let own_file = self.profile.name(function.file);
        let mut source = |file: Option<&[u8]>, number| {
            let file = sources.read(file.unwrap_or(own_file)).ok()?;
            let line = file.line(number)?.replace('\t', TAB);
            Some(printable(line.as_bytes()))
        };
        let mut keys: Vec<_> = all.keys().copied().collect();
        if let [] | [_] = keys[..]
            && keys
                .iter()
                .all(|&(file, line)| source(file, line).is_none())
        {
            return Vec::new();
        }
        let cost = |costs: &LineCosts| costs.own.first().unwrap_or(&0) + costs.calls;
        keys.sort_by_key(|key| Reverse(cost(&all[key])));
        let (_, rest) = self.options.split(&keys);
        let rest: Vec<_> = rest.iter().filter_map(|key| all.remove(key)).collect();
        let mut rows = Vec::new();
        let mut before = (None, None);
        for ((file, number), costs) in all {
            if file != before.0 {
                rows.push(Row::File(printable(file.unwrap_or(own_file))));
            } else if before.1.is_some_and(|before| before + 1 != number) {
                rows.push(Row::Gap);
            }
            before = (file, Some(number));
            rows.push(Row::Line {
                number,
                costs,
                source: source(file, number).unwrap_or_default(),
            });
        }
        let mut lines = vec![String::new()];
        lines.extend(self.line_rows(&printable(own_file), &rows));
        if !rest.is_empty() {
            let costs = rest.iter().filter_map(|costs| costs.own.first());
            let cost = self.first().with_share(costs.sum::<i128>());
            let count = counted(rest.len() as u64, "more line");
            lines.push(format!("{count} with a self cost of {cost}"));
        }
        lines
    }

    /// What the lines of a function cost.
    fn line_costs(&self, id: FunctionId) -> Lines<'a> {
        let profile = self.profile;
        let mut all = Lines::new();
        for line in profile.lines(id) {
            let file = line.file.map(|file| profile.name(file));
            let costs = all.entry((file, line.line)).or_default();
            let own = (0..self.events.len()).map(|event| cost_of(line.costs, event).into());
            costs.own = own.collect();
        }
        for call in profile.sub_calls(id) {
            let file = call.file().map(|file| profile.name(file));
            let costs = all.entry((file, call.line)).or_default();
            costs.calls += i128::from(first_cost(call.costs()));
        }
        all
    }

    fn line_rows(&self, file: &str, rows: &[Row]) -> Vec<String> {
        let first = self.first();
        let of_line = |row: &Row, figure: &dyn Fn(&LineCosts) -> String| match row {
            Row::Line { costs, .. } => figure(costs),
            Row::File(_) | Row::Gap => String::new(),
        };
        let own = |costs: &LineCosts, event| costs.own.get(event).copied().unwrap_or(0);
        let about = |row: &Row| match row {
            Row::File(text) | Row::Line { source: text, .. } => {
                (text.clone(), SourceLocation::default())
            }
            Row::Gap => (String::new(), SourceLocation::default()),
        };
        let mut table = Table::new([file, ""], rows, about)
            .with("self %", |row| {
                of_line(row, &|costs| first.share(own(costs, 0)))
            })
            .with(first.notation.heading("self", "self"), |row| {
                of_line(row, &|costs| first.notation.cost(own(costs, 0)))
            })
            .with(first.notation.heading("calls", "calls cost"), |row| {
                of_line(row, &|costs| first.notation.cost(costs.calls))
            });
        for (at, event) in self.further() {
            table = table.with(format!("self {}", event.heading()), |row| {
                of_line(row, &|costs| event.notation.cost(own(costs, at)))
            });
        }
        let table = table.with("line", |row| match row {
            Row::Line { number, .. } => number.to_string(),
            Row::File(_) => String::new(),
            Row::Gap => "…".to_owned(),
        });
        let (figures, _) = table.figures(self.options);
        let names = std::iter::once(&table.headings).chain(&table.rows);
        let lines = figures.into_iter().zip(names);
        let lines = lines.map(|(figures, row)| (figures + &row.name).trim_end().to_owned());
        lines.collect()
    }
}
