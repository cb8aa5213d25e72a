//! Stretches of a trace between which PHP changes stacks: each fiber has its own.
//!
//! A stretch begins with the block of the `Fiber::suspend` that returns when a fiber is resumed, and
//! ends before the block of the `Fiber->resume` that did so; then the stretch around it goes on.
//! Within one, blocks are in post-order. The block of `Fiber->start` ends a stretch, too: before it
//! stand blocks of the new fiber, after it those of its starter.

/// How a function of PHP leaves one stack for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Switch {
    /// It starts a fiber, and returns when that is suspended or ends.
    Start,
    /// It resumes a fiber, and returns when that is suspended or ends.
    Resume,
    /// It suspends its fiber, and returns when that is resumed.
    Suspend,
}

impl Switch {
    /// What the function of this name does, if it leaves its stack.
    pub fn of(name: &[u8]) -> Option<Self> {
        match name {
            b"php::Fiber->start" => Some(Switch::Start),
            b"php::Fiber->resume" | b"php::Fiber->throw" => Some(Switch::Resume),
            b"php::Fiber::suspend" => Some(Switch::Suspend),
            _ => None,
        }
    }
}

/// Numbers the stretches of a trace.
#[derive(Debug, Default)]
pub(super) struct Stretches {
    /// The one of the block that ends; 0 where there are no fibers.
    pub current: u32,
    count: u32,
    /// Those around it, the innermost last.
    outer: Vec<u32>,
}

impl Stretches {
    /// Goes to the stretch of the block of such a function.
    #[cold]
    pub fn follow(&mut self, switch: Switch) {
        let outer = match switch {
            Switch::Suspend => {
                self.outer.push(self.current);
                None
            }
            Switch::Resume => self.outer.pop(),
            Switch::Start => None,
        };
        self.current = outer.unwrap_or_else(|| {
            self.count = self.count.wrapping_add(1);
            self.count
        });
    }
}
