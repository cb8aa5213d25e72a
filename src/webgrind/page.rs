//! Header lines as they are written.

use super::narrow::Narrowing;
use crate::profile::{Header, HeaderKind, Profile};

/// Gives the header lines as they are written, each without its end: scaled where costs are.
pub(super) fn header_lines<E>(
    profile: &Profile,
    narrowing: &Narrowing,
    mut line: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let is_scaled = narrowing.divisor() > 1;
    for header in profile.headers() {
        match header.kind() {
            HeaderKind::Events if is_scaled => {
                let event = narrowing.event(profile.event());
                line(&with_first_word(&header, &event))?;
            }
            HeaderKind::Summary(total) if is_scaled => {
                let total = narrowing.scaled(total).to_string();
                line(&with_first_word(&header, total.as_bytes()))?;
            }
            _ => line(header.text())?,
        }
    }
    Ok(())
}

/// A header line in whose value another word comes first.
fn with_first_word(header: &Header<'_>, first: &[u8]) -> Vec<u8> {
    let value = header.value().trim_ascii_start();
    let rest = value.iter().position(u8::is_ascii_whitespace);
    let rest = rest.map_or(&b""[..], |at| &value[at..]);
    [header.key(), b": ", first, rest].concat()
}
