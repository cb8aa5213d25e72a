//! The page in a real browser: its figures are those of the text report, what its readers do and see
//! is what was written by hand, its graph stays where it is, and no name gets to run or to load
//! anything.

mod graph;
mod transcripts;
mod walks;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use tempfile::TempDir;

use crate::browser::Browser;
use crate::callgrind::Session as Valgrind;
use crate::profile::{list, text_of};
use crate::xdebug::Session as Xdebug;

/// Makes a page from files of a directory.
fn make(directory: &Path, options: &[&str]) -> PathBuf {
    let page = directory.join("page.html");
    let _ = fs::remove_file(&page);
    let mut command = Command::new(env!("CARGO_BIN_EXE_cg-preprocess"));
    command
        .current_dir(directory)
        .args(["-q", "-o", "page.html"]);
    // A broken limit fails, and leaves a page.
    let output = command.args(options).output().expect("the program");
    assert!(page.exists(), "{options:?}: {output:?}");
    page
}

/// A page of what a profile holds, in a directory of its own.
fn page_of(profile: impl AsRef<[u8]>, options: &[&str]) -> (TempDir, PathBuf) {
    let directory = TempDir::new().expect("a temporary directory");
    fs::write(directory.path().join("profile.cg"), profile).expect("a file");
    let page = make(directory.path(), &[options, &["profile.cg"]].concat());
    (directory, page)
}

/// All rows of a table, with names and places in full.
fn rows(browser: &Browser, label: &str) -> Vec<String> {
    let rows = list(&browser.look("rows", &json!([label, true])), text_of);
    let texts = rows.iter().map(|row| row.replace(" | ", " "));
    // The text report has zeros instead.
    texts
        .map(|text| words(&text.replace("<0.01", "0.00").replace("<0.001", "0.000")))
        .collect()
}

/// A line with one blank where there are several.
fn words(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The table of functions, groups or lines in the text report.
fn report(profile: &Path, event: &str, by: &str) -> Vec<String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cg-preprocess"));
    command.args([
        "-q", "-f", "text", "--names", "full", "--top", "0", "-e", event, "--by", by,
    ]);
    let output = command.arg(profile).output().expect("the program");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    // Lines of traces have costs of calls.
    let is_head = |line: &&str| line.contains("self %") || line.contains("cost %");
    let rows = text.lines().skip_while(|line| !is_head(line));
    let rows = rows.skip(1).take_while(|line| !line.is_empty());
    rows.map(words).collect()
}

#[test]
fn every_figure_of_real_profiles_is_that_of_the_text_report() {
    let browser = Browser::start();
    let session = Xdebug::of("recursion.php");
    let trace = session.profile();
    let options = ["--separate-callers=3", "--cache-sim=yes"];
    let sums = Valgrind::of("shapes.cpp", &[], &options);
    for profile in [&trace, &sums.files[0]] {
        let (_directory, page) =
            page_of(fs::read(profile).expect("a profile"), &["--names", "full"]);
        browser.show_at(1440, "light");
        browser.open(&page, "");
        let names = "return JSON.parse(document.getElementById('data').textContent).events.map(({ name }) => name);";
        let names = list(&browser.run(names), text_of);
        for (number, name) in names.iter().enumerate() {
            browser.open(&page, &format!("#event={number}"));
            let (found, expected) = (
                rows(&browser, "Functions"),
                report(profile, name, "function"),
            );
            assert!(found.len() > 4, "{name}: {found:?}");
            // As many as are made for a printer. Equal costs are in another order in text.
            for found in &found {
                let is_same = |expected: &String| {
                    // PHP's own functions have no line.
                    expected.strip_prefix(found.as_str()).is_some_and(|line| {
                        let is_internal = found.ends_with("php:internal") && line.starts_with(':');
                        line.is_empty() || is_internal
                    })
                };
                assert!(
                    expected.iter().any(is_same),
                    "{name}: {found} in {expected:?}"
                );
            }
        }
        for (number, name) in names.iter().enumerate() {
            browser.open(&page, &format!("#view=lines&event={number}"));
            let expected = report(profile, name, "line");
            let found = rows(&browser, "Lines");
            assert!(found.len() >= expected.len().min(200), "{name}: {found:?}");
            // Those of functions without a file are named; the text report omits lines without cost.
            let is_in_both = |row: &&String| !row.contains(" ??? ") && !row.starts_with("0.00 0 ");
            for row in found.iter().filter(is_in_both) {
                assert!(
                    expected.contains(row),
                    "{name}: {row} is not in {expected:#?}"
                );
            }
        }
        // Estimates depend on the event by which stacks were divided, in the page the first.
        for (number, name) in names.iter().enumerate() {
            for by in ["class", "file", "package"] {
                browser.open(&page, &format!("#event={number}&by={by}"));
                let expected = report(profile, name, by);
                let found = rows(&browser, "Functions");
                assert_eq!(found.len(), expected.len().min(200), "{by}: {found:?}");
                for row in found.iter().filter(|row| !row.contains('~')) {
                    // The sign that it unfolds, and the number of its functions, for packages after
                    // their location.
                    let row = row.trim_start_matches("▸ ").rsplitn(3, ' ').nth(2);
                    let row = row.expect("a number of functions");
                    let is_located = row.ends_with(" ·");
                    let row = if is_located {
                        row.rsplitn(3, ' ').nth(2).expect("a location")
                    } else {
                        row
                    };
                    let is_there = expected.iter().any(|line| line.starts_with(row));
                    assert!(is_there, "{by}, {name}: {row} is not in {expected:#?}");
                }
            }
        }
        browser.check_quiet(&page);
    }
}

#[test]
fn names_are_text_whatever_is_in_them() {
    let names = [
        "</script><script>alert(1)</script>",
        "<img src=x onerror=alert(2)>",
        "\"'><svg/onload=alert(3)>",
        "javascript:alert(4)",
        "\u{202e}txet\u{2028}",
        "{{data}}",
        &"long".repeat(2500),
    ];
    let mut text = format!("creator: xdebug 3.4.0\ncmd: {}\nevents: Time\n", names[1]).into_bytes();
    for (line, name) in names.iter().enumerate() {
        text.extend(format!("fl={name}.php\nfn={name}\n{} 100\n\n", line + 1).bytes());
    }
    text.extend(b"fl=\xff\xfe.php\nfn=not \xff UTF-8\n1 50\n\n");
    let base = TempDir::new().expect("a temporary directory");
    let base = base.path().join("base.cg");
    let browser = Browser::start();
    let url = ["--source-url", "https://host.example/{file}#L{line}"];
    fs::write(
        &base,
        "creator: xdebug 3.4.0\nevents: Time\nfl=<b>\nfn=<i>\n1 5\n",
    )
    .expect("a file");
    let base = base.to_str().expect("UTF-8");
    let compared = ["--base", base, "--max-growth=<i>=0"];
    for options in [url.to_vec(), [&url[..], &compared].concat()] {
        let (_directory, page) = page_of(&text, &options);
        browser.open(&page, "#view=functions");
        let rows = rows(&browser, "Functions");
        assert_eq!(rows.len(), 8);
        for name in &names[..4] {
            let is_there = rows.iter().any(|row| row.contains(name));
            assert!(is_there, "{name}: {rows:?}");
        }
        for address in [
            "",
            "#view=flame",
            "#view=tree&open=%3Cimg%3E.-0",
            "#view=function&function=1",
            "#view=%3Cimg%3E&search=%3Cimg%20src%3Dx%3E",
            "#event=%3Cimg%3E&zoom=-1&sort=%3Cimg%3E&colours=%3Cimg%3E&of=%3Cimg%3E",
            "#event=9&function=1e3&zoom=99&callers=%3C&hide=%20&view=__proto__",
        ] {
            browser.open(&page, address);
            let made = browser.run(
                "const foreign = [...document.links].filter((link) => (
                    !link.getAttribute('href').startsWith('#') && link.host !== 'host.example'));
                const run = 'img, svg, iframe, object, main i:not([class]):not([style])';
                return [document.querySelectorAll(run).length, document.scripts.length, foreign.length,
                    document.querySelectorAll('.row, .frame').length > 0];",
            );
            let is_empty = address.contains("search") || address.contains("function=1");
            assert!(
                made == json!([0, 2, 0, true]) || is_empty && made == json!([0, 2, 0, false]),
                "{address}: {made}"
            );
        }
        browser.check_quiet(&page);
    }
}

#[test]
fn every_view_fits_narrow_and_wide_windows_light_and_dark() {
    let browser = Browser::start();
    let name = "Some\\Namespace\\Of\\Classes\\That\\Have\\Names->withoutAnEnd".repeat(4);
    let call = format!("fn={name}\n1 5\ncfn=b\ncalls=1 9\n1 70000000\nfn=b\n9 70000000\n");
    let text = format!("cmd: {name}\nevents: Ir Dr\nfl=/srv/{name}.php\n{call}");
    let (directory, page) = page_of(&text, &[]);
    let mut colours = Vec::new();
    for (width, scheme) in [(360, "light"), (1440, "dark")] {
        browser.show_at(width, scheme);
        for view in [
            "functions",
            "functions&hide=x",
            "function&function=0",
            "function&function=1",
            "flame",
            "flame&function=1&of=callers",
            "tree",
        ] {
            browser.open(&page, &format!("#view={view}"));
            let fits = browser.run("return document.documentElement.scrollWidth <= innerWidth;");
            assert_eq!(fits, true, "{view} at {width}");
        }
        colours.push(browser.run("return getComputedStyle(document.body).backgroundColor;"));
    }
    assert_ne!(colours[0], colours[1]);
    browser.check_quiet(&page);
    drop(directory);
}

/// Waits until a page is shown, which takes the processor about a second.
fn show(browser: &Browser, page: &Path, address: &str) {
    browser.open(page, address);
    let times = "performance.getEntriesByName('cg-preprocess')";
    browser.wait_for(&format!("return {times}.length === 1;"));
    let work = browser.work();
    println!("{address}: {work} s");
    assert!(0.0 < work && work < 5.0, "{address}: {work} s");
}

#[test]
fn a_page_of_many_functions_is_shown_at_once() {
    const CHAINS: usize = 5_001;
    const DEPTH: usize = 10;
    let mut text = String::from("creator: xdebug 3.4.0\nevents: Time\n");
    let function = |chain: usize, depth: usize| 4 * chain + depth % 4;
    for chain in 0..CHAINS {
        for depth in (0..DEPTH).rev() {
            let own = if depth + 1 < DEPTH { 10 } else { 30 };
            let name = function(chain, depth);
            // All functions of the last file are omitted.
            let file = if chain + 1 < CHAINS { chain % 50 } else { 50 };
            text += &format!("fl=/srv/app/src/{file}.php\nfn=f{name}\n1 {own}\n");
            if depth + 1 < DEPTH {
                let (callee, cost) = (function(chain, depth + 1), 10 * (DEPTH - depth + 1));
                text += &format!("cfn=f{callee}\ncalls=1 0 0\n2 {cost}\n");
            }
            text += "\n";
        }
    }
    let browser = Browser::start();
    let (_directory, page) = page_of(text, &[]);
    // Four functions cost 20 each.
    let functions = "Omitted to limit the size of the report: 4 functions with a total self cost of 80 (0.01 %)";
    for (view, last) in [
        ("functions", functions),
        ("flame", "Arrow keys move."),
        ("tree", "Enter shows its function."),
    ] {
        show(&browser, &page, &format!("#view={view}"));
        let texts = list(&browser.look("text", &json!(["#view p"])), text_of);
        assert!(texts.last().expect("a text").ends_with(last), "{texts:?}");
    }
    show(&browser, &page, "#view=functions&by=file&hide=src/7.php");
    let told = text_of(&browser.look("text", &json!(["#status"]))[0]);
    assert!(told.starts_with("50 files with a total "), "{told}");
    // A colour for each of the 15 costliest of 51 files.
    show(&browser, &page, "#view=flame&colours=file");
    let legend = list(&browser.look("text", &json!([".legend li"])), text_of);
    assert_eq!(legend.last().expect("a text"), "36 other files 69.99 %");
    // 200 rows are printed.
    for (one_more, notes) in [("", 0), ("|^f5$", 1)] {
        show(&browser, &page, &format!("#search=/^f[12]..${one_more}/"));
        let found = browser.run("return document.querySelectorAll('.grid .printed').length;");
        assert_eq!(found, notes);
    }
    // Each function of a chain is there, however little it costs; four frames have no function.
    show(&browser, &page, "#view=flame&search=/^f[0-3]$/");
    let status = browser.look("text", &json!(["#status"]));
    let told = text_of(&status[0]);
    assert!(
        told.starts_with("10 frames marked: 120, 0.02 % of the total"),
        "{told}"
    );
    let data = browser.run(
        "const data = JSON.parse(document.getElementById('data').textContent);
        return [data.functions.parts.length, data.stacks.parent.length];",
    );
    assert_eq!(data, json!([20_000, 50_010]));
    // The last row is made when it is in sight.
    browser.open(&page, "#view=functions&sort=name");
    browser.press("/ Down End");
    let last = browser.look("focus", &json!([]));
    assert_eq!(last, json!(["f9999"]));
    let is_seen = browser.run(
        "const { top, bottom } = document.activeElement.getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight && document.querySelectorAll('.row').length < 1000;",
    );
    assert_eq!(is_seen, true);
}

#[test]
fn rows_below_level_30_of_the_tree_show_their_level() {
    const DEPTH: usize = 32;
    let mut text = String::from("events: Ir\n");
    for at in 1..DEPTH {
        text += &format!("fn=f{at}\n1 0\ncfn=f{}\ncalls=1 1\n2 100\n", at + 1);
    }
    text += &format!("fn=f{DEPTH}\n1 100\n");
    let browser = Browser::start();
    let (_directory, page) = page_of(text, &[]);
    browser.open(&page, "#view=tree");
    let levels = list(&browser.look("text", &json!([".level"])), text_of);
    assert_eq!(levels, ["31", "32"]);
}

/// A loop of more calls than a report has: the shortest are omitted, and neighbours are drawn as one box.
#[test]
fn a_timeline_of_many_calls_is_shown_at_once() {
    const CALLS: u32 = 30_000;
    let mut text = String::from("creator: xdebug 3.4.0\nevents: Time_(10ns)\n");
    let mut calls = String::new();
    for call in 0..CALLS {
        let cost = if call < 15_000 { 1 } else { 10 };
        text += &format!("fl=a.php\nfn=query\n5 {cost}\n\n");
        calls += &format!("cfn=query\ncalls=1 0 0\n{} {cost}\n", 2 + call % 2);
    }
    text += &format!("fl=a.php\nfn={{main}}\n1 0\n{calls}\n");
    let browser = Browser::start();
    let (_directory, page) = page_of(text, &[]);
    show(&browser, &page, "#view=timeline");
    let texts = list(&browser.look("text", &json!(["#view p"])), text_of);
    let omitted = " Calls under 20 ns are not shown: 9 % of the time.";
    assert!(texts[0].ends_with(omitted), "{texts:?}");
    let frames = list(&browser.look("frames", &json!([])), text_of);
    assert_eq!(
        frames,
        ["0 0-100 all", "1 0-100 {main}", "2 9-100 15,000 calls"]
    );
    // From the function: the longest call, which is as long as the others.
    show(&browser, &page, "#view=timeline&function=0&match=1");
    let status = browser.look("text", &json!(["#status"]));
    let told = text_of(&status[0]);
    let expected =
        "15,000 calls marked: at least 1,500.00 µs, at least 90.91 % of the total · 1 of 15,000";
    assert!(told.starts_with(expected), "{told}");
    let frames = browser.look("count", &json!([".frame.match"]));
    assert_eq!(frames, json!(["11"]));
    browser.check_quiet(&page);
}

/// More stacks than 8 MB have room for: what is omitted is said, and what one function costs is known.
#[test]
fn shares_of_a_search_are_exact_or_lower_bounds() {
    const LEVELS: u32 = 16;
    let mut text = String::from("creator: xdebug 3.4.0\nevents: A B C D E F G H I\n");
    // What is below each level: two functions, which call both of the next.
    fn block(text: &mut String, level: u32, bit: u32) -> u64 {
        let own = 1_000_000_000_000 + u64::from(level);
        let sums: Vec<u64> = if level + 1 < LEVELS {
            [0, 1].map(|bit| block(text, level + 1, bit)).to_vec()
        } else {
            Vec::new()
        };
        let row = |cost: u64| format!(" {cost}").repeat(9);
        *text += &format!("fl=a.php\nfn=f{level}_{bit}\n1{}\n", row(own));
        for (bit, sum) in sums.iter().enumerate() {
            *text += &format!("cfn=f{}_{bit}\ncalls=1 0 0\n2{}\n", level + 1, row(*sum));
        }
        *text += "\n";
        own + sums.iter().sum::<u64>()
    }
    block(&mut text, 0, 0);
    let browser = Browser::start();
    let (_directory, page) = page_of(text, &[]);
    let size = fs::metadata(&page).expect("a page").len();
    assert!((7_000_000..8_000_000).contains(&size), "{size}");
    let status = |address: &str| {
        show(&browser, &page, address);
        text_of(&browser.look("text", &json!(["#status"]))[0])
    };
    // The last level has 32,768 stacks, a half of which end with this function.
    let told = status("#view=flame&search=/^f15_0$/");
    let known = "marked: 16,384,000,000,245,760, 25.00 % of the total";
    assert!(told.contains(known), "{told}");
    let told = status("#view=flame&search=f15_");
    assert!(told.contains("marked: at least "), "{told}");
    let told = status("#view=flame&search=f3_");
    assert!(!told.contains("No frame"), "{told}");
    // The sum of omitted stacks has no function.
    let told = status("#view=flame&search=…");
    assert!(told.contains("marked: at least "), "{told}");
    let texts = list(&browser.look("text", &json!(["#view p"])), text_of);
    let omitted = "Omitted to limit the size of the report: ";
    assert!(
        texts.last().is_some_and(|text| text.contains(omitted)),
        "{texts:?}"
    );
    // Each function above the last level makes two calls, and so do those of which some are omitted.
    let sums = browser.run(&format!(
        "const {{ frames, stacks: {{ parent, calls, frame }} }} = data;
        const depth = [];
        for (const above of parent) depth.push((depth[above] ?? -1) + 1);
        const caller = (at) => frames.function[frame[at]] >= 0 && depth[at] < {LEVELS} - 1;
        return [depth.filter((_, at) => caller(at)).length, calls.reduce((sum, count) => sum + count)];"
    ));
    let callers = sums[0].as_u64().expect("a number of callers");
    assert!(callers > 16_000, "{sums}");
    assert_eq!(sums[1], 2 * callers + 1);
    show(&browser, &page, "#view=functions&hide=f15_");
    let told = text_of(&browser.look("text", &json!(["#status"]))[0]);
    assert!(told.contains(" hidden, of which at least "), "{told}");
    show(&browser, &page, "#view=flame&function=0&of=callers");
    let texts = list(&browser.look("text", &json!(["#intro p"])), text_of);
    assert!(
        texts.iter().any(|text| text.starts_with("It shows ")),
        "{texts:?}"
    );
    browser.check_quiet(&page);
}

#[test]
fn omitted_parts_are_counted() {
    let part = |at: u32| {
        let name = format!("desc: Trigger: Client Request: part{at}");
        format!(
            "part: {}\n{name}\nevents: Ir\nfn=a\n1 {at}\ntotals: {at}\n\n",
            at + 1
        )
    };
    let parts: String = (1..=130).map(part).collect();
    let last = "desc: Trigger: Program termination\n";
    let text =
        format!("version: 1\ncreator: callgrind\n{parts}part: 131\n{last}events: Ir\nfn=a\n1 5\n");
    let browser = Browser::start();
    let (_directory, page) = page_of(text, &[]);
    browser.open(&page, "");
    browser.run("document.querySelector('#banners details').open = true;");
    let rows = list(
        &browser.look("text", &json!(["#banners tbody tr"])),
        text_of,
    );
    assert_eq!(rows.len(), 101);
    // Those of 30 to 1, and the last part, which has no name.
    assert_eq!(rows[100], "31 other parts 470");
    assert_eq!(rows[0], "part130 130");
}

/// Two functions that call each other, one level below the other: the last one costs something.
#[test]
fn stacks_of_30_000_levels_are_shown() {
    const LEVELS: usize = 30_000;
    let mut text = String::from("creator: xdebug 3.4.0\nevents: Time\n");
    for level in (0..LEVELS).rev() {
        let own = if level + 1 == LEVELS { 1_000_000 } else { 1 };
        text += &format!("fl=a.php\nfn=f{}\n1 {own}\n", level % 2);
        if level + 1 < LEVELS {
            let cost = 1_000_000 + LEVELS - level - 2;
            text += &format!("cfn=f{}\ncalls=1 0 0\n2 {cost}\n", (level + 1) % 2);
        }
        text += "\n";
    }
    let browser = Browser::start();
    let (_directory, page) = page_of(text, &[]);
    let count = |css: &str| browser.look("count", &json!([css]));
    show(&browser, &page, "#view=flame&zoom=20");
    let crumbs = "all › … › f1 › f0 › f1 › f0 › f1 › f0 › f1";
    assert_eq!(browser.look("text", &json!([".crumbs"])), json!([crumbs]));
    show(&browser, &page, "#view=tree");
    assert_eq!(
        count(&format!("[aria-rowcount='{}']", LEVELS + 1)),
        json!(["1"])
    );
    browser.press("/ Down End");
    let row = || browser.run("return document.activeElement.innerText.replace(/\\s+/g, ' ');");
    let deepest = text_of(&row());
    assert!(
        deepest.starts_with("97.09 1,000,000 1,000,000 1 30000 f1"),
        "{deepest}"
    );
    browser.press("Left");
    let above = text_of(&row());
    assert!(above.contains(" 29999 f0"), "{above}");
    // Below level 30, the indentation ends: a row shows its level.
    browser.press(&format!("Home{}", " Down".repeat(29)));
    let level_30 = text_of(&row());
    assert!(level_30.ends_with(" 1 f1 details"), "{level_30}");
    browser.press("Down");
    let level_31 = text_of(&row());
    assert!(level_31.ends_with(" 1 31 f0 details"), "{level_31}");
    // All of it folds.
    browser.press("Home Left");
    browser.settle();
    assert_eq!(count(".row"), json!(["1"]));

    show(&browser, &page, "#view=flame");
    let scroll = "scrollTo(0, document.querySelector('.flame').offsetTop + 20 * 30000 - 200);";
    browser.run(scroll);
    let last = ".frame[style*='--left']";
    browser.wait_for(&format!(
        "const all = [...document.querySelectorAll(\"{last}\")];
        return all.some((frame) => shownBy.get(frame).depth === {LEVELS});"
    ));
    // All of it is below the second level.
    for address in ["search=F1", "function=1"] {
        show(&browser, &page, &format!("#view=flame&{address}"));
        let told = browser.look("text", &json!(["#status"]));
        let expected = "15,000 frames marked: 1,029,998, 100.00 % of the total";
        assert!(text_of(&told[0]).starts_with(expected), "{told}");
    }
    for of in ["callers", "callees"] {
        show(&browser, &page, &format!("#view=flame&function=0&of={of}"));
    }
    browser.check_quiet(&page);
}
