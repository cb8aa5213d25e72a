//! The stacks of the report: the costliest that fit.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::costs::{Share, SideSums};
use super::data::Data;
use super::functions::names;
use super::table::{DataColumn, DataRow, DataTable, TableEnd, WholeNumber, shown};
use crate::compare::Sides;
use crate::maps::IndexSet;
use crate::output::joined_stacks::JoinedStacks;
use crate::profile::{Cost, Profile};
use crate::stacks::{StackId, Stacks};

/// The frame for the sum of omitted stacks.
const REST: &[u8] = "…".as_bytes();

/// The largest position of a node or frame.
const MAX_POSITION: usize = 999_999;

/// Nodes follow their parents, the costliest first.
const COLUMNS: [DataColumn; 5] = [
    DataColumn::Value("parent"),
    DataColumn::Value("frame"),
    DataColumn::Value("calls"),
    DataColumn::Digit("estimated"),
    DataColumn::Cost("self"),
];

const FRAME_COLUMNS: [DataColumn; 3] = [
    DataColumn::Value("function"),
    DataColumn::Value("name"),
    DataColumn::Value("parts"),
];

/// The position of a frame's function, if that is shown, and the name of the frame if it differs.
type PageFrame<'a> = (Option<usize>, Option<&'a [u8]>);

/// Whether the report has stacks. Without calls, these are just functions, which are drawn only to show
/// what has changed.
pub(crate) fn has_stacks(profile: &Profile, has_base: bool) -> bool {
    has_base || profile.has_invocations()
}

impl<'p> Data<'_, 'p> {
    /// The frames and nodes of the costliest stacks that fit. The omitted children of a node are summed up
    /// in one more child. Costs and calls are not divided by runs, because rounding errors would add up.
    pub fn stacks(&self, budget: usize) -> Option<[DataTable; 2]> {
        let (base, new) = self.views.stacks();
        let tree = JoinedStacks::new(new, base.zip(self.report.comparison));
        if tree.len() == 0 || !has_stacks(self.report.view.profile(), base.is_some()) {
            return None;
        }
        let shares = self.stack_shares(&tree);
        let mut order: Vec<usize> = (0..tree.len()).collect();
        order.sort_by_key(|&at| Reverse(shares[at]));
        let mut places = vec![0; tree.len()];
        for (place, &at) in order.iter().enumerate() {
            places[at] = place;
        }
        let (mut tables, omitted) = self.stack_tables(&tree, &places, &order, budget);
        tables[1].set("omitted", &omitted.len());
        Some(tables)
    }

    /// The largest share of each node, or of a node below it, on either side: so a node is never shown
    /// without its parent.
    fn stack_shares(&self, tree: &JoinedStacks<'_, 'p>) -> Vec<Share> {
        let shares = (0..tree.len()).map(|at| {
            let sums = self.node_sums(tree, at, Stacks::inclusive_costs);
            self.report.share_of_sums(&sums)
        });
        let mut shares: Vec<Share> = shares.collect();
        for at in (0..tree.len()).rev() {
            if let Some(parent) = tree.parent(at) {
                shares[parent] = shares[parent].max(shares[at]);
            }
        }
        shares
    }

    /// The frames and nodes of the report: as many nodes as fit, in this order, with a sum of the omitted
    /// children of each. Also returns the omitted nodes.
    fn stack_tables<'o>(
        &self,
        tree: &JoinedStacks<'_, 'p>,
        places: &[usize],
        order: &'o [usize],
        budget: usize,
    ) -> ([DataTable; 2], &'o [usize]) {
        // The children of each node that have no row yet, and the most bytes of their sum.
        let mut without_row = vec![(0_u32, 0); tree.len()];
        for parent in (0..tree.len()).filter_map(|at| tree.parent(at)) {
            without_row[parent].0 += 1;
        }
        let mut tables =
            [&FRAME_COLUMNS[..], &COLUMNS].map(|columns| self.report.data_table(columns));
        let [frames, nodes] = &mut tables;
        let mut fitting = [TableEnd::default(), TableEnd::default()];
        let mut keys = IndexSet::default();
        let (mut used, mut sums) = (0, 0);
        let fixed = fixed_sum_size();
        for &at in order {
            let key = self.frame(tree, at);
            let (frame, is_new) = keys.insert_full(key);
            used += self.node_row(nodes.row(), tree, places, at, frame).end();
            if is_new {
                used += self.frame_row(frames.row(), key).end();
            }
            if used > budget {
                break;
            }
            if let (1.., size) = &mut without_row[at] {
                // They cost no more than the node.
                let most = self.node_sums(tree, at, Stacks::inclusive_costs);
                *size = fixed + nodes.size_of(&most.costs);
                sums += *size;
            }
            if let Some(parent) = tree.parent(at) {
                let (count, size) = &mut without_row[parent];
                *count -= 1;
                if *count == 0 {
                    sums -= *size;
                }
            }
            if used + sums <= budget {
                frames.save_end(&mut fitting[0]);
                nodes.save_end(&mut fitting[1]);
            }
        }
        frames.cut(&fitting[0]);
        nodes.cut(&fitting[1]);
        keys.truncate(frames.rows());
        let (shown, omitted) = order.split_at(nodes.rows());
        let mut sums: BTreeMap<Option<usize>, (SideSums, u8)> = BTreeMap::new();
        for &at in omitted {
            let parent = tree.parent(at).map(|parent| places[parent]);
            if parent.is_some_and(|parent| parent >= shown.len()) {
                continue;
            }
            let (sums, estimated) = sums.entry(parent).or_default();
            *estimated |= u8::from(tree.estimated(at) > 0);
            sums.add_all(&self.node_sums(tree, at, Stacks::inclusive_costs));
        }
        for (parent, (sums, estimated)) in sums {
            let key = (None, Some(REST));
            let (frame, is_new) = keys.insert_full(key);
            if is_new {
                self.frame_row(frames.row(), key).end();
            }
            let row = nodes.row().position(parent).position(frame);
            let row = row.number(sums.counts.new).number(estimated);
            row.costs(&sums.costs).end();
        }
        (tables, omitted)
    }

    /// A node with its self costs; 1 if these are estimated, 2 if only the inclusive costs are.
    fn node_row<'t>(
        &self,
        row: DataRow<'t>,
        tree: &JoinedStacks<'_, 'p>,
        places: &[usize],
        at: usize,
        frame: usize,
    ) -> DataRow<'t> {
        let parent = tree.parent(at).map(|parent| places[parent]);
        let sums = self.node_sums(tree, at, Stacks::self_costs);
        let row = row.position(parent).position(frame);
        let row = row.number(sums.counts.new).number(tree.estimated(at));
        row.costs(&sums.costs)
    }

    /// The calls of a node, and costs of both sides.
    fn node_sums(
        &self,
        tree: &JoinedStacks<'_, 'p>,
        at: usize,
        which: for<'s> fn(&'s Stacks<'p>, StackId) -> &'s [Cost],
    ) -> SideSums {
        let mut sums = SideSums::default();
        sums.counts.new = tree.calls(at).into();
        for side in Sides::EACH {
            for (stacks, id) in tree.stacks(side, at) {
                sums.add(side, 0, self.report.scaled(side, which(stacks, id)));
            }
        }
        sums
    }

    /// The frame of a node.
    fn frame<'t>(&self, tree: &JoinedStacks<'t, 'p>, at: usize) -> PageFrame<'t>
    where
        'p: 't,
    {
        let (side, stacks, id) = tree.one(at);
        let view = self.report.on(side);
        let function = view.node_row(stacks, id);
        let place = function.and_then(|id| self.functions.place(self.rank(side, id)));
        let name = function.map(|id| view.names_of(id)[2]);
        let frame = stacks.frame(id);
        let own = Some(frame).filter(|_| place.is_none() || name != Some(frame));
        (place, own)
    }

    /// The function of a frame, and the frame's name and its parts, which are empty if they are those of
    /// the function.
    fn frame_row<'t>(&self, row: DataRow<'t>, (function, name): PageFrame<'_>) -> DataRow<'t> {
        let [name, parts] = match name {
            None => Default::default(),
            Some(REST) => [String::new(), shown(REST)],
            Some(name) => names(name, self.options.report.names),
        };
        row.position(function).text(&name).text(&parts)
    }
}

/// The most bytes of the sum of a node's omitted children, except its costs.
fn fixed_sum_size() -> usize {
    let parent_and_frame = 2 * WholeNumber::from(MAX_POSITION as i128).size();
    let calls_and_estimated = WholeNumber::from(i64::MAX).size() + WholeNumber::from(0).size();
    parent_and_frame + calls_and_estimated
}
