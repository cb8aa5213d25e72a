//! Pages of Markdown with inputs, and with what comes of them.

use std::borrow::Cow;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// What stands between two fences.
pub struct Block<'a> {
    /// The title above it.
    pub title: &'a str,
    /// The first word after the fence, and the words after it.
    pub kind: &'a str,
    pub options: Vec<&'a str>,
    /// If `xdebug` is one of the words, the trace of what stands there as a tree.
    pub text: Cow<'a, str>,
    place: Range<usize>,
}

/// All blocks of a page.
pub fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut title = "";
    let mut open: Option<(&str, usize)> = None;
    let mut end = 0;
    for line in page.split_inclusive('\n') {
        let start = end;
        end += line.len();
        let line = line.trim_end();
        match open {
            None => {
                title = line.strip_prefix("## ").unwrap_or(title);
                open = line.strip_prefix("```").map(|info| (info, end));
            }
            Some((info, from)) if line == "```" => {
                let text = &page[from..start];
                let is_tree = info.split_whitespace().any(|word| word == "xdebug");
                let words = info.split_whitespace();
                let mut words = words.filter(|&word| word != "xdebug");
                blocks.push(Block {
                    title,
                    kind: words.next().unwrap_or_default(),
                    options: words.collect(),
                    text: match is_tree {
                        true => super::trace(text).into(),
                        false => text.into(),
                    },
                    place: from..start,
                });
                open = None;
            }
            Some(_) => {}
        }
    }
    blocks
}

/// Sees that a page shows what comes of its inputs, which `found` tells of each block; it returns
/// nothing for inputs. Where `BLESS` is set, the page is written anew.
pub fn check(path: &Path, mut found: impl FnMut(&Block<'_>) -> Option<String>) {
    let page = fs::read_to_string(path).unwrap();
    let mut written = String::new();
    let (mut from, mut wrong) = (0, String::new());
    for block in blocks(&page) {
        super::get_on();
        let Some(found) = found(&block) else { continue };
        if found != block.text {
            wrong += &format!("\n## {}\n{}is now\n{found}", block.title, block.text);
        }
        written += &page[from..block.place.start];
        written += &found;
        from = block.place.end;
    }
    assert!(from > 0, "{}: nothing is shown", path.display());
    if super::fixtures::are_blessed() {
        fs::write(path, written + &page[from..]).unwrap();
    } else {
        assert!(wrong.is_empty(), "{}:{wrong}", path.display());
    }
}

/// All pages of a directory.
pub fn pages(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap();
    let mut pages: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    pages.retain(|path| path.extension().is_some_and(|end| end == "md"));
    pages.sort();
    pages
}
