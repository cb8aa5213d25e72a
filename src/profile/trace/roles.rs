//! Functions of PHP that leave one stack for another, and others that matter where they do.

use crate::profile::ids::{FunctionId, slot};

/// What a function of PHP has to do with stacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::profile) enum Role {
    /// It starts a fiber, and returns when that is suspended or ends.
    Start,
    /// It resumes a fiber, and returns when that is suspended or ends.
    Resume,
    /// It suspends its fiber, and returns when that is resumed.
    Suspend,
    /// Xdebug leaves some calls of destructors out of the callers' blocks.
    Destructor,
}

impl Role {
    /// What the function of this name has to do with stacks.
    pub fn of(name: &[u8]) -> Option<Self> {
        match name {
            b"php::Fiber->start" => Some(Role::Start),
            b"php::Fiber->resume" | b"php::Fiber->throw" => Some(Role::Resume),
            b"php::Fiber::suspend" => Some(Role::Suspend),
            _ if name.ends_with(b"->__destruct") => Some(Role::Destructor),
            _ => None,
        }
    }
}

/// The functions that have to do with stacks.
#[derive(Debug, Default)]
pub(super) struct Roles {
    by_function: Vec<Option<Role>>,
    have_fibers: bool,
}

impl Roles {
    /// Adds functions.
    pub fn extend(&mut self, roles: &[(FunctionId, Role)]) {
        for &(function, role) in roles {
            *slot(&mut self.by_function, function.index()) = Some(role);
            self.have_fibers |= role != Role::Destructor;
        }
    }

    /// Whether a function among them has to do with fibers.
    pub fn have_fibers(&self) -> bool {
        self.have_fibers
    }

    /// What a function has to do with stacks.
    pub fn of(&self, function: FunctionId) -> Option<Role> {
        self.by_function.get(function.index()).copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_functions_have_to_do_with_stacks() {
        for (name, role) in [
            ("php::Fiber->start", Some(Role::Start)),
            ("php::Fiber->resume", Some(Role::Resume)),
            ("php::Fiber->throw", Some(Role::Resume)),
            ("php::Fiber::suspend", Some(Role::Suspend)),
            ("A\\B->__destruct", Some(Role::Destructor)),
            ("Fiber->start", None),
            ("php::Fiber->getReturn", None),
            ("A->__destructor", None),
        ] {
            assert_eq!(Role::of(name.as_bytes()), role, "{name}");
        }
    }

    /// Blocks are kept only where there are fibers.
    #[test]
    fn destructors_are_no_sign_of_fibers() {
        let mut roles = Roles::default();
        assert!(!roles.have_fibers());
        roles.extend(&[(FunctionId(3), Role::Destructor)]);
        assert!(!roles.have_fibers());
        roles.extend(&[(FunctionId(0), Role::Start)]);
        assert!(roles.have_fibers());
    }
}
