//! The stacks of a page: those of a profile, and of the base that it is compared with.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;

use indexmap::IndexSet;

use super::data::{
    BASE, NEW, ROW_FIGURES, Sums, Table, Tables, chosen, number_bytes, position, shown, text_bytes,
};
use crate::profile::{Cost, FunctionId, StackId, Stacks};
use crate::report::json::Document;

/// A stack is shown if it has at least this share of the total of some event, with all that begin
/// with it.
const LEAST_SHARE: f64 = 1.0 / 20_000.0;

/// How many bytes stacks may take.
const STACK_BYTES: usize = 1_750_000;

/// Stands for stacks that are left out.
const REST: &str = "…";

/// Stacks: nodes of a tree, each after its parent.
struct Rows {
    /// Functions, or others that have names of their own.
    frames: Table,
    nodes: Table,
    left_out: usize,
}

impl Tables<'_, '_> {
    /// Writes the stacks that cost enough, as far as there is room; those below one that are left
    /// out are summed up in a node of their own. Costs and calls are not divided, so that rounding
    /// does not add up.
    pub fn write_stacks(&self, data: &mut Document<'_>) -> io::Result<()> {
        let base = self.compared.map(|compared| compared.base);
        let tree = Tree::new(self.stacks, base);
        if tree.nodes.is_empty() {
            return data.field("stacks", &());
        }
        let rows = self.rows(&tree);
        data.record("stacks", |record| {
            record.record("frames", |record| rows.frames.write(record))?;
            rows.nodes.write(record)?;
            record.field("left_out", &rows.left_out)
        })
    }

    /// What there is room for.
    fn rows(&self, tree: &Tree<'_>) -> Rows {
        let sides = [BASE, NEW];
        let mut shares: Vec<f64> = Vec::with_capacity(tree.nodes.len());
        shares.extend((0..tree.nodes.len()).map(|at| {
            let costs = tree.costs(at, Stacks::inclusive_costs);
            let shares = sides.map(|side| self.share(side, costs[side]));
            shares[BASE].max(shares[NEW])
        }));
        // A node is never left out above one that is shown.
        for at in (0..tree.nodes.len()).rev() {
            if let Some(parent) = tree.nodes[at].parent {
                shares[parent] = shares[parent].max(shares[at]);
            }
        }
        let mut room = STACK_BYTES;
        loop {
            let mut seen = HashSet::new();
            let mut bytes = |at: usize| {
                let frame = tree.frame(at);
                let is_new = seen.insert(frame);
                let text = if is_new { text_bytes(frame) } else { 0 };
                let costs = tree.costs(at, Stacks::self_costs);
                let costs = sides.map(|side| number_bytes(self.scaled(side, costs[side])));
                let calls = number_bytes([tree.calls(at).into()]);
                costs[BASE] + costs[NEW] + calls + text + ROW_FIGURES
            };
            let chosen = chosen(&shares, LEAST_SHARE, usize::MAX, room, &mut bytes);
            let rows = self.chosen_rows(tree, &chosen);
            // What stands for others is not among what was chosen.
            match rows.nodes.bytes().saturating_sub(STACK_BYTES) {
                0 => return rows,
                excess => room = room.saturating_sub(excess),
            }
        }
    }

    fn chosen_rows(&self, tree: &Tree<'_>, chosen: &[bool]) -> Rows {
        let numbers = ["parent", "frame", "calls", "estimated"];
        let columns = &["self", "base"][..tree.sides.iter().flatten().count()];
        let width = self.totals.len();
        let mut nodes = Table::new(&numbers, columns, width);
        let mut frames = IndexSet::new();
        let mut left_out = 0;
        let mut places: Vec<Option<usize>> = vec![None; tree.nodes.len()];
        let mut rest: BTreeMap<Option<usize>, [Sums; 2]> = BTreeMap::new();
        for (at, node) in tree.nodes.iter().enumerate() {
            let above = node.parent.and_then(|parent| places[parent]);
            if chosen[at] {
                places[at] = Some(nodes.rows());
                let frame = frames.insert_full(self.frame(tree, at)).0;
                let [parent, frame] = [above, Some(frame)].map(position);
                let [calls, estimated] = [tree.calls(at), tree.is_estimated(at).into()];
                let numbers = [parent, frame, calls.into(), estimated.into()];
                let costs = tree.costs(at, Stacks::self_costs);
                let costs = [NEW, BASE].map(|side| self.scaled(side, costs[side]).collect());
                nodes.push(numbers, &costs);
                continue;
            }
            left_out += 1;
            if node.parent.is_none_or(|parent| chosen[parent]) {
                let sums = rest.entry(above).or_default();
                let costs = tree.costs(at, Stacks::inclusive_costs);
                for side in [BASE, NEW] {
                    sums[side].add(tree.calls(at), self.scaled(side, costs[side]));
                }
            }
        }
        for (above, [base, new]) in rest {
            let frame = frames.insert_full((None, Some(REST.as_bytes()))).0;
            let numbers = [position(above), position(frame), new.count.into(), 0.into()];
            nodes.push(numbers, &[new.costs, base.costs]);
        }
        Rows {
            frames: frame_table(&frames),
            nodes,
            left_out,
        }
    }

    /// The frame of a node.
    fn frame<'t>(&self, tree: &Tree<'t>, at: usize) -> Frame<'t> {
        let function = tree.function(at);
        let function = function.and_then(|id| Some((id, self.places[id.index()]?)));
        let name = function.map(|(id, _)| self.profile.name(self.profile.function(id).name));
        let frame = tree.frame(at);
        let own = Some(frame).filter(|_| name != Some(frame));
        (function.map(|(_, place)| place), own)
    }
}

/// A frame of a function or of none, with its name if that is another one.
type Frame<'a> = (Option<usize>, Option<&'a [u8]>);

fn frame_table(frames: &IndexSet<Frame<'_>>) -> Table {
    let mut table = Table::new(&["function"], &[], 0);
    let mut names = Vec::new();
    for &(function, name) in frames {
        table.push([position(function)], &[]);
        names.push(match name {
            None => String::new(),
            Some(b"") => "???".to_owned(),
            Some(name) => shown(name),
        });
    }
    table.texts = [("name", names)].into();
    table
}

/// The stacks of a profile, and with them those of the base that it is compared with: where both
/// have the same frames, they are one node.
struct Tree<'a> {
    /// The base, then the new profile.
    sides: [Option<&'a Stacks<'a>>; 2],
    /// Each after its parent.
    nodes: Vec<Node>,
}

struct Node {
    parent: Option<usize>,
    of: [Option<StackId>; 2],
}

impl<'a> Tree<'a> {
    fn new(new: &'a Stacks<'a>, base: Option<&'a Stacks<'a>>) -> Self {
        let mut nodes: Vec<Node> = Vec::with_capacity(new.nodes().len());
        nodes.extend(new.nodes().map(|id| Node {
            parent: new.parent(id).map(StackId::index),
            of: [None, Some(id)],
        }));
        if let Some(base) = base {
            let keys = new
                .nodes()
                .map(|id| (new.parent(id).map(StackId::index), new.frame(id)));
            let mut found: HashMap<_, usize> = keys.zip(0..).collect();
            let mut places: Vec<usize> = Vec::with_capacity(base.nodes().len());
            for id in base.nodes() {
                let parent = base.parent(id).map(|parent| places[parent.index()]);
                let place = found.entry((parent, base.frame(id))).or_insert(nodes.len());
                // Functions of two files may have one name.
                if nodes.get(*place).is_none_or(|node| node.of[BASE].is_some()) {
                    *place = nodes.len();
                    nodes.push(Node {
                        parent,
                        of: [None; 2],
                    });
                }
                nodes[*place].of[BASE] = Some(id);
                places.push(*place);
            }
        }
        Tree {
            sides: [base, Some(new)],
            nodes,
        }
    }

    /// Something of both sides of a node.
    fn both<'t, T>(
        &'t self,
        at: usize,
        what: impl Fn(&'t Stacks<'a>, StackId) -> T,
    ) -> [Option<T>; 2] {
        let of = self.nodes[at].of;
        [BASE, NEW].map(|side| Some(what(self.sides[side]?, of[side]?)))
    }

    /// The costs of a node on both sides; none on a side that does not have it.
    fn costs<'t>(
        &'t self,
        at: usize,
        which: impl Fn(&'t Stacks<'a>, StackId) -> &'t [Cost],
    ) -> [&'t [Cost]; 2] {
        self.both(at, which).map(Option::unwrap_or_default)
    }

    fn function(&self, at: usize) -> Option<FunctionId> {
        self.both(at, Stacks::function)[NEW].flatten()
    }

    fn frame(&self, at: usize) -> &'a [u8] {
        let [base, new] = self.both(at, Stacks::frame);
        new.or(base).unwrap_or_default()
    }

    fn calls(&self, at: usize) -> u64 {
        self.both(at, Stacks::calls)[NEW].unwrap_or(0)
    }

    fn is_estimated(&self, at: usize) -> bool {
        self.both(at, Stacks::is_estimated).contains(&Some(true))
    }
}
