//! Long names: how they are shortened, and how they are found by what was shown of them.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use indexmap::IndexSet;
use unicode_width::UnicodeWidthChar;

use super::text::printable;

/// The most columns of a short name where there is no terminal.
pub(crate) const SHORT: usize = 80;

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
    let fitting = text.char_indices().rev().take_while(|&(_, c)| {
        taken += columns(c);
        taken <= width
    });
    // A mark without the character that it belongs to would go to the one before.
    let first = fitting.filter(|&(_, c)| columns(c) > 0).last();
    first.map_or("", |(at, _)| &text[at..])
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

/// Leaves out of a name what says least, until it fits.
///
/// Template arguments, parameter lists and the folders of paths become `…` from the inside out, the
/// widest of a level first. Where that does not suffice, the outer namespaces go: a row is told by
/// the method, and namespaces are what most rows have in common. What still does not fit loses its
/// middle.
pub(crate) fn short_name(name: &str, width: usize) -> String {
    match width {
        0 => String::new(),
        _ => without(name, &cuts(name, width)),
    }
}

/// Short names for the rows of one table: like [`short_name`], but names that differ look different.
///
/// Of what is left out, names that would look the same show what the others do not have. Where there
/// is no room for that, they are numbered.
pub(crate) fn short_names<T: AsRef<str>>(names: &[T], width: usize) -> Vec<String> {
    /// So often, those that still look the same are told apart among themselves.
    const ROUNDS: usize = 3;
    let names = names.iter().map(AsRef::as_ref);
    let distinct: IndexSet<&str> = names.clone().collect();
    let mut shown: Vec<String> = distinct
        .iter()
        .map(|name| short_name(name, width))
        .collect();
    for _ in 0..ROUNDS {
        for set in alike(&shown) {
            let names: Vec<&str> = set.iter().map(|&at| distinct[at]).collect();
            let told_apart = told_apart(&names, width).into_iter().flatten();
            for (at, name) in set.into_iter().zip(told_apart) {
                shown[at] = name;
            }
        }
    }
    number(&mut shown, width);
    let shown = names.filter_map(|name| shown.get(distinct.get_index_of(name)?));
    shown.cloned().collect()
}

/// The parts of a name that can be left out: what stands between brackets, and the folders of paths;
/// with how many brackets are open around each. Those of one depth do not overlap.
fn parts(name: &str) -> Vec<(usize, Range<usize>)> {
    /// Brackets that are nested more deeply, and longer names, are no more readable in part.
    const DEEPEST: usize = 64;
    const LONGEST: usize = 1 << 16;
    let mut parts = Vec::new();
    if name.len() > LONGEST {
        return parts;
    }
    let mut open: Vec<(u8, usize)> = Vec::new();
    let mut path_end = 0;
    let mut before = b' ';
    for (at, byte) in name.bytes().enumerate() {
        match byte {
            _ if at < path_end => {}
            // At the beginning it is no parameter list: `(below main)`.
            b'<' | b'(' if open.len() < DEEPEST && (byte == b'<' || at > 0) => {
                open.push((byte, at + 1));
            }
            // Not that of `->`.
            b'>' | b')' if before != b'-' => {
                let opening = if byte == b'>' { b'<' } else { b'(' };
                // What was opened after it is no bracket, but an operator.
                if let Some(depth) = open.iter().rposition(|&(open, _)| open == opening) {
                    parts.push((depth, open[depth].1..at));
                    open.truncate(depth);
                }
            }
            b'/' if before == b':' || name[..at].ends_with("\\x00") => {
                let rest = &name[at..];
                let end = rest.find([':', '}', '<', '>', '(', ')']);
                let path = &rest[..end.unwrap_or(rest.len())];
                path_end = at + path.len();
                parts.push((open.len(), at..at + path.rfind('/').unwrap_or(0)));
            }
            _ => {}
        }
        before = byte;
    }
    parts
}

/// What is left out of a name so that it fits, in order; one column stands for each.
fn cuts(name: &str, width: usize) -> Vec<Range<usize>> {
    let mut taken = width_of(name);
    if taken <= width {
        return Vec::new();
    }
    let mut kept = vec![true; name.len()];
    let mut parts = parts(name);
    parts.sort_by_key(|&(depth, _)| Reverse(depth));
    for level in parts.chunk_by(|(a, _), (b, _)| a == b) {
        let shown = |part: &Range<usize>| {
            let cuts = left_out(&kept[part.clone()]);
            width_of(&without(&name[part.clone()], &cuts))
        };
        let level = level.iter().map(|(_, part)| (shown(part), part.clone()));
        let mut level: Vec<_> = level.collect();
        level.sort_by_key(|&(shown, _)| Reverse(shown));
        for (shown, part) in level {
            if taken <= width || shown <= 1 {
                break;
            }
            let folders = folders(name, &part, taken - width);
            let (shown, part) = folders.unwrap_or((shown, part));
            taken -= shown - 1;
            kept[part].fill(false);
        }
    }
    let cuts = left_out(&kept);
    if taken <= width {
        return cuts;
    }
    let last = last_cut(&without(name, &cuts), width);
    kept[original(&cuts, last.start)..original(&cuts, last.end)].fill(false);
    left_out(&kept)
}

/// The ranges of what is not kept.
fn left_out(kept: &[bool]) -> Vec<Range<usize>> {
    let mut end = 0;
    let runs = kept.chunk_by(|a, b| a == b).map(|run| {
        end += run.len();
        (run[0], end - run.len()..end)
    });
    let left_out = runs.filter_map(|(is_kept, range)| (!is_kept).then_some(range));
    left_out.collect()
}

/// The fewest outer folders of a path that save so many columns, and their width; none if all have
/// to go, or if it is no path but stands between brackets.
fn folders(name: &str, part: &Range<usize>, columns: usize) -> Option<(usize, Range<usize>)> {
    let path = &name[part.clone()];
    if name[..part.start].ends_with(['<', '(']) {
        return None;
    }
    let ends = path.match_indices('/').map(|(end, _)| end);
    let mut folders = ends.map(|end| (width_of(&path[..end]), part.start..part.start + end));
    folders.find(|(width, _)| *width > columns)
}

/// What cuts leave of a name.
fn without(name: &str, cuts: &[Range<usize>]) -> String {
    replaced(name, cuts, |_, _| ELLIPSIS.to_owned())
}

/// A name with a text for each cut, by its number and by what is cut.
fn replaced(name: &str, cuts: &[Range<usize>], instead: impl Fn(usize, &str) -> String) -> String {
    let mut text = String::new();
    let mut end = 0;
    for (number, cut) in cuts.iter().enumerate() {
        text += &name[end..cut.start];
        text += &instead(number, &name[cut.clone()]);
        end = cut.end;
    }
    text + &name[end..]
}

/// The place in a name of a place in what cuts leave of it, which is not within an ellipsis.
fn original(cuts: &[Range<usize>], place: usize) -> usize {
    cuts.iter()
        .fold(place, |place, cut| match place > cut.start {
            true => place - ELLIPSIS.len() + cut.len(),
            false => place,
        })
}

/// What has to go of a name whose parts are left out already: the outer namespaces, or the middle.
fn last_cut(name: &str, width: usize) -> Range<usize> {
    let left = width.saturating_sub(1);
    let end = tail(name, left);
    let is_left_out = |(_, part): (usize, Range<usize>)| width_of(&name[part]) <= 1;
    let is_plain = !name.contains('{') && !name.contains("\\x00");
    let is_path = is_plain && parts(name).into_iter().all(is_left_out);
    let namespace = [r"\", "::"].into_iter().filter_map(|mark| end.find(mark));
    match namespace.min().filter(|at| is_path && 2 * at <= end.len()) {
        Some(at) => 0..name.len() - end.len() + at,
        None => {
            // The beginning, and twice as much of the end: `include::/sr…/src/App.php`.
            let begin = head(name, left / 3);
            let end = tail(name, left - width_of(begin));
            begin.len()..name.len() - end.len()
        }
    }
}

/// The rows that look the same.
fn alike(shown: &[String]) -> Vec<Vec<usize>> {
    let mut sets: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, shown) in shown.iter().enumerate() {
        sets.entry(shown).or_default().push(at);
    }
    sets.into_values().filter(|set| set.len() > 1).collect()
}

/// Names that look the same, with what makes the difference; none if they are cut in different places.
fn told_apart(names: &[&str], width: usize) -> Option<Vec<String>> {
    let cut_to = |width| -> Vec<_> { names.iter().map(|name| cuts(name, width)).collect() };
    let wanted = differences(names, &cut_to(width))?;
    let wanted: usize = wanted.iter().flatten().map(|found| found.width).sum();
    let cuts = cut_to(width - wanted.min(width / 2));
    let differences = differences(names, &cuts)?;
    let rows = || names.iter().zip(&cuts);
    let left = rows().map(|(name, cuts)| width_of(&without(name, cuts)));
    let room = width.saturating_sub(left.max()?);
    let share = room / differences.iter().flatten().count().max(1) + width_of(ELLIPSIS);
    let told_apart = rows().map(|(name, cuts)| {
        replaced(name, cuts, |number, text| match &differences[number] {
            Some(difference) => difference.of(text, share),
            None => ELLIPSIS.to_owned(),
        })
    });
    Some(told_apart.collect())
}

/// What differs in each cut, if all names have as many; none where they are all the same.
fn differences(names: &[&str], cuts: &[Vec<Range<usize>>]) -> Option<Vec<Option<Difference>>> {
    let count = cuts.first()?.len();
    let is_same = cuts.iter().all(|cuts| cuts.len() == count);
    let difference = |number: usize| {
        let texts = names.iter().zip(cuts);
        let texts = texts.map(|(name, cuts)| &name[cuts[number].clone()]);
        Difference::new(&texts.collect::<Vec<_>>())
    };
    is_same.then(|| (0..count).map(difference).collect())
}

/// Where texts differ: between the words that all begin with, and those that all end with.
struct Difference {
    begin: usize,
    end: usize,
    /// How wide the widest is.
    width: usize,
}

impl Difference {
    fn new(texts: &[&str]) -> Option<Self> {
        let first = *texts.first()?;
        if texts.iter().all(|text| *text == first) {
            return None;
        }
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let begins = texts.iter().map(|text| common(first.chars(), text.chars()));
        let begin = &first[..begins.min()?];
        let begin = begin.trim_end_matches(is_word);
        // What a folder or a namespace is told by.
        let begin = begin.strip_suffix(['/', '\\']).unwrap_or(begin).len();
        let ends = texts.iter().map(|text| {
            let backwards = [first, text].map(|text| text[begin..].chars().rev());
            let [first, text] = backwards;
            common(first, text)
        });
        let end = &first[first.len() - ends.min()?..];
        let mut difference = Difference {
            begin,
            end: end.trim_start_matches(is_word).len(),
            width: 0,
        };
        let whole = texts.iter().map(|text| difference.of(text, usize::MAX));
        difference.width = whole.map(|text| width_of(&text)).max()?;
        Some(difference)
    }

    /// What one of the texts has there, in no more columns than given.
    fn of(&self, text: &str, width: usize) -> String {
        let mark = |is_cut: bool| if is_cut { ELLIPSIS } else { "" };
        let (begin, end) = (mark(self.begin > 0), mark(self.end > 0));
        let left = width.saturating_sub(width_of(begin) + width_of(end));
        let text = &text[self.begin..text.len() - self.end];
        format!("{begin}{}{end}", short_name(text, left))
    }
}

/// The bytes of the characters that two texts have in common before they differ.
fn common(a: impl Iterator<Item = char>, b: impl Iterator<Item = char>) -> usize {
    let same = a.zip(b).take_while(|(a, b)| a == b);
    same.map(|(c, _)| c.len_utf8()).sum()
}

/// Numbers what still looks the same.
fn number(shown: &mut [String], width: usize) {
    let mut taken: HashSet<String> = HashSet::new();
    let mut counts: HashMap<String, u64> = HashMap::new();
    for shown in shown {
        let plain = shown.clone();
        while !taken.insert(shown.clone()) {
            let count = counts.entry(plain.clone()).or_insert(1);
            *count += 1;
            let number = format!(" #{count}");
            *shown = cut_end(&plain, Some(width.saturating_sub(number.len()))) + &number;
        }
    }
}

/// A name as somebody types it: whole, as it is shown where it is shortened, or a part of it.
pub(crate) struct Wanted(String);

impl Wanted {
    /// What was typed.
    pub fn new(typed: &[u8]) -> Self {
        Wanted(printable(typed))
    }

    /// What was typed, printable.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether it is a name, or what is shown of it.
    pub fn is(&self, name: &str) -> bool {
        let Some((begin, rest)) = self.0.split_once(ELLIPSIS) else {
            return name == self.0;
        };
        let (middle, end) = rest.rsplit_once(ELLIPSIS).unwrap_or(("", rest));
        let left = name.strip_prefix(begin);
        let left = left.and_then(|left| left.strip_suffix(end));
        left.is_some_and(|left| contains(left, middle))
    }

    /// Whether a name contains it, in upper or lower case.
    pub fn is_in(&self, name: &str) -> bool {
        contains(&name.to_lowercase(), &self.0.to_lowercase())
    }

    /// The names that have most in common with it.
    pub fn closest<'a>(&self, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
        const CLOSEST: usize = 5;
        let pairs = |text: &str| -> HashSet<(char, char)> {
            let text = text.to_lowercase();
            text.chars().zip(text.chars().skip(1)).collect()
        };
        let wanted = pairs(&self.0);
        let rank = |name: &'a str| {
            let pairs = pairs(name);
            let common = pairs.intersection(&wanted).count();
            (Reverse(common), pairs.len(), name)
        };
        let ranked = names.map(rank).filter(|(common, ..)| common.0 > 0);
        let ranked: BTreeSet<_> = ranked.collect();
        let closest = ranked.into_iter().take(CLOSEST);
        closest.map(|(.., name)| name).collect()
    }
}

/// Whether a text contains another one, with anything where that one has an ellipsis.
fn contains(text: &str, wanted: &str) -> bool {
    let mut pieces = wanted.split(ELLIPSIS);
    let rest = pieces.try_fold(text, |rest, piece| Some(rest.split_once(piece)?.1));
    rest.is_some()
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
            short_name(name, 45),
            "…\\Util\\Standards::getInstalledStandardPaths"
        );
        assert_eq!(
            short_name(name, 40),
            "…\\Standards::getInstalledStandardPaths"
        );
        assert_eq!(short_name(name, 30), "…::getInstalledStandardPaths");
        assert_eq!(short_name(name, 20), "Acme\\S…StandardPaths");
    }

    #[test]
    fn parts_are_left_out_from_the_inside() {
        let name = "hash_table<map<int, pair<int, long>>::entry, false>::find(char const&) const";
        for (width, short) in [
            (
                70,
                "hash_table<map<int, pair<…>>::entry, false>::find(char const&) const",
            ),
            (
                60,
                "hash_table<map<…>::entry, false>::find(char const&) const",
            ),
            (45, "hash_table<…>::find(char const&) const"),
            (30, "hash_table<…>::find(…) const"),
            (20, "…::find(…) const"),
            (10, "has… const"),
        ] {
            assert_eq!(short_name(name, width), short);
            assert_eq!(short_name(name, width_of(short)), short);
        }
        for (name, short) in [
            (
                "std::operator<(std::string const&, int)",
                "std::operator<(…)",
            ),
            ("A::operator->(std::string const&)", "A::operator->(…)"),
            (
                "operator>> <char, traits<char>>(istream&)",
                "operator>> <…>(…)",
            ),
            ("(anonymous namespace)::run(std::string)", "…::run(…)"),
            ("<alloc::vec::Vec<T> as Iter>::extend", "<…>::extend"),
        ] {
            assert_eq!(short_name(name, 18), short);
        }
    }

    #[test]
    fn of_very_long_names_no_part_is_left_out() {
        let name = |length| format!("f<{}>g", "x".repeat(length));
        assert_eq!(short_name(&name((1 << 16) - 4), 12), "f<…>g");
        assert_eq!(short_name(&name((1 << 16) - 3), 12), "f<x…xxxxxx>g");
        // Nor any that stands in 64 others.
        let nested =
            |text: &str, depth| format!("{}{text}{}", "f<".repeat(depth), ">".repeat(depth));
        let shown = nested("…", 64);
        assert_eq!(short_name(&nested("xyz", 64), 194), shown);
        assert_eq!(short_name(&nested("xyz", 65), 197), format!("{shown}>"));
    }

    #[test]
    fn paths_lose_their_outer_folders() {
        let closure = r"App\Models\{closure:/srv/app/src/features.php:15-15}";
        for (width, short) in [
            (45, r"App\Models\{closure:…/src/features.php:15-15}"),
            (50, r"App\Models\{closure:…/app/src/features.php:15-15}"),
            (30, r"App\Model…/features.php:15-15}"),
        ] {
            assert_eq!(short_name(closure, width), short);
        }
        let class = r"class@anonymous\x00/srv/app/a.php:3$0->run";
        assert_eq!(
            short_name(class, 36),
            r"class@anonymous\x00…/a.php:3$0->run"
        );
        let file = "include::/srv/app/vendor/acme/standards/src/Sniff.php";
        assert_eq!(short_name(file, 30), "include::…/src/Sniff.php");
    }

    #[test]
    fn names_that_differ_look_different() {
        let short = |names: &[&str]| short_names(names, 40);
        let pair = "_Rb_tree<string, pair<string const, unsigned long>>::find(string const&)";
        assert_eq!(
            short(&[pair, &pair.replace("unsigned", "signed"), pair, "main"]),
            [
                "_Rb_tree<…unsigned…>::find(…)",
                "_Rb_tree<…signed…>::find(…)",
                "_Rb_tree<…unsigned…>::find(…)",
                "main"
            ]
        );
        assert_eq!(
            short(&[
                r"Acme\Application\Admin\Http\Controllers\HomeController->index",
                r"Acme\Application\Store\Http\Controllers\HomeController->index",
            ]),
            [
                r"…\Admin…\HomeController->index",
                r"…\Store…\HomeController->index",
            ]
        );
        assert_eq!(
            short(&[
                "include::/srv/app/vendor/acme/first/src/config/index.php",
                "include::/srv/app/vendor/acme/second/src/config/index.php",
            ]),
            [
                "include::…/first/src/config/index.php",
                "include::…/second/src/config/index.php"
            ]
        );
        // Here, each would need more room.
        let long = |at: usize| format!("{}B{}", "a".repeat(at), "a".repeat(300 - at));
        let numbered = short(&[&long(100), &long(150), &long(200)]);
        assert!(numbered[2].ends_with(" #3"), "{numbered:?}");
    }

    proptest::proptest! {
        #[test]
        fn short_names_fit_and_differ(
            names in proptest::collection::vec("[ab:<>()/{}\\\\ …漢,-]{0,60}", 1..12),
            width in 12usize..50,
        ) {
            let shown = short_names(&names, width);
            let names: HashSet<_> = names.into_iter().collect();
            proptest::prop_assert!(shown.iter().all(|name| width_of(name) <= width), "{shown:?}");
            let shown: HashSet<_> = shown.into_iter().collect();
            proptest::prop_assert_eq!(shown.len(), names.len());
        }
    }

    #[test]
    fn names_are_found_by_what_is_shown_of_them() {
        let wanted = |typed: &str| Wanted::new(typed.as_bytes());
        let name = "hash_table<map<int>>::find(char const&) const";
        for typed in [
            name,
            "hash_table<…>::find(…) const",
            "…::find(…) const",
            "hash…t",
        ] {
            assert!(wanted(typed).is(name), "{typed}");
        }
        for typed in [
            "hash_table",
            "find(…) const",
            "hash_table<…>",
            "…::find(…)const",
            "hash…x…t",
        ] {
            assert!(!wanted(typed).is(name), "{typed}");
        }
        assert!(wanted("TABLE<…>::Find").is_in(name));
        assert!(!wanted("find…table").is_in(name));
        let names = [
            "mb_strlen",
            "strrev",
            "main",
            "str_replace",
            "strlen",
            "substr",
            "strpos",
        ];
        assert_eq!(
            wanted("strln").closest(names.into_iter()),
            ["strlen", "mb_strlen", "strpos", "strrev", "substr"]
        );
    }

    #[test]
    fn the_middle_goes_when_nothing_else_helps() {
        let name = "App::a_function_of_a_long_name{closure}";
        assert_eq!(short_name(name, 28), "App::a_fu…long_name{closure}");
        assert_eq!(width_of(&short_name("漢字漢字漢字漢字", 8)), 7);
        // What is left of a namespace has to be the most of it.
        let class = "a_function_of_a_class::go";
        assert_eq!(short_name(class, 14), "a_fu…class::go");
        assert_eq!(short_name(name, 2), "…}");
        assert_eq!(short_name(name, 1), "…");
        assert_eq!(short_name(name, 0), "");
    }
}
