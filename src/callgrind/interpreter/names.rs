//! Names: of the function that the next costs belong to, of the one that is called, and of ids.

use super::Interpreter;
use crate::callgrind::error::{Problem, ProblemKind, WarningKind};
use crate::callgrind::id_tables::{NameAndId, ObjectAndFile};
use crate::callgrind::line::{CompressedName, Cursor, NameKind};
use crate::profile::{MAX_NAME, NameId};

/// The current names.
#[derive(Debug, Default)]
pub(super) struct CurrentNames {
    object: Option<NameId>,
    /// File of the last `fl=`.
    file: Option<NameId>,
    /// File of a later `fi=` or `fe=`.
    inline_file: Option<NameId>,
    pub function: Option<NameAndId>,
    /// The `inline_file` at the last `fn=`: the function's file in a profile without any `fl=`.
    function_file: Option<NameId>,
    /// The function that the next `calls=` line calls.
    pub callee: Option<NameAndId>,
    /// `cob=` and `cfi=` since the last call.
    callee_object: Option<NameId>,
    callee_file: Option<NameId>,
    /// Those of the last call, until the next `cfn=`.
    last_call: Option<ObjectAndFile>,
}

impl CurrentNames {
    /// Whether no name is set that the blocks and calls of a trace do not repeat.
    pub fn is_plain(&self) -> bool {
        let others = [
            self.object,
            self.inline_file,
            self.callee_object,
            self.callee_file,
        ];
        others.iter().all(Option::is_none)
    }

    /// Renumbers the current names, which are plain.
    pub fn rename(&mut self, name: impl Fn(NameId) -> NameId) {
        for function in [&mut self.function, &mut self.callee].into_iter().flatten() {
            function.name = name(function.name);
        }
        self.file = self.file.map(&name);
        if let Some(place) = &mut self.last_call {
            (place.object, place.file) = (name(place.object), name(place.file));
        }
    }

    /// Reads a line that names something.
    #[inline(always)]
    fn set(&mut self, named: NameKind, name: NameAndId) {
        match named {
            NameKind::Object => self.object = Some(name.name),
            NameKind::File => self.set_file(name.name),
            NameKind::InlineFile => self.inline_file = Some(name.name),
            NameKind::Function => self.set_function(name),
            NameKind::CalleeObject => self.callee_object = Some(name.name),
            NameKind::CalleeFile => self.callee_file = Some(name.name),
            NameKind::Callee => self.set_callee(name),
            NameKind::OtherFile | NameKind::OtherFunction => {}
        }
    }

    /// `fl=`
    #[inline(always)]
    pub fn set_file(&mut self, name: NameId) {
        self.file = Some(name);
        self.inline_file = None;
    }

    /// `fn=`: the file is that of the last `fl=` again.
    #[inline(always)]
    pub fn set_function(&mut self, function: NameAndId) {
        self.function = Some(function);
        self.function_file = self.inline_file;
        if self.file.is_some() {
            self.inline_file = None;
        }
    }

    /// Ends the open block, but not its function: costs without another `fn=` begin a new block.
    pub fn close_block(&mut self) {
        self.function_file = self.inline_file;
    }

    /// `cfn=`
    #[inline]
    fn set_callee(&mut self, function: NameAndId) {
        self.callee = Some(function);
        self.last_call = None;
    }

    /// Where a function is whose block begins here.
    pub fn block_place(&self) -> ObjectAndFile {
        ObjectAndFile {
            object: self.object(),
            file: self.file.or(self.function_file).unwrap_or(NameId::EMPTY),
        }
    }

    /// Has the effect of `cfl=`, `cfn=` and `calls=` lines.
    #[inline(always)]
    pub fn set_known_callee(&mut self, name: NameId, file: NameId) {
        self.set_callee(NameAndId::from(name));
        self.callee_file = Some(file);
        self.end_call();
    }

    /// Ends a call, and returns the object and file of its callee.
    ///
    /// These are the latest `cob=` and `cfi=` since the call before; without them, those of that call
    /// if no `cfn=` has come since, otherwise the current object and file.
    #[inline(always)]
    pub fn end_call(&mut self) -> ObjectAndFile {
        let last = self.last_call.unwrap_or(ObjectAndFile {
            object: self.object(),
            file: self.current_file(),
        });
        let place = ObjectAndFile {
            object: self.callee_object.take().unwrap_or(last.object),
            file: self.callee_file.take().unwrap_or(last.file),
        };
        self.last_call = Some(place);
        place
    }

    /// The object of the next call, if a line names it; otherwise that of the next block.
    pub fn callee_object(&self) -> NameId {
        self.callee_object.unwrap_or(self.object())
    }

    #[inline]
    pub fn object(&self) -> NameId {
        self.object.unwrap_or(NameId::EMPTY)
    }

    /// The file of the next costs and calls.
    #[inline]
    pub fn current_file(&self) -> NameId {
        self.inline_file.or(self.file).unwrap_or(NameId::EMPTY)
    }
}

impl Interpreter<'_> {
    /// Whether a block is open: from the first cost or call after `fn=` on, because a function without
    /// any does not exist.
    #[inline]
    pub(super) fn is_in_block(&self) -> bool {
        self.builder.open_file().is_some()
    }

    /// Whether the current file is that of the open block, if there is one.
    #[inline]
    pub(super) fn calls_from_own_file(&self) -> bool {
        let open = self.builder.open_file();
        open.is_none_or(|file| file == self.current.current_file())
    }

    /// Reads the name in a line that names something.
    #[inline(always)]
    pub(super) fn name_line(
        &mut self,
        named: NameKind,
        text: &mut Cursor<'_>,
    ) -> Result<(), Problem> {
        let start = *text;
        let name = match text.name() {
            Ok(CompressedName::Reference(id)) => Ok(NameAndId {
                name: match self.ids.of(named).get(id) {
                    Some(name) => name,
                    None => self.undefined(named, id),
                },
                id: Some(id),
            }),
            Ok(CompressedName::Definition(id, name)) => {
                let (name, id) = (self.define(named, id, name), Some(id));
                name.map(|name| NameAndId { name, id })
            }
            Ok(CompressedName::Plain(name)) => self.plain_name(name).map(NameAndId::from),
            Err(kind) => Err(kind),
        };
        let name = name.map_err(|kind| start.problem(kind))?;
        if named == NameKind::Function {
            self.builder.close_block();
            if let Some(id) = name.id {
                self.ids.prefetch_block(id, self.builder);
            }
        }
        self.current.set(named, name);
        Ok(())
    }

    /// Reads a name without an id.
    #[inline(never)]
    fn plain_name(&mut self, name: &[u8]) -> Result<NameId, ProblemKind> {
        let name = self.checked_length(name)?;
        Ok(self.builder.intern(name))
    }

    /// Shortens a name that is too long, if the caller is lenient.
    fn checked_length<'n>(&mut self, name: &'n [u8]) -> Result<&'n [u8], ProblemKind> {
        if name.len() <= MAX_NAME {
            return Ok(name);
        }
        if !self.options.lenient {
            return Err(ProblemKind::NameTooLong);
        }
        self.messages.cut_names += 1;
        Ok(&name[..MAX_NAME])
    }

    #[inline(never)]
    fn define(&mut self, named: NameKind, id: u64, name: &[u8]) -> Result<NameId, ProblemKind> {
        let expanded = if named.is_function() {
            self.ids
                .expand_composed_name(name, |id| self.builder.name(id))
        } else {
            None
        };
        let name = self.checked_length(expanded.as_deref().unwrap_or(name))?;
        // Valgrind redefines its ids in each part. The bytes of a placeholder are empty.
        if !name.is_empty()
            && let Some(known) = self.ids.of(named).get(id)
            && self.builder.name(known) == name
        {
            return Ok(known);
        }
        let name = self.builder.intern(name);
        self.define_as(named, id, name);
        Ok(name)
    }

    pub(super) fn define_as(&mut self, named: NameKind, id: u64, name: NameId) {
        let is_renamed = self.ids.of(named).define(id, name);
        if let Some(range) = &mut self.range {
            range.defined.push((named, id, name));
        }
        if let Some(memo) = &mut self.memo
            && is_renamed
        {
            memo.forget();
        }
    }

    /// Names an id that no line so far defines: by itself, because Valgrind has written such; in a
    /// range of a trace, by a placeholder for its name before the range.
    #[cold]
    fn undefined(&mut self, named: NameKind, id: u64) -> NameId {
        let name = match &mut self.range {
            Some(range) => range.inherit(named, id, self.builder),
            None => {
                let text = format!("({id})");
                let name = self.builder.intern(text.as_bytes());
                self.messages.warn(WarningKind::UndefinedId(text));
                name
            }
        };
        self.ids.of(named).define(id, name);
        name
    }
}
