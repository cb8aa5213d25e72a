//! The stacks of the report: the costliest that fit.

use std::collections::BTreeMap;
use std::io;

use indexmap::IndexSet;

use super::costs::SideSums;
use super::data::Data;
use super::functions::names;
use super::table::{Room, Table, TableRow, WholeNumber, by_share, position, text_size};
use crate::compare::{Side, Sides};
use crate::output::joined_stacks::JoinedStacks;
use crate::output::json::Document;
use crate::profile::Cost;
use crate::stacks::{StackId, Stacks};

/// The frame for the sum of omitted stacks.
const REST: &str = "…";

/// The column that marks nodes as estimated.
const ESTIMATED: &str = "estimated";

/// The position of a frame's function, if that is shown, and the name of the frame if it differs.
type FrameKey<'a> = (Option<usize>, Option<&'a [u8]>);

/// Stacks as nodes of a tree: children follow their parent.
struct Rows<'t> {
    frames: IndexSet<FrameKey<'t>>,
    nodes: Table,
    omitted: usize,
}

impl<'a> Data<'a, '_> {
    /// Writes the costliest stacks that fit. The omitted children of a node are summed up in one more
    /// child. Costs and calls are not divided by runs, because rounding errors would add up.
    pub fn write_stacks(&self, data: &mut Document<'_>, room: &mut Room) -> io::Result<()> {
        let base = self.compared.map(|compared| compared.base);
        let tree = JoinedStacks::new(self.stacks, base, |side, id| self.functions.index(side, id));
        // Without calls, stacks are just functions, which are drawn only to show what has changed.
        if tree.len() == 0 || !(self.has_invocations() || base.is_some()) {
            return data.field("stacks", &());
        }
        let is_shown = self.choose_stacks(&tree, room);
        let rows = self.stack_rows(&tree, &is_shown);
        let frames = self.frame_table(&rows.frames);
        data.record("stacks", |record| {
            record.record("frames", |record| frames.write(record))?;
            rows.nodes.write(record)?;
            record.field("omitted", &rows.omitted)
        })
    }

    /// An empty table of nodes.
    fn stack_table(&self) -> Table {
        let table = (self.costs).table(&["depth", "frame", "calls"], &["self", "base"]);
        table.with_digits(ESTIMATED)
    }

    /// Chooses the nodes to show: all if they fit, else the costliest.
    fn choose_stacks(&self, tree: &JoinedStacks<'_, 'a>, room: &mut Room) -> Vec<bool> {
        let mut children = vec![0_u32; tree.len()];
        for parent in (0..tree.len()).filter_map(|at| tree.parent(at)) {
            children[parent] += 1;
        }
        let table = self.stack_table();
        // The bytes of a node, with its frame if that is new.
        let size_of = |at: usize, frames: &mut IndexSet<_>| {
            let frame = self.frame(tree, at);
            let (index, is_new) = frames.insert_full(frame);
            let text = if is_new { self.frame_size(frame) } else { 0 };
            table.size(&self.stack_row(tree, at, index)) + text
        };
        let (mut all, mut frames) = (Room::new(room.left()), IndexSet::new());
        if (0..tree.len()).all(|at| all.take(size_of(at, &mut frames))) {
            return vec![true; tree.len()];
        }
        frames.clear();
        let mut is_shown = vec![false; tree.len()];
        // The sum of omitted children costs no more than their parent.
        let rest = |at: usize| table.size(&self.rest_bound(tree, at));
        for at in by_share(&self.stack_shares(tree)) {
            let parent = tree.parent(at);
            let below = if children[at] > 0 { rest(at) } else { 0 };
            if !room.take(size_of(at, &mut frames) + below) {
                break;
            }
            is_shown[at] = true;
            if let Some(parent) = parent {
                children[parent] -= 1;
                if children[parent] == 0 {
                    room.give_back(rest(parent));
                }
            }
        }
        is_shown
    }

    /// The largest share of each node, or of a node below it, on either side: so a node is never shown
    /// without its parent.
    fn stack_shares(&self, tree: &JoinedStacks<'_, 'a>) -> Vec<f64> {
        let shares = (0..tree.len()).map(|at| {
            let costs = self.node_costs(tree, at, Stacks::inclusive_costs);
            self.costs.share_of_sides(&costs)
        });
        let mut shares: Vec<f64> = shares.collect();
        for at in (0..tree.len()).rev() {
            if let Some(parent) = tree.parent(at) {
                shares[parent] = shares[parent].max(shares[at]);
            }
        }
        shares
    }

    fn stack_rows<'t>(&self, tree: &JoinedStacks<'t, 'a>, is_shown: &[bool]) -> Rows<'t>
    where
        'a: 't,
    {
        let mut rows = Rows {
            frames: IndexSet::new(),
            nodes: self.stack_table(),
            omitted: 0,
        };
        // By depth, the sums of omitted nodes. They follow the last child of their parent.
        let mut rest: BTreeMap<u32, (SideSums, u8)> = BTreeMap::new();
        let put = |rows: &mut Rows<'t>, from: u32, rest: &mut BTreeMap<u32, (SideSums, u8)>| {
            while let Some(entry) = rest.last_entry().filter(|entry| *entry.key() >= from) {
                let (depth, (sums, estimated)) = entry.remove_entry();
                let frame = rows.frames.insert_full((None, Some(REST.as_bytes()))).0;
                let row = stack_row(depth, frame, sums.counts.new, sums.costs, estimated);
                rows.nodes.push(&row);
            }
        };
        for at in 0..tree.len() {
            let depth = tree.depth(at);
            if is_shown[at] {
                put(&mut rows, depth + 1, &mut rest);
                let frame = rows.frames.insert_full(self.frame(tree, at)).0;
                rows.nodes.push(&self.stack_row(tree, at, frame));
                continue;
            }
            rows.omitted += 1;
            if tree.parent(at).is_none_or(|parent| is_shown[parent]) {
                put(&mut rows, depth + 1, &mut rest);
                let (sums, estimated) = rest.entry(depth).or_default();
                *estimated |= u8::from(tree.estimated(at) > 0);
                let costs = self.node_costs(tree, at, Stacks::inclusive_costs);
                for (side, costs) in Sides::EACH.zip(costs) {
                    let calls = if side == Side::New { tree.calls(at) } else { 0 };
                    sums.add(side, calls.into(), costs);
                }
            }
        }
        put(&mut rows, 0, &mut rest);
        rows
    }

    fn stack_row(&self, tree: &JoinedStacks<'_, 'a>, at: usize, frame: usize) -> TableRow {
        let costs = self.node_costs(tree, at, Stacks::self_costs);
        let (depth, calls) = (tree.depth(at), tree.calls(at));
        stack_row(depth, frame, calls.into(), costs, tree.estimated(at))
    }

    /// A row that is at least as long as that of the sum of a node's omitted children.
    fn rest_bound(&self, tree: &JoinedStacks<'_, 'a>, at: usize) -> TableRow {
        let costs = self.node_costs(tree, at, Stacks::inclusive_costs);
        stack_row(tree.depth(at) + 1, 99_999, i64::MAX.into(), costs, 0)
    }

    /// The costs of a node on both sides.
    fn node_costs(
        &self,
        tree: &JoinedStacks<'_, 'a>,
        at: usize,
        which: for<'s> fn(&'s Stacks<'a>, StackId) -> &'s [Cost],
    ) -> Sides<Vec<i128>> {
        let mut sums = SideSums::default();
        for side in Sides::EACH {
            for (stacks, id) in tree.stacks(side, at) {
                sums.add(side, 0, self.costs.scaled(side, which(stacks, id)));
            }
        }
        sums.costs
    }

    /// The frame of a node.
    fn frame<'t>(&self, tree: &JoinedStacks<'t, 'a>, at: usize) -> FrameKey<'t>
    where
        'a: 't,
    {
        let (side, stacks, id) = tree.one(at);
        let function = stacks.named_function(id);
        let place = function.and_then(|id| self.functions.place(self.functions.index(side, id)));
        let profile = stacks.profile().folded();
        let name = function.map(|id| profile.name(profile.function(id).name));
        let frame = stacks.frame(id);
        let own = Some(frame).filter(|_| place.is_none() || name != Some(frame));
        (place, own)
    }

    /// The bytes of a frame: its texts, and the position of its function.
    fn frame_size(&self, (_, name): FrameKey<'_>) -> usize {
        let texts = self.frame_texts(name).map(|text| text_size(&text));
        texts.into_iter().sum::<usize>() + 6
    }

    /// The name of a frame and its parts, which are empty if they are those of its function.
    fn frame_texts(&self, name: Option<&[u8]>) -> [String; 2] {
        match name {
            None => [String::new(), String::new()],
            Some(b"") => names(b"???", self.options.names),
            Some(name) if name == REST.as_bytes() => [String::new(), REST.to_owned()],
            Some(name) => names(name, self.options.names),
        }
    }

    fn frame_table(&self, frames: &IndexSet<FrameKey<'_>>) -> Table {
        let mut table = Table::new(&["function"], &[], 0);
        let [mut own, mut parts] = [Vec::new(), Vec::new()];
        for &(function, name) in frames {
            let numbers = vec![position(function)];
            table.push(&TableRow::of_sides(numbers, Sides::default(), 0));
            let [name, part] = self.frame_texts(name);
            own.push(name);
            parts.push(part);
        }
        table.texts = [("name", own), ("parts", parts)].into();
        table
    }
}

fn stack_row(
    depth: u32,
    frame: usize,
    calls: i128,
    costs: Sides<Vec<i128>>,
    estimated: u8,
) -> TableRow {
    let numbers = vec![depth.into(), position(frame), WholeNumber(calls)];
    TableRow::of_sides(numbers, costs, estimated)
}
