//! Reports in Markdown: what they show, and that names cannot leave their places.

use cg_preprocess::compare::Comparison;
use cg_preprocess::profile::{Profile, ProfileOptions};
use cg_preprocess::report::Options;
use cg_preprocess::report::markdown::{self, MAX_CHARACTERS};
use cg_preprocess::stacks::Stacks;

use crate::cases;
use crate::library::{all_events, profile, read, text_of, text_options};

fn report(profile: &Profile, options: &Options) -> String {
    text_of(|output| markdown::write(&Stacks::new(profile), &[], options, output))
}

fn compared(base: &str, new: &str) -> String {
    let [base, mut new] = [base, new].map(profile);
    new.set_incomplete();
    let comparison = Comparison::new(&base, &new).unwrap();
    let verdicts = [cases::verdict(&comparison, "1")];
    let options = text_options(|options| options.top = Some(1));
    text_of(|output| markdown::write_comparison(&comparison, &verdicts, &options, output))
}

/// The cells of a row, as GitHub splits it: a backslash escapes the character after it.
fn cells(row: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut characters = row.chars();
    while let Some(c) = characters.next() {
        let cell = cells.last_mut().unwrap();
        match c {
            '|' => cells.push(String::new()),
            '\\' => {
                let next = characters.next().unwrap();
                cell.extend((next != '|').then_some('\\'));
                cell.push(next);
            }
            c => cell.push(c),
        }
    }
    cells
}

/// The text of a cell that is a single code span.
fn code(cell: &str) -> &str {
    let cell = cell.trim();
    let mark = &cell[..cell.len() - cell.trim_start_matches('`').len()];
    let text = cell
        .strip_prefix(mark)
        .and_then(|cell| cell.strip_suffix(mark));
    let text = text.unwrap_or_else(|| panic!("{cell}"));
    let mut runs = text.split(|c| c != '`').map(str::len);
    assert!(
        !mark.is_empty() && runs.all(|run| run != mark.len()),
        "{cell}"
    );
    let inner = text
        .strip_prefix(' ')
        .and_then(|text| text.strip_suffix(' '));
    match inner {
        Some(inner) if text.starts_with(" `") || text.ends_with("` ") => inner,
        _ => text,
    }
}

#[test]
fn no_name_leaves_its_code() {
    let names = [
        "`", "``a`", "a|b", "|", r"a\|b", "`a", "a`", r"a\", r"a\\|", "<b>", "a`|`b", "]( x",
        "a\tb", "# x",
    ];
    for name in names {
        let text = format!("events: Ir\nfl=/srv/{name}\nfn={name}\n1 5\n");
        let found = report(&profile(text), &Options::default());
        let mut lines = found.lines();
        let row = lines.find(|line| line.starts_with("| 100.00")).unwrap();
        let cells = cells(row);
        assert_eq!(cells.len(), 8, "{row}");
        let shown = name.replace(r"\|", r"\¦").replace('\t', r"\t");
        assert_eq!(code(&cells[5]), shown, "{row}");
        assert_eq!(code(&cells[6]), format!("/srv/{shown}:1"), "{row}");
    }
}

#[test]
fn a_report_always_fits_into_a_comment() {
    let marks = "\u{301}".repeat(500);
    let events: String = (0..64)
        .map(|number| format!(" E{number}{}", "x".repeat(200)))
        .collect();
    let mut text = format!("cmd: {marks}\nevents:{events}\n");
    for number in 0..400 {
        text += &format!("fl=/srv/{marks}\nfn=a{number}{marks}|\n1 {number}\n");
    }
    text += "fl=a\nfn=last\n1 0\n";
    for events in [ProfileOptions::default(), all_events()] {
        let profile = read(&text, events);
        for top in [Some(0), Some(10), None] {
            let found = report(&profile, &text_options(|options| options.top = top));
            assert!(found.chars().count() < MAX_CHARACTERS, "{}", found.len());
            assert!(found.contains(" more functions with a self cost of "));
            // There would be room for it, but not for what comes before it.
            assert!(!found.contains("`last`"));
        }
        // Nothing is folded if there is no room for what comes before it.
        let found = report(&profile, &text_options(|options| options.top = Some(300)));
        assert!(!found.contains("<details>"));
    }
    let long = compared(&text, &text.replace("\n1 ", "\n1 1"));
    assert!(long.chars().count() < MAX_CHARACTERS);
    // Parts, paths and lines, too.
    let mut text = "creator: callgrind-3.25.0\nevents: Ir\n".to_owned();
    for number in 0..400 {
        text += &format!("part: 1\ndesc: Trigger: Client Request: {number}{marks}\n");
        text += &format!("fl=/srv/{number}{marks}\nfn=a{number}{marks}|\n1 {number}\n2 {number}\n");
        let callee = number + 1;
        text += &format!("cfi=/srv/{callee}{marks}\ncfn=a{callee}{marks}|\ncalls=1 1\n3 1\n");
    }
    let mut with_lines = ProfileOptions::default();
    with_lines.lines = true;
    let profile = read(&text, with_lines);
    for top in [Some(10), None] {
        let found = report(&profile, &text_options(|options| options.top = top));
        assert!(found.chars().count() < MAX_CHARACTERS, "{}", found.len());
        assert!(found.contains("### Heaviest paths") && found.contains("### Costliest lines"));
    }
}
