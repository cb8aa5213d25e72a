//! The timeline of a trace: the longest calls that fit.
//!
//! `timeline` in the data is `null` for aggregates, for comparisons, and if the first event is not a
//! time. Otherwise it has these columns, with a row for each call. Rows are in the order of lanes;
//! within a lane, a call is followed by those that it made, in their order:
//!
//! | column | value |
//! |---|---|
//! | `function` | the position in `functions`, or -1 if it is not there |
//! | `lane` | the run, from 0 |
//! | `depth` | how many rows are around it: its caller is the last row before it with a smaller one |
//! | `start` | when it began, in the unit of the first event, from 0 in each lane |
//! | `duration` | how long it took, in the same unit |
//! | `file` | the position in `files` of the file of the call, or of the function for a row of depth 0 |
//! | `line` | the line there; 0 if unknown |
//!
//! Further fields: `total`, the durations of all lanes; `shortest`, the duration below which calls
//! are omitted (0: none are); `omitted`, the time of those calls outside of calls that are shown. The order and the
//! durations are the profile's; when callers spent their own time is not known, so it is spread
//! evenly before, between and after their calls.

use super::data::Data;
use super::table::{Column, Room, Row, Table, WholeNumber};
use crate::compare::Side;
use crate::output::timeline::{of_profile, place};
use crate::trace::TimelineBox;

const COLUMNS: [Column; 7] = [
    Column::Value("function"),
    Column::Value("lane"),
    Column::Value("depth"),
    Column::Value("start"),
    Column::Value("duration"),
    Column::Value("file"),
    Column::Value("line"),
];

impl Data<'_, '_> {
    /// The timeline, without the shortest calls if not all fit.
    pub fn timeline(&self, room: &mut Room) -> Option<Table> {
        // A comparison is read without one.
        let (timeline, _) = of_profile(self.views.profile()).ok()?;
        let mut timeline = timeline.clone();
        loop {
            let (left, files) = (room.left, room.files.len());
            let mut table = self.costs.table(&COLUMNS);
            let mut boxes = timeline.boxes().iter();
            if boxes.all(|shown| table.add(&self.timeline_row(shown, room), room)) {
                let (shortest, omitted) = timeline.dropped().unwrap_or_default();
                table.set("total", &WholeNumber::from(timeline.total()));
                table.set("shortest", &WholeNumber::from(shortest));
                table.set("omitted", &WholeNumber::from(omitted));
                return Some(table);
            }
            // Those before the first that has no room tell how many fit.
            let fitting = timeline.boxes().len() - boxes.len() - 1;
            timeline.drop_below(timeline.shortest_of(fitting));
            room.left = left;
            room.files.truncate(files);
        }
    }

    fn timeline_row(&self, shown: &TimelineBox, room: &mut Room) -> Row {
        let profile = self.views.profile();
        let row = self.costs.views.new.row(shown.function);
        let function = row.and_then(|row| {
            let index = self.functions.index(Side::New, row);
            self.functions.place(index)
        });
        let (file, line) = place(profile, shown);
        let row = self.costs.row().position(function);
        let row = row.number(shown.lane).number(shown.depth);
        let row = row.number(shown.start).number(shown.duration);
        row.file(room.file(file)).number(line)
    }
}
