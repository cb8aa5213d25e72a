//! Names shortened to the room that a terminal has.

use unicode_width::UnicodeWidthChar;

/// Stands for what was cut.
const ELLIPSIS: &str = "…";

/// The columns that a character takes.
fn columns(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// The columns that a text takes.
pub(crate) fn width_of(text: &str) -> usize {
    text.chars().map(columns).sum()
}

/// Fills a text up with spaces.
pub(crate) fn pad(mut text: String, width: usize) -> String {
    let missing = width.saturating_sub(width_of(&text));
    text.extend(std::iter::repeat_n(' ', missing));
    text
}

/// The longest beginning that fits.
fn head(text: &str, width: usize) -> &str {
    let mut taken = 0;
    let end = text.char_indices().find(|&(_, c)| {
        taken += columns(c);
        taken > width
    });
    end.map_or(text, |(at, _)| &text[..at])
}

/// The longest end that fits.
fn tail(text: &str, width: usize) -> &str {
    let mut taken = 0;
    let mut start = text.len();
    for (at, c) in text.char_indices().rev() {
        taken += columns(c);
        if taken > width {
            break;
        }
        // A mark without the character that it belongs to would go to the one before.
        if columns(c) > 0 {
            start = at;
        }
    }
    &text[start..]
}

/// A text that fits, or what `cut` leaves of it in one column less, which the ellipsis takes.
fn fitted(text: &str, width: usize, cut: impl Fn(usize) -> String) -> String {
    if width_of(text) <= width {
        return text.to_owned();
    }
    width.checked_sub(1).map_or_else(String::new, cut)
}

/// Keeps the beginning, if there is a width to keep to.
pub(crate) fn cut_end(text: &str, width: Option<usize>) -> String {
    let cut = |left| head(text, left).to_owned() + ELLIPSIS;
    width.map_or_else(|| text.to_owned(), |width| fitted(text, width, cut))
}

/// Keeps the end, from the beginning of a folder or file if there is one.
pub(crate) fn shorten_path(path: &str, width: usize) -> String {
    fitted(path, width, |left| {
        let end = tail(path, left);
        let whole = end.find('/').map_or(end, |at| &end[at..]);
        ELLIPSIS.to_owned() + whole
    })
}

/// Leaves out the outer namespaces, and where that does not suffice, the middle.
///
/// A row is told by the method; namespaces are what most rows have in common. In the names of C++
/// and Rust they stand among arguments as well, so that only the middle can go, as it does where
/// little would be left.
pub(crate) fn shorten_name(name: &str, width: usize) -> String {
    fitted(name, width, |left| {
        let end = tail(name, left);
        let is_path = !name.contains(['(', '<', '{']);
        let namespace = [r"\", "::"].into_iter().filter_map(|mark| end.find(mark));
        match namespace.min().filter(|at| is_path && 2 * at <= end.len()) {
            Some(at) => ELLIPSIS.to_owned() + &end[at..],
            None => without_middle(name, left),
        }
    })
}

/// Keeps the beginning and twice as much of the end: `include::/sr…/src/App.php`.
fn without_middle(name: &str, left: usize) -> String {
    let begin = head(name, left / 3);
    let end = tail(name, left - width_of(begin));
    [begin, ELLIPSIS, end].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_take_two_columns_and_marks_none() {
        assert_eq!(width_of("漢字"), 4);
        assert_eq!(width_of("e\u{301}"), 1);
        assert_eq!(pad("漢".to_owned(), 4), "漢  ");
        assert_eq!(cut_end("漢字漢字", Some(6)), "漢字…");
        assert_eq!(cut_end("漢字漢字", Some(5)), "漢字…");
        assert_eq!(cut_end("漢字漢字", Some(4)), "漢…");
        assert_eq!(cut_end("abc", Some(3)), "abc");
        assert_eq!(cut_end("abc", Some(0)), "");
    }

    #[test]
    fn a_cut_leaves_no_mark_behind() {
        assert_eq!(tail("abe\u{301}", 1), "e\u{301}");
        assert_eq!(tail("abe\u{301}", 0), "");
        assert_eq!(head("e\u{301}b", 1), "e\u{301}");
    }

    #[test]
    fn paths_keep_their_end() {
        assert_eq!(shorten_path("/srv/app/src/a.php", 18), "/srv/app/src/a.php");
        assert_eq!(shorten_path("/srv/app/src/a.php", 13), "…/src/a.php");
        assert_eq!(shorten_path("/srv/a_long_name.php", 8), "…ame.php");
        assert_eq!(shorten_path("/srv/a.php", 1), "…");
        assert_eq!(shorten_path("/srv/a.php", 0), "");
    }

    #[test]
    fn namespaces_are_left_out_first() {
        let name = "Acme\\Standards\\Util\\Standards::getInstalledStandardPaths";
        assert_eq!(
            shorten_name(name, 45),
            "…\\Util\\Standards::getInstalledStandardPaths"
        );
        assert_eq!(
            shorten_name(name, 40),
            "…\\Standards::getInstalledStandardPaths"
        );
        assert_eq!(shorten_name(name, 30), "…::getInstalledStandardPaths");
        assert_eq!(shorten_name(name, 20), "Acme\\S…StandardPaths");
    }

    #[test]
    fn arguments_lose_their_middle() {
        let name = "hash_table<map<int, int>::entry, false>::find(char const&) const";
        assert_eq!(shorten_name(name, 30), "hash_tabl…d(char const&) const");
        let closure = r"App\Models\{closure:/srv/app/features.php:15-15}";
        assert_eq!(shorten_name(closure, 30), r"App\Model…/features.php:15-15}");
    }

    #[test]
    fn the_middle_goes_when_nothing_else_helps() {
        let name = "include::/srv/app/vendor/acme/standards/src/Sniff.php";
        assert_eq!(shorten_name(name, 28), "include::…ards/src/Sniff.php");
        assert_eq!(width_of(&shorten_name("漢字漢字漢字漢字", 8)), 7);
        assert_eq!(shorten_name(name, 2), "…p");
        assert_eq!(shorten_name(name, 1), "…");
        assert_eq!(shorten_name(name, 0), "");
    }
}
