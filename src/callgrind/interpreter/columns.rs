//! The columns of a cost line: which exist, and which are requested.

use crate::callgrind::error::ProblemKind;
use crate::callgrind::line::{Cursor, Positions};
use crate::profile::{ColumnMap, Cost, Needs, ProfileBuilder};
use crate::tables::{first_cost, saturated};

/// The shape of lines that can be recognised as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::callgrind) enum FastPath {
    /// The records of a trace: a line number and costs, of which some columns are wanted.
    Records,
    /// Cost lines with a line number and the only cost, as in most profiles of Valgrind.
    ShortLines,
    /// The same after an address, as with Valgrind's `--dump-instr=yes`.
    ShortLinesWithAddress,
    #[default]
    None,
}

/// The result of reading the costs of a line, besides the row of requested costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::callgrind) struct ReadCosts {
    /// The cost by which calls are matched with invocations: that in the first column, if calls are
    /// linked. Otherwise the cost of the first requested event.
    pub matching: Cost,
    /// Whether a negative cost was spelled as a huge one.
    pub is_unwrapped: bool,
    /// Where the next line begins.
    pub next: usize,
}

/// How negative costs are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::callgrind) enum NegativeCosts {
    /// With a sign.
    Plain,
    /// As Xdebug writes self times: -x/10 becomes (2⁶⁴ − x)/10.
    Wrapped,
}

impl NegativeCosts {
    /// A tenth of 2⁶⁴, rounded up.
    const TENTH: i128 = 1_844_674_407_370_955_162;

    #[inline]
    fn read(self, cost: i128) -> (i128, bool) {
        if self == NegativeCosts::Wrapped && cost > Self::TENTH / 2 && cost < Self::TENTH {
            (cost - Self::TENTH, true)
        } else {
            (cost, false)
        }
    }
}

/// The columns of the current part.
#[derive(Clone, Debug, Default)]
pub(in crate::callgrind) struct Columns {
    positions: Positions,
    /// Names of the events; `None` before the first `events:` line.
    events: Option<Vec<Vec<u8>>>,
    /// How the requested costs follow from the columns. Initially no event is absent, so that an
    /// event that is missing from the start is reported.
    map: ColumnMap,
    /// Whether `map` is up to date.
    are_resolved: bool,
    fast_path: FastPath,
    /// For each column, its index in the row of requested costs, or [`NO_PLACE`]. Empty if a
    /// requested cost is not a single column.
    places: Vec<usize>,
    /// The number of columns up to the last one with a place.
    needed: usize,
    /// Whether the first column is needed for matching, but is not the first requested one.
    needs_first: bool,
    /// A buffer for all numbers of a line that is not plain.
    numbers: Vec<i128>,
}

/// The place of a column that is not requested.
const NO_PLACE: usize = usize::MAX;

/// With more columns, it is faster to step over those that are not requested than to read them.
const MAX_COLUMNS_READ: usize = 4;

impl Columns {
    /// Sets the names of an `events:` line.
    pub fn set_events(&mut self, names: Vec<Vec<u8>>) {
        self.events = Some(names);
        self.unresolve();
    }

    /// Sets the columns before the costs, from a `positions:` line.
    pub fn set_positions(&mut self, positions: Positions) {
        self.positions = positions;
        self.find_fast_path();
    }

    /// Marks that a header line may have moved the requested events.
    pub fn unresolve(&mut self) {
        self.are_resolved = false;
        self.fast_path = FastPath::None;
    }

    /// Whether it is known which columns count.
    #[inline]
    pub fn are_resolved(&self) -> bool {
        self.are_resolved
    }

    /// Whether lines with absolute positions mean the same with these columns.
    pub fn are_like(&self, others: &Columns) -> bool {
        (self.positions, &self.events, &self.map) == (others.positions, &others.events, &others.map)
    }

    /// Finds the requested columns, and returns the positions of the requested events that are
    /// missing from here on; `None` without an `events:` line so far.
    pub fn resolve(&mut self, builder: &mut ProfileBuilder, needs: Needs) -> Option<Vec<usize>> {
        let events = self.events.as_ref()?;
        if std::mem::replace(&mut self.are_resolved, true) {
            builder.bind_columns(&self.map);
            return Some(Vec::new());
        }
        let absent: Vec<usize> = self.map.absent().collect();
        self.map = builder.select_columns(events);
        let is_new = |at: &usize| absent.binary_search(at).is_err();
        let gone = self.map.absent().filter(is_new).collect();
        self.places.clear();
        self.needed = 0;
        if let Some(columns) = self.map.columns() {
            self.places.resize(events.len(), NO_PLACE);
            for (place, column) in columns.into_iter().enumerate() {
                self.places[column] = place;
                self.needed = self.needed.max(column + 1);
            }
        }
        self.needs_first = needs.first_column && self.places.first() != Some(&0);
        self.find_fast_path();
        Some(gone)
    }

    fn find_fast_path(&mut self) {
        self.fast_path = match self.places[..] {
            _ if !self.are_resolved => FastPath::None,
            [] => FastPath::None,
            [0] if self.positions.is_line_alone() => FastPath::ShortLines,
            [0] if self.positions.are_address_and_line() => FastPath::ShortLinesWithAddress,
            _ if self.positions.is_line_alone() => FastPath::Records,
            _ => FastPath::None,
        };
    }

    pub fn events(&self) -> &[Vec<u8>] {
        self.events.as_deref().unwrap_or_default()
    }

    /// The cost of the first requested event among these.
    pub fn selected(&self, numbers: &[Cost]) -> Cost {
        self.map.cost(0, numbers)
    }

    /// The shape of lines that can be recognised as a whole.
    #[inline]
    pub fn fast_path(&self) -> FastPath {
        self.fast_path
    }

    /// The number of requested costs.
    #[inline]
    pub fn width(&self) -> usize {
        self.map.len()
    }

    /// The columns before the costs.
    #[inline]
    pub fn positions(&self) -> Positions {
        self.positions
    }

    /// Reads costs from `start` to the end of the line, which begins at `pos`, and stores the
    /// requested ones in `row`.
    ///
    /// An error is only a kind and a position, because its text is expensive, and traces try
    /// definitions of names as records, too.
    #[inline(always)]
    pub fn costs(
        &mut self,
        data: &[u8],
        pos: usize,
        start: usize,
        negative: NegativeCosts,
        row: &mut [Cost],
    ) -> Result<ReadCosts, (ProblemKind, usize)> {
        let cursor = Cursor::new(data, start);
        match row {
            // Without a call of `memset`.
            [cost] => *cost = 0,
            _ => row.fill(0),
        }
        let next = match self.places.len() {
            0 => None,
            1..=MAX_COLUMNS_READ => cursor.plain_costs::<2>(&self.places, self.needed, row),
            _ => cursor.plain_costs::<4>(&self.places, self.needed, row),
        };
        match next {
            Some(next) => Ok(ReadCosts {
                matching: self.matching(cursor, row),
                is_unwrapped: false,
                next,
            }),
            None => self.parse_costs_slow(data, pos, start, negative, row),
        }
    }

    /// The cost by which calls are matched, in a line of plain costs.
    #[inline(always)]
    fn matching(&self, mut cursor: Cursor<'_>, row: &[Cost]) -> Cost {
        if !self.needs_first {
            return first_cost(row);
        }
        cursor.skip_blanks();
        saturated(cursor.cost().unwrap_or(0))
    }

    /// Does the same as [`costs`](Self::costs), for any spelling, and for events that are sums of
    /// several columns.
    #[inline(never)]
    fn parse_costs_slow(
        &mut self,
        data: &[u8],
        pos: usize,
        start: usize,
        negative: NegativeCosts,
        row: &mut [Cost],
    ) -> Result<ReadCosts, (ProblemKind, usize)> {
        let count = self.events().len();
        let mut cursor = Cursor::new(data, start);
        let mut is_unwrapped = false;
        self.numbers.clear();
        loop {
            cursor.skip_blanks();
            if cursor.end_of_line() {
                break;
            }
            let start = cursor.pos;
            if self.numbers.len() == count {
                let most = ProblemKind::TooManyCosts(count);
                return Err((most, pos));
            }
            let number = cursor.cost().map_err(|kind| (kind, start))?;
            let (cost, was_wrapped) = negative.read(number);
            is_unwrapped |= was_wrapped && self.map.uses(self.numbers.len());
            self.numbers.push(cost);
        }
        let number = |column: usize| self.numbers.get(column).copied().unwrap_or(0);
        for (event, cost) in row.iter_mut().enumerate() {
            *cost = saturated(self.map.exact(event, number));
        }
        Ok(ReadCosts {
            matching: saturated(number(0)),
            is_unwrapped,
            next: cursor.pos,
        })
    }
}
