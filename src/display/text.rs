//! The policy for showing and cutting text from inputs, in all messages and outputs.
//!
//! The author of an input controls its names and lines. Shown text must stay on its line, must not
//! control a terminal, and must not look like something else.

use std::borrow::Cow;
use std::path::Path;

/// The most characters of a line that are shown.
pub(crate) const MAX_EXCERPT: usize = 60;

/// The most bytes for one shown character.
const CHARACTER: usize = 4;

/// A name or text in full.
///
/// Bytes that are not UTF-8 are written like `\xff`, control characters like `\n`, `\x1b` and
/// `\u{85}`, and invisible characters like `\u{202e}`. So two names that look the same are the
/// same.
pub(crate) fn printable(text: &[u8]) -> String {
    // A fast path for nearly all names.
    if text.iter().all(|byte| matches!(byte, b' '..=b'~')) {
        return String::from_utf8_lossy(text).into_owned();
    }
    units(text).collect()
}

/// A path in full, written as by [`printable`].
pub(crate) fn printable_path(path: &Path) -> String {
    printable(path.as_os_str().as_encoded_bytes())
}

/// The beginning of a line or name, written as by [`printable`]. It ends with `…` exactly if
/// something was cut.
///
/// White space at the end is not part of the line.
pub(crate) fn excerpt(line: &[u8]) -> String {
    let line = line.trim_ascii_end();
    // One more character than is shown, to detect whether there are more.
    let start = &line[..line.len().min((MAX_EXCERPT + 1) * CHARACTER)];
    let mut shown = String::new();
    let mut count = 0;
    for unit in units(start) {
        count += unit.chars().count();
        if count > MAX_EXCERPT {
            return shown + "…";
        }
        shown += &unit;
    }
    shown
}

/// Text for programs: unchanged, except that bytes which are not UTF-8 are written as by
/// [`printable`].
pub(crate) fn utf8(text: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(text) {
        Ok(text) => text.into(),
        Err(_) => text
            .utf8_chunks()
            .map(|piece| format!("{}{}", piece.valid(), piece.invalid().escape_ascii()))
            .collect::<String>()
            .into(),
    }
}

/// The characters and invalid bytes of a text, each as it is shown.
fn units(text: &[u8]) -> impl Iterator<Item = Cow<'_, str>> {
    text.utf8_chunks().flat_map(|chunk| {
        let text = chunk.valid();
        let chars = text.char_indices().scan(None, move |before, (at, c)| {
            let is_unseen = is_unseen(c, before.replace(c));
            Some(if !is_unseen {
                text[at..at + c.len_utf8()].into()
            } else if c.is_ascii() {
                text.as_bytes()[at].escape_ascii().to_string().into()
            } else {
                c.escape_unicode().to_string().into()
            })
        });
        let bytes = chunk.invalid().iter();
        chars.chain(bytes.map(|byte| byte.escape_ascii().to_string().into()))
    })
}

/// Whether a character, after the previous one, is invisible, or would reverse or break the text
/// around it.
///
/// These are controls, and what Unicode (14.0) lists as `Default_Ignorable_Code_Point`, as format
/// characters (`Cf`) and as separators of lines and paragraphs. In an emoji, joiners and the colour
/// selector are visible.
pub(crate) fn is_unseen(c: char, before: Option<char>) -> bool {
    const EMOJI_STYLE: char = '\u{fe0f}';
    let is_emoji = |c: char| matches!(c, '\u{203c}'..='\u{3299}' | '\u{1f000}'..='\u{1faff}');
    match c {
        ' '..='~' => false,
        '\u{200d}' => !before.is_some_and(|c| is_emoji(c) || c == EMOJI_STYLE),
        EMOJI_STYLE => !before.is_some_and(is_emoji),
        _ => c.is_control() || is_ignorable(c),
    }
}

fn is_ignorable(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}'
            | '\u{890}'..='\u{891}' | '\u{8e2}' | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{13438}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counted in Unicode's data: 4,174 default ignorable code points, 25 other format characters
    /// (`Cf`), 2 separators of lines and paragraphs.
    #[test]
    fn ignorable_characters_are_those_of_unicode() {
        let ignorable = || ('\0'..=char::MAX).filter(|&c| is_ignorable(c));
        let sum: u64 = ignorable().map(|c| u64::from(u32::from(c))).sum();
        assert_eq!((ignorable().count(), sum), (4201, 3_771_016_698));
    }

    #[test]
    fn what_people_can_read_stays_as_it_is() {
        for text in [
            "Größe->λ",
            "漢字",
            "e\u{301}",
            "a b\\c\"d",
            "👩\u{200d}🔬 ❤\u{fe0f}\u{200d}🔥",
            "",
        ] {
            assert_eq!(printable(text.as_bytes()), text);
            assert_eq!(excerpt(text.as_bytes()), text);
            assert_eq!(utf8(text.as_bytes()), text);
        }
    }

    #[test]
    fn what_commands_a_terminal_is_spelled() {
        assert_eq!(
            printable(b"\x1b[31mred\n\r\t\x7f"),
            "\\x1b[31mred\\n\\r\\t\\x7f"
        );
        assert_eq!(
            printable(b"class@anonymous\0/a.php"),
            "class@anonymous\\x00/a.php"
        );
        for c in '\0'..' ' {
            let spelled = printable(format!("a{c}b").as_bytes());
            assert!(spelled.starts_with("a\\") && !spelled.contains(c), "{c:?}");
        }
        for c in '\u{80}'..='\u{9f}' {
            let spelled = format!("a\\u{{{:x}}}b", u32::from(c));
            assert_eq!(printable(format!("a{c}b").as_bytes()), spelled);
        }
        let path = Path::new("/srv/Größe \u{1b}[31m\n.cg");
        assert_eq!(printable_path(path), "/srv/Größe \\x1b[31m\\n.cg");
    }

    #[test]
    fn what_turns_or_breaks_text_unseen_is_spelled() {
        let ranges = [
            '\u{ad}'..='\u{ad}',
            '\u{34f}'..='\u{34f}',
            '\u{61c}'..='\u{61c}',
            '\u{115f}'..='\u{1160}',
            '\u{180e}'..='\u{180e}',
            '\u{200b}'..='\u{200f}',
            '\u{2028}'..='\u{202e}',
            '\u{2060}'..='\u{206f}',
            '\u{3164}'..='\u{3164}',
            '\u{fe00}'..='\u{fe0f}',
            '\u{feff}'..='\u{feff}',
            '\u{fff9}'..='\u{fffb}',
            '\u{e0001}'..='\u{e007f}',
        ];
        for c in ranges.into_iter().flatten() {
            let spelled = format!("a\\u{{{:x}}}b", u32::from(c));
            assert_eq!(printable(format!("a{c}b").as_bytes()), spelled);
            assert_eq!(excerpt(format!("a{c}b").as_bytes()), spelled);
        }
    }

    #[test]
    fn bytes_that_are_no_utf_8_are_spelled_the_same_everywhere() {
        let text = b"a\xff\xe2\x82b";
        assert_eq!(printable(text), "a\\xff\\xe2\\x82b");
        assert_eq!(excerpt(text), "a\\xff\\xe2\\x82b");
        assert_eq!(utf8(text), "a\\xff\\xe2\\x82b");
        // Machines know how to write the rest.
        assert_eq!(utf8(b"\n\xff"), "\n\\xff");
    }

    #[test]
    fn an_excerpt_says_exactly_when_it_is_cut() {
        for (unit, width) in [
            ("a", 1),
            ("ä", 1),
            ("漢", 1),
            ("👍", 1),
            ("\u{202e}", 8),
            ("\n", 2),
        ] {
            let fits = MAX_EXCERPT / width;
            let spelled = printable(unit.as_bytes());
            // Not removed as white space at the end.
            let line = |count: usize| format!("{}x", unit.repeat(count));
            let whole = excerpt(line(fits - 1).as_bytes());
            assert_eq!(whole, format!("{}x", spelled.repeat(fits - 1)));
            for count in [fits + 1, 1000] {
                let cut = excerpt(line(count).as_bytes());
                assert_eq!(cut, format!("{}…", spelled.repeat(fits)));
            }
        }
        assert_eq!(excerpt(&[0xff; 15]), "\\xff".repeat(15));
        assert_eq!(excerpt(&[0xff; 16]), format!("{}…", "\\xff".repeat(15)));
        assert_eq!(excerpt(&[0xff; 100]), format!("{}…", "\\xff".repeat(15)));
        let full = "a".repeat(MAX_EXCERPT);
        assert_eq!(excerpt(format!("{full} \r\n").as_bytes()), full);
    }
}
