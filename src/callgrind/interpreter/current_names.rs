//! The current names: which function the next costs belong to, and which one is called.

use crate::callgrind::id_tables::{FunctionName, IdTables, ObjectAndFile};
use crate::callgrind::line::Named;
use crate::profile::{FunctionId, NameId, ProfileBuilder};

/// A name as a line gave it last.
///
/// One without an id becomes a name of the profile only where something uses it: others are
/// forgotten when the next one takes their place.
#[derive(Debug)]
struct Slot<N> {
    state: State<N>,
    /// The name, if it is a text.
    text: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
enum State<N> {
    Unset,
    Text,
    Name(N),
}

impl<N> Default for Slot<N> {
    fn default() -> Self {
        Slot {
            state: State::Unset,
            text: Vec::new(),
        }
    }
}

impl<N: Copy + From<NameId>> Slot<N> {
    #[inline(always)]
    fn set(&mut self, name: N) {
        self.state = State::Name(name);
    }

    fn set_text(&mut self, text: &[u8]) {
        self.text.clear();
        self.text.extend_from_slice(text);
        self.state = State::Text;
    }

    #[inline(always)]
    fn clear(&mut self) {
        self.state = State::Unset;
    }

    #[inline]
    fn is_set(&self) -> bool {
        !matches!(self.state, State::Unset)
    }

    /// The name, which something uses.
    #[inline(always)]
    fn used(&mut self, builder: &mut ProfileBuilder) -> Option<N> {
        match self.state {
            State::Name(name) => Some(name),
            State::Unset => None,
            State::Text => Some(self.intern(builder)),
        }
    }

    #[inline(never)]
    fn intern(&mut self, builder: &mut ProfileBuilder) -> N {
        let name = builder.intern(&self.text).into();
        self.state = State::Name(name);
        name
    }

    /// The name, which something uses for the last time.
    #[inline(always)]
    fn take(&mut self, builder: &mut ProfileBuilder) -> Option<N> {
        let name = self.used(builder);
        self.clear();
        name
    }
}

/// Whom a `calls=` line calls.
#[derive(Debug, Default)]
struct Callee {
    name: Slot<FunctionName>,
    /// `cob=` and `cfi=` since the last call.
    object: Slot<NameId>,
    file: Slot<NameId>,
    /// Whether these were given for a call that was left out.
    is_spent: bool,
    /// Those of the last call, while no `cfn=` has come since.
    last: Option<ObjectAndFile>,
}

impl Callee {
    /// Forgets what was given for a call that was left out.
    #[inline(always)]
    fn renew(&mut self) {
        if std::mem::take(&mut self.is_spent) {
            self.object.clear();
            self.file.clear();
        }
    }
}

/// The current names.
#[derive(Debug, Default)]
pub(super) struct CurrentNames {
    object: Slot<NameId>,
    /// File of the last `fl=`.
    file: Slot<NameId>,
    /// File of a later `fi=` or `fe=`.
    inline_file: Slot<NameId>,
    function: Slot<FunctionName>,
    /// In a profile without any `fl=`, the file that was current at the last `fn=`; unless that
    /// still is.
    function_file: Slot<NameId>,
    is_function_in_inline_file: bool,
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

    /// Whether all that is in force is named in every block and call of a trace.
    pub fn is_plain(&self) -> bool {
        let Callee { object, file, .. } = &self.callee;
        let others = [&self.object, &self.inline_file, object, file];
        !others.iter().any(|name| name.is_set())
    }

    /// Gives the current names the numbers that they have elsewhere.
    pub fn rename(&mut self, name: impl Fn(NameId) -> NameId) {
        for function in [&mut self.function, &mut self.callee.name] {
            if let State::Name(function) = &mut function.state {
                function.name = name(function.name);
            }
        }
        if let State::Name(file) = &mut self.file.state {
            *file = name(*file);
        }
        if let Some(place) = &mut self.callee.last {
            (place.object, place.file) = (name(place.object), name(place.file));
        }
    }

    /// Reads a line that names something by its id.
    #[inline(always)]
    pub fn set(&mut self, named: Named, function: FunctionName) {
        match named {
            Named::Object => self.object.set(function.name),
            Named::File => self.set_file(function.name),
            Named::InlineFile => self.set_inline_file(function.name),
            Named::Function => self.set_function(function),
            Named::CalleeObject => {
                self.callee.renew();
                self.callee.object.set(function.name);
            }
            Named::CalleeFile => {
                self.callee.renew();
                self.callee.file.set(function.name);
            }
            Named::Callee => self.set_callee(function),
            // They may define an id; a jump costs nothing.
            Named::JumpFile | Named::JumpFunction => {}
        }
    }

    /// Reads a line that names something without an id.
    #[inline(never)]
    pub fn set_text(&mut self, named: Named, text: &[u8]) {
        // What else the line changes, it changes whatever the name is.
        self.set(named, FunctionName::from(NameId::EMPTY));
        match named {
            Named::Object => self.object.set_text(text),
            Named::File => self.file.set_text(text),
            Named::InlineFile => self.inline_file.set_text(text),
            Named::Function => self.function.set_text(text),
            Named::CalleeObject => self.callee.object.set_text(text),
            Named::CalleeFile => self.callee.file.set_text(text),
            Named::Callee => self.callee.name.set_text(text),
            Named::JumpFile | Named::JumpFunction => {}
        }
    }

    /// `fl=`
    #[inline(always)]
    pub fn set_file(&mut self, name: NameId) {
        self.file.set(name);
        self.inline_file.clear();
    }

    /// `fi=` or `fe=`
    #[inline]
    fn set_inline_file(&mut self, name: NameId) {
        if std::mem::take(&mut self.is_function_in_inline_file) {
            std::mem::swap(&mut self.function_file, &mut self.inline_file);
        }
        self.inline_file.set(name);
    }

    /// `fn=`: the file is that of the last `fl=` again.
    #[inline(always)]
    pub fn set_function(&mut self, function: FunctionName) {
        self.function.set(function);
        self.suspend_block();
        if self.file.is_set() {
            self.inline_file.clear();
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
        self.is_function_in_inline_file = true;
        self.open_block = None;
    }

    /// `cfn=`
    #[inline]
    fn set_callee(&mut self, function: FunctionName) {
        self.callee.renew();
        self.callee.name.set(function);
        self.callee.last = None;
    }

    /// Whether an `fn=` says whose the next costs are.
    pub fn has_function(&self) -> bool {
        self.function.is_set()
    }

    /// Whether a `cfn=` says whose the next calls are.
    pub fn has_callee(&self) -> bool {
        self.callee.name.is_set()
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
        let function = self.function.used(builder)?;
        let file = if self.file.is_set() {
            &mut self.file
        } else if self.is_function_in_inline_file {
            &mut self.inline_file
        } else {
            &mut self.function_file
        };
        let file = file.used(builder).unwrap_or(NameId::EMPTY);
        let object = self.object(builder);
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
        let object = self.object(builder);
        builder.open_block(function, object, file);
    }

    /// The function's name.
    pub fn function_name<'a>(&'a self, builder: &'a ProfileBuilder) -> Option<&'a [u8]> {
        match self.function.state {
            State::Name(function) => Some(builder.name(function.name)),
            State::Text => Some(&self.function.text),
            State::Unset => None,
        }
    }

    /// The function that a `calls=` line calls: that of the last `cfn=`.
    #[inline]
    pub fn callee(
        &mut self,
        ids: &mut IdTables,
        builder: &mut ProfileBuilder,
    ) -> Option<FunctionId> {
        let place = self.end_call(builder);
        let function = self.callee.name.used(builder)?;
        Some(ids.function(&function, place, builder))
    }

    /// The file in which a call of the open block stands, if it is not the block's; else empty.
    #[inline]
    pub fn call_file(&mut self, builder: &mut ProfileBuilder) -> NameId {
        match self.current_file(builder) {
            file if self.open_block == Some(file) => NameId::EMPTY,
            file => file,
        }
    }

    /// Whether the calls of the open block, if there is one, stand in its own file for sure.
    #[inline]
    pub fn calls_from_own_file(&self) -> bool {
        let current = match self.inline_file.is_set() {
            true => &self.inline_file,
            false => &self.file,
        };
        match (self.open_block, current.state) {
            (None, _) | (_, State::Unset) => true,
            (Some(_), State::Text) => false,
            (Some(own), State::Name(file)) => file == own || file == NameId::EMPTY,
        }
    }

    /// Finds a function of this file and name: the one of a block, or the callee of a call.
    pub fn function_at(
        &mut self,
        file: NameId,
        name: NameId,
        is_callee: bool,
        builder: &mut ProfileBuilder,
    ) -> FunctionId {
        let given = match is_callee {
            true => self.callee.object.used(builder),
            false => None,
        };
        let object = given.unwrap_or_else(|| self.object(builder));
        builder.function(object, file, name)
    }

    /// Marks that a function was called which the builder knows: what would follow from its `cfl=`,
    /// `cfn=` and `calls=` lines.
    #[inline(always)]
    pub fn set_known_callee(&mut self, name: NameId, file: NameId, builder: &mut ProfileBuilder) {
        self.set_callee(FunctionName::from(name));
        let given = self.callee.object.take(builder);
        let object = given.unwrap_or_else(|| self.object(builder));
        self.callee.file.clear();
        self.callee.last = Some(ObjectAndFile { object, file });
    }

    /// Ends a call that is left out: what was given for it is not for the next one.
    pub fn skip_call(&mut self) {
        self.callee.is_spent = true;
    }

    /// Ends a call, and returns the object and file of its callee.
    ///
    /// They are those given since the call before, else those of that call, if it was of the same
    /// `cfn=`, else the current ones.
    #[inline(always)]
    fn end_call(&mut self, builder: &mut ProfileBuilder) -> ObjectAndFile {
        self.callee.is_spent = false;
        let object = match (self.callee.object.take(builder), self.callee.last) {
            (Some(given), _) => given,
            (None, Some(last)) => last.object,
            (None, None) => self.object(builder),
        };
        let file = match (self.callee.file.take(builder), self.callee.last) {
            (Some(given), _) => given,
            (None, Some(last)) => last.file,
            (None, None) => self.current_file(builder),
        };
        let place = ObjectAndFile { object, file };
        self.callee.last = Some(place);
        place
    }

    #[inline]
    fn object(&mut self, builder: &mut ProfileBuilder) -> NameId {
        self.object.used(builder).unwrap_or(NameId::EMPTY)
    }

    #[inline]
    fn current_file(&mut self, builder: &mut ProfileBuilder) -> NameId {
        let file = match self.inline_file.is_set() {
            true => &mut self.inline_file,
            false => &mut self.file,
        };
        file.used(builder).unwrap_or(NameId::EMPTY)
    }
}
