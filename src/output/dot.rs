//! The call graph in the language of Graphviz, as `dot -Tsvg` draws it.
//!
//! - A node is a function whose inclusive cost is at least 0.5 % of the total. An edge is the sum of
//!   all calls from one function to another, if they cost at least 0.1 %. The more a function costs,
//!   the stronger its colour; the more calls cost, the wider their edge.
//! - With [`ReportOptions::function`], the graph contains only functions of this name and those that
//!   lead to them or from them.
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
//!
//! let text = "events: Ir\nfl=a.c\nfn=main\n16 20\ncfn=f\ncalls=2 50\n16 400\nfn=f\n51 400\n";
//! let mut builder = ProfileBuilder::new(ProfileOptions::default());
//! callgrind::read(text.as_bytes(), "a.cg", &callgrind::ReadOptions::default(), &mut builder)?;
//! let mut graph = Vec::new();
//! dot::write(&builder.finish()?, &ReportOptions::default(), &mut graph)?;
//! assert!(String::from_utf8(graph)?.contains("n1 -> n2 [label=\"95.24 %\\n2×\""));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::cmp::Reverse;
use std::io::{BufWriter, Write};

pub use crate::output::figures::ViewError as Error;

use crate::compare::{CallCount, Comparison, FunctionSums, Side, Sides};
use crate::display::numbers::{counted, percent};
use crate::display::text::printable;
use crate::maps::{HashMap, HashSet};
use crate::names::{NameQuery, Named, short_name};
use crate::output::figures::table::SourceLocation;
use crate::output::figures::{
    EventFormat, absence, both_sides, command, marked, per_run, signed_percent,
};
use crate::output::{Names, ReportOptions};
use crate::profile::{FunctionId, Profile};

/// The smallest inclusive cost of a shown function, in thousandths of the total.
const MIN_FUNCTION_SHARE: u128 = 5;

/// The smallest cost of a shown edge, likewise.
const MIN_CALL_SHARE: u128 = 1;

/// The most columns of a name.
const NAME_WIDTH: usize = 48;

/// The font of all texts; its size follows.
const FONT: &str = r#"fontname="sans-serif", fontsize="#;

/// Writes the call graph of a profile, by its first event; see the [module](self)'s documentation.
///
/// Of the options, `top`, `function` and `names` have an effect.
///
/// # Errors
///
/// When the output fails, or if no function has the requested name; nothing is written then.
pub fn write(profile: &Profile, options: &ReportOptions, output: impl Write) -> Result<(), Error> {
    Graph::of(profile.folded()).write(options, output)
}

/// Writes the call graph of both sides of a comparison, with the changes.
///
/// # Errors
///
/// As for [`write()`].
pub fn write_comparison(
    comparison: &Comparison<'_>,
    options: &ReportOptions,
    output: impl Write,
) -> Result<(), Error> {
    Graph::compared(comparison).write(options, output)
}

/// The costs of a function, or of the calls from one to another, which have no self cost. Without a
/// comparison, the base has none.
type SideSums = Sides<Option<FunctionSums>>;

/// The caller and the callee.
type Ends = (usize, usize);

/// All functions and edges, also those that are not shown.
struct Graph<'a> {
    event: EventFormat<'a>,
    title: Vec<String>,
    has_invocations: bool,
    nodes: Vec<(Named<'a>, SideSums)>,
    edges: HashMap<Ends, SideSums>,
}

impl<'a> Graph<'a> {
    fn of(profile: &'a Profile) -> Self {
        let event = EventFormat::first_of(profile);
        let nodes = profile.functions().map(|(id, function)| {
            let sums = FunctionSums {
                self_cost: event.cost(profile.self_costs(id)),
                inclusive: event.cost(profile.inclusive_costs(id)),
                is_inclusive_estimated: profile.is_inclusive_estimated(id),
                invocations: CallCount::per_run(function.invocations.into(), 1),
            };
            let sums = Sides {
                base: None,
                new: Some(sums),
            };
            (Named::of(profile, id), sums)
        });
        let mut graph = Graph {
            title: vec![
                command(profile),
                format!("{}: {}", printable(event.name), event.total()),
            ],
            has_invocations: profile.has_invocations(),
            nodes: nodes.collect(),
            edges: HashMap::default(),
            event,
        };
        graph.add_edges(Side::New, profile, FunctionId::index, 1);
        graph
    }

    fn compared(comparison: &Comparison<'a>) -> Self {
        let functions = comparison.functions();
        let nodes = functions.map(|row| (Named::changed(comparison, row), row.sums));
        let first = comparison.first();
        let event = EventFormat::first_compared(comparison);
        let change = match first.totals.base {
            base @ 1.. => signed_percent(first.change(), base) + " % of the base",
            _ => event.change_in_unit(first.change()),
        };
        let mut title = vec![
            command(comparison.profiles.new),
            format!("{}: {change}", printable(first.name)),
        ];
        title.extend(comparison.is_per_run.then(|| per_run(comparison.runs())));
        let mut graph = Graph {
            event,
            title,
            has_invocations: comparison.has_invocations(),
            nodes: nodes.collect(),
            edges: HashMap::default(),
        };
        let (positions, runs) = (comparison.positions(), comparison.divisors());
        for (side, profile) in Sides::EACH.zip(comparison.profiles) {
            let position = |id: FunctionId| positions[side][id.index()];
            graph.add_edges(side, profile, position, runs[side]);
        }
        graph
    }

    /// Adds the calls of a side. `position` returns the position of a function among the nodes.
    fn add_edges(
        &mut self,
        side: Side,
        profile: &Profile,
        position: impl Fn(FunctionId) -> usize,
        runs: u64,
    ) {
        let mut sums: HashMap<Ends, (i128, i128)> = HashMap::default();
        for edge in profile.edges() {
            let ends = (position(edge.caller), position(edge.callee));
            let (costs, calls) = sums.entry(ends).or_default();
            *costs = costs.saturating_add(self.event.cost_on(side, edge.costs()));
            *calls += i128::from(edge.calls);
        }
        for (ends, (cost, calls)) in sums {
            self.edges.entry(ends).or_default()[side] = Some(FunctionSums {
                inclusive: self.event.per_run(side, cost),
                invocations: CallCount::per_run(calls, runs),
                ..FunctionSums::default()
            });
        }
    }

    /// Whether the cost is at least this share of the total, in thousandths, on either side.
    fn is_enough(&self, sums: &SideSums, thousandths: u128) -> bool {
        let mut sides = inclusive(sums).zip(self.event.totals).into_iter();
        sides.any(|(cost, total)| {
            let cost = cost.unsigned_abs();
            let least = total.unsigned_abs().saturating_mul(thousandths);
            cost > 0 && cost.saturating_mul(1000) >= least
        })
    }

    /// The total that percentages are relative to.
    fn whole(&self) -> i128 {
        let Sides { base, new } = self.event.totals;
        if self.event.is_compared() { base } else { new }
    }

    /// The share of the total as a colour or a width shows it, from 0 to 1.
    fn strength(&self, sums: &SideSums) -> f64 {
        let share = (change(inclusive(sums)) as f64 / self.whole() as f64).abs();
        if share.is_finite() {
            share.min(1.0)
        } else {
            1.0
        }
    }

    /// The functions of the requested name.
    fn functions_named(&self, name: &[u8]) -> Result<Vec<usize>, Error> {
        let names: Vec<Named<'_>> = self.nodes.iter().map(|&(named, _)| named).collect();
        let (mut found, most) = NameQuery::new(name).find(&names)?;
        self.sort(&mut found);
        found.truncate(most);
        Ok(found)
    }

    /// Sorts functions by inclusive cost, the highest first.
    fn sort(&self, nodes: &mut [usize]) {
        nodes.sort_by_key(|&at| {
            let (named, sums) = &self.nodes[at];
            let Sides { base, new } = inclusive(sums).map(i128::abs);
            (Reverse(base.max(new)), named.name, named.file, at)
        });
    }

    /// The functions to show, the most expensive first, and the edges that cost enough.
    fn chosen(&self, options: &ReportOptions) -> Result<(Vec<usize>, Vec<Ends>), Error> {
        let wanted = match &options.function {
            Some(name) => self.functions_named(name)?,
            None => Vec::new(),
        };
        let is_wanted: HashSet<usize> = wanted.iter().copied().collect();
        // Whatever the requested functions and their calls cost, they are shown.
        let is_shown = |at: usize| {
            is_wanted.contains(&at) || self.is_enough(&self.nodes[at].1, MIN_FUNCTION_SHARE)
        };
        let edges = self.edges.iter().filter(|&(&(caller, callee), sums)| {
            let is_enough = is_wanted.contains(&caller)
                || is_wanted.contains(&callee)
                || self.is_enough(sums, MIN_CALL_SHARE);
            is_enough && is_shown(caller) && is_shown(callee)
        });
        let edges: Vec<Ends> = edges.map(|(&ends, _)| ends).collect();
        let mut nodes: Vec<usize> = (0..self.nodes.len()).filter(|&at| is_shown(at)).collect();
        if options.function.is_some() {
            let below = reachable(&wanted, edges.iter().copied());
            let callers = edges.iter().map(|&(caller, callee)| (callee, caller));
            let above = reachable(&wanted, callers);
            nodes.retain(|at| below.contains(at) || above.contains(at));
        }
        self.sort(&mut nodes);
        nodes.sort_by_key(|at| !is_wanted.contains(at));
        nodes.truncate(options.top.unwrap_or(usize::MAX));
        self.sort(&mut nodes);
        Ok((nodes, edges))
    }

    fn write(&self, options: &ReportOptions, output: impl Write) -> Result<(), Error> {
        let (nodes, edges) = self.chosen(options)?;
        let numbers: HashMap<usize, u64> = nodes.iter().copied().zip(1..).collect();
        let edges = edges.into_iter().filter_map(|ends| {
            let (caller, callee) = (numbers.get(&ends.0)?, numbers.get(&ends.1)?);
            Some((caller, callee, &self.edges[&ends]))
        });
        let mut edges: Vec<_> = edges.collect();
        edges.sort_unstable_by_key(|&(caller, callee, _)| (caller, callee));
        let mut title = self.title.clone();
        title.extend(self.left_out(nodes.len(), edges.len(), options));
        let mut output = BufWriter::new(output);
        let label = quoted(&title);
        writeln!(
            output,
            "digraph calls {{\n  graph [label={label}, labelloc=t, {FONT}12]"
        )?;
        writeln!(output, "  node [shape=box, style=filled, {FONT}10]")?;
        writeln!(output, "  edge [{FONT}8]")?;
        for (number, &at) in (1..).zip(&nodes) {
            let (named, sums) = &self.nodes[at];
            let full = named.shown();
            let mut label = vec![match options.names {
                Names::Full => full.clone(),
                _ => short_name(&full, NAME_WIDTH),
            }];
            label.extend(self.node_figures(sums));
            let location = SourceLocation::of(named).full();
            let tooltip = match location.is_empty() {
                true => vec![full],
                false => vec![full, location],
            };
            let (label, tooltip) = (quoted(&label), quoted(&tooltip));
            let color = self.color(sums, 0.04);
            writeln!(
                output,
                r#"  n{number} [label={label}, tooltip={tooltip}, fillcolor="{color}"]"#
            )?;
        }
        for (caller, callee, sums) in edges {
            let strength = self.strength(sums);
            let color = match self.event.is_compared() {
                true => self.color(sums, 0.3),
                false => "0 0 0.35".to_owned(),
            };
            let label = quoted(&self.edge_figures(sums));
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
    fn color(&self, sums: &SideSums, least: f64) -> String {
        let hue = match change(inclusive(sums)) {
            _ if !self.event.is_compared() => "0.09",
            0.. => "0",
            _ => "0.6",
        };
        let strength = self.strength(sums);
        let saturation = match strength > 0.0 {
            true => least + (0.85 - least) * strength.sqrt(),
            false => 0.0,
        };
        format!("{hue} {saturation:.3} 1")
    }

    fn node_figures(&self, sums: &SideSums) -> Vec<String> {
        let sides = sums.map(Option::unwrap_or_default);
        let mut each = sides.into_iter();
        let is_estimated = each.any(|sums| sums.is_inclusive_estimated);
        let mut lines = vec![
            format!("incl {}", marked(is_estimated, self.share(inclusive(sums)))),
            format!("self {}", self.share(sides.map(|sums| sums.self_cost))),
        ];
        if self.has_invocations {
            let Sides { base, new } = sides.map(|sums| sums.invocations);
            lines.push(match new {
                _ if self.event.is_compared() && base != new => format!("calls {base} → {new}"),
                _ if new == CallCount::per_run(1, 1) => "1 call".to_owned(),
                _ => format!("{new} calls"),
            });
        }
        let absence = absence(*sums).filter(|_| self.event.is_compared());
        lines.extend(absence.map(str::to_owned));
        lines
    }

    fn edge_figures(&self, sums: &SideSums) -> [String; 2] {
        let calls = sums.map(|side| side.unwrap_or_default().invocations);
        let shown = |calls: CallCount| format!("{calls}×");
        let calls = match self.event.is_compared() {
            true => both_sides(calls, shown),
            false => shown(calls.new),
        };
        [self.share(inclusive(sums)), calls]
    }

    /// A cost or its change, in percent of the total. Costs of memory can have no positive total; then it
    /// is shown in its unit.
    fn share(&self, costs: Sides<i128>) -> String {
        match (self.event.is_compared(), self.whole()) {
            (false, whole @ 1..) => percent(costs.new, whole) + " %",
            (false, _) => self.event.notation.with_unit(costs.new),
            (true, whole @ 1..) => signed_percent(change(costs), whole) + " %",
            (true, _) => self.event.change_in_unit(change(costs)),
        }
    }

    /// The note about what is omitted.
    fn left_out(&self, nodes: usize, edges: usize, options: &ReportOptions) -> Option<String> {
        let [nodes, edges] = [self.nodes.len() - nodes, self.edges.len() - edges];
        if nodes + edges == 0 {
            return None;
        }
        let nodes = counted(nodes as u64, "function");
        let edges = counted(edges as u64, "edge");
        let top = match options.top {
            Some(top) if top < usize::MAX => format!("up to {}", counted(top as u64, "function")),
            _ => "functions".to_owned(),
        };
        let near = options.function.as_ref().map_or(String::new(), |name| {
            let name = short_name(&printable(name), NAME_WIDTH);
            format!(", leading to or from {name}")
        });
        Some(format!(
            "omitted: {nodes} and {edges}; shown: {top} of at least 0.5 %, edges of at least 0.1 %{near}"
        ))
    }
}

fn inclusive(sums: &SideSums) -> Sides<i128> {
    sums.map(|side| side.map_or(0, |sums| sums.inclusive))
}

/// The change of a cost. Without a comparison, it is the cost itself.
fn change(costs: Sides<i128>) -> i128 {
    costs.new.saturating_sub(costs.base)
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
