//! A thread that links the blocks of traces while others are being read.

use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use super::Cost;
use super::ids::FunctionId;
use super::trace::{EndedBlock, Linker, Links, Wanted};
use super::tree::{InvocationCall, InvocationTree};
use crate::threads::spawn_beside;

/// Blocks and calls that are handed over at once: with fewer the threads wake each other too often.
const BATCH: usize = 8 << 10;

/// How many batches may wait to be linked.
const BATCHES: usize = 4;

/// What a reader found, in its order.
#[derive(Debug)]
enum Entry {
    /// A block, and how many calls it made.
    Block(EndedBlock, usize),
    EndRun,
    /// Invocations that a table lists with their links.
    Tree(Box<InvocationTree>),
}

#[derive(Debug, Default)]
struct Batch {
    entries: Vec<Entry>,
    /// The calls of its blocks, one after the other, and of the block that is being read.
    calls: Vec<InvocationCall>,
}

/// Where the links are made.
#[derive(Debug)]
enum Worker {
    /// Nowhere yet: a small profile is not worth a thread.
    None,
    Thread(SyncSender<Batch>, JoinHandle<Links>),
    /// Where there is no core for a thread.
    Here(Box<Linker>),
}

/// Takes note of blocks and their calls, and has them linked.
#[derive(Debug)]
pub(super) struct Linking {
    wanted: Wanted,
    batch: Batch,
    /// How many calls of the batch belong to blocks that have ended.
    ended_calls: usize,
    worker: Worker,
}

impl Linking {
    pub fn new(wanted: Wanted) -> Self {
        Linking {
            wanted,
            batch: Batch::default(),
            ended_calls: 0,
            worker: Worker::None,
        }
    }

    /// Notes a call of the block that is being read.
    pub fn add_call(&mut self, callee: FunctionId, line: u64, cost: Cost) {
        let call = InvocationCall::new(callee, None, line, cost);
        self.batch.calls.push(call);
    }

    /// Notes that the block that was being read has ended.
    pub fn end_block(&mut self, block: EndedBlock) {
        let calls = self.batch.calls.len() - self.ended_calls;
        self.ended_calls += calls;
        self.note(Entry::Block(block, calls));
    }

    /// Notes that nobody will claim what is left of a run.
    pub fn end_run(&mut self) {
        self.note(Entry::EndRun);
    }

    /// Notes invocations that a table lists with their links.
    pub fn add_tree(&mut self, tree: InvocationTree) {
        self.note(Entry::Tree(Box::new(tree)));
    }

    /// Waits until everything is linked.
    pub fn finish(mut self) -> Links {
        if matches!(self.worker, Worker::None) {
            self.worker = Worker::Here(Box::new(Linker::new(self.wanted)));
        }
        self.hand_over();
        match self.worker {
            Worker::None => Links::default(),
            Worker::Here(linker) => linker.finish(),
            Worker::Thread(batches, thread) => {
                // The thread ends when there is nobody to send more.
                drop(batches);
                thread.join().unwrap_or_else(|panic| resume_unwind(panic))
            }
        }
    }

    #[inline]
    fn note(&mut self, entry: Entry) {
        self.batch.entries.push(entry);
        if self.batch.entries.len() + self.ended_calls >= BATCH {
            self.hand_over();
        }
    }

    /// Has all blocks linked that have ended.
    #[inline(never)]
    fn hand_over(&mut self) {
        let begun = self.batch.calls.split_off(self.ended_calls);
        let batch = std::mem::take(&mut self.batch);
        self.batch.calls = begun;
        self.ended_calls = 0;
        if matches!(self.worker, Worker::None) {
            self.worker = Worker::start(self.wanted);
        }
        match &mut self.worker {
            Worker::None => {}
            Worker::Here(linker) => link(linker, batch),
            // It fails if the thread panicked only, which comes to light at the end.
            Worker::Thread(batches, _) => drop(batches.send(batch)),
        }
    }
}

impl Worker {
    fn start(wanted: Wanted) -> Self {
        let (sender, batches) = sync_channel(BATCHES);
        match spawn_beside("linker", move || work(wanted, &batches)) {
            Some(thread) => Worker::Thread(sender, thread),
            None => Worker::Here(Box::new(Linker::new(wanted))),
        }
    }
}

/// Links batches until no more come.
fn work(wanted: Wanted, batches: &Receiver<Batch>) -> Links {
    let mut linker = Linker::new(wanted);
    for batch in batches {
        link(&mut linker, batch);
    }
    linker.finish()
}

fn link(linker: &mut Linker, batch: Batch) {
    let mut rest = batch.calls.as_slice();
    for entry in batch.entries {
        match entry {
            Entry::Block(block, count) => {
                let (calls, others) = rest.split_at(count);
                rest = others;
                linker.end_block(block, calls);
            }
            Entry::EndRun => linker.end_run(),
            Entry::Tree(tree) => linker.add_tree(*tree),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WANTED: Wanted = Wanted {
        tree: true,
        outermost: true,
    };

    /// Blocks of a few functions with up to 3 calls each, and one with more than a batch.
    fn blocks() -> impl Iterator<Item = (EndedBlock, Vec<InvocationCall>)> {
        let function = |number: u32| FunctionId(number % 3 + number % 2);
        (0u32..20_000).map(move |number| {
            let block = EndedBlock {
                function: function(number),
                self_cost: number.into(),
                is_proxy: number.is_multiple_of(5),
            };
            let count = if number == 10_000 { 20_000 } else { number % 4 };
            let call =
                |call: u32| InvocationCall::new(function(number + call), None, 7, call.into());
            (block, (0..count).map(call).collect())
        })
    }

    #[test]
    fn batches_are_linked_as_one_block_after_the_other() {
        let (mut linking, mut linker) = (Linking::new(WANTED), Linker::new(WANTED));
        for (number, (block, calls)) in blocks().enumerate() {
            for call in &calls {
                linking.add_call(call.callee, call.line, call.cost);
            }
            linking.end_block(block);
            linker.end_block(block, &calls);
            if number.is_multiple_of(1000) {
                linking.end_run();
                linker.end_run();
            }
        }
        let (found, expected) = (linking.finish(), linker.finish());
        assert!(
            expected
                .tree
                .as_ref()
                .is_some_and(|tree| tree.calls().len() > 3 * BATCH)
        );
        assert!(format!("{found:?}") == format!("{expected:?}"));
    }
}
