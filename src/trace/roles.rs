//! Functions of PHP that leave one stack for another, and others that matter where they do.

/// What a function of PHP has to do with stacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
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
}
