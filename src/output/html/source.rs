//! The source in the report: lines with costs or calls, and the lines around them.

use std::collections::{BTreeMap, BTreeSet};

use super::data::Data;
use super::table::{Budget, DataColumn, DataTable, text_size};
use crate::display::text::printable;
use crate::io::SourceFiles;
use crate::maps::HashMap;

/// The number of lines before and after one with costs or calls.
const LINES_AROUND: u64 = 5;

/// The bytes that the numbers of a text's file and first line take, with commas.
const NUMBERS: usize = 14;

impl Data<'_, '_> {
    /// The lines of the costliest functions that fit, as texts of consecutive lines. Each file is read twice: first for the sizes
    /// of the lines, then for the text of those that were chosen.
    pub fn source(&self, files: &mut SourceFiles, budget: &mut Budget) -> Option<DataTable> {
        if files.is_empty() {
            return None;
        }
        let columns = ["file", "first", "text"].map(DataColumn::Value);
        let mut table = self.report.data_table(&columns);
        let (mut newer, mut omitted) = (BTreeSet::new(), 0);
        let mut wanted: BTreeMap<usize, BTreeSet<u64>> = BTreeMap::new();
        for (file, line) in self.lines_of.iter().flat_map(|lines| around(lines)) {
            wanted.entry(file).or_default().insert(line);
        }
        let mut sizes = HashMap::default();
        for (position, lines) in wanted {
            let mut found = Vec::new();
            let file = files.read(&budget.files[position], &lines, |line, text| {
                // Each line may begin a text.
                found.push(((position, line), text_size(&shown(text)) + NUMBERS));
            });
            if let Ok(file) = file {
                newer.extend(file.is_newer.then_some(position));
                sizes.extend(found);
            }
        }
        let mut chosen: BTreeMap<usize, BTreeSet<u64>> = BTreeMap::new();
        for lines in &self.lines_of {
            let is_new = |place: &(usize, u64)| sizes.contains_key(place);
            let new: BTreeSet<_> = around(lines).filter(is_new).collect();
            if !budget.take(new.iter().map(|place| sizes[place]).sum()) {
                omitted += 1;
                continue;
            }
            for (file, line) in new {
                sizes.remove(&(file, line));
                chosen.entry(file).or_default().insert(line);
            }
        }
        for (position, lines) in chosen {
            let mut found: Vec<(u64, String)> = Vec::new();
            let file = files.read(&budget.files[position], &lines, |line, text| {
                found.push((line, shown(text)));
            });
            // A file may have disappeared.
            let found = file.map_or_else(|_| Vec::new(), |_| found);
            for text in found.chunk_by(|(line, _), (next, _)| line + 1 == *next) {
                let lines: Vec<&str> = text.iter().map(|(_, text)| &text[..]).collect();
                let row = table.row().position(position).number(text[0].0);
                row.text(&lines.join("\n")).end();
            }
        }
        let counts = files.counts();
        table.set("newer", &newer);
        table.set("found", &counts.found);
        table.set("missing", &(counts.missing + counts.refused));
        table.set("omitted", &omitted);
        Some(table)
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

/// A line as it is shown, with its tabs.
fn shown(line: &str) -> String {
    let parts = line.split('\t').map(|part| printable(part.as_bytes()));
    parts.collect::<Vec<_>>().join("\t")
}
