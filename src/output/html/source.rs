//! The source in the report: lines with costs or calls, and the lines around them.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use super::data::Data;
use super::table::{Column, Room, Table, text_size};
use crate::display::text::printable;
use crate::io::{SourceCounts, SourceFiles};
use crate::maps::HashMap;
use crate::output::json::Document;

/// The number of lines before and after one with costs or calls.
const LINES_AROUND: u64 = 5;

/// The bytes that the numbers of a text's file and first line take, with commas.
const NUMBERS: usize = 14;

/// The lines in the report.
pub(super) struct SourceLines {
    /// Texts of consecutive lines, with the positions of their files and their first lines.
    texts: Table,
    /// The number of functions whose source was omitted.
    omitted: usize,
    newer: BTreeSet<usize>,
    counts: SourceCounts,
}

impl Data<'_, '_> {
    /// Chooses the lines of the costliest functions that fit. Each file is read twice: first for the sizes
    /// of the lines, then for the text of those that were chosen.
    pub fn source(&self, files: &mut SourceFiles, room: &mut Room) -> Option<SourceLines> {
        if files.is_empty() {
            return None;
        }
        let layout = self.costs.layout();
        let mut source = SourceLines {
            texts: layout.table(&["file", "first", "text"].map(Column::Value)),
            omitted: 0,
            newer: BTreeSet::new(),
            counts: SourceCounts::default(),
        };
        let mut wanted: BTreeMap<usize, BTreeSet<u64>> = BTreeMap::new();
        for (file, line) in self.lines_of.iter().flat_map(|lines| around(lines)) {
            wanted.entry(file).or_default().insert(line);
        }
        let mut sizes = HashMap::default();
        for (position, lines) in wanted {
            let mut found = Vec::new();
            let file = files.read(&room.files[position], &lines, |line, text| {
                // Each line may begin a text.
                found.push(((position, line), text_size(&shown(text)) + NUMBERS));
            });
            if let Ok(file) = file {
                source.newer.extend(file.is_newer.then_some(position));
                sizes.extend(found);
            }
        }
        let mut chosen: BTreeMap<usize, BTreeSet<u64>> = BTreeMap::new();
        for lines in &self.lines_of {
            let is_new = |place: &(usize, u64)| sizes.contains_key(place);
            let new: BTreeSet<_> = around(lines).filter(is_new).collect();
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
            let mut found: Vec<(u64, String)> = Vec::new();
            let file = files.read(&room.files[position], &lines, |line, text| {
                found.push((line, shown(text)));
            });
            // A file may have disappeared.
            let found = file.map_or_else(|_| Vec::new(), |_| found);
            for text in found.chunk_by(|(line, _), (next, _)| line + 1 == *next) {
                let lines: Vec<&str> = text.iter().map(|(_, text)| &text[..]).collect();
                let row = layout.row().position(position).number(text[0].0);
                source.texts.push(&row.text(&lines.join("\n")));
            }
        }
        source.counts = files.counts();
        Some(source)
    }
}

/// The lines of a function and those around them, as positions of files and numbers.
fn around(lines: &[(usize, u64)]) -> impl Iterator<Item = (usize, u64)> {
    let lines = lines.iter().filter(|(_, line)| *line > 0);
    lines.flat_map(|&(file, line)| {
        let around = line.saturating_sub(LINES_AROUND)..=line.saturating_add(LINES_AROUND);
        around.map(move |line| (file, line))
    })
}

impl SourceLines {
    pub fn write(&self, record: &mut Document<'_>) -> io::Result<()> {
        self.texts.write(record)?;
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
