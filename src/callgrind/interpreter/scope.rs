//! The names in force: which function the next costs belong to, and which one is called.

use super::{Function, Interpreter, LISTED};
use crate::callgrind::error::{Problem, WarningKind};
use crate::callgrind::names::{IdTable, NameSpec};
use crate::profile::{FunctionId, NameId};
use crate::text::excerpt;

/// Which id table a position line belongs to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Table {
    Objects,
    Files,
    Functions,
}

impl Interpreter<'_> {
    /// Finds the name that a position line gives, defining or looking up its id.
    pub(super) fn name(&mut self, table: Table, value: &[u8]) -> Result<NameId, Problem> {
        let spec = NameSpec::parse(value).map_err(|_| Problem::NumberTooLarge {
            found: excerpt(value),
        })?;
        Ok(match spec {
            NameSpec::Plain(name) => self.builder.intern(name),
            NameSpec::Definition(id, name) => {
                // Valgrind defines its ids anew in each part.
                if let Some(known) = self.ids(table).get(id)
                    && self.builder.name(known) == name
                {
                    return Ok(known);
                }
                let name = self.builder.intern(name);
                if self.ids(table).define(id, name) {
                    self.heads.forget();
                }
                name
            }
            NameSpec::Reference(id) => match self.ids(table).get(id) {
                Some(name) => name,
                None => self.undefined(table, id),
            },
        })
    }

    /// An id that was never defined: Valgrind has written such. It stands for its name.
    #[cold]
    fn undefined(&mut self, table: Table, id: u64) -> NameId {
        let text = format!("({id})");
        let name = self.builder.intern(text.as_bytes());
        self.ids(table).define(id, name);
        self.undefined_ids += 1;
        if self.undefined_ids <= LISTED {
            self.warn(WarningKind::UndefinedId { name: text });
        }
        name
    }

    fn ids(&mut self, table: Table) -> &mut IdTable {
        match table {
            Table::Objects => &mut self.ids.objects,
            Table::Files => &mut self.ids.files,
            Table::Functions => &mut self.ids.functions,
        }
    }

    #[inline]
    pub(super) fn set_file(&mut self, file: NameId) {
        self.file = Some(file);
        self.current_file = file;
    }

    /// `fn=`: whatever was said of the function before it ends here.
    #[inline]
    pub(super) fn name_function(&mut self, name: NameId) {
        self.builder.close_block();
        let file = self.current_file;
        self.function = Function::Named { name, file };
        self.current_file = self.file.unwrap_or(file);
        self.callee_object = None;
        self.callee_file = None;
    }

    /// Ends the block, but not its function: costs that follow without an `fn=` are a new block's.
    pub(super) fn close_block(&mut self) {
        if let Function::Open { name } = self.function {
            let file = self.file.unwrap_or(self.current_file);
            self.function = Function::Named { name, file };
        }
    }

    /// Whether a block is open.
    pub(super) fn is_in_block(&self) -> bool {
        matches!(self.function, Function::Open { .. })
    }

    /// Forgets the names in force: a new run begins.
    pub(super) fn forget_names(&mut self) {
        self.function = Function::None;
        self.object = NameId::EMPTY;
        self.file = None;
        self.current_file = NameId::EMPTY;
        self.callee = None;
        self.callee_object = None;
        self.callee_file = None;
    }

    /// `cob=` and `cfi=` are of one call only.
    #[inline]
    pub(super) fn forget_callee_place(&mut self) {
        self.callee_object = None;
        self.callee_file = None;
    }

    /// The function behind `cfn=`, with `cob=` and `cfi=` for this one call.
    #[inline]
    pub(super) fn resolve_callee(&mut self, name: NameId) -> FunctionId {
        let object = self.callee_object.unwrap_or(self.object);
        let file = self.callee_file.unwrap_or(self.current_file);
        self.builder.function(object, file, name)
    }

    pub(super) fn function_text(&self, name: NameId) -> String {
        excerpt(self.builder.name(name))
    }
}
