//! What the blocks of an input are.

/// What the blocks of an input are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Each block is one invocation, callees before callers. A function is identified by its name.
    Trace,
    /// Blocks are sums. A function is identified by its object, file and name.
    Aggregate,
}

impl Kind {
    /// Its name in JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Trace => "trace",
            Kind::Aggregate => "aggregate",
        }
    }
}

/// The kinds of blocks that are summed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kinds {
    /// There are no blocks.
    #[default]
    None,
    Only(Kind),
    Both,
}

impl Kinds {
    /// The kinds of these and of other blocks.
    pub fn and(self, other: Kinds) -> Kinds {
        match (self, other) {
            (Kinds::None, kinds) | (kinds, Kinds::None) => kinds,
            (own, other) if own == other => own,
            _ => Kinds::Both,
        }
    }
}
