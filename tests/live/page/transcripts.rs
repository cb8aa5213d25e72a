//! What a reader does with a page, and what is on it then, as the pages in `pages/` tell it.
//!
//! There, a block `file NAME` is a file, or with `xdebug` the trace of a tree of calls
//! (`common/trace.rs`), and a block `page OPTIONS` what the program makes of such
//! files, opened in the browser. Each of its lines that begin with `> ` is something that the reader
//! does or looks at; below it stands what is to be seen. These texts were written by hand: `BLESS=1`
//! writes what there is, and whoever uses it checks every figure against the profile above.

use std::cell::Cell;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant, UNIX_EPOCH};

use serde_json::json;
use tempfile::TempDir;

use super::make;
use crate::browser::Browser;
use crate::common::fixtures::are_blessed;
use crate::common::pages::{self, Block};
use crate::profile::{list, text_of};

/// How long something may take to be shown on a busy machine. A test that passes does not wait for it.
const PATIENCE: Duration = Duration::from_secs(60);

/// When the first file was changed: 2026-01-02 03:04:05 UTC. The others were, a moment later each.
const RECORDED: Duration = Duration::from_secs(1_767_323_045);

/// What can be clicked on, where nothing narrower is said.
const TARGETS: &str = "a, button, label, [role=gridcell], .frame";

/// One test for each file, so that they run side by side.
macro_rules! transcripts {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                check(concat!(stringify!($name), ".md"));
            }
        )*

        #[test]
        fn all_files_are_checked() {
            let known = [$(concat!(stringify!($name), ".md")),*];
            let files = pages::pages(&directory()).into_iter();
            let files: Vec<_> = files.filter(|file| !known.iter().any(|name| file.ends_with(name))).collect();
            assert!(files.is_empty(), "{files:?}");
        }
    };
}

transcripts! { by callbacks changes cycles estimates figures graph hints inputs lines names parts per_call repeated search shop source timeline }

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/live/page/pages")
}

fn check(name: &str) {
    let browser = Browser::start();
    let files = TempDir::new().expect("a temporary directory");
    let written = Cell::new(0);
    pages::check(&directory().join(name), |block| {
        shown(&browser, block, files.path(), &written)
    });
}

/// Does what stands in a block; the block as it should read.
fn shown(
    browser: &Browser,
    block: &Block<'_>,
    directory: &Path,
    written: &Cell<u64>,
) -> Option<String> {
    if block.kind == "file" {
        let file = directory.join(block.options[0]);
        fs::create_dir_all(file.parent().expect("a directory")).expect("a directory");
        fs::write(&file, &*block.text).expect("a file");
        // Reports say when their input was recorded, and which source is newer.
        written.set(written.get() + 1);
        let time = UNIX_EPOCH + RECORDED + Duration::from_millis(written.get());
        let file = File::options().write(true).open(file).expect("a file");
        file.set_modified(time).expect("a time");
    }
    if block.kind != "page" {
        return None;
    }
    let page = make(directory, &block.options);
    let mut text = String::new();
    // After something was wrong, nothing is waited for.
    let mut patience = PATIENCE;
    let mut lines = block.text.lines().peekable();
    browser.show_at(1440, "light");
    act(browser, &page, "open", "");
    while let Some(line) = lines.next() {
        let mut expected = Vec::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with("> ")) {
            expected.push(line.to_owned());
        }
        let (what, of) = line
            .strip_prefix("> ")
            .expect("a command")
            .split_once(' ')
            .unwrap_or((&line[2..], ""));
        let found = act(browser, &page, what, of)
            .unwrap_or_else(|| look(browser, what, of, &expected, patience));
        if found != expected {
            patience = Duration::ZERO;
        }
        text += &format!("{line}\n");
        text.extend(found.into_iter().map(|line| line + "\n"));
    }
    browser.check_quiet(&page);
    Some(text)
}

/// Does something, if it is something to do; what is wrong with it.
fn act(browser: &Browser, page: &Path, what: &str, of: &str) -> Option<Vec<String>> {
    match what {
        "open" => {
            browser.hover(0, 0);
            browser.open(page, of);
            return Some(Vec::new());
        }
        "back" => browser.back(),
        "press" => browser.press(of),
        "click" | "hover" => {
            let (text, css) = of.rsplit_once(" in ").unwrap_or((of, TARGETS));
            let Some([x, y]) = browser.place(text, css) else {
                return Some(vec![String::from("It is not there.")]);
            };
            match what {
                "hover" => browser.hover(x, y),
                _ => browser.click("mouse", x, y),
            }
        }
        "choose" => {
            let (field, value) = of.split_once(' ').unwrap_or((of, ""));
            browser.run(&format!(
                "const field = document.getElementById('{field}');
                field.value = '{value}';
                field.dispatchEvent(new Event('input'));"
            ));
        }
        // As if functions had been omitted.
        "omit" => {
            browser.run(&format!("Object.assign(data.rest, {of}); render();"));
        }
        "width" => browser.show_at(of.parse().expect("a width"), "light"),
        "paper" => browser.show_on_paper(of.parse().expect("a width")),
        _ => return None,
    }
    browser.follow();
    Some(Vec::new())
}

/// Looks at something until it is as expected.
fn look(
    browser: &Browser,
    what: &str,
    of: &str,
    expected: &[String],
    patience: Duration,
) -> Vec<String> {
    let arguments = match what {
        "get" | "colours" => of.split_once(' ').map(|(name, css)| json!([name, css])),
        _ => None,
    };
    let arguments = arguments.unwrap_or_else(|| json!([of]));
    let see = || {
        list(&browser.look(what, &arguments), |line| {
            text_of(line).trim_end().to_owned()
        })
    };
    if are_blessed() {
        sleep(Duration::from_millis(300));
        return see();
    }
    wait(patience, see, |found| found == expected)
}

/// What there is when it is right, or when the time is over.
fn wait<T>(patience: Duration, see: impl Fn() -> T, is_right: impl Fn(&T) -> bool) -> T {
    let start = Instant::now();
    loop {
        let found = see();
        if is_right(&found) || start.elapsed() > patience {
            return found;
        }
        sleep(Duration::from_millis(20));
    }
}
