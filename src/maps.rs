//! Hash maps and sets, all with one fast hash. Inputs fill them, but never choose their capacity.

pub(crate) use foldhash::fast::RandomState;

pub(crate) type HashMap<K, V> = std::collections::HashMap<K, V, RandomState>;
pub(crate) type HashSet<T> = std::collections::HashSet<T, RandomState>;
pub(crate) type IndexMap<K, V> = indexmap::IndexMap<K, V, RandomState>;
pub(crate) type IndexSet<T> = indexmap::IndexSet<T, RandomState>;
