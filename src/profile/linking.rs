//! A thread that links the blocks of traces while others are being read.

use super::Cost;
use super::ids::FunctionId;
use super::trace::{EndedBlock, Linker, Links, Wanted};
use super::tree::InvocationCall;
use crate::threads::Beside;

/// Blocks and calls that are handed over at once: with fewer the threads wake each other too often.
const BATCH: usize = 8 << 10;

/// How many batches may wait to be linked.
const BATCHES: usize = 4;

/// A block, and where its calls end in the batch.
type Entry = (EndedBlock, usize);

#[derive(Debug, Default)]
struct Batch {
    entries: Vec<Entry>,
    /// The calls of its blocks, one after the other.
    calls: Vec<InvocationCall>,
}

/// Where the links are made.
#[derive(Debug)]
enum Worker {
    Beside(Beside<Batch, Links>),
    /// Where there is no core for a thread.
    Here(Box<Linker>),
}

/// Takes note of blocks and their calls, and has them linked.
#[derive(Debug)]
pub(super) struct Linking {
    wanted: Wanted,
    batch: Batch,
    /// None yet, as long as a thread is not worth its start.
    worker: Option<Worker>,
}

impl Linking {
    pub fn new(wanted: Wanted) -> Self {
        Linking {
            wanted,
            batch: Batch::default(),
            worker: None,
        }
    }

    /// Notes a call of the block that is being read.
    pub fn add_call(&mut self, callee: FunctionId, line: u64, cost: Cost) {
        let call = InvocationCall::new(callee, None, line, cost);
        self.batch.calls.push(call);
    }

    /// Notes that the block that was being read has ended.
    pub fn end_block(&mut self, block: EndedBlock) {
        self.batch.entries.push((block, self.batch.calls.len()));
        // Only here are all calls those of blocks in the batch.
        if self.batch.entries.len() + self.batch.calls.len() >= BATCH {
            self.hand_over();
        }
    }

    /// Waits until everything is linked.
    pub fn finish(self) -> Links {
        match self.worker {
            None => {
                let mut linker = Linker::new(self.wanted);
                self.batch.link(&mut linker);
                linker.finish()
            }
            Some(Worker::Here(mut linker)) => {
                self.batch.link(&mut linker);
                linker.finish()
            }
            Some(Worker::Beside(thread)) => {
                thread.send(self.batch);
                thread.finish()
            }
        }
    }

    #[inline(never)]
    fn hand_over(&mut self) {
        let batch = std::mem::take(&mut self.batch);
        let wanted = self.wanted;
        match self.worker.get_or_insert_with(|| Worker::start(wanted)) {
            Worker::Here(linker) => batch.link(linker),
            // It fails if the thread panicked only, which comes to light at the end.
            Worker::Beside(thread) => _ = thread.send(batch),
        }
    }
}

impl Worker {
    fn start(wanted: Wanted) -> Self {
        let thread = Beside::start("linker", BATCHES, move |batches| {
            let mut linker = Linker::new(wanted);
            batches
                .iter()
                .for_each(|batch: Batch| batch.link(&mut linker));
            linker.finish()
        });
        match thread {
            Some(thread) => Worker::Beside(thread),
            None => Worker::Here(Box::new(Linker::new(wanted))),
        }
    }
}

impl Batch {
    fn link(self, linker: &mut Linker) {
        let mut start = 0;
        for (block, end) in self.entries {
            linker.end_block(block, &self.calls[start..end]);
            start = end;
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
        for (block, calls) in blocks() {
            for call in &calls {
                linking.add_call(call.callee, call.line, call.cost);
            }
            linking.end_block(block);
            linker.end_block(block, &calls);
        }
        let (found, expected) = (linking.finish(), linker.finish());
        assert!(
            expected
                .tree
                .as_ref()
                .is_some_and(|tree| tree.calls().len() > 3 * BATCH)
        );
        assert!(format!("{:?}", found.tree) == format!("{:?}", expected.tree));
        let totals = |links: &Links| {
            let outermost = links.outermost.as_ref();
            (0..5)
                .map(|f| outermost.map(|sums| sums.total(FunctionId(f))))
                .collect::<Vec<_>>()
        };
        assert_eq!(totals(&found), totals(&expected));
    }
}
