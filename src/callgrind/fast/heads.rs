//! What the lines before a cost were read as, by their bytes.
//!
//! A trace repeats few texts millions of times: who was called, and in which line. To compare
//! such a text with one that was read before is much cheaper than to read it again.

use super::Window;
use super::window::Text;
use crate::profile::{EdgeId, FunctionId, NameId};

/// Bits of the number of texts that are remembered.
const BITS: u32 = 12;

/// Bytes from somewhere in the id of a call's function to the end of its head.
const CALLS: usize = 24;

/// The lines of a block or call up to its cost, once they have been read.
#[derive(Clone, Copy, Debug)]
pub(in crate::callgrind) struct Head {
    text: Text,
    /// Bytes of the text; 0 for none.
    length: usize,
    /// Of the time when it was read; see [`Heads::forget`].
    generation: u64,
    /// What it means.
    pub meaning: Meaning,
}

/// What a head means.
#[derive(Clone, Copy, Debug)]
pub(in crate::callgrind) struct Meaning {
    /// The file of the function.
    pub file: NameId,
    /// The function's name.
    pub name: NameId,
    /// The function.
    pub function: FunctionId,
    /// Of a call: the edge that it was added to last.
    pub edge: Option<EdgeId>,
    /// Line of the cost.
    pub line: u64,
}

/// The numbers in the head of a block or call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::callgrind) struct Ids {
    /// Id of the file.
    pub file: u64,
    /// Id of the function.
    pub function: u64,
    /// Line of the cost.
    pub line: u64,
}

/// Heads that were read, at places that follow from their bytes.
#[derive(Debug, Default)]
pub(in crate::callgrind) struct Heads {
    heads: Vec<Head>,
    generation: u64,
}

impl Heads {
    /// Forgets all: an id has another name now.
    pub fn forget(&mut self) {
        self.generation += 1;
    }

    /// The place of a head of so many bytes; two that differ mostly have different ones.
    #[inline(always)]
    pub fn place(window: &Window<'_>, length: usize) -> usize {
        // The id of the function and the line are what differs.
        window.hash(length.saturating_sub(CALLS), length.saturating_sub(8), BITS)
    }

    /// The head of so many bytes at the window's beginning, if it was read before.
    #[inline(always)]
    pub fn find(&self, window: &Window<'_>, length: usize, place: usize) -> Option<&Head> {
        let head = self.heads.get(place)?;
        let is_it = head.length == length
            && head.generation == self.generation
            && window.begins_with(&head.text, length);
        is_it.then_some(head)
    }

    /// Remembers which edge a call was added to.
    pub fn set_edge(&mut self, place: usize, edge: Option<EdgeId>) {
        if let Some(head) = self.heads.get_mut(place) {
            head.meaning.edge = edge;
        }
    }

    /// Remembers a head that was read; what had its place before is forgotten.
    #[cold]
    pub fn enter(&mut self, window: &Window<'_>, length: usize, place: usize, meaning: Meaning) {
        let head = Head {
            text: window.text(),
            length,
            generation: self.generation,
            meaning,
        };
        if self.heads.is_empty() {
            self.heads = vec![Head { length: 0, ..head }; 1 << BITS];
        }
        if let Some(old) = self.heads.get_mut(place) {
            *old = head;
        }
    }
}
