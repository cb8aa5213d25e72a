//! The timeline of a trace: the longest calls that fit.
//!
//! `timeline` in the data is `null` for aggregates, for comparisons, and if the first event is not a
//! time. Otherwise it has these columns, with a row for each call. Rows are in the order of lanes;
//! within a lane, a call is followed by those that it made, in their order:
//!
//! | column | value |
//! |---|---|
//! | `site` | what was called, and where: a position in `sites` |
//! | `depth` | how many rows are around it: its caller is the last row before it with a smaller one |
//! | `start` | when it began, in the unit of the first event, from 0 in each lane |
//! | `duration` | how long it took, in the same unit |
//!
//! Further fields: `lanes`, the names of the runs that have rows; `first`, the first row of each;
//! `total`, the durations of all runs; `shortest`, the duration below which calls are omitted (0: none
//! are); `omitted`, the time of those calls outside of calls that are shown.
//!
//! `sites` has these columns:
//!
//! | column | value |
//! |---|---|
//! | `function` | the position in `functions`, or -1 if it is not there |
//! | `file` | the position in `files` of the file of the call, or of the function for a row of depth 0 |
//! | `line` | the line there; 0 if unknown |

use std::borrow::Cow;

use super::data::Data;
use super::table::{Budget, DataColumn, DataRow, DataTable, WholeNumber, cut, position, text_size};
use crate::compare::Side;
use crate::display::text::printable;
use crate::maps::IndexSet;
use crate::names::last_component;
use crate::output::timeline::{of_profile, place};
use crate::profile::Profile;
use crate::trace::TimelineBox;

/// The most calls. A browser has to lay out all of them at once.
pub(crate) const MAX_CALLS: usize = 20_000;
const MAX_LANE_NAME: usize = 300;

const SITE_COLUMNS: [DataColumn; 3] = [
    DataColumn::Value("function"),
    DataColumn::Value("file"),
    DataColumn::Value("line"),
];

const COLUMNS: [DataColumn; 4] = [
    DataColumn::Value("site"),
    DataColumn::Value("depth"),
    DataColumn::Value("start"),
    DataColumn::Value("duration"),
];

impl Data<'_, '_> {
    /// The call sites and the timeline, without the shortest calls if not all fit.
    pub fn timeline(&self, budget: &mut Budget) -> Option<[DataTable; 2]> {
        // A comparison is read without one.
        let profile = self.views.profile();
        let (timeline, _) = of_profile(profile).ok()?;
        let mut timeline = Cow::Borrowed(timeline);
        let names = lane_names(profile, timeline.lanes());
        let mut most = MAX_CALLS;
        loop {
            if let shortest @ 1.. = timeline.shortest_of(most) {
                timeline.to_mut().drop_below(shortest);
            }
            let (left, files) = (budget.left, budget.files.len());
            let mut sites = self.report.data_table(&SITE_COLUMNS);
            let mut rows_of_sites = IndexSet::default();
            let mut table = self.report.data_table(&COLUMNS);
            // The names of those with rows, and the first row of each.
            let (mut lanes, mut first) = (Vec::new(), Vec::new());
            let mut lane = None;
            let mut boxes = timeline.boxes().iter();
            let fits = boxes.all(|shown| {
                if lane != Some(shown.lane) {
                    lane = Some(shown.lane);
                    let name = names.get(shown.lane as usize).map_or("", String::as_str);
                    lanes.push(name);
                    let row = position(table.rows());
                    let size = text_size(name) + row.size();
                    first.push(row);
                    if !budget.take(size) {
                        return false;
                    }
                }
                let (site, is_new) = rows_of_sites.insert_full((shown.function, shown.site));
                if is_new && !self.add_site(sites.row(), shown, budget) {
                    return false;
                }
                let row = table.row().position(site).number(shown.depth);
                let row = row.number(shown.start).number(shown.duration);
                row.end_within(budget)
            });
            if fits {
                let (shortest, omitted) = timeline.dropped().unwrap_or_default();
                table.set("lanes", &lanes);
                table.set("first", &first);
                table.set("total", &WholeNumber::from(timeline.total()));
                table.set("shortest", &WholeNumber::from(shortest));
                table.set("omitted", &WholeNumber::from(omitted));
                return Some([sites, table]);
            }
            // Those before the first that has no room tell how many fit.
            most = timeline.boxes().len() - boxes.len() - 1;
            budget.left = left;
            budget.files.truncate(files);
        }
    }

    /// Adds what was called, and where, if there is room for it.
    fn add_site(&self, row: DataRow<'_>, shown: &TimelineBox, budget: &mut Budget) -> bool {
        let profile = self.views.profile();
        let function = self.report.view.row(shown.function);
        let function = function.and_then(|function| {
            let index = self.rank(Side::New, function);
            self.functions.place(index)
        });
        let (file, line) = place(profile, shown);
        let row = row.position(function);
        let row = row.file(budget.file(profile.name(file))).number(line);
        row.end_within(budget)
    }
}

/// The names of runs: of their inputs and commands, if these are known.
fn lane_names(profile: &Profile, lanes: u32) -> Vec<String> {
    let parts = profile.parts();
    if parts.len() != lanes as usize {
        return (1..=lanes).map(|lane| format!("run {lane}")).collect();
    }
    let names = parts.map(|part| {
        let input = last_component(part.input.as_bytes());
        let number = part.header.number.unwrap_or(1);
        let command = printable(part.command);
        let name = format!("{} · run {number} · {command}", printable(input));
        cut(name, MAX_LANE_NAME)
    });
    names.collect()
}
