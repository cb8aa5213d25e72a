//! The call graph in the language of Graphviz, as `dot -Tsvg` draws it.
//!
//! - A node is a function whose inclusive cost is at least 0.5 % of the total, an edge all calls from
//!   one function to another if they cost at least 0.1 %. The more a function costs, the stronger its
//!   colour; the more calls cost, the wider their edge.
//! - With [`ReportOptions::function`], only what leads to the functions of this name, and what these lead
//!   to.
//! - In a comparison, costs are changes in percent of the base's total: growth is red, decline blue.
//!   A function or call is shown if it costs enough on either side.
//! - The label of the graph says what is omitted.
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
use crate::display::numbers::{counted, divided, percent};
use crate::display::text::printable;
use crate::maps::HashMap;
use crate::names::{NameQuery, Named, short_name};
use crate::output::figures::{EventFormat, command, estimate_mark, per_run, signed_percent};
use crate::output::{Names, ReportOptions};
use crate::profile::{Cost, Function, Profile};
use crate::tables::first_cost;

/// The least share of the total at which a function is shown, in thousandths.
const MIN_FUNCTION_SHARE: u128 = 5;

/// The same for calls.
const MIN_CALL_SHARE: u128 = 1;

/// Columns of a name.
const NAME_WIDTH: usize = 48;

/// Writes the call graph of a profile, by its first event; see the [module](self)'s documentation.
///
/// Of the options, `top`, `function` and `names` have an effect.
///
/// # Errors
///
/// When the output fails, or, before anything is written, when there is no function of the
/// requested name.
pub fn write(profile: &Profile, options: &ReportOptions, output: impl Write) -> Result<(), Error> {
    let profile = profile.folded();
    let event = EventFormat::of(profile).into_iter().next();
    let mut graph = Graph::of(profile);
    let event = event.unwrap_or_default();
    let total = format!("{}: {}", printable(event.name), event.total());
    graph.title = vec![command(profile), total];
    graph.write(options, output)
}

/// Writes the call graph of both sides of a comparison, with what changed.
///
/// # Errors
///
/// As for [`write()`].
pub fn write_comparison(
    comparison: &Comparison<'_>,
    options: &ReportOptions,
    output: impl Write,
) -> Result<(), Error> {
    let mut graph = Graph::compared(comparison);
    let first = comparison.first();
    let change = signed_percent(first.change(), first.totals.base);
    graph.title = vec![
        command(comparison.profiles.new),
        format!("{}: {change} % of the base", printable(first.name)),
    ];
    graph
        .title
        .extend(comparison.is_per_run.then(|| per_run(comparison.runs())));
    graph.write(options, output)
}

/// The costs of a function, or of the calls from one to another. Without a comparison, those of the
/// base are 0. The self cost of calls is 0.
type Sums = Sides<Option<FunctionSums>>;

/// The caller and the callee.
type Ends = (usize, usize);

struct GraphNode<'a> {
    name: &'a [u8],
    object: &'a [u8],
    file: &'a [u8],
    line: u64,
    sides: Sums,
}

/// All functions and calls.
struct Graph<'a> {
    title: Vec<String>,
    is_comparison: bool,
    has_invocations: bool,
    totals: Sides<i128>,
    nodes: Vec<GraphNode<'a>>,
    edges: HashMap<Ends, Sums>,
}

impl<'a> Graph<'a> {
    fn of(profile: &'a Profile) -> Self {
        let node = |(id, function): (_, &Function)| GraphNode {
            name: profile.name(function.name),
            object: profile.name(function.object),
            file: profile.name(function.file),
            line: function.line,
            sides: Sides {
                base: None,
                new: Some(FunctionSums {
                    self_cost: first_cost(profile.self_costs(id)).into(),
                    inclusive: first_cost(profile.inclusive_costs(id)).into(),
                    is_inclusive_estimated: profile.is_inclusive_estimated(id),
                    invocations: CallCount::per_run(function.invocations.into(), 1),
                }),
            },
        };
        let mut graph = Graph {
            title: Vec::new(),
            is_comparison: false,
            has_invocations: profile.has_invocations(),
            totals: Sides {
                base: 0,
                new: profile.total().into(),
            },
            nodes: profile.functions().map(node).collect(),
            edges: HashMap::default(),
        };
        let numbers: Vec<usize> = (0..graph.nodes.len()).collect();
        let cost = |costs: &[Cost]| first_cost(costs).into();
        graph.add_edges(Side::New, profile, &numbers, cost, 1);
        graph
    }

    fn compared(comparison: &Comparison<'a>) -> Self {
        let nodes = comparison.functions().map(|function| {
            let line = function.new_function();
            GraphNode {
                name: function.name,
                object: function.object,
                file: function.file,
                line: line.map_or(0, |id| comparison.profiles.new.function(id).line),
                sides: function.sums,
            }
        });
        let first = comparison.first();
        let mut graph = Graph {
            title: Vec::new(),
            is_comparison: true,
            has_invocations: comparison.has_invocations(),
            totals: first.totals,
            nodes: nodes.collect(),
            edges: HashMap::default(),
        };
        let (numbers, runs) = (comparison.positions(), comparison.divisors());
        for (side, profile) in Sides::EACH.zip(comparison.profiles) {
            let cost = |costs: &[Cost]| first.cost(side, costs);
            graph.add_edges(side, profile, &numbers[side], cost, runs[side]);
        }
        graph
    }

    /// Adds the calls of a side, whose functions have these numbers.
    fn add_edges(
        &mut self,
        side: Side,
        profile: &Profile,
        numbers: &[usize],
        cost: impl Fn(&[Cost]) -> i128,
        runs: u64,
    ) {
        let mut sums: HashMap<_, (i128, i128)> = HashMap::default();
        for edge in profile.edges() {
            let ends: Ends = [edge.caller, edge.callee]
                .map(|id| numbers[id.index()])
                .into();
            let (costs, calls) = sums.entry(ends).or_default();
            *costs = costs.saturating_add(cost(edge.costs()));
            *calls += i128::from(edge.calls);
        }
        for (ends, (cost, calls)) in sums {
            self.edges.entry(ends).or_default()[side] = Some(FunctionSums {
                self_cost: 0,
                inclusive: divided(cost, runs.into()),
                is_inclusive_estimated: false,
                invocations: CallCount::per_run(calls, runs),
            });
        }
    }

    /// Whether costs are at least this number of thousandths of the total, on either side.
    fn is_enough(&self, sides: &Sums, thousandths: u128) -> bool {
        let mut sides = sides.zip(self.totals).into_iter();
        sides.any(|(figures, total)| {
            let cost = figures.map_or(0, |sums| sums.inclusive.unsigned_abs());
            let least = total.unsigned_abs().saturating_mul(thousandths);
            cost > 0 && cost.saturating_mul(1000) >= least
        })
    }

    /// The share of the total, from 0 to 1, that colours and widths show.
    fn strength(&self, sides: &Sums) -> f64 {
        let Sides { base, new } = sides.map(|side| side.map_or(0, |sums| sums.inclusive));
        let total = match self.is_comparison {
            true => self.totals.base,
            false => self.totals.new,
        };
        let share = (new.saturating_sub(base) as f64 / total as f64).abs();
        if share.is_finite() {
            share.min(1.0)
        } else {
            1.0
        }
    }

    /// The functions of the requested name.
    fn functions_named(&self, name: &[u8]) -> Result<Vec<usize>, Error> {
        let names = self.nodes.iter().map(|node| Named {
            name: printable(node.name),
            places: [node.file, node.object],
        });
        let (mut found, most) = NameQuery::new(name).find(&names.collect::<Vec<_>>())?;
        self.sort(&mut found);
        found.truncate(most);
        Ok(found)
    }

    /// Sorts functions by inclusive cost, the highest first.
    fn sort(&self, nodes: &mut [usize]) {
        nodes.sort_by_key(|&at| {
            let GraphNode {
                name, file, sides, ..
            } = &self.nodes[at];
            let costs = sides.map(|side| side.map_or(0, |sums| sums.inclusive.abs()));
            let cost = costs.base.max(costs.new);
            (Reverse(cost), *name, *file, at)
        });
    }

    /// The functions to show, the most expensive first, and the calls between them.
    fn chosen(&self, options: &ReportOptions) -> Result<(Vec<usize>, Vec<Ends>), Error> {
        let wanted = match &options.function {
            Some(name) => self.functions_named(name)?,
            None => Vec::new(),
        };
        let mut is_shown: Vec<bool> = self
            .nodes
            .iter()
            .map(|node| self.is_enough(&node.sides, MIN_FUNCTION_SHARE))
            .collect();
        let mut is_wanted = vec![false; self.nodes.len()];
        for &at in &wanted {
            (is_shown[at], is_wanted[at]) = (true, true);
        }
        let edges = self.edges.iter().filter(|((caller, callee), sides)| {
            // Those of a requested function are shown, whatever they cost.
            let is_enough =
                is_wanted[*caller] || is_wanted[*callee] || self.is_enough(sides, MIN_CALL_SHARE);
            is_shown[*caller] && is_shown[*callee] && is_enough
        });
        let mut edges: Vec<Ends> = edges.map(|(&ends, _)| ends).collect();
        edges.sort_unstable();
        if options.function.is_some() {
            let callees = edges.iter().copied();
            let mut near = reachable(&wanted, callees, self.nodes.len());
            let callers = edges.iter().map(|&(caller, callee)| (callee, caller));
            let above = reachable(&wanted, callers, self.nodes.len());
            near.iter_mut()
                .zip(above)
                .for_each(|(near, above)| *near |= above);
            is_shown
                .iter_mut()
                .zip(near)
                .for_each(|(shown, near)| *shown &= near);
        }
        let mut nodes: Vec<usize> = (0..self.nodes.len()).filter(|&at| is_shown[at]).collect();
        self.sort(&mut nodes);
        nodes.sort_by_key(|&at| !is_wanted[at]);
        nodes.truncate(options.top.unwrap_or(usize::MAX));
        self.sort(&mut nodes);
        Ok((nodes, edges))
    }

    fn write(&self, options: &ReportOptions, output: impl Write) -> Result<(), Error> {
        let (nodes, edges) = self.chosen(options)?;
        let mut places = vec![None; self.nodes.len()];
        for (place, &at) in (1u64..).zip(&nodes) {
            places[at] = Some(place);
        }
        let ends =
            |&(caller, callee): &Ends| Some(([places[caller]?, places[callee]?], (caller, callee)));
        let mut edges: Vec<_> = edges.iter().filter_map(ends).collect();
        edges.sort_unstable();
        let mut title = self.title.clone();
        title.extend(self.left_out(nodes.len(), edges.len(), options));
        let mut output = BufWriter::new(output);
        writeln!(output, "digraph calls {{")?;
        writeln!(
            output,
            "  graph [label={}, labelloc=t, fontname=\"sans-serif\", fontsize=12]",
            quoted(&title)
        )?;
        writeln!(
            output,
            "  node [shape=box, style=filled, fontname=\"sans-serif\", fontsize=10]"
        )?;
        writeln!(output, "  edge [fontname=\"sans-serif\", fontsize=8]")?;
        for (place, &at) in (1..).zip(&nodes) {
            let GraphNode {
                name,
                file,
                line,
                sides,
                ..
            } = &self.nodes[at];
            let full = match *name {
                b"" => "???".to_owned(),
                name => printable(name),
            };
            let label = match options.names {
                Names::Full => full.clone(),
                _ => short_name(&full, NAME_WIDTH),
            };
            let mut label = vec![label];
            label.extend(self.node_figures(sides));
            let location = format!("{}:{line}", printable(file));
            writeln!(
                output,
                "  n{place} [label={}, tooltip={}, fillcolor=\"{}\"]",
                quoted(&label),
                quoted(&[full, location]),
                self.color(sides, 0.04)
            )?;
        }
        for ([caller, callee], ends) in edges {
            let sides = &self.edges[&ends];
            let strength = self.strength(sides);
            let color = match self.is_comparison {
                true => self.color(sides, 0.3),
                false => "0 0 0.35".to_owned(),
            };
            writeln!(
                output,
                "  n{caller} -> n{callee} [label={}, penwidth={:.2}, weight={:.0}, color=\"{color}\"]",
                quoted(&self.edge_figures(sides)),
                0.5 + 4.5 * strength,
                1.0 + 100.0 * strength,
            )?;
        }
        writeln!(output, "}}")?;
        Ok(output.flush()?)
    }

    /// The colour of growth, decline or cost, stronger for a larger share of the total.
    fn color(&self, sides: &Sums, least: f64) -> String {
        let Sides { base, new } = sides.map(|side| side.map_or(0, |sums| sums.inclusive));
        let hue = match (self.is_comparison, new < base) {
            (false, _) => "0.09",
            (true, false) => "0",
            (true, true) => "0.6",
        };
        let strength = self.strength(sides);
        let saturation = match strength > 0.0 {
            true => least + (0.85 - least) * strength.sqrt(),
            false => 0.0,
        };
        format!("{hue} {saturation:.3} 1")
    }

    fn node_figures(&self, sides: &Sums) -> Vec<String> {
        let Sides { base, new } = sides.map(Option::unwrap_or_default);
        let mark = estimate_mark(base.is_inclusive_estimated || new.is_inclusive_estimated);
        let mut lines = vec![
            format!("incl {mark}{}", self.cost(base.inclusive, new.inclusive)),
            format!("self {}", self.cost(base.self_cost, new.self_cost)),
        ];
        if self.has_invocations {
            lines.push(
                match (self.is_comparison, base.invocations == new.invocations) {
                    (true, false) => format!("calls {} → {}", base.invocations, new.invocations),
                    _ if new.invocations == CallCount::per_run(1, 1) => "1 call".to_owned(),
                    _ => format!("{} calls", new.invocations),
                },
            );
        }
        match (self.is_comparison, sides.base, sides.new) {
            (true, None, _) => lines.push("new".to_owned()),
            (true, _, None) => lines.push("gone".to_owned()),
            _ => {}
        }
        lines
    }

    fn edge_figures(&self, sides: &Sums) -> [String; 2] {
        let Sides { base, new } = sides.map(Option::unwrap_or_default);
        let calls = match self.is_comparison && base.invocations != new.invocations {
            true => format!("{}× → {}×", base.invocations, new.invocations),
            false => format!("{}×", new.invocations),
        };
        [self.cost(base.inclusive, new.inclusive), calls]
    }

    fn cost(&self, base: i128, new: i128) -> String {
        match self.is_comparison {
            true => signed_percent(new.saturating_sub(base), self.totals.base) + " %",
            false => percent(new, self.totals.new) + " %",
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

/// Which nodes can be reached from some by these edges.
fn reachable(from: &[usize], edges: impl Iterator<Item = Ends>, nodes: usize) -> Vec<bool> {
    let mut next: HashMap<usize, Vec<usize>> = HashMap::default();
    for (node, to) in edges {
        next.entry(node).or_default().push(to);
    }
    let mut is_reached = vec![false; nodes];
    let mut pending = from.to_vec();
    while let Some(node) = pending.pop() {
        if !std::mem::replace(&mut is_reached[node], true) {
            pending.extend(next.get(&node).into_iter().flatten());
        }
    }
    is_reached
}

/// Lines as a quoted string. Graphviz reads `\` and the entities of HTML in labels.
fn quoted(lines: &[String]) -> String {
    let escaped = lines.iter().map(|line| {
        let line = line.replace('&', "&amp;");
        line.replace('\\', "\\\\").replace('"', "\\\"")
    });
    format!("\"{}\"", escaped.collect::<Vec<_>>().join("\\n"))
}
