//! What the name of an event contains: its unit, its scale, and its place among others.

use crate::display::units::NamedUnit;
use crate::tables::Cost;

/// The longest name of a column that is read, in bytes.
///
/// The cost of an `events:` line grows with the names of the requested events, even if it contains
/// none of them. Real names have at most some dozens of bytes.
pub(crate) const MAX_EVENT_NAME: usize = 256;

/// Whether the name of a column, without its scale, is too long to be read.
pub(crate) fn is_overlong(name: &[u8]) -> bool {
    split_scale(name).0.len() > MAX_EVENT_NAME
}

/// The unit of an event according to its name.
pub(super) fn unit_of(name: &[u8]) -> &'static str {
    let (name, _) = split_scale(name);
    let inner = name.strip_suffix(b")").and_then(|name| {
        let open = memchr::memrchr(b'(', name)?;
        Some(&name[open + 1..])
    });
    NamedUnit::of_event(inner.unwrap_or(name)).map_or("", |unit| unit.name)
}

/// Splits `_(x1000)` off the name of a scaled event; 1 if there is none. Costs of `Ir_(x1000)` are in
/// thousands of `Ir`.
///
/// webgrind's formats have 32 bits, so larger costs are divided and their event is renamed.
pub(crate) fn split_scale(name: &[u8]) -> (&[u8], u64) {
    let scale = || {
        let at = memchr::memmem::rfind(name, b"_(x")?;
        let digits = name[at + 3..].strip_suffix(b")")?;
        let factor = std::str::from_utf8(digits).ok()?.parse().ok()?;
        (factor > 0).then_some((&name[..at], factor))
    };
    scale().unwrap_or((name, 1))
}

/// The order of events if inputs have different ones.
///
/// Valgrind's come first, in the order in which Valgrind writes them. Times, memory, and all others
/// follow, sorted by name.
pub(super) fn conventional(name: &[u8]) -> impl Ord + '_ {
    const VALGRIND: &str =
        "Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw Bc Bcm Bi Bim Ge sysCount sysTime sysCpuTime";
    let (base, _) = split_scale(name);
    let mut known = VALGRIND.split(' ');
    let rank = match known.position(|known| known.as_bytes() == base) {
        Some(at) => (0, at),
        None if is_time(name) => (1, 0),
        None if base.starts_with(b"Memory") => (2, 0),
        None => (3, 0),
    };
    (rank, name)
}

fn is_time(name: &[u8]) -> bool {
    name.starts_with(b"Time") || !matches!(unit_of(name), "" | "bytes")
}

/// The number of units of `wanted` in one unit of `other`, if `other` is the same event in larger
/// units. webgrind files use such units for costs of more than 32 bits.
pub(super) fn factor_between(wanted: &[u8], other: &[u8]) -> Option<Cost> {
    let (base, scale) = split_scale(other);
    let in_ten_nanoseconds = base == b"Time_(us)" && wanted == b"Time_(10ns)";
    let scale = if in_ten_nanoseconds {
        scale.checked_mul(100)?
    } else if base == wanted && scale > 1 {
        scale
    } else {
        return None;
    };
    Cost::try_from(scale).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_positive_numbers() {
        assert_eq!(split_scale(b"Ir_(x1000)"), (&b"Ir"[..], 1000));
        for unscaled in [&b"Time_(10ns)"[..], b"Ir_(x)", b"Ir_(x0)"] {
            assert_eq!(split_scale(unscaled), (unscaled, 1));
        }
    }
}
