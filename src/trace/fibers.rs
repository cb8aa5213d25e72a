//! Which invocations the calls of fibers made.
//!
//! Each fiber has a stack of its own, and its blocks stand in *segments* between those of other
//! fibers. A segment begins with the block of the `Fiber::suspend` that returns when the fiber is
//! resumed, and ends before the block of the `Fiber->resume` that did so; segments are nested.
//! Within one, blocks are in post-order. So a block's calls made the invocations that stand right
//! before it in its segment or, when these are used up, at the end of an earlier segment of its
//! fiber.
//!
//! No block says which segment that is. It has to end with invocations that fit the calls which are
//! left, in their order. Mostly only the right one does, since a call during which a fiber was
//! suspended has a cost that few others have. The segments are searched from the last one back:
//! then it is known which calls of later segments are left.
//!
//! The block of `Fiber->start` does not say where the first segment of the fiber begins. Before it
//! stand blocks of the new fiber, and before these, blocks of the fiber that started it. So another
//! segment of the latter begins there. When the new fiber has claimed what is its own, the calls
//! that are left of the starter's are looked for in the rest.

use std::ops::Range;

use super::batch::{Batch, Block};
use super::roles::Role;
use crate::tables::{Cost, FunctionId, next_index};

/// How many calls decide whether a list of them fits.
const MAX_COMPARED_CALLS: usize = 16;

/// How many suspended segments are looked at, the latest ones, for one that fits.
const MAX_SEARCHED_SEGMENTS: usize = 1_000;

/// How many comparisons are made on average for each block and call: event loops take up to 5. What
/// is not found by then is left to [`matching`](super::matching), so that no trace takes more than
/// linear time.
const COMPARISONS_PER_ENTRY: usize = 30;

/// The links of some blocks and calls, known before these are entered one after the other.
#[derive(Debug)]
pub(super) struct KnownLinks<T> {
    /// By call: position of the block that it made.
    made: Vec<Option<u32>>,
    /// By block: whether one of these calls made it.
    is_claimed: Vec<bool>,
    /// What is kept of the blocks that were entered.
    ended: Vec<T>,
}

impl<T: Copy> KnownLinks<T> {
    /// Finds the links of a trace from its first fiber on.
    pub fn of(batch: &Batch, roles: &[Option<Role>]) -> Self {
        let mut resolver = Resolver::new(batch, roles);
        resolver.link_within_segments();
        resolver.link_across_segments();
        let blocks = resolver.blocks.iter();
        KnownLinks {
            is_claimed: blocks.map(|block| block.is_claimed).collect(),
            made: resolver.made,
            ended: Vec::with_capacity(batch.blocks.len()),
        }
    }

    /// What was kept of the invocation that the call at a position made, if that is known.
    #[inline]
    pub fn made_by(&self, call: usize) -> Option<T> {
        let block = (*self.made.get(call)?)?;
        self.ended.get(block as usize).copied()
    }

    /// Keeps the next block, and says whether it is known which call made it.
    pub fn end_block(&mut self, kept: T) -> bool {
        let is_claimed = self.is_claimed.get(self.ended.len());
        self.ended.push(kept);
        is_claimed.is_some_and(|&is| is)
    }
}

/// A block that has ended.
#[derive(Debug)]
struct FinishedBlock {
    /// Inclusive cost in the first column.
    cost: Cost,
    /// How many calls it made.
    calls: u32,
    is_claimed: bool,
    /// What stood before it in its segment, and nothing had claimed.
    below: Option<u32>,
}

impl FinishedBlock {
    /// Whether the call that made it can have had this cost: Xdebug rounds each cost by up to half a
    /// unit, and of an invocation without calls the same number twice.
    ///
    /// [`matching`](super::matching) tolerates more: there, the latest invocation is nearly always
    /// the right one. Here, costs have to tell fibers apart that call the same functions.
    fn fits(&self, cost: Cost) -> bool {
        let tolerance = match self.calls {
            0 => 0,
            calls => calls / 2 + 1,
        };
        self.cost.abs_diff(cost) <= u64::from(tolerance)
    }
}

/// What nothing has claimed in a segment so far.
#[derive(Clone, Copy, Debug, Default)]
struct Chain {
    segment: usize,
    /// The latest block; the others are [`below`](FinishedBlock::below) it.
    top: Option<u32>,
}

#[derive(Debug)]
struct Segment {
    /// Position of its first block.
    begins: usize,
    before: Before,
    /// In how many others it is nested.
    depth: usize,
    /// Calls that were made before, of its own blocks and of those of later segments. While blocks
    /// end, the latest call stands first: the callers of a block end after it, but their calls are
    /// earlier ones. When that is over, the latest call stands last.
    earlier: Vec<usize>,
}

/// What stands before a segment.
#[derive(Clone, Copy, Debug)]
enum Before {
    Nothing,
    /// Blocks of the fiber that resumed this one.
    Resumer(Chain),
    /// Blocks of a fiber that was started, and before them those of its starter, to which the
    /// segment belongs.
    Started(Chain),
}

/// A segment after which its fiber was suspended.
#[derive(Debug)]
struct Suspended {
    /// Position of the first block after it.
    ends: usize,
    chain: Chain,
    /// Whether the fiber was started in it. Then the chain goes on with blocks of the starter.
    is_first: bool,
}

/// How calls and a chain fit each other.
#[derive(Clone, Copy, Debug)]
enum Fit {
    /// The whole chain fits, or more of it than is compared.
    Whole,
    /// There are more blocks than calls.
    MoreBlocks,
}

#[derive(Debug)]
struct Resolver<'a> {
    batch: &'a Batch,
    /// By function.
    roles: &'a [Option<Role>],
    /// By call: position of the block that it made.
    made: Vec<Option<u32>>,
    blocks: Vec<FinishedBlock>,
    segments: Vec<Segment>,
    current: Chain,
    /// The segments in which the current one is nested, the innermost last.
    outer: Vec<Chain>,
    /// In the order of their ends.
    suspended: Vec<Suspended>,
    /// How many comparisons are left.
    comparisons_left: usize,
}

impl<'a> Resolver<'a> {
    fn new(batch: &'a Batch, roles: &'a [Option<Role>]) -> Self {
        let mut resolver = Resolver {
            batch,
            roles,
            made: vec![None; batch.calls.len()],
            blocks: Vec::with_capacity(batch.blocks.len()),
            segments: Vec::new(),
            current: Chain::default(),
            outer: Vec::new(),
            suspended: Vec::new(),
            comparisons_left: COMPARISONS_PER_ENTRY.saturating_mul(batch.len()),
        };
        resolver.begin_segment(Before::Nothing);
        resolver
    }

    fn link_within_segments(&mut self) {
        let mut first_call = 0;
        for &block in &self.batch.blocks {
            self.end_block(block, first_call..block.end);
            first_call = block.end;
        }
    }

    fn end_block(&mut self, block: Block, calls: Range<usize>) {
        let role = self.role(block.function);
        if role == Some(Role::Suspend) {
            self.outer.push(self.current);
            self.begin_segment(Before::Resumer(self.current));
        }
        self.link_block(calls.clone());
        if role == Some(Role::Resume)
            && let Some(outer) = self.outer.pop()
        {
            self.suspend(false);
            self.current = outer;
        }
        if role == Some(Role::Start) {
            self.suspend(true);
            self.begin_segment(Before::Started(self.current));
        }
        let costs = self.batch.calls[calls.clone()].iter().map(|call| call.cost);
        let below = self.current.top;
        self.current.top = Some(next_index(self.blocks.len()));
        self.blocks.push(FinishedBlock {
            cost: costs.fold(block.matching, Cost::saturating_add),
            calls: u32::try_from(calls.len()).unwrap_or(u32::MAX),
            is_claimed: false,
            below,
        });
    }

    fn role(&self, function: FunctionId) -> Option<Role> {
        self.roles.get(function.index()).copied().flatten()
    }

    /// Begins a segment with the next block.
    fn begin_segment(&mut self, before: Before) {
        self.current = Chain {
            segment: self.segments.len(),
            top: None,
        };
        self.segments.push(Segment {
            begins: self.blocks.len(),
            before,
            depth: self.outer.len(),
            earlier: Vec::new(),
        });
    }

    /// Ends the current segment before the next block.
    fn suspend(&mut self, is_first: bool) {
        self.suspended.push(Suspended {
            ends: self.blocks.len(),
            chain: self.current,
            is_first,
        });
    }

    /// Links the calls of a block to what stands before it in its segment.
    fn link_block(&mut self, calls: Range<usize>) {
        let mut wanted: Vec<usize> = calls.collect();
        let mut left = self.claim(self.current, &mut wanted);
        // A fiber that is destroyed ends without a block of whatever destroyed it.
        let is_stuck = left.top.is_some() && !wanted.is_empty();
        if is_stuck && self.comparisons_left > 0 {
            let mut outer = (0..self.outer.len()).rev();
            let found = outer.find(|&outer| self.fit(self.outer[outer], &wanted).is_some());
            if let Some(outer) = found {
                left = self.claim(self.outer[outer], &mut wanted);
            }
        }
        self.outer.truncate(self.segments[left.segment].depth);
        self.current = left;
        if left.top.is_none() {
            let earlier = wanted.into_iter().rev();
            self.segments[left.segment].earlier.extend(earlier);
        }
    }

    /// Links the calls that were made before the segments in which their blocks ended.
    fn link_across_segments(&mut self) {
        for segment in &mut self.segments {
            segment.earlier.reverse();
        }
        while self.comparisons_left > 0
            && let Some(segment) = self.segments.pop()
        {
            let is_later = |other: &mut Suspended| other.ends >= segment.begins;
            while self.suspended.pop_if(is_later).is_some() {}
            let mut wanted = segment.earlier;
            if wanted.is_empty() {
                continue;
            }
            let found = match segment.before {
                // What the starter of a fiber called before.
                Before::Started(chain) => Some(self.find(chain, &wanted)),
                _ => self.suspended_with(&wanted),
            };
            let Some(found) = found else { continue };
            let left = self.claim(found, &mut wanted);
            if left.top.is_none() {
                let earlier = &mut self.segments[left.segment].earlier;
                self.comparisons_left = self.comparisons_left.saturating_sub(earlier.len());
                wanted.append(earlier);
                *earlier = wanted;
            }
        }
    }

    /// Takes away the latest suspended segment that fits.
    fn suspended_with(&mut self, wanted: &[usize]) -> Option<Chain> {
        let mut found = None;
        for suspended in (0..self.suspended.len()).rev().take(MAX_SEARCHED_SEGMENTS) {
            let Suspended {
                chain, is_first, ..
            } = self.suspended[suspended];
            match self.fit(chain, wanted) {
                None => {}
                // Whoever called the first block of a segment has ended in a later one, if at all.
                Some(Fit::MoreBlocks) if !is_first => _ = found.get_or_insert(suspended),
                Some(_) => {
                    found = Some(suspended);
                    break;
                }
            }
        }
        found.map(|suspended| self.suspended.remove(suspended).chain)
    }

    /// Takes those of the wanted calls away that made blocks of a chain, from the last one on.
    /// Returns what is left of the chain: if that is nothing, the other calls were made before.
    fn claim(&mut self, mut chain: Chain, wanted: &mut Vec<usize>) -> Chain {
        while let (Some(top), Some(&call)) = (chain.top, wanted.last()) {
            if self.fits(top, call) {
                let block = &mut self.blocks[top as usize];
                block.is_claimed = true;
                chain.top = block.below;
                self.made[call] = Some(top);
                wanted.pop();
                continue;
            }
            let found = self.find(chain, wanted);
            if found.top.is_none() {
                break;
            }
            chain = found;
        }
        chain
    }

    /// What is left of a chain from the latest block on from which the wanted calls fit: nothing,
    /// if there is none.
    fn find(&mut self, mut chain: Chain, wanted: &[usize]) -> Chain {
        while let (Some(top), Some(&last)) = (chain.top, wanted.last()) {
            if self.fits(top, last) && self.fit(chain, wanted).is_some() {
                break;
            }
            chain = self.below(chain, top);
            if self.comparisons_left == 0 {
                chain.top = None;
            }
        }
        chain
    }

    /// How the wanted calls, from the last one on, fit a chain from its top on.
    fn fit(&mut self, mut chain: Chain, wanted: &[usize]) -> Option<Fit> {
        self.comparisons_left = self.comparisons_left.saturating_sub(1);
        chain.top?;
        let (earlier, wanted) = wanted.split_at(wanted.len().saturating_sub(MAX_COMPARED_CALLS));
        let mut wanted = wanted.iter().rev().peekable();
        while let (Some(&&call), Some(top)) = (wanted.peek(), chain.top) {
            if self.fits(top, call) {
                wanted.next();
                chain.top = self.blocks[top as usize].below;
                continue;
            }
            let function = self.batch.blocks[top as usize].function;
            let may_be_uncalled = self.role(function) == Some(Role::Destructor)
                || self.blocks[top as usize].below.is_none();
            chain = self.below(chain, top);
            if !may_be_uncalled || chain.top.is_none() || self.comparisons_left == 0 {
                return None;
            }
        }
        Some(match (wanted.peek(), chain.top) {
            (None, Some(_)) if earlier.is_empty() => Fit::MoreBlocks,
            _ => Fit::Whole,
        })
    }

    /// What stands below the top of a chain that no wanted call made. If that was the last of a
    /// fiber, it ended when it was destroyed: then the chain of what resumed it goes on.
    fn below(&self, chain: Chain, top: u32) -> Chain {
        match (
            self.blocks[top as usize].below,
            self.segments[chain.segment].before,
        ) {
            (None, Before::Resumer(resumer)) => resumer,
            (top, _) => Chain { top, ..chain },
        }
    }

    /// Whether a call can have made a block.
    fn fits(&mut self, block: u32, call: usize) -> bool {
        self.comparisons_left = self.comparisons_left.saturating_sub(1);
        let ended = &self.blocks[block as usize];
        let function = self.batch.blocks[block as usize].function;
        let call = &self.batch.calls[call];
        self.comparisons_left > 0
            && !ended.is_claimed
            && function == call.callee
            && ended.fits(call.cost)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::super::invocations::InvocationCall;
    use super::super::linker::{LinkOptions, Linker};
    use super::*;

    const START: u32 = 0;
    const RESUME: u32 = 1;
    const SUSPEND: u32 = 2;
    const DESTRUCTOR: u32 = 3;
    const LEAF: u32 = 4;
    const TASK: u32 = 5;

    /// By the numbers above.
    const ROLES: [Option<Role>; 4] = [
        Some(Role::Start),
        Some(Role::Resume),
        Some(Role::Suspend),
        Some(Role::Destructor),
    ];

    #[test]
    fn the_tolerance_follows_half_of_the_calls_that_were_made() {
        for (calls, tolerance) in [(0, 0), (1, 1), (2, 2), (3, 2), (4_000, 2_001)] {
            let ended = FinishedBlock {
                cost: 50_000,
                calls,
                is_claimed: false,
                below: None,
            };
            for sign in [-1, 1] {
                assert!(ended.fits(50_000 + sign * tolerance), "{calls}");
                assert!(!ended.fits(50_000 + sign * (tolerance + 1)), "{calls}");
            }
        }
    }

    /// What a function of a program does.
    #[derive(Clone, Debug)]
    enum Step {
        /// Calls a function that always takes the same time.
        Leaf,
        Call(Vec<Step>),
        /// Starts a fiber.
        Start(Vec<Step>),
        /// Suspends its own fiber, if it is not the main one.
        Suspend,
        /// Resumes one of the suspended fibers, if there are any; which one is counted from the
        /// one that has been so for the longest time.
        Resume(usize),
        /// Lets go of it, so that it is destroyed.
        Destroy(usize),
        /// Calls a destructor, without a word in the block.
        Destruct,
    }

    use Step::{Call, Destroy, Destruct, Leaf, Resume, Start, Suspend};

    /// A function that is running.
    struct Frame {
        function: u32,
        steps: std::vec::IntoIter<Step>,
        began: Cost,
        calls: Vec<usize>,
    }

    /// Runs a program, and writes its trace.
    #[derive(Default)]
    struct Machine {
        batch: Batch,
        /// By call: the block that it made.
        truth: Vec<u32>,
        /// By block: its inclusive cost.
        costs: Vec<Cost>,
        clock: Cost,
        fibers: Vec<Vec<Frame>>,
        /// The fibers that have been resumed, the current one last.
        running: Vec<usize>,
        suspended: Vec<usize>,
    }

    impl Machine {
        fn run(program: &[Step]) -> Self {
            let mut machine = Machine::default();
            machine.enter_fiber(program.to_vec());
            machine.run_all();
            // At the end, all fibers are destroyed.
            while !machine.suspended.is_empty() {
                machine.destroy(0);
                machine.run_all();
            }
            machine
        }

        fn enter_fiber(&mut self, steps: Vec<Step>) {
            self.running.push(self.fibers.len());
            self.fibers.push(Vec::new());
            self.enter(TASK, steps);
        }

        fn enter(&mut self, function: u32, steps: Vec<Step>) {
            let frame = Frame {
                function,
                steps: steps.into_iter(),
                began: self.clock,
                calls: Vec::new(),
            };
            self.fibers[*self.running.last().unwrap()].push(frame);
        }

        fn run_all(&mut self) {
            while let Some(&fiber) = self.running.last() {
                // No two calls take equally long, but for those of leaves.
                self.clock += 1_000 + 37 * Cost::try_from(self.costs.len()).unwrap();
                match self.fibers[fiber].last_mut() {
                    None => _ = self.running.pop(),
                    Some(frame) => match frame.steps.next() {
                        Some(step) => self.step(fiber, step),
                        None => self.leave(fiber, true),
                    },
                }
            }
        }

        fn step(&mut self, fiber: usize, step: Step) {
            let which = |fiber: usize| fiber % self.suspended.len().max(1);
            match step {
                Leaf => {
                    self.enter(LEAF, Vec::new());
                    self.clock += 7;
                    self.leave(fiber, true);
                }
                Call(steps) => self.enter(LEAF + 2 + u32::from(steps.len() > 2), steps),
                Start(steps) => {
                    self.enter(START, Vec::new());
                    self.enter_fiber(steps);
                }
                Suspend if self.running.len() > 1 => {
                    self.enter(SUSPEND, Vec::new());
                    self.suspended.push(fiber);
                    self.running.pop();
                }
                Resume(fiber) if !self.suspended.is_empty() => {
                    let fiber = self.suspended.remove(which(fiber));
                    self.enter(RESUME, Vec::new());
                    self.running.push(fiber);
                }
                Destroy(fiber) if !self.suspended.is_empty() => self.destroy(which(fiber)),
                Destruct => {
                    self.enter(DESTRUCTOR, Vec::new());
                    self.leave(fiber, false);
                }
                Suspend | Resume(_) | Destroy(_) => {}
            }
        }

        fn destroy(&mut self, which: usize) {
            let fiber = self.suspended.remove(which);
            for frame in &mut self.fibers[fiber] {
                frame.steps = Vec::new().into_iter();
            }
            self.running.push(fiber);
        }

        /// Ends the latest call of a fiber, which its caller may list.
        fn leave(&mut self, fiber: usize, is_listed: bool) {
            let frame = self.fibers[fiber].pop().unwrap();
            let mut self_cost = self.clock - frame.began;
            for &block in &frame.calls {
                let Block { function, .. } = self.batch.blocks[block];
                let cost = self.costs[block];
                let call = InvocationCall::new(function, None, 1, cost);
                self.batch.calls.push(call);
                self.batch.call_costs.push::<1>(&[cost]);
                self.truth.push(u32::try_from(block).unwrap());
                self_cost -= cost;
            }
            let block = Block {
                function: FunctionId(frame.function),
                matching: self_cost,
                is_proxy: false,
                end: self.batch.calls.len(),
            };
            self.batch.self_costs.push::<1>(&[self_cost]);
            self.batch.blocks.push(block);
            if let Some(caller) = self.fibers[fiber].last_mut().filter(|_| is_listed) {
                caller.calls.push(self.costs.len());
            }
            self.costs.push(self.clock - frame.began);
        }

        /// By call: the block that it made, as far as that was found.
        fn found(&self) -> Vec<Option<u32>> {
            KnownLinks::<()>::of(&self.batch, &ROLES).made
        }

        fn assert_linked(&self) {
            let truth: Vec<_> = self.truth.iter().copied().map(Some).collect();
            assert_eq!(self.found(), truth);
        }
    }

    /// Programs in which no two functions take equally long.
    fn program(destroys: u32) -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            2 => Just(Call(Vec::new())),
            4 => Just(Suspend),
            4 => (0usize..9).prop_map(Resume),
            1 => Just(Destruct),
            destroys => (0usize..9).prop_map(Destroy),
        ];
        let step = step.prop_recursive(6, 200, 12, |step| {
            let steps = vec(step, 0..12);
            prop_oneof![steps.clone().prop_map(Call), steps.prop_map(Start)]
        });
        vec(step, 0..40)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 80, failure_persistence: None, ..Default::default() })]

        #[test]
        fn calls_are_linked_to_what_they_made(program in program(0)) {
            Machine::run(&program).assert_linked();
        }

        #[test]
        fn fibers_that_are_destroyed_cause_no_wrong_link(program in program(1)) {
            let machine = Machine::run(&program);
            for (found, &truth) in machine.found().into_iter().zip(&machine.truth) {
                prop_assert!(found.is_none_or(|found| found == truth));
            }
        }
    }

    /// Fibers that take turns, and call the same at the same cost between their suspensions.
    fn in_turn(fibers: usize, suspensions: usize, rounds: usize) -> Vec<Step> {
        let mut task = vec![Leaf];
        for _ in 0..suspensions {
            task.extend([Call(vec![Leaf, Suspend]), Leaf]);
        }
        let start = || Call(vec![Leaf, Start(task.clone())]);
        let resume = || Call(vec![Resume(0), Leaf]);
        let starts = (0..fibers).map(|_| start());
        starts
            .chain((0..fibers * rounds).map(|_| resume()))
            .collect()
    }

    #[test]
    fn calls_of_equal_cost_stay_in_their_fiber() {
        for (fibers, rounds) in [(1, 1), (2, 3), (20, 10)] {
            Machine::run(&in_turn(fibers, rounds, rounds)).assert_linked();
        }
    }

    #[test]
    fn fibers_need_not_end() {
        Machine::run(&in_turn(3, 9, 4)).assert_linked();
        Machine::run(&in_turn(3, 1, 0)).assert_linked();
    }

    /// A fiber that destroys another, and is suspended then.
    #[test]
    fn the_end_of_a_destroyed_fiber_stands_in_a_segment_of_another() {
        let other = vec![Call(vec![Suspend])];
        let task = vec![Suspend, Leaf, Destroy(0), Destruct, Suspend, Leaf];
        Machine::run(&[Start(other), Start(task), Resume(1), Leaf, Resume(0)]).assert_linked();
        // The same within a call, when it has been resumed: what resumed it goes on after that.
        let task = vec![
            Suspend,
            Start(vec![Suspend]),
            Call(vec![Destroy(0), Suspend]),
        ];
        Machine::run(&[Start(task), Resume(0)]).assert_linked();
    }

    /// Two suspended fibers have made the calls that are looked for: which one is resumed?
    #[test]
    fn of_suspended_fibers_the_one_without_more_blocks_is_resumed() {
        let leaves = |count| vec![Leaf; count];
        let with_more = [vec![Suspend], leaves(MAX_COMPARED_CALLS + 1), vec![Suspend]].concat();
        let with_fewer = [leaves(MAX_COMPARED_CALLS), vec![Suspend]].concat();
        for next in [0, 1] {
            let mut program = vec![Start(with_more.clone()), Start(with_fewer.clone())];
            program.extend([Resume(0), Resume(next), Resume(0)]);
            Machine::run(&program).assert_linked();
        }
    }

    /// What a part leaves open may be claimed in the next one, but nothing twice.
    #[test]
    fn what_does_not_fit_into_memory_is_linked_in_parts() {
        let machine = Machine::run(&in_turn(3, 4, 4));
        for at in 0..machine.batch.blocks.len() {
            let mut linker = Linker::new(LinkOptions {
                invocations: true,
                ..LinkOptions::default()
            });
            linker.roles = ROLES.to_vec();
            let (first, rest) = machine.batch.blocks.split_at(at);
            let middle = first.last().map_or(0, |block| block.end);
            let rest = rest.iter().map(|&block| Block {
                end: block.end - middle,
                ..block
            });
            let parts = [0..middle, middle..machine.batch.calls.len()];
            for (blocks, calls) in [first.to_vec(), rest.collect()].into_iter().zip(parts) {
                let mut batch = Batch {
                    blocks,
                    calls: machine.batch.calls[calls.clone()].to_vec(),
                    ..Batch::default()
                };
                calls.for_each(|call| {
                    batch
                        .call_costs
                        .push::<1>(machine.batch.call_costs.row(call))
                });
                linker.link_held(batch);
            }
            let tree = linker.finish().invocations.unwrap();
            let claimed = tree.calls().iter().map(|call| call.invocation().unwrap());
            let claimed: BTreeSet<_> = claimed.collect();
            assert_eq!(claimed.len(), machine.truth.len(), "{at}");
        }
    }

    #[test]
    fn what_nobody_claims_costs_linear_time() {
        const COUNT: usize = 4_000;
        let mut batch = Batch::default();
        let mut end = |function, calls: usize| {
            let call = InvocationCall::new(FunctionId(LEAF), None, 1, 3);
            batch.calls.extend(std::iter::repeat_n(call, calls));
            (0..calls).for_each(|_| batch.call_costs.push::<1>(&[3]));
            let block = Block {
                function: FunctionId(function),
                matching: 9,
                is_proxy: false,
                end: batch.calls.len(),
            };
            batch.blocks.push(block);
        };
        for function in [SUSPEND, START, SUSPEND, DESTRUCTOR, RESUME, START] {
            (0..COUNT).for_each(|_| end(function, 0));
            (0..COUNT).for_each(|_| end(function, 1));
            (0..COUNT).for_each(|_| end(LEAF, 1));
        }
        let mut resolver = Resolver::new(&batch, &ROLES);
        resolver.link_within_segments();
        resolver.link_across_segments();
        assert!(resolver.made.iter().all(Option::is_none));
        assert_eq!(resolver.comparisons_left, 0);
    }
}
