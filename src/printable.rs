//! Names in messages, whatever is in them: in one line, and without commands to a terminal.

use std::path::Path;

/// A name as it is, but for control characters, which are spelled.
pub(crate) fn printable(name: &[u8]) -> String {
    let mut text = String::new();
    for char in String::from_utf8_lossy(name).chars() {
        if char.is_control() {
            text.extend(char.escape_default());
        } else {
            text.push(char);
        }
    }
    text
}

/// A path in the same way.
pub(crate) fn printable_path(path: &Path) -> String {
    printable(path.as_os_str().as_encoded_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_spelled() {
        let path = Path::new("/srv/Größe \u{1b}[31m\n.cg");
        assert_eq!(printable_path(path), "/srv/Größe \\u{1b}[31m\\n.cg");
        assert_eq!(printable(b"a\xffb"), "a\u{fffd}b");
    }
}
