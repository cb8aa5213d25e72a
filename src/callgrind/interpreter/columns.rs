//! What the numbers of a cost line are: which columns there are, and which of them counts.

use crate::callgrind::error::{Problem, ProblemKind};
use crate::callgrind::line::{Cursor, NumberError, Position, Positions};
use crate::profile::{Cost, Costs, ProfileBuilder, Selection};

/// Whether it is known which column counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Settled {
    Yes,
    /// There were headers since then that speak of the same columns.
    HeadersCame,
    /// There were headers since then that may have moved the selected event.
    #[default]
    No,
}

/// What lines can be recognised as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Shape {
    /// A line, and costs of which one counts: those of Xdebug's traces.
    LineAndCosts,
    /// A line and the one cost that counts: those of most profiles of Valgrind.
    LineAndCost,
    /// An address, a line and the one cost that counts: those of Valgrind's `--dump-instr=yes`.
    AddressLineAndCost,
    #[default]
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CostLine {
    /// Where the cost was caused.
    pub position: Position,
    pub costs: LineCosts,
    /// Where the next line begins.
    pub next: usize,
    /// Whether its line number was given as -1.
    pub is_line_unknown: bool,
}

/// The costs of a line; see [`Columns::all_of`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LineCosts {
    /// That of the first wanted event; 0 where missing.
    pub first: Cost,
    /// That in the first column.
    matching: Cost,
    /// Whether a negative cost was spelled as a huge one.
    pub is_unwrapped: bool,
}

impl LineCosts {
    /// Those of a line of which one column has all that is wanted.
    #[inline(always)]
    pub fn single(cost: Cost) -> Self {
        LineCosts {
            first: cost,
            matching: cost,
            is_unwrapped: false,
        }
    }

    /// All costs of a line of which one column has all that is wanted.
    #[inline(always)]
    pub fn alone(self) -> Costs<'static> {
        Costs::single(self.first)
    }
}

/// Why costs cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CostError {
    /// There are more than events.
    TooMany,
    /// What stands at this place is no cost.
    Number(usize, NumberError),
}

/// How costs are spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spelling {
    /// As they are.
    Plain,
    /// As Xdebug writes self times: a negative one, -x/10, as (2⁶⁴ − x)/10.
    Wrapped,
}

impl Spelling {
    /// A tenth of 2⁶⁴, rounded up: what is -0.1 or a little more.
    const TENTH: Cost = 1_844_674_407_370_955_162;

    #[inline]
    fn read(self, cost: Cost) -> (Cost, bool) {
        if self == Spelling::Wrapped && cost > Self::TENTH / 2 && cost < Self::TENTH {
            (cost - Self::TENTH, true)
        } else {
            (cost, false)
        }
    }
}

/// Which columns have what is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Wanted {
    /// The only one that there is.
    Only,
    /// This one alone.
    Column(usize),
    /// This one alone, of so many that the others are faster stepped over than read.
    ColumnOfMany(usize),
    /// All columns, as they stand.
    All,
    #[default]
    Other,
}

impl Wanted {
    /// The most columns that are few.
    const FEW: usize = 4;
}

/// The columns of the part that is being read, and the position that relative ones refer to.
#[derive(Debug, Default)]
pub(super) struct Columns {
    positions: Positions,
    position: Position,
    /// Names of the events; none before the first `events:` line.
    events: Option<Vec<Vec<u8>>>,
    /// At first any, so that an input which lacks the event from its beginning is noticed.
    selection: Selection,
    settled: Settled,
    shape: Shape,
    /// How many events there are.
    count: usize,
    wanted: Wanted,
    /// All numbers of a line, where more than one of them counts.
    numbers: Vec<Cost>,
    /// The costs of the wanted events after the first, in the line that was read last.
    more: Vec<Cost>,
}

impl Columns {
    /// Takes in the value of an `events:` line.
    pub fn set_events(&mut self, value: &[u8]) {
        let names = value.split(u8::is_ascii_whitespace);
        let names = names.filter(|name| !name.is_empty());
        self.events = Some(names.map(<[u8]>::to_vec).collect());
        self.unsettle(Settled::No);
    }

    /// Takes in what a `positions:` line says; relative numbers begin at 0 again.
    pub fn set_positions(&mut self, positions: Positions) {
        self.positions = positions;
        self.position = Position::default();
        self.find_shape();
    }

    /// Says that a header came that waits for its columns.
    pub fn header_came(&mut self) {
        self.unsettle(Settled::HeadersCame);
    }

    /// Says that a header came that may have moved the wanted events.
    pub fn formula_changed(&mut self) {
        self.unsettle(Settled::No);
    }

    fn unsettle(&mut self, settled: Settled) {
        if self.settled != Settled::No {
            self.settled = settled;
        }
        self.shape = Shape::Other;
    }

    /// Whether it is known which column counts.
    #[inline]
    pub fn are_settled(&self) -> bool {
        self.settled == Settled::Yes
    }

    /// Whether there was an `events:` line.
    pub fn are_known(&self) -> bool {
        self.events.is_some()
    }

    /// Learns which column counts, and returns which of the wanted events are missing from here
    /// on; none if there was no `events:` line yet.
    pub fn settle(&mut self, builder: &mut ProfileBuilder) -> Option<Vec<usize>> {
        let events = self.events.as_ref()?;
        if self.settled == Settled::Yes {
            return Some(Vec::new());
        }
        let before = std::mem::replace(&mut self.settled, Settled::Yes);
        let absent: Vec<usize> = self.selection.absent().collect();
        if before == Settled::HeadersCame {
            builder.settle_headers(&self.selection);
        } else {
            self.selection = builder.select_columns(events);
        }
        let is_new = |at: &usize| !events.is_empty() && absent.binary_search(at).is_err();
        let gone = self.selection.absent().filter(is_new).collect();
        self.count = events.len();
        self.wanted = match self.selection.only_column() {
            Some(0) if self.count == 1 => Wanted::Only,
            Some(column) if self.count > Wanted::FEW => Wanted::ColumnOfMany(column),
            Some(column) => Wanted::Column(column),
            None if self.selection.is_all_of(self.count) => Wanted::All,
            None => Wanted::Other,
        };
        self.more.clear();
        self.find_shape();
        Some(gone)
    }

    fn find_shape(&mut self) {
        self.shape = match self.wanted {
            _ if self.settled != Settled::Yes => Shape::Other,
            Wanted::All | Wanted::Other => Shape::Other,
            Wanted::Only if self.positions.is_line_alone() => Shape::LineAndCost,
            _ if self.positions.is_line_alone() => Shape::LineAndCosts,
            Wanted::Only if self.positions.are_address_and_line() => Shape::AddressLineAndCost,
            _ => Shape::Other,
        };
    }

    pub fn events(&self) -> &[Vec<u8>] {
        self.events.as_deref().unwrap_or_default()
    }

    /// The cost of the first wanted event among these.
    pub fn selected(&self, numbers: &[Cost]) -> Cost {
        self.selection.first().cost(numbers)
    }

    /// What lines can be recognised as a whole, while it is known which column counts.
    #[inline]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The line of a position.
    #[inline]
    pub fn line(&self, position: &Position) -> u64 {
        position.line(self.positions)
    }

    /// The position that relative ones refer to.
    #[inline]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Says where the last cost was.
    #[inline]
    pub fn move_to(&mut self, position: Position) {
        self.position = position;
    }

    /// Reads the target of a call, and returns its line.
    #[inline]
    pub fn target_line(&self, cursor: &mut Cursor<'_>) -> Result<u64, NumberError> {
        self.position.read_target(self.positions, cursor)
    }

    #[inline(always)]
    pub fn cost_line(
        &mut self,
        data: &[u8],
        pos: usize,
        spelling: Spelling,
    ) -> Result<CostLine, Problem> {
        let mut cursor = Cursor::new(data, pos);
        let mut is_line_unknown = false;
        let position = match self.position.read(self.positions, &mut cursor) {
            Ok(position) => position,
            Err((_, NumberError::Negative)) if self.is_unknown_line(&cursor) => {
                is_line_unknown = true;
                Position::default()
            }
            Err((column, error)) => {
                return Err(self.position_problem(data, pos, &cursor, column, error));
            }
        };
        match self.costs(data, cursor.pos(), spelling) {
            Ok((costs, next)) => Ok(CostLine {
                position,
                costs,
                next,
                is_line_unknown,
            }),
            Err(error) => Err(self.cost_problem(data, pos, error)),
        }
    }

    /// Reads costs to the end of the line, and returns where the next line begins.
    #[inline(always)]
    pub fn costs(
        &mut self,
        data: &[u8],
        pos: usize,
        spelling: Spelling,
    ) -> Result<(LineCosts, usize), CostError> {
        match self.wanted {
            Wanted::Column(wanted) => self.one_cost(data, pos, spelling, wanted),
            _ => self.other_costs(data, pos, spelling),
        }
    }

    /// Does what [`costs`](Self::costs) does, for all but traces with a few columns.
    #[inline(never)]
    fn other_costs(
        &mut self,
        data: &[u8],
        pos: usize,
        spelling: Spelling,
    ) -> Result<(LineCosts, usize), CostError> {
        match self.wanted {
            Wanted::Only => self.one_cost(data, pos, spelling, 0),
            Wanted::Column(wanted) | Wanted::ColumnOfMany(wanted) => {
                self.one_of_many(data, pos, spelling, wanted)
            }
            Wanted::All | Wanted::Other => self.all_costs(data, pos, spelling),
        }
    }

    /// The costs of all wanted events in the line that was read last.
    #[inline]
    pub fn all_of(&self, costs: LineCosts) -> Costs<'_> {
        Costs {
            first: costs.first,
            more: &self.more,
            matching: costs.matching,
        }
    }

    /// Reads the cost in one column, and steps over the others.
    #[inline(always)]
    fn one_cost(
        &self,
        data: &[u8],
        pos: usize,
        spelling: Spelling,
        wanted: usize,
    ) -> Result<(LineCosts, usize), CostError> {
        match Cursor::new(data, pos).plain_cost_among(wanted, self.count) {
            Some((cost, next)) => Ok((LineCosts::single(cost), next)),
            None => self.one_rare_cost(data, pos, spelling, wanted),
        }
    }

    /// Does what [`one_cost`](Self::one_cost) does, but steps over all that follow at once.
    #[inline(never)]
    fn one_of_many(
        &self,
        data: &[u8],
        pos: usize,
        spelling: Spelling,
        wanted: usize,
    ) -> Result<(LineCosts, usize), CostError> {
        let (mut column, mut first) = (0, 0);
        let mut cursor = Cursor::new(data, pos);
        cursor.skip_blank();
        while column < self.count
            && let Some((cost, ends_line)) = cursor.small_cost()
        {
            if column == wanted {
                first = cost;
            }
            column += 1;
            if ends_line || column > wanted && cursor.skip_plain_costs(self.count - column) {
                return Ok((LineCosts::single(first), cursor.pos()));
            }
        }
        self.one_rare_cost(data, pos, spelling, wanted)
    }

    /// Does what [`one_cost`](Self::one_cost) does, however costs are spelled.
    #[inline(never)]
    fn one_rare_cost(
        &self,
        data: &[u8],
        pos: usize,
        spelling: Spelling,
        wanted: usize,
    ) -> Result<(LineCosts, usize), CostError> {
        let mut cursor = Cursor::new(data, pos);
        let mut costs = LineCosts::default();
        let mut column = 0;
        while let Some(number) = next_number(&mut cursor, column == self.count)? {
            if column == wanted {
                let (cost, is_unwrapped) = spelling.read(number);
                costs = LineCosts {
                    is_unwrapped,
                    ..LineCosts::single(cost)
                };
            }
            column += 1;
        }
        Ok((costs, cursor.pos()))
    }

    /// Reads all costs, and works out the wanted ones.
    #[inline(never)]
    fn all_costs(
        &mut self,
        data: &[u8],
        pos: usize,
        spelling: Spelling,
    ) -> Result<(LineCosts, usize), CostError> {
        let mut cursor = Cursor::new(data, pos);
        let mut any_unwrapped = false;
        self.numbers.clear();
        loop {
            cursor.skip_blank();
            if self.numbers.len() < self.count
                && let Some((cost, ends_line)) = cursor.small_cost()
            {
                self.numbers.push(cost);
                if ends_line {
                    break;
                }
                continue;
            }
            let Some(number) = next_number(&mut cursor, self.numbers.len() == self.count)? else {
                break;
            };
            let (number, is_unwrapped) = spelling.read(number);
            // The first column may be read just to match calls with invocations.
            any_unwrapped |= is_unwrapped && self.selection.uses(self.numbers.len());
            self.numbers.push(number);
        }
        if self.wanted == Wanted::All {
            let (&first, more) = self.numbers.split_first().unwrap_or((&0, &[]));
            self.more.clear();
            self.more.extend_from_slice(more);
            let costs = LineCosts {
                is_unwrapped: any_unwrapped,
                ..LineCosts::single(first)
            };
            return Ok((costs, cursor.pos()));
        }
        let costs = self.selection.costs(&self.numbers, &mut self.more);
        let costs = LineCosts {
            first: costs.first,
            matching: costs.matching,
            is_unwrapped: any_unwrapped,
        };
        Ok((costs, cursor.pos()))
    }

    /// Whether a position that leads below 0 is `-1` for "no line", as phpspy and reli write it
    /// for PHP's own functions.
    ///
    /// Read as a relative position it leads below 0 wherever the line before is 0.
    #[cold]
    fn is_unknown_line(&self, cursor: &Cursor<'_>) -> bool {
        self.positions.is_line_alone() && cursor.follows(b"-1")
    }

    #[cold]
    fn position_problem(
        &self,
        data: &[u8],
        pos: usize,
        cursor: &Cursor<'_>,
        column: usize,
        error: NumberError,
    ) -> Problem {
        let kind = match error {
            NumberError::NotANumber if matches!(cursor.peek(), b'\n' | b'\r') => {
                ProblemKind::MissingPosition(self.positions.count())
            }
            NumberError::Negative => ProblemKind::NegativePosition(self.position.0[column]),
            _ => return number_problem(data, pos, error),
        };
        Problem::at(kind, data, pos)
    }

    #[cold]
    fn cost_problem(&self, data: &[u8], pos: usize, error: CostError) -> Problem {
        match error {
            CostError::TooMany => Problem::at(ProblemKind::TooManyCosts(self.count), data, pos),
            CostError::Number(start, error) => number_problem(data, start, error),
        }
    }
}

/// Reads the next cost; none at the end of the line, which is stepped over.
#[inline]
fn next_number(cursor: &mut Cursor<'_>, is_last: bool) -> Result<Option<Cost>, CostError> {
    cursor.skip_blanks();
    if cursor.end_of_line() {
        return Ok(None);
    }
    if is_last {
        return Err(CostError::TooMany);
    }
    let start = cursor.pos();
    match cursor.cost() {
        Ok(cost) => Ok(Some(cost)),
        Err(error) => Err(CostError::Number(start, error)),
    }
}

/// What is wrong where a number should stand.
#[cold]
pub(super) fn number_problem(data: &[u8], start: usize, error: NumberError) -> Problem {
    let kind = match error {
        NumberError::TooLarge => ProblemKind::NumberTooLarge,
        NumberError::NotANumber | NumberError::Negative => ProblemKind::NotANumber,
    };
    Problem::at(kind, data, start)
}
