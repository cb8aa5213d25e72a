//! The page in a real browser: its figures are those of the text report, everything can be reached
//! with a mouse and with keys alone, and no name gets to run or to load anything.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::browser::{Browser, DOWN, ENTER, ESCAPE};
use crate::callgrind::Session as Valgrind;
use crate::common::fixtures;
use crate::profile::{list, text_of};
use crate::xdebug::Session as Xdebug;

/// A page and the profile that it shows.
struct Page {
    folder: TempDir,
    profile: PathBuf,
    browser: Browser,
}

impl Page {
    fn of(profile: &Path, options: &[&str]) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let page = Page {
            profile: profile.to_owned(),
            browser: Browser::start(),
            folder,
        };
        let mut command = Command::new(env!("CARGO_BIN_EXE_cg-preprocess"));
        command.args(["-q", "-o"]).arg(page.path());
        command.arg(profile).args(options);
        assert!(command.status().expect("the program").success());
        page
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("page.html")
    }

    fn open(&self, address: &str) {
        self.browser.open(&self.path(), address);
    }

    fn run(&self, script: &str) -> Value {
        self.browser.run(script)
    }

    /// The text that a script returns, or the texts.
    fn text(&self, script: &str) -> String {
        text_of(&self.run(&format!("return {script};")))
    }

    fn texts(&self, script: &str) -> Vec<String> {
        list(&self.run(script), text_of)
    }

    /// Clicks on what a script finds, and waits until a script returns true.
    fn click(&self, found: &str, until: &str) {
        self.run(&format!("{found}.click();"));
        self.browser.wait_for(&format!("return {until};"));
    }

    /// Lines of a text report of the profile, with one blank where there are several.
    fn report(&self, options: &[&str]) -> Vec<String> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cg-preprocess"));
        let command = command.args(["-q", "--top", "0"]).args(options);
        let output = command.arg(&self.profile).output().expect("the program");
        assert!(output.status.success(), "{options:?}");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        text.lines().map(words).collect()
    }

    /// All rows of the table with this label, as lines of the text report: names and places in full.
    fn rows(&self, label: &str) -> Vec<String> {
        let script = format!(
            "dispatchEvent(new Event('beforeprint'));
            const table = document.querySelector('[aria-label=\"{label}\"]');
            const rows = [...(table?.querySelectorAll('.row') ?? [])].sort((a, b) => a.ariaRowIndex - b.ariaRowIndex);
            const text = (cell) => cell.querySelector('[title]')?.title ?? cell.textContent;
            return rows.map((row) => [...row.children].map(text).join(' '));"
        );
        let rows = self.texts(&script);
        rows.iter().map(|row| words(row)).collect()
    }

    fn events(&self) -> Vec<String> {
        self.texts("return JSON.parse(document.getElementById('data').textContent).events.map((event) => event.name);")
    }
}

/// A line with one blank where there are several.
fn words(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The rows of a table in a report: what follows the line that begins so, up to an empty one.
fn table(report: &[String], heading: &str) -> Vec<String> {
    let rows = report.iter().skip_while(|line| !line.starts_with(heading));
    let rows = rows.skip(1).take_while(|line| !line.is_empty());
    rows.cloned().collect()
}

/// Compares the rows of every event with the text report; also the callers and callees of the
/// costliest functions.
fn check_figures(page: &Page) {
    page.open("");
    for (number, event) in page.events().iter().enumerate() {
        page.open(&format!("#event={number}"));
        let expected = table(&page.report(&["-f", "text", "-e", event]), "self %");
        let rows = page.rows("Functions");
        assert!(!rows.is_empty() && rows.len() <= 200, "{event}");
        assert_eq!(rows, expected[..rows.len()], "{event}");
        for at in 0..5.min(rows.len()) {
            page.open(&format!("#event={number}"));
            let row = format!("document.querySelectorAll('.row')[{at}]");
            page.click(&row, "document.querySelector('h2.name') !== null");
            let name = page.text("document.querySelector('h2.name').textContent");
            let report = page.report(&["-f", "text", "-e", event, "--function", &name]);
            let is_callees =
                |line: &String| line == "no callee" || line.contains(" callee called at");
            let callees = report.iter().position(is_callees);
            let Some(callees) = callees.filter(|_| table(&report, "self %").len() == 1) else {
                continue;
            };
            for (label, report) in [
                ("Callers", &report[..callees]),
                ("Callees", &report[callees..]),
            ] {
                let [mut found, mut expected] = [page.rows(label), table(report, "cost %")];
                let headings = report.iter().filter(|line| line.starts_with("self %"));
                if headings.count() > 1 {
                    continue;
                }
                // Calls that cost the same have no order.
                found.sort();
                expected.sort();
                assert_eq!(found, expected, "{event}: {label} of {name}");
            }
        }
    }
}

#[test]
fn an_xdebug_trace_is_shown_with_the_figures_of_the_reports() {
    let session = Xdebug::of("recursion.php");
    let page = Page::of(&session.profile(), &[]);
    check_figures(&page);
    // What of the tree is open is in the tree of the reports too.
    page.open("#view=tree");
    let tree = page.report(&["-f", "tree"]);
    let rows = page.rows("Tree of calls");
    assert!(rows.len() > 3, "{rows:?}");
    for row in rows.iter().filter(|row| !row.ends_with('…')) {
        let row = row.replace(['▾', '▸'], "");
        assert!(tree.contains(&words(&row)), "{row} is not in {tree:#?}");
    }
    page.browser.check_quiet(&page.path());
}

#[test]
fn valgrinds_profiles_are_shown_with_and_without_stacks() {
    let options = ["--separate-callers=3", "--cache-sim=yes"];
    let session = Valgrind::of("shapes.cpp", &[], &options);
    let page = Page::of(&session.files[0], &[]);
    check_figures(&page);
    page.open("#view=flame");
    let frames = page.run("return document.querySelectorAll('.frame').length;");
    assert!(frames.as_i64() > Some(3), "{frames}");
    page.browser.check_quiet(&page.path());

    let page = Page::of(&fixtures::path("valgrind/cachegrind.out"), &[]);
    check_figures(&page);
    page.browser.check_quiet(&page.path());
}

/// The changes of a text report, as rows of the page: what is new or gone cost nothing on one side.
fn changes(report: &[String]) -> Vec<String> {
    let mut rows: Vec<(String, String)> = Vec::new();
    let lines = report.iter().skip_while(|line| !line.contains(" base % "));
    for line in lines.skip(1).take_while(|line| !line.is_empty()) {
        let details = ["self ", "new: ", "gone: ", "inclusive ", "calls "];
        match rows.last_mut() {
            Some((_, told)) if details.iter().any(|start| line.starts_with(start)) => {
                *told += &format!(", {line}");
            }
            _ => rows.push((line.clone(), String::new())),
        }
    }
    let rows = rows.iter().map(|(row, told)| {
        let (figures, names) = row.split_at(row.match_indices(' ').nth(1).expect("names").0);
        let mut cells = vec![figures.to_owned()];
        let is = ["new: ", "gone: "].into_iter().find(|is| told.contains(is));
        let told = told.replace("new: ", "").replace("gone: ", "");
        for item in told.split(", ").skip(1) {
            let (_, figure) = item.split_once(' ').expect("a figure");
            let figure = figure.split(" (").next().unwrap_or_default();
            let decimals = figure
                .split_once('.')
                .map_or(0, |(_, decimals)| decimals.len());
            let none = format!("{:.decimals$}", 0.0);
            cells.push(match is {
                Some("new: ") if figure != none => format!("{none} → {figure}"),
                Some(_) if figure != none => format!("{figure} → {none}"),
                _ => figure.to_owned(),
            });
        }
        cells.join(" ") + names
    });
    rows.collect()
}

#[test]
fn a_comparison_says_what_changed_in_every_event() {
    let [base, longer] =
        ["base", "longer"].map(|name| fixtures::path(&format!("comparison/xdebug-{name}.cg")));
    let other = fixtures::path("xdebug3/small.cg");
    let [base, other] = [&base, &other].map(|path| path.to_str().expect("UTF-8"));
    for options in [
        &["--base", base][..],
        &["--base", other],
        &["--per-run", "--base", base, other],
    ] {
        let page = Page::of(&longer, options);
        page.open("");
        let events = page.events();
        assert_eq!(events.len(), 2);
        for (number, event) in events.iter().enumerate() {
            page.open(&format!("#event={number}"));
            let report = page.report(&[&["-f", "text", "-e", event], options].concat());
            let expected = changes(&report);
            assert!(expected.len() > 4, "{report:#?}");
            assert_eq!(page.rows("Changes"), expected, "{event}");
            let totals = page.texts(
                "return [...document.querySelectorAll('.figures td:nth-child(2)')].map((cell) => cell.textContent);",
            );
            assert_eq!(totals.len(), 2);
            for (line, total) in report[1..3].iter().zip(totals) {
                assert!(line.contains(&format!(" {total} in ")), "{line}: {total}");
            }
            // The stacks add up to the totals of both sides.
            page.open(&format!("#view=flame&event={number}"));
            let told = page.text("document.querySelector('.about .line').textContent");
            page.run("window.totals = comparison.events[state.event].totals;");
            let change = page.text(
                "`before ${withUnit(totals[0])}, change ${signed(totals[1] - totals[0], withUnit(totals[1] - totals[0]))}`",
            );
            assert!(told.ends_with(&change), "{told}: {change}");
        }
        let link = |links: &str, is: &str| {
            format!("[...document.querySelectorAll('{links}')].find((a) => a.textContent{is})")
        };
        let changes = "document.querySelector('[aria-label=Changes]') !== null";
        page.click(&link("nav a", " === 'Changes'"), changes);
        let legend = "document.querySelector('.legend')?.textContent.includes('grew') ?? false";
        page.click(&link("main a", ".includes('flame')"), legend);
        page.browser.check_quiet(&page.path());
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
    let folder = TempDir::new().expect("a temporary folder");
    let profile = folder.path().join("hostile.cg");
    fs::write(&profile, text).expect("a file");
    let base = folder.path().join("base.cg");
    let text = "creator: xdebug 3.4.0\nevents: Time\nfl=<b>\nfn=<i>\n1 5\n";
    fs::write(&base, text).expect("a file");
    let url = ["--source-url", "https://host.example/{file}#L{line}"];
    let base = base.to_str().expect("UTF-8");
    let compared = ["--base", base, "--max-growth=<i>=0"];
    for options in [url.to_vec(), [&url[..], &compared].concat()] {
        let page = Page::of(&profile, &options);
        page.open("#view=functions");
        let rows = page.rows("Functions");
        let expected = table(&page.report(&["-f", "text"]), "self %");
        // The longest is cut in the report's places, and so not compared.
        assert_eq!(rows.len(), expected.len());
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
        ] {
            page.open(address);
            let made = page.run(
                "return [document.querySelectorAll('img, svg, iframe, object, main i:not([class]):not([style])').length,
                document.scripts.length,
                [...document.links].filter((link) => !link.getAttribute('href').startsWith('#') && link.host !== 'host.example').length,
                document.querySelectorAll('.row, .frame').length > 0];",
            );
            let is_empty = address.contains("search") || address.contains("function=");
            assert_eq!(made, serde_json::json!([0, 2, 0, !is_empty]), "{address}");
        }
        page.browser.check_quiet(&page.path());
    }
}

#[test]
fn a_reader_sorts_searches_zooms_and_goes_back() {
    let page = Page::of(&fixtures::path("xdebug3/composer.cg"), &[]);
    let browser = &page.browser;
    page.open("");
    let by_cost = page.rows("Functions");
    let button = "[...document.querySelectorAll('.head button')].find((button) => button.textContent === 'Calls')";
    page.click(button, "location.hash.includes('sort=calls')");
    let sorted = page.run("return document.querySelectorAll('[aria-sort=descending]').length;");
    assert_eq!(sorted, 1);
    assert_ne!(page.rows("Functions"), by_cost);
    browser.back();
    browser.wait_for("return !location.hash.includes('sort');");
    assert_eq!(page.rows("Functions"), by_cost);

    // With keys alone: to the search, to the rows, into a function.
    browser.press("/autoload".chars());
    browser.wait_for("return location.hash.includes('search=autoload');");
    let found = page.rows("Functions");
    assert!(!found.is_empty() && found.len() < by_cost.len());
    let is_found = |row: &String| row.to_lowercase().contains("autoload");
    assert!(found.iter().all(is_found));
    browser.press([DOWN, DOWN, ENTER]);
    browser.wait_for("return location.hash.includes('view=function');");
    let name = page.text("document.querySelector('h2.name').textContent");
    assert!(found[1].contains(&name), "{name}");

    // Hidden functions can be charged to their callers: nothing is lost.
    page.open("#hide=php%3A%3A&charge=callers");
    let rows = page.rows("Functions");
    assert!(rows.iter().all(|row| !row.contains("php::")));
    // What proc_close cost is its caller's.
    assert!(rows[0].starts_with("8"), "{}", rows[0]);

    // What is open in the tree is in the address, and there again on the way back.
    page.open("#view=tree");
    let closed = page.rows("Tree of calls");
    page.click(
        "document.querySelector('[aria-expanded=false]')",
        "location.hash.includes('open=')",
    );
    let opened = page.rows("Tree of calls");
    assert!(opened.len() > closed.len());
    page.click(
        "document.querySelector('.row .more')",
        "location.hash.includes('view=function')",
    );
    browser.back();
    browser.wait_for("return location.hash.includes('open=');");
    assert_eq!(page.rows("Tree of calls"), opened);
    page.open(&page.text("location.hash"));
    assert_eq!(page.rows("Tree of calls"), opened);
    let is_closed = "document.querySelectorAll('.row').length === 1";
    page.click("document.querySelector('[aria-expanded=true]')", is_closed);

    // Into a frame, back by Esc, and the same after a reload.
    page.open("#view=flame");
    let frame = "document.querySelectorAll('.frame')[3]";
    let name = page.text(&format!("{frame}.textContent"));
    page.click(frame, "document.querySelector('.crumbs b') !== null");
    page.open(&page.text("location.hash"));
    let zoomed = page.text("document.querySelector('.crumbs b').textContent");
    assert!(zoomed.ends_with(&name), "{zoomed}: {name}");
    browser.press([ESCAPE]);
    browser.wait_for(
        "return document.querySelector('.crumbs') === null && !location.hash.includes('zoom');",
    );
    browser.check_quiet(&page.path());
}

#[test]
fn every_view_fits_narrow_and_wide_windows_light_and_dark() {
    let page = Page::of(&fixtures::path("xdebug3/features.cg"), &[]);
    let mut colours = Vec::new();
    for (width, scheme) in [(360, "light"), (1440, "dark")] {
        page.browser.show_at(width, scheme);
        for view in ["functions", "function&function=1", "flame", "tree"] {
            page.open(&format!("#view={view}"));
            let fits = page.run("return document.documentElement.scrollWidth <= innerWidth;");
            assert_eq!(fits, true, "{view} at {width}");
        }
        colours.push(page.run("return getComputedStyle(document.body).backgroundColor;"));
    }
    assert_ne!(colours[0], colours[1]);
    page.browser.check_quiet(&page.path());
}

/// Under a second on an idle machine; this one may be busy.
#[test]
fn a_large_page_is_shown_at_once() {
    const CHAINS: usize = 5_000;
    const DEPTH: usize = 10;
    let mut text = String::from("creator: xdebug 3.4.0\nevents: Time\n");
    let function = |chain: usize, depth: usize| 4 * chain + depth % 4;
    for chain in 0..CHAINS {
        for depth in (0..DEPTH).rev() {
            let own = if depth + 1 < DEPTH { 10 } else { 30 };
            let (file, name) = (chain % 50, function(chain, depth));
            text += &format!("fl=/srv/app/src/{file}.php\nfn=f{name}\n1 {own}\n");
            if depth + 1 < DEPTH {
                let (callee, cost) = (function(chain, depth + 1), 10 * (DEPTH - depth + 1));
                text += &format!("cfn=f{callee}\ncalls=1 0 0\n2 {cost}\n");
            }
            text += "\n";
        }
    }
    let folder = TempDir::new().expect("a temporary folder");
    let profile = folder.path().join("large.cg");
    fs::write(&profile, text).expect("a file");
    let page = Page::of(&profile, &[]);
    for view in ["functions", "flame", "tree"] {
        page.open(&format!("#view={view}"));
        let times = "performance.getEntriesByName('cg-preprocess')";
        page.browser
            .wait_for(&format!("return {times}.length === 1;"));
        let time = page.run(&format!("return {times}[0].duration;"));
        println!("{view}: {time} ms");
        assert!(time.as_f64() < Some(10_000.0), "{view}: {time} ms");
    }
    let sizes = page.run(
        "const data = JSON.parse(document.getElementById('data').textContent);
        return [data.functions.name.length, data.stacks.parent.length];",
    );
    assert_eq!(sizes, serde_json::json!([20_000, 50_000]));
}
