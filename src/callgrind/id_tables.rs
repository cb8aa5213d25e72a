//! The tables of name compression: the names of ids (section 3.1.5).

use super::line::{Cursor, NameKind};
use crate::maps::HashMap;
use crate::profile::MAX_NAME;
use crate::profile::{FunctionId, Kind, NameId, ProfileBuilder};

/// The name of a function, and its id in the input, if it has one.
#[derive(Clone, Copy, Debug)]
pub(super) struct NameAndId {
    pub name: NameId,
    pub id: Option<u64>,
}

impl From<NameId> for NameAndId {
    /// A name without an id.
    #[inline]
    fn from(name: NameId) -> Self {
        NameAndId { name, id: None }
    }
}

/// Where a function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ObjectAndFile {
    pub object: NameId,
    pub file: NameId,
}

/// The name of an id.
#[derive(Clone, Copy, Debug)]
struct KnownId {
    name: NameId,
    /// The latest function of this name, and its object and file. Without it, a profile of 300,000
    /// functions takes a quarter more time, because of cache misses in larger tables.
    function: Option<(ObjectAndFile, FunctionId)>,
}

/// The names of the ids of one kind: objects, files or functions.
///
/// Most ids are small, and index pages of names. No number in a file may determine the size of a
/// table, so large ids are in a map.
#[derive(Debug, Default)]
pub(super) struct IdTable {
    /// The names of the ids from 0 on, for pages with a defined id.
    pages: Vec<Option<Box<Page>>>,
    sparse: HashMap<u64, KnownId>,
}

/// The names of consecutive ids.
type Page = [Option<KnownId>; IdTable::PAGE];

impl IdTable {
    /// The number of ids in a page. It is small, because a file may define only one id of each.
    const PAGE: usize = 32;

    /// The first id in the map. Valgrind numbers all functions of a program, but writes only those that
    /// were called.
    const MIN_SPARSE: usize = 4 << 20;

    #[inline]
    pub fn get(&mut self, id: u64) -> Option<NameId> {
        Some(self.entry(id)?.name)
    }

    #[inline]
    fn entry(&mut self, id: u64) -> Option<&mut KnownId> {
        let index = usize::try_from(id).ok()?;
        match self.pages.get_mut(index / Self::PAGE) {
            Some(page) => page.as_mut()?[index % Self::PAGE].as_mut(),
            None => self.sparse.get_mut(&id),
        }
    }

    /// Defines an id. A later definition wins. Returns whether it had another name before.
    pub fn define(&mut self, id: u64, name: NameId) -> bool {
        let new = KnownId {
            name,
            function: None,
        };
        let old = match usize::try_from(id).ok().filter(|&id| id < Self::MIN_SPARSE) {
            Some(id) => self.slot(id).replace(new),
            None => self.sparse.insert(id, new),
        };
        old.is_some_and(|old| old.name != name)
    }

    fn slot(&mut self, id: usize) -> &mut Option<KnownId> {
        let page = id / Self::PAGE;
        if self.pages.len() <= page {
            self.pages.resize_with(page + 1, || None);
        }
        let page = self.pages[page].get_or_insert_with(|| Box::new([None; Self::PAGE]));
        &mut page[id % Self::PAGE]
    }
}

/// The three id tables of an input.
///
/// The specification describes a mapping for each kind of line, but its own example and all writers
/// have one each for objects, files and functions.
#[derive(Debug, Default)]
pub(super) struct IdTables {
    objects: IdTable,
    files: IdTable,
    functions: IdTable,
    /// Whether the functions of ids must be looked up, because each run of a trace numbers them anew.
    renumbered: bool,
    /// The number of bytes of expanded names.
    expanded_bytes: usize,
}

impl IdTables {
    /// The tables of an input that begins with blocks of this kind.
    pub fn new(kind: Kind) -> Self {
        IdTables {
            renumbered: kind == Kind::Trace,
            ..IdTables::default()
        }
    }

    /// The table for this kind of name.
    #[inline]
    pub fn of(&mut self, named: NameKind) -> &mut IdTable {
        match named {
            NameKind::Object | NameKind::CalleeObject => &mut self.objects,
            NameKind::File | NameKind::InlineFile | NameKind::CalleeFile | NameKind::OtherFile => {
                &mut self.files
            }
            NameKind::Function | NameKind::Callee | NameKind::OtherFunction => &mut self.functions,
        }
    }

    /// Prefetches the rows that a block of the latest function of an id changes.
    #[inline]
    pub fn prefetch_block(&mut self, id: u64, builder: &ProfileBuilder) {
        let entry = self.functions.entry(id);
        if let Some((_, function)) = entry.and_then(|entry| entry.function) {
            builder.prefetch_block(function);
        }
    }

    /// Finds the function of a name.
    #[inline]
    pub fn function(
        &mut self,
        function: &NameAndId,
        place: ObjectAndFile,
        builder: &mut ProfileBuilder,
    ) -> FunctionId {
        let id = function.id.filter(|_| !self.renumbered);
        let entry = id.and_then(|id| self.functions.entry(id));
        let mut entry = entry.filter(|entry| entry.name == function.name);
        if let Some(entry) = &entry
            && let Some((known, id)) = entry.function
            && known == place
        {
            return id;
        }
        let id = builder.function(place.object, place.file, function.name);
        if let Some(entry) = &mut entry {
            entry.function = Some((place, id));
        }
        id
    }

    /// Sets the kind of the following blocks.
    pub fn set_kind(&mut self, kind: Kind) {
        self.renumbered |= kind == Kind::Trace;
    }

    /// The most bytes of all expanded names, because a few bytes can expand to many.
    const MAX_EXPANSION: usize = 64 << 20;

    /// The expanded name of a function, if it consists of the ids of others.
    ///
    /// With `--compress-mangled=yes`, Valgrind writes a function with its callers as
    /// `(12)'(7)'(3)`, and a deeper level of its recursion as `(12)'2'(7)'(3)`.
    pub fn expand_composed_name<'n>(
        &mut self,
        text: &'n [u8],
        name: impl Fn(NameId) -> &'n [u8],
    ) -> Option<Vec<u8>> {
        if text.first() != Some(&b'(') || !text.contains(&b'\'') {
            return None;
        }
        let mut whole = Vec::new();
        for (nth, part) in text.split(|&byte| byte == b'\'').enumerate() {
            let is_level = nth == 1 && !part.is_empty() && part.iter().all(u8::is_ascii_digit);
            let part = if is_level {
                part
            } else {
                name(self.functions.get(id_alone(part)?)?)
            };
            self.expanded_bytes = self.expanded_bytes.saturating_add(part.len() + 1);
            if self.expanded_bytes > Self::MAX_EXPANSION || whole.len() + part.len() >= MAX_NAME {
                return None;
            }
            if nth > 0 {
                whole.push(b'\'');
            }
            whole.extend_from_slice(part);
        }
        Some(whole)
    }
}

/// The id of a text that consists of an id in parentheses.
fn id_alone(text: &[u8]) -> Option<u64> {
    let mut cursor = Cursor::new(text, 0);
    let id = cursor.id().ok()?;
    id.filter(|_| cursor.pos == text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{ProfileBuilder, ProfileOptions};

    #[test]
    fn sparse_ids_cost_nothing_and_later_definitions_win() {
        let mut builder = ProfileBuilder::new(ProfileOptions::default());
        let (a, b) = (builder.intern(b"a"), builder.intern(b"b"));
        let mut ids = IdTable::default();
        let last_dense = IdTable::MIN_SPARSE as u64 - 1;
        for id in [u64::MAX, last_dense + 1, 312_566, 3] {
            assert_eq!(ids.get(id), None);
            assert!(!ids.define(id, a));
            assert!(!ids.define(id, a));
            assert_eq!(ids.get(id), Some(a));
            assert!(ids.define(id, b));
            assert_eq!(ids.get(id), Some(b));
        }
        assert_eq!(ids.pages.len(), 312_566 / IdTable::PAGE + 1);
        assert_eq!(ids.pages.iter().flatten().count(), 2);
        assert_eq!(ids.get(4), None);
        assert_eq!(ids.get(last_dense), None);
    }
}
