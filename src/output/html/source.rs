//! The source in the report: lines with costs or calls, and the lines around them.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use super::data::Data;
use super::table::{Room, text_size};
use crate::display::text::printable;
use crate::io::{SourceCounts, SourceFiles};
use crate::maps::HashMap;
use crate::output::json::Document;

/// The number of lines before and after one with costs or calls.
const LINES_AROUND: u64 = 5;

/// Lines of source by the position of their file.
#[derive(Default)]
pub(super) struct SourceLines {
    lines: BTreeMap<usize, BTreeMap<u64, String>>,
    /// The number of functions whose source was omitted.
    omitted: usize,
    newer: BTreeSet<usize>,
    counts: SourceCounts,
}

impl Data<'_, '_> {
    /// Chooses the lines of the costliest functions that fit. Each file is read twice: first for the sizes
    /// of the lines, then for the text of those that were chosen.
    pub fn source(&self, files: &mut SourceFiles, room: &mut Room) -> SourceLines {
        let mut source = SourceLines::default();
        if files.is_empty() {
            return source;
        }
        let order = &self.functions.order;
        let mut wanted: BTreeMap<usize, BTreeSet<u64>> = BTreeMap::new();
        for (file, line) in order.iter().flat_map(|&at| self.around(at)) {
            wanted.entry(file).or_default().insert(line);
        }
        let mut sizes = HashMap::default();
        for (position, lines) in wanted {
            let mut found = Vec::new();
            let file = files.read(self.files.name(position), &lines, |line, text| {
                // Each line may begin a text, which has the numbers of its file and first line.
                found.push(((position, line), text_size(&shown(text)) + 14));
            });
            if let Ok(file) = file {
                source.newer.extend(file.is_newer.then_some(position));
                sizes.extend(found);
            }
        }
        let mut chosen: BTreeMap<usize, BTreeSet<u64>> = BTreeMap::new();
        for &at in order {
            let is_new = |place: &(usize, u64)| sizes.contains_key(place);
            let new: BTreeSet<_> = self.around(at).filter(is_new).collect();
            if !room.take(new.iter().map(|place| sizes[place]).sum()) {
                source.omitted += 1;
                continue;
            }
            for (file, line) in new {
                sizes.remove(&(file, line));
                chosen.entry(file).or_default().insert(line);
            }
        }
        for (position, lines) in chosen {
            let mut texts = BTreeMap::new();
            let file = files.read(self.files.name(position), &lines, |line, text| {
                texts.insert(line, shown(text));
            });
            source.lines.extend(file.ok().map(|_| (position, texts)));
        }
        source.counts = files.counts();
        source
    }

    /// The lines of a function and those around them, as positions of files and numbers.
    fn around(&self, at: usize) -> impl Iterator<Item = (usize, u64)> {
        let lines = self.lines_of[at].iter().filter(|(_, line)| *line > 0);
        lines.flat_map(|&(file, line)| {
            let around = line.saturating_sub(LINES_AROUND)..=line.saturating_add(LINES_AROUND);
            around.map(move |line| (file, line))
        })
    }
}

impl SourceLines {
    /// Writes the lines; consecutive ones are one text.
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
        record.field("found", &self.counts.found)?;
        let missing = self.counts.missing + self.counts.refused;
        record.field("missing", &missing)?;
        record.field("omitted", &self.omitted)
    }
}

/// A line as it is shown, with its tabs.
fn shown(line: &str) -> String {
    let parts = line.split('\t').map(|part| printable(part.as_bytes()));
    parts.collect::<Vec<_>>().join("\t")
}
