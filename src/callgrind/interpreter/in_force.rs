//! The names in force: which function the next costs belong to, and which one is called.

use crate::callgrind::line::Named;
use crate::profile::{FunctionId, NameId, ProfileBuilder};

/// A name as a line gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name<'a> {
    /// One that the profile has, by its id.
    Known(NameId),
    /// Its bytes.
    Plain(&'a [u8]),
}

/// A place for one name.
///
/// The bytes of a plain name are entered in the profile when it is used, so that what is named and
/// never used takes no memory; their buffer is used again.
#[derive(Clone, Debug, Default)]
struct Slot {
    state: SlotState,
    bytes: Vec<u8>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum SlotState {
    #[default]
    Empty,
    Known(NameId),
    /// What the bytes say.
    Plain,
}

impl Slot {
    #[inline(always)]
    fn set(&mut self, name: Name<'_>) {
        match name {
            Name::Known(id) => self.state = SlotState::Known(id),
            Name::Plain(bytes) => {
                self.bytes.clear();
                self.bytes.extend_from_slice(bytes);
                self.state = SlotState::Plain;
            }
        }
    }

    #[inline]
    fn clear(&mut self) {
        self.state = SlotState::Empty;
    }

    fn is_set(&self) -> bool {
        self.state != SlotState::Empty
    }

    /// The name, which is in use now.
    #[inline(always)]
    fn get(&mut self, builder: &mut ProfileBuilder) -> Option<NameId> {
        match self.state {
            SlotState::Empty => None,
            SlotState::Known(id) => Some(id),
            SlotState::Plain => Some(self.intern(builder)),
        }
    }

    #[cold]
    fn intern(&mut self, builder: &mut ProfileBuilder) -> NameId {
        let id = builder.intern(&self.bytes);
        self.state = SlotState::Known(id);
        id
    }

    /// Its bytes, without using it.
    fn bytes<'s>(&'s self, builder: &'s ProfileBuilder) -> &'s [u8] {
        match self.state {
            SlotState::Empty => b"",
            SlotState::Known(id) => builder.name(id),
            SlotState::Plain => &self.bytes,
        }
    }
}

/// How far the function is that the next costs belong to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Block {
    /// There was no `fn=`.
    #[default]
    Unnamed,
    /// `fn=` was read, but neither a cost nor a call: the function may not exist yet.
    Named,
    /// Its block is open in the builder.
    Open,
}

/// Whom a `calls=` line calls.
#[derive(Clone, Debug, Default)]
struct Callee {
    name: Slot,
    /// `cob=` and `cfi=` since the last call.
    object: Slot,
    file: Slot,
    /// Those of the last call, while no `cfn=` has come since.
    last: Option<Place>,
}

impl Callee {
    /// Ends a call of a function at this place.
    #[inline(always)]
    fn end_call(&mut self, place: Place) {
        self.object.clear();
        self.file.clear();
        self.last = Some(place);
    }
}

/// Where a function is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    object: NameId,
    file: NameId,
}

/// The names in force.
#[derive(Debug, Default)]
pub(super) struct InForce {
    object: Slot,
    /// File of the last `fl=`.
    file: Slot,
    /// File of a later `fi=` or `fe=`.
    inline_file: Slot,
    function: Slot,
    /// In a profile without any `fl=`, the file in force at the last `fn=`.
    function_file: Slot,
    block: Block,
    /// The file of the block that was opened last.
    block_file: NameId,
    callee: Callee,
}

impl InForce {
    /// Forgets all names: a new run begins.
    pub fn forget(&mut self) {
        *self = InForce::default();
    }

    /// Takes in a line that names something.
    #[inline(always)]
    pub fn set(&mut self, named: Named, name: Name<'_>) {
        match named {
            Named::Object => self.object.set(name),
            Named::File => self.set_file(name),
            Named::InlineFile => self.inline_file.set(name),
            Named::Function => self.set_function(name),
            Named::CalleeObject => self.callee.object.set(name),
            Named::CalleeFile => self.callee.file.set(name),
            Named::Callee => self.set_callee(name),
            // They may define an id; a jump costs nothing.
            Named::JumpFile | Named::JumpFunction => {}
        }
    }

    /// `fl=`
    #[inline(always)]
    pub fn set_file(&mut self, name: Name<'_>) {
        self.file.set(name);
        self.inline_file.clear();
    }

    /// `fn=`: the file is that of the last `fl=` again.
    #[inline(always)]
    pub fn set_function(&mut self, name: Name<'_>) {
        self.function.set(name);
        self.suspend_block();
        if self.file.is_set() {
            self.inline_file.clear();
        }
    }

    /// Ends the block, but not its function: costs that follow without an `fn=` are a new block's.
    pub fn close_block(&mut self) {
        if self.block == Block::Open {
            self.suspend_block();
        }
    }

    #[inline(always)]
    fn suspend_block(&mut self) {
        if !self.file.is_set() {
            self.keep_inline_file();
        }
        self.block = Block::Named;
    }

    #[cold]
    fn keep_inline_file(&mut self) {
        self.function_file.clone_from(&self.inline_file);
    }

    /// `cfn=`
    #[inline]
    fn set_callee(&mut self, name: Name<'_>) {
        self.callee.name.set(name);
        self.callee.last = None;
    }

    /// Whether an `fn=` says whose the next costs are.
    pub fn has_function(&self) -> bool {
        self.block != Block::Unnamed
    }

    /// Whether a `cfn=` says whose the next calls are.
    pub fn has_callee(&self) -> bool {
        self.callee.name.is_set()
    }

    /// Whether the block of the function is open.
    #[inline]
    pub fn is_in_block(&self) -> bool {
        self.block == Block::Open
    }

    /// Whether the function has been named, but its block is not open.
    pub fn is_before_block(&self) -> bool {
        self.block == Block::Named
    }

    /// Opens the block of the function that was named, and returns its name.
    pub fn open_block(&mut self, builder: &mut ProfileBuilder) -> Option<NameId> {
        let name = self.function.get(builder)?;
        let object = self.object(builder);
        let file = match self.file.get(builder) {
            Some(file) => file,
            None => self.function_file.get(builder).unwrap_or(NameId::EMPTY),
        };
        self.block = Block::Open;
        self.block_file = file;
        builder.open_block(object, file, name);
        Some(name)
    }

    /// Opens the block of a function that the builder knows.
    #[inline(always)]
    pub fn open_block_of(
        &mut self,
        function: FunctionId,
        file: NameId,
        builder: &mut ProfileBuilder,
    ) {
        let object = self.object(builder);
        self.block = Block::Open;
        self.block_file = file;
        builder.open_block_of(function, object, file);
    }

    /// The bytes of the function's name.
    pub fn function_name<'s>(&'s self, builder: &'s ProfileBuilder) -> &'s [u8] {
        self.function.bytes(builder)
    }

    /// The function that a `calls=` line calls: that of the last `cfn=`.
    #[inline]
    pub fn callee(&mut self, builder: &mut ProfileBuilder) -> Option<FunctionId> {
        let name = self.callee.name.get(builder)?;
        let Place { object, file } = self.end_call(builder);
        Some(builder.function(object, file, name))
    }

    /// The file in which a call of the open block stands, if it is not the block's; else empty.
    #[inline]
    pub fn call_file(&mut self, builder: &mut ProfileBuilder) -> NameId {
        if !builder.keeps_call_files() {
            return NameId::EMPTY;
        }
        let file = self.current_file(builder);
        if file == self.block_file {
            NameId::EMPTY
        } else {
            file
        }
    }

    /// Whether the calls of the open block, if there is one, stand in its own file.
    pub fn calls_from_own_file(&self) -> bool {
        let file = if self.inline_file.is_set() {
            &self.inline_file
        } else {
            &self.file
        };
        self.block != Block::Open || file.state == SlotState::Known(self.block_file)
    }

    /// Finds a function of this file and name: the one of a block, or the callee of a call.
    pub fn function_at(
        &mut self,
        file: NameId,
        name: NameId,
        is_callee: bool,
        builder: &mut ProfileBuilder,
    ) -> FunctionId {
        let given = self.callee.object.get(builder).filter(|_| is_callee);
        let object = given.unwrap_or_else(|| self.object(builder));
        builder.function(object, file, name)
    }

    /// Says that a function was called which the builder knows: what would follow from its `cfl=`,
    /// `cfn=` and `calls=` lines.
    #[inline(always)]
    pub fn set_known_callee(&mut self, name: NameId, file: NameId, builder: &mut ProfileBuilder) {
        self.set_callee(Name::Known(name));
        let given = self.callee.object.get(builder);
        let object = given.unwrap_or_else(|| self.object(builder));
        self.callee.end_call(Place { object, file });
    }

    /// Ends a call, and returns the object and file of its callee.
    ///
    /// They are those given since the call before, else those of that call, if it was of the same
    /// `cfn=`, else those in force.
    #[inline(always)]
    pub fn end_call(&mut self, builder: &mut ProfileBuilder) -> Place {
        let last = self.callee.last;
        let object = match (self.callee.object.get(builder), last) {
            (Some(object), _) => object,
            (None, Some(last)) => last.object,
            (None, None) => self.object(builder),
        };
        let file = match (self.callee.file.get(builder), last) {
            (Some(file), _) => file,
            (None, Some(last)) => last.file,
            (None, None) => self.current_file(builder),
        };
        let place = Place { object, file };
        self.callee.end_call(place);
        place
    }

    #[inline]
    fn object(&mut self, builder: &mut ProfileBuilder) -> NameId {
        self.object.get(builder).unwrap_or(NameId::EMPTY)
    }

    #[inline]
    fn current_file(&mut self, builder: &mut ProfileBuilder) -> NameId {
        match self.inline_file.get(builder) {
            Some(file) => file,
            None => self.file.get(builder).unwrap_or(NameId::EMPTY),
        }
    }
}
