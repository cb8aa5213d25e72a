//! The data of the report as one line of JSON, limited to a number of bytes.

use std::io::{self, Write};

use super::Notes;
use super::data::Data;
use super::table::{Room, WholeNumber, ends_data, shown};
use crate::compare::Sides;
use crate::io::SourceFiles;
use crate::output::json::Document;

/// The version of the JSON layout.
const SCHEMA: u32 = 5;

/// The most bytes of the data, and the part of these that is reserved for the names of columns.
const MAX_BYTES: usize = 7_900_000;
const RESERVED: usize = 20_000;

impl Data<'_, '_> {
    /// Writes the data as one line of JSON. Each table may use a share of the bytes that are left.
    pub fn write(
        mut self,
        notes: &Notes<'_>,
        sources: &mut SourceFiles,
        output: &mut dyn Write,
    ) -> io::Result<()> {
        let mut header = Vec::new();
        let mut counted = Document::begin(SCHEMA, false, ends_data, &mut header)?;
        self.write_header(notes, &mut counted)?;
        counted.end()?;
        let mut room = Room::new(MAX_BYTES.saturating_sub(RESERVED + header.len()));
        let functions = room.lend(60, |room| {
            let (names, files) = (self.options.names, Some(&mut self.files));
            let reserved = &mut self.reserved;
            self.functions
                .table(&self.costs, names, room, files, reserved)
        });
        let shown = self.functions.are_shown(true);
        let places = shown.map(|of| vec![(self.files.place(of.file), of.line)]);
        self.lines_of = places.collect();
        let groups = room.lend(20, |room| self.groups(room));
        let calls = room.lend(35, |room| self.calls(room));
        room.give_back(self.reserved);
        let lines = room.lend(20, |room| self.lines(sources, room));
        let places = room.lend(10, |room| self.places(room));
        let source = room.lend(40, |room| self.source(sources, room));
        let mut data = Document::begin(SCHEMA, false, ends_data, output)?;
        self.write_header(notes, &mut data)?;
        self.write_files(&mut data)?;
        data.record("functions", |record| functions.write(record))?;
        self.write_rest(&mut data)?;
        data.record("groups", |record| {
            groups.iter().try_for_each(|groups| groups.write(record))
        })?;
        data.record("calls", |record| calls.write(record))?;
        data.record("lines", |record| lines.write(record))?;
        data.record("places", |record| places.write(record))?;
        match sources.is_empty() {
            true => data.field("source", &())?,
            false => data.record("source", |record| source.write(record))?,
        }
        self.write_stacks(&mut data, &mut room)?;
        data.end()
    }

    /// Writes the names of files without the source root, and the positions of those outside of it,
    /// which are not linked.
    fn write_files(&self, data: &mut Document<'_>) -> io::Result<()> {
        let options = self.options;
        let names = self.files.names.iter();
        let names = names.map(|file| shown(options.within_root(file).unwrap_or(file)));
        data.field("files", &names.collect::<Vec<_>>())?;
        let is_outside = |file: &[u8]| {
            options.source_root.is_some()
                && is_absolute(file)
                && options.within_root(file).is_none()
        };
        let outside = (0..).zip(&self.files.names);
        let outside = outside.filter(|(_, file)| is_outside(file));
        data.field("outside", &outside.map(|(at, _)| at).collect::<Vec<u32>>())
    }

    /// Writes the sums of the functions that were omitted, and by how much these changed.
    fn write_rest(&self, data: &mut Document<'_>) -> io::Result<()> {
        let width = self.costs.totals.len();
        let mut sums = vec![0_i128; width];
        let (mut changes, mut changed) = (vec![0_i128; width], vec![0_u64; width]);
        let mut count = 0;
        for of in self.functions.are_shown(false) {
            count += 1;
            let costs = Sides::EACH.map(|side| {
                let own = self.costs.own(side, &of.ids[side]);
                self.costs.per_run(side, own)
            });
            for (at, (base, new)) in costs.base.into_iter().zip(costs.new).enumerate() {
                sums[at] = sums[at].saturating_add(new);
                if self.compared.is_some() {
                    changes[at] = changes[at].saturating_add(new - base);
                    changed[at] += u64::from(new != base);
                }
            }
        }
        let numbers = |sums: Vec<i128>| sums.into_iter().map(WholeNumber).collect::<Vec<_>>();
        data.record("rest", |rest| {
            rest.field("functions", &count)?;
            rest.field("self", &numbers(sums))?;
            rest.field("changed", &changed)?;
            rest.field("change", &numbers(changes))
        })
    }
}

/// Whether the path of a file is absolute, on Unix or on Windows.
fn is_absolute(file: &[u8]) -> bool {
    file.starts_with(b"/") || matches!(file, [b'A'..=b'Z' | b'a'..=b'z', b':', ..])
}
