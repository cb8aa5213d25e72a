//! Values by their names, as on the command line.

use thiserror::Error;

/// The error for a text that names no value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown name \"{found}\": expected {expected}")]
pub struct UnknownName {
    found: String,
    expected: String,
}

impl UnknownName {
    pub(crate) fn new(found: &str, expected: impl Into<String>) -> Self {
        UnknownName {
            found: found.to_owned(),
            expected: expected.into(),
        }
    }
}

/// Lists the values of an enum, and implements `Display` and `FromStr` by their names. The first name
/// of a value is written, each is read, in upper or lower case.
macro_rules! by_name {
    ($type:ident { $($value:ident: $name:literal $(| $alias:literal)*),+ $(,)? }) => {
        impl $type {
            /// All values.
            pub(crate) const ALL: &[$type] = &[$($type::$value),+];
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self {
                    $($type::$value => $name,)+
                })
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::UnknownName;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let name = text.to_ascii_lowercase();
                Ok(match name.as_str() {
                    $($name $(| $alias)* => $type::$value,)+
                    _ => {
                        let names: Vec<String> = $type::ALL.iter().map($type::to_string).collect();
                        return Err($crate::UnknownName::new(text, names.join(", ")));
                    }
                })
            }
        }
    };
}

pub(crate) use by_name;
