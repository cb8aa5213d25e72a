//! Which invocation of a trace called which.
//!
//! A trace is a profile of every call as Xdebug writes it: blocks are in post-order, the costs of
//! calls are rounded, and PHP's fibers interleave. No other writer of traces is known.
//!
//! Each block of a trace is one invocation. [`matching`] finds the one that a call made, with
//! [`stretches`] for programs with several stacks. The [`InvocationTree`], the [`ContextTree`],
//! and call lists without [`proxies`] depend on it.
//! Invocations without a caller (`{main}`, shutdown functions, destructors, fibers) are the roots.
//!
//! A reader passes the blocks and their calls to a [`Trace`]. They are linked on another thread
//! while the reader goes on. Ranges that are read on several threads keep theirs, until
//! [`Trace::join`] appends them in order.
//!
//! Reading takes four fifths of the instructions, joining ranges 3%. In a simulation, 2 and 4 cores
//! are 2 and 4 times as fast as one, and 6 or more 5 times: there, linking takes all the time. Only
//! then would it pay off to link within ranges as well, on 8 cores by a third; tried, that took 500
//! lines.

mod batch;
mod contexts;
mod invocations;
mod linker;
mod matching;
mod proxies;
mod small_rows;
mod stretches;
mod timeline;
mod waiting;

use std::mem::{replace, take};
use std::panic::resume_unwind;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle, available_parallelism};

use crate::maps::IndexSet;
use crate::tables::{CallEdge, Costs, EdgeId, FunctionId, NameId, next_index, slot};
pub(crate) use contexts::{CallSite, ContextId, ContextTree};
pub use invocations::{Invocation, InvocationCall, InvocationTree};
pub(crate) use linker::{LinkOptions, TraceLinks};
pub(crate) use proxies::{ListedCalls, note_proxy};
pub(crate) use stretches::Switch;
pub(crate) use timeline::{Timeline, TimelineBox};

use batch::Batch;
use linker::Linker;
use proxies::{DeferredCall, ProxyCalls};

/// A run of a trace that is being read; see the [module](self)'s documentation.
#[derive(Debug)]
pub(crate) struct Trace {
    lists: ProxyCalls,
    wanted: LinkOptions,
    links: bool,
    /// The call sites, if they are needed.
    sites: Option<CallSites>,
    /// By function; as short as possible.
    special: Vec<Special>,
    /// The function of the open block, if calls are linked.
    function: Option<FunctionId>,
    /// Its file.
    file: NameId,
    /// The batch to be linked next, with the costs and calls of the open block.
    batch: Batch,
    /// `None` as long as a thread would not pay off.
    worker: Option<Worker>,
}

impl Trace {
    /// Begins a run with rows of this many costs.
    pub fn new(wanted: LinkOptions, width: usize) -> Self {
        Trace {
            lists: ProxyCalls::default(),
            wanted,
            links: wanted.invocations || wanted.contexts || wanted.has_timeline(),
            sites: wanted.any_sites().then(CallSites::default),
            special: Vec::new(),
            function: None,
            file: NameId::EMPTY,
            batch: Batch::new(width, 0),
            worker: None,
        }
    }

    /// Makes all rows longer.
    pub fn widen(&mut self, width: usize) {
        self.batch.widen(width);
    }

    /// Marks a function as a proxy.
    pub fn step_over(&mut self, function: FunctionId) {
        self.lists.step_over(function);
        slot(&mut self.special, function.index()).is_proxy = true;
    }

    /// Marks a function that leaves one stack for another.
    pub fn set_switch(&mut self, function: FunctionId, switch: Switch) {
        slot(&mut self.special, function.index()).switch = Some(switch);
    }

    /// Opens a block of a function in this file.
    // Inlined, it would slow down outputs that need no invocations. Other calls are its last, so that
    // nearly all blocks need no stack.
    #[inline(never)]
    pub fn open_block(&mut self, function: FunctionId, file: NameId) {
        if !self.links {
            self.batch.matching = 0;
            return;
        }
        if self.batch.blocks.len() == self.batch.blocks.capacity() {
            return self.open_block_in_larger_batch(function, file);
        }
        self.file = file;
        if let Some(ended) = self.function.replace(function) {
            self.end_block(ended);
        }
    }

    #[cold]
    #[inline(never)]
    fn open_block_in_larger_batch(&mut self, function: FunctionId, file: NameId) {
        self.batch.blocks.reserve(1);
        self.open_block(function, file);
    }

    /// Adds to the self costs of the open block.
    #[inline]
    pub fn add_self_costs<const WIDTH: usize>(&mut self, costs: Costs<'_>) {
        if self.links {
            self.batch.add_self_costs::<WIDTH>(costs);
        } else {
            // The costs of proxies.
            self.batch.matching = self.batch.matching.saturating_add(costs.matching);
        }
    }

    /// Links a call of the open block, made on this line of `file`, which is empty if it is the
    /// block's.
    #[inline(always)]
    pub fn add_call<const WIDTH: usize>(
        &mut self,
        callee: FunctionId,
        (file, line): (NameId, u64),
        costs: Costs<'_>,
    ) {
        if self.links {
            let is_own = file == NameId::EMPTY;
            let file = if is_own { self.file } else { file };
            let new = &mut self.batch.new_sites;
            let sites = self.sites.as_mut();
            let site = sites.map(|sites| sites.number(callee, CallSite { file, line }, new));
            self.batch
                .push_call::<WIDTH>(site.unwrap_or(callee.number()), costs);
        }
    }

    /// Links another call of the open block, made in its file, on a known edge.
    #[inline(always)]
    pub fn add_call_again<const WIDTH: usize>(
        &mut self,
        id: EdgeId,
        edge: &CallEdge,
        costs: Costs<'_>,
    ) {
        if self.links {
            let (callee, line, file) = (edge.callee, edge.line, self.file);
            let new = &mut self.batch.new_sites;
            let sites = self.sites.as_mut();
            let site = sites.map(|sites| sites.number_of(id, callee, CallSite { file, line }, new));
            self.batch
                .push_call::<WIDTH>(site.unwrap_or(callee.number()), costs);
        }
    }

    /// Whether any function is a proxy.
    #[inline]
    pub fn has_proxies(&self) -> bool {
        self.lists.has_proxies()
    }

    /// Whether a call has to wait for the end of its block, because of proxies.
    #[inline]
    pub fn has_to_wait(&self, caller: FunctionId, callee: FunctionId) -> bool {
        self.lists.has_to_wait(caller, callee)
    }

    /// Stores a call until [`listed_calls`](Self::listed_calls) returns what to list instead.
    #[inline(never)]
    pub fn wait(&mut self, edge: CallEdge, costs: Costs<'_>) {
        self.lists.wait(DeferredCall {
            edge,
            row: costs.row.into(),
            matching: costs.matching,
        });
    }

    /// Puts the open block into the batch.
    #[inline]
    fn end_block(&mut self, function: FunctionId) {
        self.batch.end_block(function);
        if function.index() < self.special.len() {
            return self.end_special_block(function);
        }
        self.hand_over_if_large();
    }

    // Inlined, it would cost nearly all other blocks some instructions.
    #[inline(never)]
    fn end_special_block(&mut self, function: FunctionId) {
        let Special { is_proxy, switch } = self.special[function.index()];
        self.batch.mark(is_proxy, switch);
        self.hand_over_if_large();
    }

    /// Hands over the batch, all of whose calls belong to its blocks.
    #[inline]
    fn hand_over_if_large(&mut self) {
        if self.batch.len() >= BATCH {
            self.hand_over();
        }
    }

    /// The calls to list for the block that has just ended, if any of its calls waited.
    #[inline]
    pub fn listed_calls(&mut self, function: FunctionId) -> Option<ListedCalls> {
        self.lists.end_block(function, self.batch.matching)
    }

    /// Keeps the blocks of a range unlinked, until [`join`](Self::join) appends them to those before it.
    pub fn link_later(&mut self) {
        self.worker = Some(Worker::Later(Vec::new()));
        self.batch = Batch::new(self.batch.width(), BATCH);
    }

    /// Appends the blocks of the next range, which are [linked later](Self::link_later). Its functions
    /// and names have the numbers that are given here.
    pub fn join(
        &mut self,
        mut range: Trace,
        functions: &[FunctionId],
        name: impl Fn(NameId) -> NameId,
    ) {
        self.end_last_block();
        if self.batch.len() > 0 {
            self.hand_over();
        }
        range.end_last_block();
        let Some(Worker::Later(mut batches)) = range.worker else {
            debug_assert!(false, "the range is linked already");
            return;
        };
        batches.push(range.batch);
        // By the number in the range: that of a call site, if these are needed, else of a function.
        let mut numbers: Vec<u32> = match self.sites {
            Some(_) => Vec::new(),
            None => functions.iter().map(|function| function.number()).collect(),
        };
        for mut batch in batches {
            for (callee, site) in take(&mut batch.new_sites) {
                let callee = functions[callee.index()];
                let file = name(site.file);
                let new = &mut batch.new_sites;
                let sites = self.sites.as_mut();
                let number =
                    sites.map(|sites| sites.number(callee, CallSite { file, ..site }, new));
                numbers.extend(number);
            }
            by_fours(&mut batch.calls, |call| {
                call.called = numbers[call.called as usize];
            });
            by_fours(&mut batch.blocks, |block| {
                block.function = functions[block.function.index()];
            });
            if !self.special.is_empty() {
                for block in &mut batch.blocks {
                    let special = self.special.get(block.function.index());
                    block.switch = special.and_then(|special| special.switch);
                }
            }
            self.link(batch);
        }
    }

    fn end_last_block(&mut self) {
        if let Some(ended) = self.function.take() {
            self.end_block(ended);
        }
    }

    /// Ends the run, and waits until everything is linked.
    pub fn finish(mut self) -> TraceLinks {
        self.end_last_block();
        let mut worker = self
            .worker
            .unwrap_or_else(|| Worker::on_this_thread(self.wanted));
        worker.link(self.batch);
        worker.finish()
    }

    #[inline(never)]
    fn hand_over(&mut self) {
        // Growing would cost 5% of a trace's instructions.
        let next = Batch::new(self.batch.width(), BATCH);
        let batch = replace(&mut self.batch, next);
        self.link(batch);
    }

    fn link(&mut self, batch: Batch) {
        let wanted = self.wanted;
        let worker = self.worker.get_or_insert_with(|| Worker::start(wanted));
        worker.link(batch);
    }
}

/// Changes all elements, with fewer instructions than one by one: the compiler does not unroll loops
/// that may panic.
fn by_fours<T>(all: &mut [T], change: impl Fn(&mut T)) {
    let (fours, rest) = all.as_chunks_mut::<4>();
    for four in fours {
        four.iter_mut().for_each(&change);
    }
    rest.iter_mut().for_each(change);
}

/// What a function is besides.
#[derive(Clone, Copy, Debug, Default)]
struct Special {
    is_proxy: bool,
    switch: Option<Switch>,
}

/// Numbers the call sites of a trace.
#[derive(Debug, Default)]
struct CallSites {
    numbers: IndexSet<(FunctionId, CallSite)>,
    /// By call edge: the file of its latest call, and the number of this call site.
    latest: Vec<Option<(NameId, u32)>>,
}

impl CallSites {
    /// The number of a call site and its callee. New ones are added to `new`.
    fn number(
        &mut self,
        callee: FunctionId,
        site: CallSite,
        new: &mut Vec<(FunctionId, CallSite)>,
    ) -> u32 {
        let (number, is_new) = self.numbers.insert_full((callee, site));
        if is_new {
            new.push((callee, site));
        }
        next_index(number)
    }

    /// The same for a call on a known edge: all calls on it from one file have the same number.
    #[inline(always)]
    fn number_of(
        &mut self,
        edge: EdgeId,
        callee: FunctionId,
        site: CallSite,
        new: &mut Vec<(FunctionId, CallSite)>,
    ) -> u32 {
        match self.latest.get(edge.index()) {
            Some(Some((file, number))) if *file == site.file => *number,
            _ => self.find(edge, callee, site, new),
        }
    }

    #[inline(never)]
    fn find(
        &mut self,
        edge: EdgeId,
        callee: FunctionId,
        site: CallSite,
        new: &mut Vec<(FunctionId, CallSite)>,
    ) -> u32 {
        let number = self.number(callee, site, new);
        *slot(&mut self.latest, edge.index()) = Some((site.file, number));
        number
    }
}

/// The number of blocks and calls in a batch. With fewer, the threads wake each other too often.
const BATCH: usize = 16 << 10;

/// The most batches that wait to be linked.
const BATCHES: usize = 4;

/// Where the links are made.
#[derive(Debug)]
enum Worker {
    /// On a separate thread, while the input is read.
    Thread(SyncSender<Batch>, JoinHandle<TraceLinks>),
    /// On the same thread.
    Here(Box<Linker>),
    /// Elsewhere, when the lines before the range are linked.
    Later(Vec<Batch>),
}

impl Worker {
    /// Starts a thread, if there are several cores and if that is possible.
    fn start(wanted: LinkOptions) -> Self {
        if available_parallelism().map_or(1, usize::from) < 2 {
            return Worker::on_this_thread(wanted);
        }
        let (sender, batches) = sync_channel(BATCHES);
        let thread = Builder::new().name("linker".to_owned()).spawn(move || {
            let mut linker = Linker::new(wanted);
            batches.iter().for_each(|batch| linker.link(&batch));
            linker.finish()
        });
        match thread {
            Ok(thread) => Worker::Thread(sender, thread),
            Err(_) => Worker::on_this_thread(wanted),
        }
    }

    fn on_this_thread(wanted: LinkOptions) -> Self {
        Worker::Here(Box::new(Linker::new(wanted)))
    }

    fn link(&mut self, batch: Batch) {
        match self {
            Worker::Here(linker) => linker.link(&batch),
            Worker::Later(batches) => batches.push(batch),
            // This fails only if the thread has panicked, which is reported at the end.
            Worker::Thread(sender, _) => _ = sender.send(batch),
        }
    }

    /// Waits until everything is linked.
    fn finish(self) -> TraceLinks {
        match self {
            Worker::Here(linker) => linker.finish(),
            Worker::Later(_) => {
                debug_assert!(false, "a range is joined");
                TraceLinks::default()
            }
            Worker::Thread(sender, thread) => {
                // The thread ends when its sender is gone.
                drop(sender);
                let links = thread.join();
                links.unwrap_or_else(|panic| resume_unwind(panic))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::{Cost, NameId};

    /// Ends a block with calls of these functions at these costs. Costs in the first column differ
    /// from those of the requested event.
    fn end(
        trace: &mut Trace,
        function: u32,
        self_cost: Cost,
        calls: impl IntoIterator<Item = (u32, Cost)>,
    ) {
        let caller = FunctionId(function);
        trace.open_block(caller, NameId::EMPTY);
        fn costs(row: &[Cost]) -> Costs<'_> {
            let matching = 3 * row[0];
            Costs { row, matching }
        }
        for (callee, cost) in calls {
            trace.add_call::<1>(FunctionId(callee), (NameId::EMPTY, 1), costs(&[cost]));
        }
        trace.add_self_costs::<1>(costs(&[self_cost]));
    }

    #[test]
    fn batches_are_linked_as_one_block_after_the_other() {
        const COUNT: Cost = 40_000;
        let wanted = LinkOptions {
            invocations: true,
            ..LinkOptions::default()
        };
        for thread in [true, false] {
            let mut trace = Trace::new(wanted, 1);
            if !thread {
                trace.worker = Some(Worker::on_this_thread(wanted));
            }
            for cost in 0..COUNT {
                end(&mut trace, 5, cost, []);
                end(&mut trace, 4, 1, [(5, cost)]);
            }
            // More calls than go into a batch.
            end(&mut trace, 3, 1, (0..COUNT).map(|cost| (4, cost + 1)));
            end(&mut trace, 5, 7, []);
            end(&mut trace, 4, 1, [(5, 7)]);
            let tree = trace.finish().invocations.unwrap();
            assert!(tree.calls().len() > 4 * BATCH);
            for call in tree.calls() {
                let called = call.invocation().unwrap();
                let invocation = &tree.invocations()[called];
                assert_eq!(invocation.function, call.callee);
                assert_eq!(invocation.inclusive, call.cost);
            }
        }
    }

    /// Nothing here calls itself, and wide nodes are merged with small ones as fast as small ones.
    #[test]
    fn depth_and_width_cost_nothing_extra() {
        const DEPTH: u32 = 300_000;
        const WIDTH: u32 = 20_000;
        let wanted = LinkOptions {
            contexts: true,
            ..LinkOptions::default()
        };
        let mut trace = Trace::new(wanted, 1);
        // Two chains, and then a caller of both.
        for _ in 0..2 {
            end(&mut trace, 0, 1, []);
            for depth in 1..DEPTH {
                end(&mut trace, 0, 1, [(0, depth.into())]);
            }
        }
        end(&mut trace, 1, 1, [(0, DEPTH.into()); 2]);
        // A function that has once called many others, and often one of them.
        for function in 0..WIDTH {
            end(&mut trace, 10 + function, 1, []);
        }
        end(&mut trace, 2, 1, (0..WIDTH).map(|other| (10 + other, 1)));
        for function in 0..WIDTH {
            end(&mut trace, 10 + function, 1, []);
            end(&mut trace, 2, 1, [(10 + function, 1)]);
        }
        let wide = (0..WIDTH)
            .map(|_| (2, 2))
            .chain([(2, Cost::from(WIDTH) + 1)]);
        end(&mut trace, 3, 1, wide.rev());
        let links = trace.finish();
        let contexts = links.contexts.unwrap();
        let (costs, nested) = contexts.costs_of(1, |_, id| {
            let function = contexts.function(id).index();
            (function == 0).then_some(function)
        });
        assert_eq!(
            (costs.row(0), nested),
            (&[Cost::from(2 * DEPTH)][..], vec![true])
        );
        let mut found = 0;
        let mut todo = vec![ContextId::TOP];
        while let Some(id) = todo.pop() {
            found += 1;
            todo.extend(contexts.children(id));
        }
        assert_eq!(found, DEPTH + WIDTH + 4);
    }
}
