//! Paths in messages.

use std::path::Path;

/// A path as a terminal shows it, whatever is in it: in one line, and without commands to the
/// terminal.
pub(crate) fn printable(path: &Path) -> String {
    let mut text = String::new();
    for char in path.to_string_lossy().chars() {
        if char.is_control() {
            text.extend(char.escape_default());
        } else {
            text.push(char);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_spelled() {
        let path = Path::new("/srv/Größe \u{1b}[31m\n.cg");
        assert_eq!(printable(path), "/srv/Größe \\u{1b}[31m\\n.cg");
    }
}
