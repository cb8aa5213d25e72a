//! The scale in the name of an event: costs of `Ir_(x1000)` are in thousands of `Ir`.
//!
//! webgrind's formats have 32 bits, so larger costs are divided and their event is renamed.

/// Splits `_(x1000)` off the name of a scaled event; 1 if there is none.
///
/// ```
/// use cg_preprocess::profile::split_scale;
///
/// assert_eq!(split_scale(b"Ir_(x1000)"), (&b"Ir"[..], 1000));
/// for unscaled in [&b"Time_(10ns)"[..], b"Ir_(x)", b"Ir_(x0)"] {
///     assert_eq!(split_scale(unscaled), (unscaled, 1));
/// }
/// ```
pub fn split_scale(name: &[u8]) -> (&[u8], u64) {
    let scale = || {
        let at = memchr::memmem::rfind(name, b"_(x")?;
        let digits = name[at + 3..].strip_suffix(b")")?;
        let factor = std::str::from_utf8(digits).ok()?.parse().ok()?;
        (factor > 0).then_some((&name[..at], factor))
    };
    scale().unwrap_or((name, 1))
}
