//! Reports in Markdown: what they show, and that names cannot leave their places.

use cg_preprocess::profile::{Comparison, EventChoice, MaxGrowth, Profile, ProfileOptions};
use cg_preprocess::report::json::Completeness;
use cg_preprocess::report::markdown::{self, MOST_CHARACTERS, Verdict};
use cg_preprocess::report::text::Options;

use crate::library::{profile_options, read, text_options};

fn report(profile: &Profile, options: &Options) -> String {
    let mut output = Vec::new();
    markdown::write(profile, options, true, &mut output).unwrap();
    String::from_utf8(output).unwrap()
}

fn compared(base: &str, new: &str, limit: Option<&str>) -> String {
    let [base, new] = [base, new].map(|text| read(text, ProfileOptions::default()));
    let comparison = Comparison::new(&base, &new).unwrap();
    let limit: Option<MaxGrowth> = limit.map(|limit| limit.parse().unwrap());
    let verdict = limit.map(|limit| {
        let failure = comparison.check_growth(limit).err();
        Verdict {
            kept: failure.is_none(),
            text: failure.map_or(format!("at most {limit}"), |failure| failure.to_string()),
        }
    });
    let mut output = Vec::new();
    let verdicts = verdict.as_slice();
    let options = text_options(|options| options.top = Some(1));
    markdown::write_comparison(
        &comparison,
        verdicts,
        &options,
        Completeness {
            base: true,
            new: limit.is_none(),
        },
        &mut output,
    )
    .unwrap();
    String::from_utf8(output).unwrap()
}

const PROFILE: &str = "cmd: ./app\nevents: Time_(10ns) Ir\nfl=/srv/a.c\nfn=main\n3 1000 1\n\
    cfn=work<A|B>\ncalls=2 9\n4 3000 3\nfn=work<A|B>\n9 3000 3\nfn=rest\n20 1000 0\n";

#[test]
fn a_report_has_totals_the_top_and_the_rest() {
    let all = profile_options(|options| options.events = EventChoice::All);
    let options = text_options(|options| options.top = Some(1));
    let expected = "\
## Profile of `./app`

3 functions, 2 calls

| event | total |
| --- | --: |
| `Time_(10ns)` | 5,000 (50.0 µs) |
| `Ir` | 4 |

| self % | self µs | incl % | incl µs | calls | function | file:line |
| --: | --: | --: | --: | --: | --- | --- |
| 60.00 | 30.00 | 60.00 | 30.00 | 2 | `work<A\\|B>` | `/srv/a.c:9` |

<details><summary>2 more</summary>

| self % | self µs | incl % | incl µs | calls | function | file:line |
| --: | --: | --: | --: | --: | --- | --- |
| 20.00 | 10.00 | 80.00 | 40.00 | 1 | `main` | `/srv/a.c:3` |
| 20.00 | 10.00 | 20.00 | 10.00 | 1 | `rest` | `/srv/a.c:20` |

</details>
";
    let found = report(&read(PROFILE, all), &options);
    assert!(found == expected, "{found}");
}

#[test]
fn a_comparison_begins_with_the_verdict() {
    let new = PROFILE
        .replace("3000", "3500")
        .replace("fn=rest", "fn=other");
    let found = compared(PROFILE, &new, Some("5"));
    let expected = "\
## `Time_(10ns)` grew by 10.00 %: the limit is **not** kept

- **not kept**: `the total of Time_(10ns) grew by 10.00 %, from 5,000 to 5,500: more than the 5 % that are allowed; most grew other by 1,000, work<A|B> by 500`

**The new profile is not complete**: parts were cut off, skipped or missing.

| event | base | new | change | change % |
| --- | --: | --: | --: | --: |
| `Time_(10ns)` | 5,000 (50.0 µs) | 5,500 (55.0 µs) | +500 (5.00 µs) | +10.00 |

| change µs | base % | self µs | incl µs | calls | function | file |
| --: | --: | --: | --: | --: | --- | --- |
| +10.00 | +20.00 | new: 10.00 | new: 10.00 | new: 1 | `other` | `/srv/a.c` |

<details><summary>3 more</summary>

| change µs | base % | self µs | incl µs | calls | function | file |
| --: | --: | --: | --: | --: | --- | --- |
| -10.00 | -20.00 | gone: 10.00 | gone: 10.00 | gone: 1 | `rest` | `/srv/a.c` |
| +5.00 | +10.00 | 30.00 → 35.00 | 30.00 → 35.00 | 2 | `work<A\\|B>` | `/srv/a.c` |
| 0.00 | 0.00 | 10.00 | 40.00 → 45.00 | 1 | `main` | `/srv/a.c` |

</details>

0 functions did not change.
";
    assert!(found == expected, "{found}");
    let headings = [
        (&new, None),
        (&new, Some("10")),
        (&PROFILE.to_owned(), None),
    ];
    let headings = headings.map(|(new, limit)| {
        let text = compared(PROFILE, new, limit);
        text.lines().next().unwrap().to_owned()
    });
    assert_eq!(
        headings,
        [
            "## `Time_(10ns)` grew by 10.00 %",
            "## `Time_(10ns)` grew by 10.00 %: the limit is kept",
            "## `Time_(10ns)` is unchanged",
        ]
    );
    let lines = compared(PROFILE, &new, None);
    let lines: Vec<_> = lines.lines().take(3).collect();
    assert_eq!(
        lines[1..],
        ["", "| event | base | new | change | change % |"]
    );
    let shrunk = compared(&new, PROFILE, None);
    assert!(
        shrunk.starts_with("## `Time_(10ns)` shrank by 9.09 %\n"),
        "{shrunk}"
    );
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
    let runs = text.split(|c| c != '`').map(str::len);
    assert!(
        !mark.is_empty() && runs.into_iter().all(|run| run != mark.len()),
        "{cell}"
    );
    match text
        .strip_prefix(' ')
        .and_then(|text| text.strip_suffix(' '))
    {
        Some(inner) if text.starts_with(" `") || text.ends_with("` ") => inner,
        _ => text,
    }
}

#[test]
fn no_name_leaves_its_code() {
    let names = [
        "`", "``a`", "a|b", "|", r"a\|b", r"a\", r"a\\|", "<b>", "a`|`b", "]( x", "a\tb", "# x",
    ];
    for name in names {
        let text = format!("events: Ir\nfl=/srv/{name}\nfn={name}\n1 5\n");
        let found = report(&read(text, ProfileOptions::default()), &Options::default());
        let row = found
            .lines()
            .find(|line| line.starts_with("| 100.00"))
            .unwrap();
        let cells = cells(row);
        assert_eq!(cells.len(), 9, "{row}");
        let shown = name.replace(r"\|", r"\¦").replace('\t', r"\t");
        assert_eq!(code(&cells[6]), shown, "{row}");
        assert_eq!(code(&cells[7]), format!("/srv/{shown}:1"), "{row}");
    }
}

#[test]
fn a_report_always_fits_into_a_comment() {
    let marks = "\u{301}".repeat(2000);
    let events: String = (0..64)
        .map(|number| format!(" E{number}{}", "x".repeat(200)))
        .collect();
    let mut text = format!("cmd: {marks}\nevents:{events}\n");
    for number in 0..3000 {
        text += &format!("fl=/srv/{marks}\nfn=a{number}{marks}|\n1 {number}\n");
    }
    let all = profile_options(|options| options.events = EventChoice::All);
    for events in [ProfileOptions::default(), all] {
        let profile = read(&text, events);
        for top in [Some(0), Some(10), None] {
            let found = report(&profile, &text_options(|options| options.top = top));
            assert!(found.chars().count() < MOST_CHARACTERS, "{}", found.len());
            assert!(found.contains(" more functions with a self cost of "));
        }
    }
    let long = compared(&text, &text.replace("\n1 ", "\n1 1"), Some("1"));
    assert!(long.chars().count() < MOST_CHARACTERS);
}
