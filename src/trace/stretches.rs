//! Stretches of a trace in which PHP stays on one stack. Each fiber has its own stack.
//!
//! When a fiber is resumed, its `Fiber::suspend` returns: a stretch begins with this block. It ends
//! before the block of the `Fiber->resume`, and the stretch around it continues. Within a stretch,
//! blocks are in post-order.

/// How a function of PHP leaves one stack for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Switch {
    /// Resumes a fiber, and returns when it is suspended or ends.
    Resume,
    /// Suspends its fiber, and returns when it is resumed.
    Suspend,
}

impl Switch {
    /// The effect of the function of this name, if it leaves its stack.
    pub fn of(name: &[u8]) -> Option<Self> {
        match name {
            b"php::Fiber->resume" | b"php::Fiber->throw" => Some(Switch::Resume),
            b"php::Fiber::suspend" => Some(Switch::Suspend),
            _ => None,
        }
    }
}

/// Numbers the stretches of a trace.
#[derive(Debug, Default)]
pub(super) struct Stretches {
    /// The current stretch; 0 without fibers.
    pub current: u32,
    count: u32,
    /// The stretches around it, the innermost last.
    outer: Vec<u32>,
}

impl Stretches {
    /// Goes to the stretch of the block of such a function.
    #[cold]
    pub fn follow(&mut self, switch: Switch) {
        match switch {
            Switch::Suspend => {
                self.outer.push(self.current);
                self.count = self.count.wrapping_add(1);
                self.current = self.count;
            }
            Switch::Resume => self.current = self.outer.pop().unwrap_or(self.current),
        }
    }
}
