//! When the invocations of a trace ran: the boxes of a timeline.
//!
//! An invocation lasts for its self cost and the durations of the invocations that it called. These
//! follow each other in the order of the calls. A trace does not tell when, in between, its own time
//! was spent: it is spread evenly before, between and after them. Roots follow each other in the
//! order in which they ended.
//!
//! Memory is limited: if there are too many boxes, the shortest are dropped, all below one duration.
//! An invocation lasts at least as long as those that it called, so no box loses its caller's.

use super::contexts::CallSite;
use crate::tables::{Cost, FunctionId, NameId, next_index};

/// No box.
const NONE: u32 = u32::MAX;

/// The duration of a box that was dropped: the shortest of all.
const DROPPED: Cost = -1;

/// One invocation of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimelineBox {
    pub function: FunctionId,
    /// The place of the call to it; `None` for roots.
    pub site: Option<CallSite>,
    /// The run, from 0.
    pub lane: u32,
    /// The number of boxes around it.
    pub depth: u32,
    /// When it began, since the start of its run.
    pub start: Cost,
    pub duration: Cost,
    /// Its part of the duration outside of the invocations that it called, also of those dropped.
    pub own: Cost,
}

/// The boxes of all runs. Times are in the unit of the first column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Timeline {
    /// By lane; each box before those of the invocations that it called, in their order.
    boxes: Vec<TimelineBox>,
    lanes: u32,
    /// The most boxes.
    most: usize,
    /// Boxes below this duration were dropped.
    shortest: Cost,
    /// The durations of all roots.
    total: Cost,
}

impl Timeline {
    /// A timeline of no run, for as many boxes.
    pub fn empty(&self) -> Self {
        Timeline {
            most: self.most,
            ..Timeline::default()
        }
    }

    /// The boxes, by lane; each before those of the invocations that it called, in their order.
    pub fn boxes(&self) -> &[TimelineBox] {
        &self.boxes
    }

    /// The number of lanes: one for each run.
    pub fn lanes(&self) -> u32 {
        self.lanes
    }

    /// The duration below which invocations were dropped, and their time; `None` if none were.
    pub fn dropped(&self) -> Option<(Cost, Cost)> {
        let shown = self.boxes.iter().map(|shown| shown.own);
        let shown = shown.fold(0, Cost::saturating_add);
        (self.shortest > 0).then(|| (self.shortest, self.total.saturating_sub(shown)))
    }

    /// The durations of all roots.
    pub fn total(&self) -> Cost {
        self.total
    }

    /// Appends the lanes of another timeline, whose functions and files have these numbers here.
    pub fn append(
        &mut self,
        other: Timeline,
        function: impl Fn(FunctionId) -> FunctionId,
        name: impl Fn(NameId) -> NameId,
    ) {
        self.boxes.extend(other.boxes.into_iter().map(|own| {
            let site = own.site.map(|site| CallSite {
                file: name(site.file),
                ..site
            });
            TimelineBox {
                function: function(own.function),
                site,
                lane: self.lanes.saturating_add(own.lane),
                ..own
            }
        }));
        self.lanes = self.lanes.saturating_add(other.lanes);
        self.total = self.total.saturating_add(other.total);
        let shortest = self.shortest.max(other.shortest);
        self.drop_below(shortest);
        let durations = self.boxes.iter().map(|own| own.duration);
        self.drop_below(shortest_of(durations.collect(), self.most));
    }

    /// Drops all boxes below a duration.
    pub fn drop_below(&mut self, shortest: Cost) {
        if shortest > self.shortest {
            self.shortest = shortest;
            self.boxes.retain(|own| own.duration >= shortest);
        }
    }

    /// The duration below which boxes have to be dropped so that at most this number is left; 0 if
    /// none have to.
    pub fn shortest_of(&self, most: usize) -> Cost {
        let durations = self.boxes.iter().map(|own| own.duration);
        shortest_of(durations.collect(), most)
    }
}

/// The duration below which durations have to be dropped so that at most `most` are left; 0 if none
/// have to.
fn shortest_of(mut durations: Vec<Cost>, most: usize) -> Cost {
    match durations.len().checked_sub(most + 1) {
        None => 0,
        Some(last) => {
            let (_, longest_dropped, _) = durations.select_nth_unstable(last);
            longest_dropped.saturating_add(1)
        }
    }
}

/// An invocation that has ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timed {
    duration: Cost,
    /// The number of its box. It has none if its duration is below the shortest.
    number: u32,
}

impl Timed {
    /// One without a box.
    pub fn dropped(duration: Cost) -> Self {
        Timed {
            duration: duration.max(0),
            number: NONE,
        }
    }

    /// Whether it has a box, if boxes below this duration were dropped.
    #[inline]
    fn has_box(self, shortest: Cost) -> bool {
        self.number != NONE && self.duration >= shortest
    }
}

/// A box whose caller may not have ended.
#[derive(Clone, Copy, Debug)]
struct OpenBox {
    function: FunctionId,
    /// The number of the box of its caller.
    caller: u32,
    /// The number of the call site of its call.
    called: u32,
    /// When it began, since the start of its caller.
    start: Cost,
    duration: Cost,
    own: Cost,
    /// Its position in the order in which boxes were added.
    added: u64,
}

/// Builds the timeline of one run.
#[derive(Debug, Default)]
pub(super) struct TimelineBuilder {
    /// The most boxes at the end.
    most: usize,
    boxes: Vec<OpenBox>,
    /// The numbers of those that were dropped.
    free: Vec<u32>,
    shortest: Cost,
    /// The self costs of all invocations.
    total: Cost,
    added: u64,
}

impl TimelineBuilder {
    /// A timeline of at most this number of boxes.
    pub fn new(most: usize) -> Self {
        TimelineBuilder {
            most,
            ..TimelineBuilder::default()
        }
    }

    /// Whether an invocation has a box.
    #[inline]
    pub fn has_box(&self, ended: Timed) -> bool {
        ended.has_box(self.shortest)
    }

    /// Adds an invocation that is missing, and is known only by the cost of the call.
    pub fn add_missing(&mut self, function: FunctionId, cost: Cost) -> Timed {
        let cost = cost.max(0);
        self.total = self.total.saturating_add(cost);
        self.add_box(function, cost, cost)
    }

    /// Ends an invocation with this self cost that called these, in this order. `called_at` returns the
    /// number of the call site of the call at a position.
    #[inline(always)]
    pub fn end(
        &mut self,
        function: FunctionId,
        self_cost: Cost,
        called: &[Timed],
        called_at: impl Fn(usize) -> u32,
    ) -> Timed {
        let own = self_cost.max(0);
        self.total = self.total.saturating_add(own);
        let durations = called.iter().map(|called| called.duration);
        let duration = durations.fold(own, Cost::saturating_add);
        // None of those that it called has a box then, because none took longer.
        if duration < self.shortest {
            return Timed {
                duration,
                number: NONE,
            };
        }
        self.end_long(function, [own, duration], called, called_at)
    }

    #[inline(never)]
    fn end_long(
        &mut self,
        function: FunctionId,
        [own, duration]: [Cost; 2],
        called: &[Timed],
        called_at: impl Fn(usize) -> u32,
    ) -> Timed {
        let ended = self.add_box(function, own, duration);
        if called.is_empty() {
            return ended;
        }
        let gaps = called.len() as u64 + 1;
        let own = own.unsigned_abs();
        let (in_each, rest) = (own / gaps, own % gaps);
        let mut before: Cost = 0;
        for (at, call) in called.iter().enumerate() {
            // The new box may have taken the place of others.
            if call.has_box(self.shortest) {
                // `own * over / gaps`, but that product may not fit.
                let over = at as u64 + 1;
                let spent = (in_each * over + rest * over / gaps).cast_signed();
                let inner = &mut self.boxes[call.number as usize];
                inner.caller = ended.number;
                inner.called = called_at(at);
                inner.start = before.saturating_add(spent);
            }
            before = before.saturating_add(call.duration);
        }
        ended
    }

    fn add_box(&mut self, function: FunctionId, own: Cost, duration: Cost) -> Timed {
        // Not for every box, because all have to be looked at.
        if self.boxes.len() - self.free.len() >= self.most + self.most / 2 {
            self.drop_shortest();
        }
        if duration < self.shortest {
            return Timed::dropped(duration);
        }
        self.added += 1;
        let own = OpenBox {
            function,
            caller: NONE,
            called: NONE,
            start: 0,
            duration,
            own,
            added: self.added,
        };
        let number = self.free.pop().unwrap_or(next_index(self.boxes.len()));
        match self.boxes.get_mut(number as usize) {
            Some(free) => *free = own,
            None => self.boxes.push(own),
        }
        Timed { duration, number }
    }

    /// Drops the shortest boxes.
    fn drop_shortest(&mut self) {
        let durations = self.boxes.iter().map(|open| open.duration);
        let shortest = shortest_of(durations.collect(), self.most);
        self.shortest = self.shortest.max(shortest);
        for (number, open) in (0..).zip(&mut self.boxes) {
            if (0..self.shortest).contains(&open.duration) {
                open.duration = DROPPED;
                self.free.push(number);
            }
        }
    }

    /// Ends the run. `site` returns the call site with a number.
    pub fn finish(mut self, site: impl Fn(u32) -> Option<CallSite>) -> Timeline {
        self.drop_shortest();
        let open = &self.boxes;
        // The boxes that each called are next to each other, in their order; roots come last.
        let place = |caller: u32| open.len().min(caller as usize);
        let is_kept = |open: &&OpenBox| open.duration >= self.shortest;
        let mut ends = vec![0_usize; open.len() + 1];
        for kept in open.iter().filter(is_kept) {
            ends[place(kept.caller)] += 1;
        }
        let mut count = 0;
        for end in &mut ends {
            let start = count;
            count += *end;
            *end = start;
        }
        let mut order = vec![0_u32; count];
        for (number, kept) in (0..).zip(open).filter(|(_, open)| is_kept(open)) {
            let end = &mut ends[place(kept.caller)];
            order[*end] = number;
            *end += 1;
        }
        let mut start = 0;
        for &end in &ends {
            order[start..end].sort_unstable_by_key(|&number| {
                let open = &open[number as usize];
                (open.start, open.added)
            });
            start = end;
        }
        let called_by = |caller: u32| {
            let at = place(caller);
            let start = at.checked_sub(1).map_or(0, |before| ends[before]);
            &order[start..ends[at]]
        };
        let mut boxes = Vec::with_capacity(order.len());
        let mut pending: Vec<(u32, Cost, u32)> = Vec::new();
        let mut start: Cost = 0;
        for &root in called_by(NONE) {
            pending.push((root, start, 0));
            start = start.saturating_add(open[root as usize].duration);
            while let Some((number, start, depth)) = pending.pop() {
                let shown = open[number as usize];
                boxes.push(TimelineBox {
                    function: shown.function,
                    site: site(shown.called),
                    lane: 0,
                    depth,
                    start,
                    duration: shown.duration,
                    own: shown.own,
                });
                let called = called_by(number).iter().rev();
                pending.extend(called.map(|&inner| {
                    let offset = open[inner as usize].start;
                    (inner, start.saturating_add(offset), depth + 1)
                }));
            }
        }
        Timeline {
            boxes,
            lanes: 1,
            most: self.most,
            shortest: self.shortest,
            total: self.total,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX_BOXES: usize = 200_000;

    /// Ends an invocation with calls of these.
    fn end(
        builder: &mut TimelineBuilder,
        function: u32,
        self_cost: Cost,
        called: impl DoubleEndedIterator<Item = (u32, Timed)>,
    ) -> Timed {
        let called: Vec<Timed> = called.map(|(_, timed)| timed).collect();
        builder.end(FunctionId(function), self_cost, &called, next_index)
    }

    /// The line of each call is its position.
    fn finish(builder: TimelineBuilder) -> Timeline {
        builder.finish(|called| {
            (called != NONE).then(|| CallSite {
                file: NameId::EMPTY,
                line: called.into(),
            })
        })
    }

    fn leaf(builder: &mut TimelineBuilder, function: u32, cost: Cost) -> (u32, Timed) {
        (
            function,
            builder.end(FunctionId(function), cost, &[], |_| NONE),
        )
    }

    /// Function, depth, start, duration and line of each box.
    fn shown(timeline: &Timeline) -> Vec<(u32, u32, Cost, Cost, Option<u64>)> {
        let boxes = timeline.boxes().iter();
        let shown = boxes.map(|own| {
            let line = own.site.map(|site| site.line);
            (own.function.0, own.depth, own.start, own.duration, line)
        });
        shown.collect()
    }

    /// One run: `{main}`, with this self cost, calls leaves with these costs.
    fn leaves(costs: impl Iterator<Item = Cost>, self_cost: Cost) -> Timeline {
        let mut builder = TimelineBuilder::new(MAX_BOXES);
        let called: Vec<_> = costs.map(|cost| leaf(&mut builder, 1, cost)).collect();
        end(&mut builder, 0, self_cost, called.into_iter());
        finish(builder)
    }

    #[test]
    fn own_time_is_spread_between_calls() {
        let mut builder = TimelineBuilder::new(MAX_BOXES);
        let inner = [leaf(&mut builder, 3, 5)];
        let outer = [
            leaf(&mut builder, 1, 10),
            (2, end(&mut builder, 2, 4, inner.into_iter())),
            // Xdebug's self costs can be negative.
            leaf(&mut builder, 1, -7),
        ];
        end(&mut builder, 0, 13, outer.into_iter());
        leaf(&mut builder, 5, 8);
        let timeline = finish(builder);
        let expected = [
            (0, 0, 0, 32, None),
            (1, 1, 3, 10, Some(0)),
            (2, 1, 16, 9, Some(1)),
            (3, 2, 18, 5, Some(0)),
            (1, 1, 28, 0, Some(2)),
            // The next root follows.
            (5, 0, 32, 8, None),
        ];
        assert_eq!(shown(&timeline), expected);
        assert_eq!((timeline.total(), timeline.dropped()), (40, None));
    }

    #[test]
    fn missing_invocations_last_as_long_as_their_calls() {
        let mut builder = TimelineBuilder::new(MAX_BOXES);
        let missing = builder.add_missing(FunctionId(4), 6);
        builder.end(FunctionId(0), 2, &[missing], |_| NONE);
        let expected = [(0, 0, 0, 8, None), (4, 1, 1, 6, None)];
        assert_eq!(shown(&finish(builder)), expected);
    }

    #[test]
    fn so_many_boxes_are_shown() {
        let most = Cost::try_from(MAX_BOXES).unwrap();
        // With that of {main}, exactly as many.
        let timeline = leaves(1..most, 7);
        assert_eq!(timeline.boxes().len(), MAX_BOXES);
        assert_eq!(timeline.dropped(), None);
        // One more, and only the shortest goes.
        let timeline = leaves((1..=most).rev(), 7);
        assert_eq!(timeline.boxes().len(), MAX_BOXES);
        assert_eq!(timeline.dropped(), Some((2, 1)));
        // None goes alone if others are as short.
        let timeline = leaves((1..=most).map(|cost| cost.max(3)), 7);
        assert_eq!(timeline.boxes().len(), MAX_BOXES - 2);
        assert_eq!(timeline.dropped(), Some((4, 9)));
    }

    #[test]
    fn the_shortest_go_in_whatever_order_they_come() {
        const COUNT: Cost = 300_000;
        let most = Cost::try_from(MAX_BOXES).unwrap();
        let orders: [fn(Cost) -> Cost; 3] = [|at| at, |at| COUNT - 1 - at, |at| at * 7919 % COUNT];
        for order in orders {
            let timeline = leaves((0..COUNT).map(|at| 1 + order(at)), 7);
            let shortest = COUNT - most + 2;
            let shown = timeline.boxes().iter().skip(1);
            assert!(shown.clone().all(|own| own.duration >= shortest));
            assert_eq!(shown.len(), MAX_BOXES - 1);
            assert_eq!(
                timeline.dropped(),
                Some((shortest, shortest * (shortest - 1) / 2))
            );
            // They stay where they were.
            let starts = timeline.boxes().iter().map(|own| own.start);
            assert!(starts.is_sorted());
            let total = COUNT * (COUNT + 1) / 2 + 7;
            assert_eq!(timeline.total(), total);
            assert_eq!(timeline.boxes()[0].duration, total);
        }
        // Of equal ones, all go.
        let timeline = leaves((0..COUNT).map(|_| 2), 7);
        assert_eq!(shown(&timeline), [(0, 0, 0, 2 * COUNT + 7, None)]);
        assert_eq!(timeline.dropped(), Some((3, 2 * COUNT)));
    }

    #[test]
    fn runs_have_lanes_and_share_the_limit() {
        let number = |id: FunctionId| FunctionId(id.0 + 10);
        let mut all = leaves([5, 6].into_iter(), 3);
        all.append(leaves([7].into_iter(), 2), number, |name| name);
        let lanes: Vec<_> = all.boxes().iter().map(|own| own.lane).collect();
        assert_eq!((all.lanes(), &lanes[..]), (2, &[0, 0, 0, 1, 1][..]));
        assert_eq!(
            shown(&all)[3..],
            [(10, 0, 0, 9, None), (11, 1, 1, 7, Some(0))]
        );
        // What is too short in one run is left out of the others.
        let mut all = leaves([1, 6].into_iter(), 3);
        let many = Cost::try_from(MAX_BOXES + 1).unwrap();
        all.append(leaves((0..many).map(|_| 2), 7), number, |name| name);
        assert_eq!(all.boxes().len(), 3);
        assert_eq!(all.dropped(), Some((3, 1 + 2 * many)));
        let half = Cost::try_from(MAX_BOXES / 2).unwrap();
        let mut all = leaves([].into_iter(), 0).empty();
        for run in 0..3 {
            all.append(
                leaves((0..half).map(|at| 3 * at + run + 1), 1),
                number,
                |name| name,
            );
        }
        assert_eq!((all.lanes(), all.boxes().len()), (3, MAX_BOXES));
        let (shortest, time) = all.dropped().unwrap();
        assert_eq!(time, shortest * (shortest - 1) / 2);
    }
}
