//! The system's allocator, with the program's own message when memory is exhausted.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{self, Write};
use std::process;

use cg_preprocess::io::try_remove_unfinished;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

struct Allocator;

// SAFETY: each call and its result are passed on unchanged.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        some(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        some(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller promises.
        some(unsafe { System.realloc(old, layout, size) }, size)
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(old, layout) }
    }
}

#[inline(always)]
fn some(memory: *mut u8, size: usize) -> *mut u8 {
    if memory.is_null() {
        end(size);
    }
    memory
}

/// Ends the program without having converted anything.
///
/// This needs no memory. Other threads wait for the lock until the program ends, so there is one
/// message.
#[cold]
fn end(size: usize) -> ! {
    const LENGTH: usize = 80;
    let mut messages = io::stderr().lock();
    try_remove_unfinished();
    let mut message = [0; LENGTH];
    let mut rest = &mut message[..];
    let _ = writeln!(
        rest,
        "error: out of memory: cannot allocate {size} more bytes"
    );
    let length = LENGTH - rest.len();
    let _ = messages.write_all(&message[..length]);
    process::exit(1)
}
