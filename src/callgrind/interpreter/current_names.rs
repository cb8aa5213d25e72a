//! The current names: which function the next costs belong to, and which one is called.

use crate::callgrind::id_tables::{FunctionName, IdTables, ObjectAndFile};
use crate::callgrind::line::Named;
use crate::profile::{FunctionId, NameId, ProfileBuilder};

/// Whom a `calls=` line calls.
#[derive(Debug, Default)]
struct Callee {
    name: Option<FunctionName>,
    /// `cob=` and `cfi=` since the last call.
    object: Option<NameId>,
    file: Option<NameId>,
    /// Those of the last call, while no `cfn=` has come since.
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
    function: Option<FunctionName>,
    /// The `inline_file` at the last `fn=`: the function's file in a profile without any `fl=`.
    function_file: Option<NameId>,
    /// The file of the function's block, if that is open in the builder. It is not between `fn=` and
    /// the first cost or call: till then the function may not exist.
    open_block: Option<NameId>,
    callee: Callee,
}

impl CurrentNames {
    /// Forgets all names: a new run begins.
    pub fn forget(&mut self) {
        *self = CurrentNames::default();
    }

    /// Whether every block and call of a trace names all that is in force.
    pub fn is_plain(&self) -> bool {
        let Callee { object, file, .. } = &self.callee;
        [&self.object, &self.inline_file, object, file]
            .iter()
            .all(|name| name.is_none())
    }

    /// Gives the current names the numbers that they have elsewhere.
    pub fn rename(&mut self, name: impl Fn(NameId) -> NameId) {
        for function in [&mut self.function, &mut self.callee.name] {
            if let Some(function) = function {
                function.name = name(function.name);
            }
        }
        self.file = self.file.map(&name);
        if let Some(place) = &mut self.callee.last {
            (place.object, place.file) = (name(place.object), name(place.file));
        }
    }

    /// Reads a line that names something.
    #[inline(always)]
    pub fn set(&mut self, named: Named, function: FunctionName) {
        match named {
            Named::Object => self.object = Some(function.name),
            Named::File => self.set_file(function.name),
            Named::InlineFile => self.inline_file = Some(function.name),
            Named::Function => self.set_function(function),
            Named::CalleeObject => self.callee.object = Some(function.name),
            Named::CalleeFile => self.callee.file = Some(function.name),
            Named::Callee => self.set_callee(function),
            // They may define an id; a jump costs nothing.
            Named::JumpFile | Named::JumpFunction => {}
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
    pub fn set_function(&mut self, function: FunctionName) {
        self.function = Some(function);
        self.suspend_block();
        if self.file.is_some() {
            self.inline_file = None;
        }
    }

    /// Ends the block, but not its function: costs that follow without an `fn=` are a new block's.
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
    fn set_callee(&mut self, function: FunctionName) {
        self.callee.name = Some(function);
        self.callee.last = None;
    }

    /// Whether an `fn=` says whose the next costs are.
    pub fn has_function(&self) -> bool {
        self.function.is_some()
    }

    /// Whether a `cfn=` says whose the next calls are.
    pub fn has_callee(&self) -> bool {
        self.callee.name.is_some()
    }

    /// Whether the block of the function is open.
    #[inline]
    pub fn is_in_block(&self) -> bool {
        self.open_block.is_some()
    }

    /// Opens the block of the function that was named, and returns its name.
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

    /// Opens the block of a function that the builder knows.
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

    /// The function's name.
    pub fn function_name<'a>(&self, builder: &'a ProfileBuilder) -> Option<&'a [u8]> {
        Some(builder.name(self.function?.name))
    }

    /// The function that a `calls=` line calls: that of the last `cfn=`.
    #[inline]
    pub fn callee(
        &mut self,
        ids: &mut IdTables,
        builder: &mut ProfileBuilder,
    ) -> Option<FunctionId> {
        let place = self.end_call();
        Some(ids.function(&self.callee.name?, place, builder))
    }

    /// The file in which a call of the open block stands, if it is not the block's; else empty.
    #[inline]
    pub fn call_file(&self) -> NameId {
        let file = self.current_file();
        match self.open_block == Some(file) {
            true => NameId::EMPTY,
            false => file,
        }
    }

    /// Whether the calls of the open block, if there is one, stand in its own file.
    #[inline]
    pub fn calls_from_own_file(&self) -> bool {
        self.open_block.is_none() || self.call_file() == NameId::EMPTY
    }

    /// Finds a function of this file and name: the one of a block, or the callee of a call.
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

    /// Marks that a function was called which the builder knows: what would follow from its `cfl=`,
    /// `cfn=` and `calls=` lines.
    #[inline(always)]
    pub fn set_known_callee(&mut self, name: NameId, file: NameId) {
        self.set_callee(FunctionName::from(name));
        self.callee.file = Some(file);
        self.end_call();
    }

    /// Ends a call, and returns the object and file of its callee.
    ///
    /// They are those given since the call before, else those of that call, if it was of the same
    /// `cfn=`, else the current ones.
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
