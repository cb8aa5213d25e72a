//! The call graph in the language of Graphviz, as `dot -Tsvg` draws it.
//!
//! - A node is a function whose inclusive cost is at least 0.5 % of the total. An edge is the sum of
//!   all calls from one function to another, if they cost at least 0.1 %. The more a function costs,
//!   the stronger its colour; the more calls cost, the wider their edge.
//! - With [`ReportOptions::function`], the graph contains only functions of this name and those that
//!   lead to them or from them.
//! - With [`ReportOptions::filter`], it contains only functions with these words.
//! - In a comparison, costs are changes in percent of the base's total: growth is red, decline is
//!   blue. A function or an edge is shown if it costs enough on either side.
//! - The label of the graph contains the number of omitted functions and edges.
//!
//! The same profile always gives the same bytes.
//!
//! # Examples
//!
//! ```
//! use cg_preprocess::callgrind;
//! use cg_preprocess::output::{ReportOptions, dot};
//! use cg_preprocess::profile::{ProfileBuilder, ProfileOptions};
//! use cg_preprocess::view::View;
//!
//! let text = "events: Ir\nfl=a.c\nfn=main\n16 20\ncfn=f\ncalls=2 50\n16 400\nfn=f\n51 400\n";
//! let mut builder = ProfileBuilder::new(ProfileOptions::default());
//! callgrind::read(text.as_bytes(), "a.cg", &callgrind::ReadOptions::default(), &mut builder)?;
//! let mut graph = Vec::new();
//! let profile = builder.finish()?;
//! dot::write(&View::of(&profile), &ReportOptions::default(), &mut graph)?;
//! assert!(String::from_utf8(graph)?.contains("n1 -> n2 [label=\"95.24 %\\n2×\""));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::cmp::Reverse;
use std::io::{BufWriter, Write};

pub use crate::output::figures::ReportError as Error;

use crate::compare::Subject;
use crate::compare::{CallCount, FunctionSums, Sides};
use crate::display::numbers::{counted, percent};
use crate::display::text::printable;
use crate::maps::{HashMap, HashSet, IndexMap};
use crate::names::short_name;
use crate::output::figures::report::Report;
use crate::output::figures::row::Row;
use crate::output::figures::table::SourceLocation;
use crate::output::figures::{absence, both_sides, command, marked, per_run, signed_percent};
use crate::output::options::Wanted;
use crate::output::{ReportOptions, Sort};

/// The smallest inclusive cost of a shown function, in thousandths of the total.
const MIN_FUNCTION_SHARE: u128 = 5;

/// The smallest cost of a shown edge, likewise.
const MIN_CALL_SHARE: u128 = 1;

/// The most columns of a name.
const NAME_WIDTH: usize = 48;

/// The font of all texts; its size follows.
const FONT: &str = r#"fontname="sans-serif", fontsize="#;

/// Writes the call graph of a profile or of both sides of a comparison, by its first event; see the
/// [module](self)'s documentation.
///
/// Of the options, `top`, `filter`, `function` and `names` have an effect.
///
/// # Errors
///
/// When the output fails, or if no function has the requested name; nothing is written then.
pub fn write<'a>(
    subject: impl Into<Subject<'a>>,
    options: &'a ReportOptions,
    output: impl Write,
) -> Result<(), Error> {
    let report = Report::new(subject, options);
    let calls = report.sides();
    let calls = calls.flat_map(|(side, view)| view.edges().map(move |edge| (side, edge)));
    let graph = DotGraph {
        edges: report.joined_calls(calls),
        report: &report,
    };
    graph.write(BufWriter::new(output))
}

/// The positions of the caller and the callee among the rows of the report.
type Ends = (usize, usize);

/// All functions and edges, also those that are not shown.
struct DotGraph<'r, 'a> {
    report: &'r Report<'a>,
    /// Calls have no self costs.
    edges: IndexMap<Ends, Row<'a>>,
}

impl DotGraph<'_, '_> {
    fn is_compared(&self) -> bool {
        self.report.comparison.is_some()
    }

    /// The command, the total, and what is omitted.
    fn title(&self, nodes: usize, edges: usize) -> Vec<String> {
        let (report, event) = (self.report, self.report.first());
        let total = match report.comparison {
            None => event.total(),
            Some(comparison) => match (comparison.first().change(), event.whole) {
                (change, whole @ 1..) => signed_percent(change, whole) + " % of the base",
                (change, _) => event.change_in_unit(change),
            },
        };
        let command = command(report.view.profile());
        let mut title = vec![command, format!("{}: {total}", printable(event.name))];
        let comparison = report.comparison.filter(|comparison| comparison.is_per_run);
        title.extend(comparison.map(|comparison| per_run(comparison.runs())));
        title.extend(report.hidden().map(|hidden| format!("hidden: {hidden}")));
        let [nodes, edges] = [report.len() - nodes, self.edges.len() - edges];
        if nodes + edges > 0 {
            let nodes = counted(nodes as u64, "function");
            let edges = counted(edges as u64, "edge");
            let short = |name: &Vec<u8>| short_name(&printable(name), NAME_WIDTH);
            let apart = match (&report.options.function, &report.options.filter) {
                (Some(name), _) => Some(format!(", or not leading to or from {}", short(name))),
                (None, words) => words
                    .as_ref()
                    .map(|words| format!(", or without \"{}\"", short(words))),
            };
            title.push(format!(
                "omitted: {nodes} and {edges}, below 0.5 % or 0.1 % or beyond --top{}",
                apart.unwrap_or_default()
            ));
        }
        title
    }

    /// Whether the cost is at least this share of the total, in thousandths, on either side.
    fn is_enough(&self, sums: Sides<Option<FunctionSums>>, thousandths: u128) -> bool {
        let mut sides = inclusive(sums).zip(self.report.first().totals).into_iter();
        sides.any(|(cost, total)| {
            let cost = cost.unsigned_abs();
            let least = total.unsigned_abs().saturating_mul(thousandths);
            cost > 0 && cost.saturating_mul(1000) >= least
        })
    }

    /// The share of the total as a colour or a width shows it, from 0 to 1.
    fn strength(&self, row: &Row<'_>) -> f64 {
        let whole = self.report.first().whole;
        let share = (row.change(Sort::Inclusive) as f64 / whole as f64).abs();
        if share.is_finite() {
            share.min(1.0)
        } else {
            1.0
        }
    }

    /// Sorts functions by inclusive cost, the highest first.
    fn sort(&self, nodes: &mut [usize]) {
        nodes.sort_by_key(|&at| {
            let sums = self.report.sums(at);
            let Sides { base, new } = inclusive(sums).map(i128::saturating_abs);
            let named = self.report.named(at);
            (Reverse(base.max(new)), named.name, named.file, at)
        });
    }

    /// The functions to show, the most expensive first, and the edges that cost enough.
    fn chosen(&self) -> Result<(Vec<usize>, Vec<Ends>), Error> {
        let (wanted, options) = (self.report.wanted()?, self.report.options);
        let found = wanted.as_ref().map(Wanted::shown);
        let (wanted, filtered) = match options.function {
            Some(_) => (found.unwrap_or_default(), None),
            None => (&[][..], found),
        };
        let filtered = filtered.map(|found| found.iter().copied().collect::<HashSet<usize>>());
        let is_wanted: HashSet<usize> = wanted.iter().copied().collect();
        // Whatever the requested functions and their calls cost, they are shown.
        let is_shown = |at: usize| {
            is_wanted.contains(&at) || self.is_enough(self.report.sums(at), MIN_FUNCTION_SHARE)
        };
        let edges = self.edges.iter().filter(|&(&(caller, callee), row)| {
            let is_enough = is_wanted.contains(&caller)
                || is_wanted.contains(&callee)
                || self.is_enough(row.sums, MIN_CALL_SHARE);
            is_enough && is_shown(caller) && is_shown(callee)
        });
        let edges: Vec<Ends> = edges.map(|(&ends, _)| ends).collect();
        let all = 0..self.report.len();
        let mut nodes: Vec<usize> = all.filter(|&at| is_shown(at)).collect();
        if let Some(fitting) = &filtered {
            nodes.retain(|at| fitting.contains(at));
        }
        if options.function.is_some() {
            let below = reachable(wanted, edges.iter().copied());
            let callers = edges.iter().map(|&(caller, callee)| (callee, caller));
            let above = reachable(wanted, callers);
            nodes.retain(|at| below.contains(at) || above.contains(at));
        }
        self.sort(&mut nodes);
        nodes.sort_by_key(|at| !is_wanted.contains(at));
        nodes.truncate(options.most(nodes.len()));
        self.sort(&mut nodes);
        Ok((nodes, edges))
    }

    fn write(&self, mut output: impl Write) -> Result<(), Error> {
        let (nodes, edges) = self.chosen()?;
        let numbers: HashMap<usize, u64> = nodes.iter().copied().zip(1..).collect();
        let edges = edges.into_iter().filter_map(|ends| {
            let (caller, callee) = (numbers.get(&ends.0)?, numbers.get(&ends.1)?);
            Some((caller, callee, &self.edges[&ends]))
        });
        let mut edges: Vec<_> = edges.collect();
        edges.sort_unstable_by_key(|&(caller, callee, _)| (caller, callee));
        let title = quoted(&self.title(nodes.len(), edges.len()));
        writeln!(
            output,
            "digraph calls {{\n  graph [label={title}, labelloc=t, {FONT}12]"
        )?;
        writeln!(output, "  node [shape=box, style=filled, {FONT}10]")?;
        writeln!(output, "  edge [{FONT}8]")?;
        for (number, &at) in (1..).zip(&nodes) {
            let row = &self.report.row(at);
            let full = row.named.shown();
            let mut label = vec![self.report.options.names.of(&full, NAME_WIDTH)];
            label.extend(self.node_figures(row));
            let mut tooltip = vec![full, SourceLocation::of(&row.named).full()];
            tooltip.retain(|line| !line.is_empty());
            let (label, tooltip) = (quoted(&label), quoted(&tooltip));
            let color = self.color(row, 0.04);
            writeln!(
                output,
                r#"  n{number} [label={label}, tooltip={tooltip}, fillcolor="{color}"]"#
            )?;
        }
        for (caller, callee, row) in edges {
            let strength = self.strength(row);
            let color = if self.is_compared() {
                self.color(row, 0.3)
            } else {
                "0 0 0.35".to_owned()
            };
            let label = quoted(&self.edge_figures(row));
            let (width, weight) = (0.5 + 4.5 * strength, 1.0 + 100.0 * strength);
            writeln!(
                output,
                r#"  n{caller} -> n{callee} [label={label}, penwidth={width:.2}, weight={weight:.0}, color="{color}"]"#
            )?;
        }
        writeln!(output, "}}")?;
        Ok(output.flush()?)
    }

    /// The colour of growth, decline or cost, stronger for a larger share of the total.
    fn color(&self, row: &Row<'_>, least: f64) -> String {
        let hue = match row.change(Sort::Inclusive) {
            _ if !self.is_compared() => "0.09",
            0.. => "0",
            _ => "0.6",
        };
        let strength = self.strength(row);
        let saturation = if strength > 0.0 {
            least + (0.85 - least) * strength.sqrt()
        } else {
            0.0
        };
        format!("{hue} {saturation:.3} 1")
    }

    fn node_figures(&self, row: &Row<'_>) -> Vec<String> {
        let share = self.share(row, Sort::Inclusive);
        let share = marked(row.is_estimated(Sort::Inclusive), share);
        let own = self.share(row, Sort::SelfCost);
        let own = marked(row.is_estimated(Sort::SelfCost), own);
        let mut lines = vec![format!("incl {share}"), format!("self {own}")];
        if self.report.has_invocations() {
            let Sides { base, new } = row.calls();
            lines.push(match new {
                _ if self.is_compared() && base != new => format!("calls {base} → {new}"),
                _ if new == CallCount::per_run(1, 1) => "1 call".to_owned(),
                _ => format!("{new} calls"),
            });
        }
        let absence = absence(row.sums).filter(|_| self.is_compared());
        lines.extend(absence.map(str::to_owned));
        lines
    }

    fn edge_figures(&self, row: &Row<'_>) -> [String; 2] {
        let shown = |calls: CallCount| format!("{calls}×");
        let calls = if self.is_compared() {
            both_sides(row.calls(), shown)
        } else {
            shown(row.calls().new)
        };
        let share = self.share(row, Sort::Inclusive);
        [marked(row.is_estimated(Sort::Inclusive), share), calls]
    }

    /// A cost or its change, in percent of the total. Costs of memory can have no positive total; then it
    /// is shown in its unit.
    fn share(&self, row: &Row<'_>, value: Sort) -> String {
        let (event, cost) = (self.report.first(), row.change(value));
        match (self.is_compared(), event.whole) {
            (false, whole @ 1..) => percent(cost, whole) + " %",
            (false, _) => event.notation.with_unit(cost),
            (true, whole @ 1..) => signed_percent(cost, whole) + " %",
            (true, _) => event.change_in_unit(cost),
        }
    }
}

fn inclusive(sums: Sides<Option<FunctionSums>>) -> Sides<i128> {
    sums.map(|side| side.map_or(0, |sums| sums.inclusive))
}

/// These nodes, and all that can be reached from them through these edges.
fn reachable(from: &[usize], edges: impl Iterator<Item = Ends>) -> HashSet<usize> {
    let mut next: HashMap<usize, Vec<usize>> = HashMap::default();
    for (node, to) in edges {
        next.entry(node).or_default().push(to);
    }
    let mut reached = HashSet::default();
    let mut pending = from.to_vec();
    while let Some(node) = pending.pop() {
        if reached.insert(node) {
            pending.extend(next.get(&node).into_iter().flatten());
        }
    }
    reached
}

/// Lines as a quoted string. In labels, Graphviz interprets `\` and HTML entities.
fn quoted(lines: &[String]) -> String {
    let escaped = lines.iter().map(|line| {
        let line = line.replace('&', "&amp;");
        line.replace('\\', "\\\\").replace('"', "\\\"")
    });
    format!("\"{}\"", escaped.collect::<Vec<_>>().join("\\n"))
}
