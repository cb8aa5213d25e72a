//! The source in the report: lines that cost something or call, and those around them.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use super::data::Data;
use super::table::{Room, text_size};
use crate::display::text::printable;
use crate::io::SourceFiles;
use crate::output::json::Document;

/// How many lines stand around one that costs something.
const LINES_AROUND: u64 = 5;

/// Lines of source as they are shown, by file.
#[derive(Default)]
pub(super) struct SourceLines {
    lines: BTreeMap<usize, BTreeMap<u64, String>>,
    /// How many functions there is no room for.
    left_out: usize,
    newer: BTreeSet<usize>,
    found: [u64; 2],
}

impl Data<'_, '_> {
    /// Takes the lines around places of functions, the costliest function first, as far as there is
    /// room.
    pub fn source(&self, files: &mut SourceFiles, room: &mut Room) -> SourceLines {
        let mut source = SourceLines::default();
        for &at in &self.functions.order {
            let mut wanted: BTreeMap<usize, BTreeSet<u64>> = BTreeMap::new();
            for &(file, line) in self.lines_of[at].iter().filter(|(_, line)| *line > 0) {
                let around = line.saturating_sub(LINES_AROUND)..=line.saturating_add(LINES_AROUND);
                wanted.entry(file).or_default().extend(around);
            }
            let mut found = Vec::new();
            for (position, lines) in wanted {
                let Ok(file) = files.read(self.file_name(position)) else {
                    continue;
                };
                if file.is_newer() {
                    source.newer.insert(position);
                }
                let known = source.lines.get(&position);
                let is_new = |line: &u64| !known.is_some_and(|known| known.contains_key(line));
                let lines = lines.into_iter().filter(is_new);
                found.extend(
                    lines.filter_map(|line| Some((position, line, shown(file.line(line)?)))),
                );
            }
            // Each may begin a text, whose file and first line stand beside it.
            let size = found.iter().map(|(.., text)| text_size(text) + 14);
            if !room.take(size.sum()) {
                source.left_out += 1;
                continue;
            }
            for (position, line, text) in found {
                source.lines.entry(position).or_default().insert(line, text);
            }
        }
        source.found = [files.found(), files.missing()];
        source
    }
}

impl SourceLines {
    /// Writes them: lines that follow one another are one text.
    pub fn write(&self, record: &mut Document<'_>) -> io::Result<()> {
        let (mut files, mut firsts, mut texts) = (Vec::new(), Vec::new(), Vec::<String>::new());
        for (&file, lines) in &self.lines {
            let mut next = None;
            for (&line, text) in lines {
                match texts.last_mut().filter(|_| next == Some(line)) {
                    Some(chunk) => {
                        chunk.push('\n');
                        chunk.push_str(text);
                    }
                    None => {
                        files.push(file);
                        firsts.push(line);
                        texts.push(text.clone());
                    }
                }
                next = Some(line + 1);
            }
        }
        record.field("file", &files)?;
        record.field("first", &firsts)?;
        record.field("text", &texts)?;
        record.field("newer", &self.newer)?;
        record.field("found", &self.found[0])?;
        record.field("missing", &self.found[1])?;
        record.field("left_out", &self.left_out)
    }
}

/// A line as it is shown: tabs stay.
fn shown(line: &str) -> String {
    let parts = line.split('\t').map(|part| printable(part.as_bytes()));
    parts.collect::<Vec<_>>().join("\t")
}
