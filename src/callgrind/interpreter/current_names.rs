//! The current names: the function that the next costs belong to, and the one that is called.

use crate::callgrind::id_tables::{IdTables, NameAndId, ObjectAndFile};
use crate::callgrind::line::NameKind;
use crate::profile::{FunctionId, NameId, ProfileBuilder};

/// The function that the next `calls=` line calls.
#[derive(Debug, Default)]
struct Callee {
    name: Option<NameAndId>,
    /// `cob=` and `cfi=` since the last call.
    object: Option<NameId>,
    file: Option<NameId>,
    /// Those of the last call, until the next `cfn=`.
    last: Option<ObjectAndFile>,
}

/// The current names.
#[derive(Debug, Default)]
pub(super) struct CurrentNames {
    object: Option<NameId>,
    /// File of the last `fl=`.
    file: Option<NameId>,
    /// File of a later `fi=` or `fe=`.
    inline_file: Option<NameId>,
    function: Option<NameAndId>,
    /// The `inline_file` at the last `fn=`: the function's file in a profile without any `fl=`.
    function_file: Option<NameId>,
    /// The file of the function's block, if that is open in the builder: from the first cost or call
    /// after `fn=` on, because a function without any does not exist.
    open_block: Option<NameId>,
    callee: Callee,
}

impl CurrentNames {
    /// Forgets all names, at the beginning of a run.
    pub fn forget(&mut self) {
        *self = CurrentNames::default();
    }

    /// Whether no name is set that the blocks and calls of a trace do not repeat.
    pub fn is_plain(&self) -> bool {
        let Callee { object, file, .. } = &self.callee;
        [&self.object, &self.inline_file, object, file]
            .iter()
            .all(|name| name.is_none())
    }

    /// Renumbers the current names.
    pub fn rename(&mut self, name: impl Fn(NameId) -> NameId) {
        let functions = [&mut self.function, &mut self.callee.name];
        for function in functions.into_iter().flatten() {
            function.name = name(function.name);
        }
        self.file = self.file.map(&name);
        if let Some(place) = &mut self.callee.last {
            (place.object, place.file) = (name(place.object), name(place.file));
        }
    }

    /// Reads a line that names something.
    #[inline(always)]
    pub fn set(&mut self, named: NameKind, function: NameAndId) {
        match named {
            NameKind::Object => self.object = Some(function.name),
            NameKind::File => self.set_file(function.name),
            NameKind::InlineFile => self.inline_file = Some(function.name),
            NameKind::Function => self.set_function(function),
            NameKind::CalleeObject => self.callee.object = Some(function.name),
            NameKind::CalleeFile => self.callee.file = Some(function.name),
            NameKind::Callee => self.set_callee(function),
            // Jumps have no costs; these lines matter only for the ids that they define.
            NameKind::JumpFile | NameKind::JumpFunction => {}
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
        self.suspend_block();
        if self.file.is_some() {
            self.inline_file = None;
        }
    }

    /// Ends the block, but not its function: costs without another `fn=` begin a new block.
    pub fn close_block(&mut self) {
        if self.is_in_block() {
            self.suspend_block();
        }
    }

    #[inline(always)]
    fn suspend_block(&mut self) {
        self.function_file = self.inline_file;
        self.open_block = None;
    }

    /// `cfn=`
    #[inline]
    fn set_callee(&mut self, function: NameAndId) {
        self.callee.name = Some(function);
        self.callee.last = None;
    }

    /// Whether there is a current function.
    pub fn has_function(&self) -> bool {
        self.function.is_some()
    }

    /// Whether there is a current callee.
    pub fn has_callee(&self) -> bool {
        self.callee.name.is_some()
    }

    /// Whether the block of the function is open.
    #[inline]
    pub fn is_in_block(&self) -> bool {
        self.open_block.is_some()
    }

    /// Opens a block of the current function, and returns the name of the function.
    pub fn open_block(
        &mut self,
        ids: &mut IdTables,
        builder: &mut ProfileBuilder,
    ) -> Option<NameId> {
        let function = self.function?;
        let file = self.file.or(self.function_file).unwrap_or(NameId::EMPTY);
        let object = self.object();
        let found = ids.function(&function, ObjectAndFile { object, file }, builder);
        self.open_block_of(found, file, builder);
        Some(function.name)
    }

    /// Opens a block of this function.
    #[inline(always)]
    pub fn open_block_of(
        &mut self,
        function: FunctionId,
        file: NameId,
        builder: &mut ProfileBuilder,
    ) {
        self.open_block = Some(file);
        builder.open_block(function, self.object(), file);
    }

    /// The name of the current function.
    pub fn function_name<'a>(&self, builder: &'a ProfileBuilder) -> Option<&'a [u8]> {
        Some(builder.name(self.function?.name))
    }

    /// Ends a call, and returns its callee.
    #[inline]
    pub fn callee(
        &mut self,
        ids: &mut IdTables,
        builder: &mut ProfileBuilder,
    ) -> Option<FunctionId> {
        let place = self.end_call();
        Some(ids.function(&self.callee.name?, place, builder))
    }

    /// The current file if it is not the file of the open block, otherwise empty.
    #[inline]
    pub fn call_file(&self) -> NameId {
        let file = self.current_file();
        match self.open_block == Some(file) {
            true => NameId::EMPTY,
            false => file,
        }
    }

    /// Whether the current file is that of the open block, if there is one.
    #[inline]
    pub fn calls_from_own_file(&self) -> bool {
        self.open_block.is_none() || self.call_file() == NameId::EMPTY
    }

    /// Finds the function of a block, or the callee of a call, by its file and name.
    pub fn function_at(
        &self,
        file: NameId,
        name: NameId,
        is_callee: bool,
        builder: &mut ProfileBuilder,
    ) -> FunctionId {
        let given = self.callee.object.filter(|_| is_callee);
        builder.function(given.unwrap_or(self.object()), file, name)
    }

    /// Has the effect of `cfl=`, `cfn=` and `calls=` lines.
    #[inline(always)]
    pub fn set_known_callee(&mut self, name: NameId, file: NameId) {
        self.set_callee(NameAndId::from(name));
        self.callee.file = Some(file);
        self.end_call();
    }

    /// Ends a call, and returns the object and file of its callee.
    ///
    /// These are the latest `cob=` and `cfi=` since the call before; without them, those of that call
    /// if no `cfn=` has come since, otherwise the current object and file.
    #[inline(always)]
    pub fn end_call(&mut self) -> ObjectAndFile {
        let last = self.callee.last.unwrap_or(ObjectAndFile {
            object: self.object(),
            file: self.current_file(),
        });
        let place = ObjectAndFile {
            object: self.callee.object.take().unwrap_or(last.object),
            file: self.callee.file.take().unwrap_or(last.file),
        };
        self.callee.last = Some(place);
        place
    }

    #[inline]
    fn object(&self) -> NameId {
        self.object.unwrap_or(NameId::EMPTY)
    }

    #[inline]
    fn current_file(&self) -> NameId {
        self.inline_file.or(self.file).unwrap_or(NameId::EMPTY)
    }
}
