//! The stacks of a page: those of a profile, and of the base that it is compared with.

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::{io, iter};

use super::data::{BASE, NEW, Sums, Table, Tables, flags, largest, position, shown, within};
use crate::compare::{last_component, without_folders};
use crate::maps::{HashMap, IndexSet};
use crate::output::json::Document;
use crate::profile::{Cost, FunctionId};
use crate::stacks::{StackId, Stacks};

/// A stack is shown if it has at least this share of the total of some event, with all that begin
/// with it.
const MIN_SHARE: f64 = 1.0 / 20_000.0;

/// How many numbers the columns of the nodes have.
const MAX_STACK_NUMBERS: usize = 250_000;

/// How long the names are that frames have of their own.
const MAX_FRAME_TEXT: usize = 500_000;

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
        // Without calls, there is nothing but functions; what changed of these can be drawn.
        if tree.len() == 0 || !(self.has_invocations() || base.is_some()) {
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
        let mut shares: Vec<f64> = Vec::with_capacity(tree.len());
        shares.extend((0..tree.len()).map(|at| {
            let costs = tree.costs(at, Stacks::inclusive_costs);
            let shares = sides.map(|side| self.share(side, costs[side]));
            shares[BASE].max(shares[NEW])
        }));
        // A node is never left out above one that is shown.
        for at in (0..tree.len()).rev() {
            if let Some(parent) = tree.node(at).parent {
                shares[parent] = shares[parent].max(shares[at]);
            }
        }
        let sides = tree.sides.iter().flatten().count();
        let width = 4 + sides * self.totals.len();
        let chosen = largest(&shares, MIN_SHARE, MAX_STACK_NUMBERS / width);
        drop(shares);
        self.chosen_rows(tree, &flags(&chosen, tree.len()))
    }

    fn chosen_rows(&self, tree: &Tree<'_>, chosen: &[bool]) -> Rows {
        let numbers = ["parent", "frame", "calls", "estimated"];
        let columns = &["self", "base"][..tree.sides.iter().flatten().count()];
        let width = self.totals.len();
        let mut nodes = Table::new(&numbers, columns, width);
        let mut frames = IndexSet::default();
        let mut left_out = 0;
        let mut places: HashMap<usize, usize> = HashMap::default();
        let mut rest: BTreeMap<Option<usize>, ([Sums; 2], u8)> = BTreeMap::new();
        for at in 0..tree.len() {
            let node = tree.node(at);
            let above = node.parent.and_then(|parent| places.get(&parent).copied());
            if chosen[at] {
                places.insert(at, nodes.rows());
                let frame = frames.insert_full(self.frame(tree, at)).0;
                let [parent, frame] = [above, Some(frame)].map(position);
                let [calls, estimated] = [tree.calls(at), tree.estimated(at).into()];
                let numbers = [parent, frame, calls.into(), estimated.into()];
                let costs = tree.costs(at, Stacks::self_costs);
                let costs = [NEW, BASE].map(|side| self.scaled(side, costs[side]).collect());
                nodes.push(numbers, &costs);
                continue;
            }
            left_out += 1;
            if node.parent.is_none_or(|parent| chosen[parent]) {
                let (sums, estimated) = rest.entry(above).or_default();
                *estimated |= u8::from(tree.estimated(at) > 0);
                let costs = tree.costs(at, Stacks::inclusive_costs);
                for side in [BASE, NEW] {
                    sums[side].add(tree.calls(at), self.scaled(side, costs[side]));
                }
            }
        }
        for (above, ([base, new], estimated)) in rest {
            let frame = frames.insert_full((None, Some(REST.as_bytes()))).0;
            let numbers = [
                position(above),
                position(frame),
                new.count.into(),
                estimated.into(),
            ];
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
    table.texts = [("name", within(names, MAX_FRAME_TEXT))]
        .into_iter()
        .collect();
    table
}

type FrameKey<'a> = (Cow<'a, [u8]>, &'a [u8]);

fn exact_key<'a>(stacks: &Stacks<'a>, id: StackId) -> FrameKey<'a> {
    let profile = stacks.profile();
    let file = stacks.function(id).map(|id| profile.function(id).file);
    let file = file.map_or(&b""[..], |file| profile.name(file));
    (stacks.frame(id).into(), last_component(file))
}

fn key_without_folders<'a>(stacks: &Stacks<'a>, id: StackId) -> FrameKey<'a> {
    let (name, file) = exact_key(stacks, id);
    (without_folders(&name).into(), file)
}

/// The stacks of a profile, and with them those of the base that it is compared with: where both
/// have the same frames, they are one node. There can be millions, so that only what the base adds is
/// in memory twice.
struct Tree<'a> {
    /// The base, then the new profile.
    sides: [Option<&'a Stacks<'a>>; 2],
    new: &'a Stacks<'a>,
    /// With a base: which node of it each node of the new profile is.
    pairs: Vec<Option<StackId>>,
    /// Nodes that only the base has, which come after all others, each after its parent.
    alone: Vec<Node>,
}

#[derive(Clone, Copy)]
struct Node {
    parent: Option<usize>,
    of: [Option<StackId>; 2],
}

impl<'a> Tree<'a> {
    fn new(new: &'a Stacks<'a>, base: Option<&'a Stacks<'a>>) -> Self {
        let mut tree = Tree {
            sides: [base, Some(new)],
            new,
            pairs: Vec::new(),
            alone: Vec::new(),
        };
        if let Some(base) = base {
            tree.add_base(base);
        }
        tree
    }

    fn len(&self) -> usize {
        self.new.nodes().len() + self.alone.len()
    }

    fn node(&self, at: usize) -> Node {
        if let Some(at) = at.checked_sub(self.new.nodes().len()) {
            return self.alone[at];
        }
        let id = StackId::new(at);
        Node {
            parent: self.new.parent(id).map(StackId::index),
            of: [self.pairs.get(at).copied().flatten(), Some(id)],
        }
    }

    /// Adds the nodes of the base. Of those below one node, two are the same if the changes take them
    /// for the same function: by name and the last component of the file, then without folders in the
    /// names.
    fn add_base(&mut self, base: &Stacks<'a>) {
        let new = self.new;
        self.pairs = vec![None; new.nodes().len()];
        let mut places: Vec<usize> = vec![0; base.nodes().len()];
        let below = |id| base.children(id).collect();
        let all = iter::once(base.roots().collect()).chain(base.nodes().map(below));
        for mut unpaired in all.filter(|siblings: &Vec<StackId>| !siblings.is_empty()) {
            let parent = base.parent(unpaired[0]);
            let parent = parent.map(|parent| places[parent.index()]);
            let mut candidates: Vec<StackId> = match parent.map(|parent| self.node(parent).of[NEW])
            {
                None => new.roots().collect(),
                Some(id) => id.into_iter().flat_map(|id| new.children(id)).collect(),
            };
            for key in [exact_key, key_without_folders] {
                let mut found: HashMap<_, VecDeque<StackId>> = HashMap::default();
                for &id in &candidates {
                    found.entry(key(new, id)).or_default().push_back(id);
                }
                unpaired.retain(|&id| {
                    let pair = found.get_mut(&key(base, id)).and_then(VecDeque::pop_front);
                    if let Some(pair) = pair {
                        self.pairs[pair.index()] = Some(id);
                        places[id.index()] = pair.index();
                    }
                    pair.is_none()
                });
                candidates.retain(|id| self.pairs[id.index()].is_none());
                if candidates.is_empty() || unpaired.is_empty() {
                    break;
                }
            }
            for id in unpaired {
                places[id.index()] = self.len();
                let of = [Some(id), None];
                self.alone.push(Node { parent, of });
            }
        }
    }

    /// Something of both sides of a node.
    fn both<'t, T>(
        &'t self,
        at: usize,
        what: impl Fn(&'t Stacks<'a>, StackId) -> T,
    ) -> [Option<T>; 2] {
        let of = self.node(at).of;
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

    /// 1 if the self costs are estimated on either side, 2 if only the inclusive costs are, else 0.
    fn estimated(&self, at: usize) -> u8 {
        let either =
            |what: fn(&Stacks<'a>, StackId) -> bool| self.both(at, what).contains(&Some(true));
        if either(Stacks::is_estimated) {
            1
        } else if either(Stacks::is_inclusive_estimated) {
            2
        } else {
            0
        }
    }
}
