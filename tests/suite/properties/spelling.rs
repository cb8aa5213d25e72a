//! Writes documents as callgrind text, in as many spellings as the format has.

use std::collections::{BTreeMap, BTreeSet};

use cg_preprocess::profile::Kind;

use super::dice::{Dice, Quirk};
use super::document::{Block, Document, EVENTS, Item, Key, Part};

/// Where a part's `summary:` line stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Summary {
    InHeader,
    /// Between the first `fn=` and its cost line, as Xdebug to 2.7 has it.
    InFirstBlock,
    AtEnd,
    Missing,
}

/// How a part other than the first begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// With `part:`; the names in force stay in force.
    Part,
    /// With a full header.
    Run,
    /// With `events:` alone.
    Columns,
}

/// How a document is written.
#[derive(Clone, Debug)]
pub struct Style {
    pub seed: u64,
    pub quirks: u32,
    pub start: Start,
    pub summary: Summary,
}

/// What a document became.
#[derive(Clone, Debug)]
pub struct Spelled {
    pub text: Vec<u8>,
    /// The header lines but for `events:` and `summary:`, as they should be kept.
    pub headers: Vec<String>,
}

/// Ids of names, as the reader knows them.
#[derive(Debug, Default)]
struct Ids {
    names: BTreeMap<u64, Vec<u8>>,
}

/// What a subposition column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Address,
    Block,
    Line,
}

/// The names in force.
#[derive(Default)]
struct InForce {
    object: Vec<u8>,
    /// File of the last `fl=`.
    file: Option<Vec<u8>>,
    current_file: Vec<u8>,
    /// The callee of the last call.
    callee: Option<Key>,
    /// The function of the last `fn=`.
    function: Option<usize>,
}

struct Speller<'a> {
    document: &'a Document,
    style: &'a Style,
    dice: Dice,
    text: Vec<u8>,
    headers: Vec<String>,
    objects: Ids,
    files: Ids,
    functions: Ids,
    layout: Vec<Column>,
    base: Vec<u64>,
    now: InForce,
    /// The functions that have an own cost.
    with_line: BTreeSet<usize>,
}

/// Writes a document.
pub fn spell(document: &Document, style: &Style) -> Spelled {
    let mut speller = Speller {
        document,
        style,
        dice: Dice::new(style.seed, style.quirks),
        text: Vec::new(),
        headers: Vec::new(),
        objects: Ids::default(),
        files: Ids::default(),
        functions: Ids::default(),
        layout: vec![Column::Line],
        base: vec![0],
        now: InForce::default(),
        with_line: BTreeSet::new(),
    };
    for (number, part) in document.parts.iter().enumerate() {
        speller.header(number, part);
        speller.body(part);
    }
    let Speller {
        mut text,
        mut dice,
        headers,
        ..
    } = speller;
    // A last `summary:` without newline counts as truncated where it says less than its section has.
    let says_less = style.summary == Summary::AtEnd && style.start == Start::Columns;
    if !says_less && dice.shows(Quirk::NoLastNewline, 1) {
        text.truncate(text.trim_ascii_end().len());
    }
    Spelled { text, headers }
}

impl Speller<'_> {
    /// Writes a line, and sometimes what means nothing after it.
    fn line(&mut self, line: impl AsRef<[u8]>) {
        self.bare_line(line.as_ref());
        while self.dice.shows(Quirk::Comments, 6) {
            let noises = ["", "  ", "# fn=(1) main", "#", "\t"];
            let noise = self.dice.random.pick(&noises);
            self.bare_line(noise.as_bytes());
        }
    }

    fn bare_line(&mut self, line: &[u8]) {
        self.text.extend_from_slice(line);
        if self.dice.has(Quirk::WindowsLines) {
            self.text.push(b'\r');
        }
        self.text.push(b'\n');
    }

    /// Writes a header that is kept as it stands.
    fn kept(&mut self, key: &str, value: &str) {
        let mut space = " ";
        if self.dice.shows(Quirk::Blanks, 3) {
            space = self.dice.random.pick(&["", "  "]);
        }
        self.line(format!("{key}:{space}{value}"));
        // One space is needed after the colon, and is put there.
        let space = if space.is_empty() { " " } else { space };
        self.headers.push(format!("{key}:{space}{value}"));
    }

    fn header(&mut self, number: usize, part: &Part) {
        let full = number == 0 || self.style.start == Start::Run;
        if number == 0 && self.dice.random.below(2) == 0 {
            self.line("# callgrind format");
        }
        if number > 0 && full && self.document.kind == Kind::Trace {
            self.line("==== NEW PROFILING FILE ==============================================");
        }
        if full {
            self.run_header();
        }
        if full || self.style.start == Start::Part {
            self.kept("part", &(number + 1).to_string());
        }
        let repeats = number > 0
            && (self.dice.shows(Quirk::MorePositions, 2)
                || (full && self.dice.random.below(2) == 0));
        if number == 0 || repeats {
            self.positions();
        }
        self.unknown_header();
        if number == 0 || self.dice.shows(Quirk::RepeatedEvents, 2) {
            self.formulas();
        }
        self.events(part);
        if self.style.summary == Summary::InHeader {
            self.summary(part);
        }
        self.unknown_header();
        self.line("");
    }

    /// The headers that say a new run begins: no name is in force any more.
    fn run_header(&mut self) {
        self.kept("version", "1");
        let creators: &[&str] = match self.document.kind {
            Kind::Trace => &["xdebug 3.2.0 (PHP 8.2.35)"],
            Kind::Aggregate => &["test", "callgrind-3.22.0", "pprof"],
        };
        let creator = self.dice.random.pick(creators);
        self.kept("creator", creator);
        self.kept("cmd", "/srv/app/index.php");
        self.now = InForce::default();
    }

    fn positions(&mut self) {
        let mut layout: &[Column] = &[Column::Line];
        if !self.document.has_lines {
            layout = &[Column::Address];
        } else if self.dice.has(Quirk::MorePositions) {
            layout = self.dice.random.pick(&[
                &[Column::Line][..],
                &[Column::Address, Column::Line],
                &[Column::Block, Column::Line],
                &[Column::Address, Column::Block, Column::Line],
                &[Column::Line, Column::Address],
            ]);
        }
        let name = |column: &Column| ["instr", "bb", "line"][*column as usize];
        let names: Vec<_> = layout.iter().map(name).collect();
        self.kept("positions", &names.join(" "));
        self.layout = layout.to_vec();
        self.base = vec![0; layout.len()];
    }

    fn formulas(&mut self) {
        for formula in &self.document.formulas {
            let mut terms = Vec::new();
            for (factor, name) in &formula.terms {
                let star = self.dice.random.pick(&[" ", "*", " * "]);
                terms.push(match factor {
                    1 => (*name).to_owned(),
                    _ => format!("{factor}{star}{name}"),
                });
            }
            let plus = self.dice.random.pick(&["+", " + "]);
            let end = self.dice.random.pick(&["", " : a long name"]);
            let equals = self.dice.random.pick(&[" = ", " =", "="]);
            let value = format!("{}{equals}{}{end}", formula.name, terms.join(plus));
            self.kept("event", &value);
        }
    }

    fn events(&mut self, part: &Part) {
        let names: Vec<_> = part.columns.iter().map(|&event| EVENTS[event]).collect();
        self.line(format!("events: {}", names.join(" ")));
    }

    fn summary(&mut self, part: &Part) {
        let summary = part.summary();
        let numbers = part.columns.iter().map(|&event| summary[event].to_string());
        let numbers: Vec<_> = numbers.collect();
        self.line(format!("summary: {}", numbers.join(" ")));
    }

    fn unknown_header(&mut self) {
        if self.dice.shows(Quirk::UnknownHeaders, 2) {
            let keys = ["desc", "x-y_z", "thread", "pid", "Fn"];
            let key = self.dice.random.pick(&keys);
            let values = ["Trigger: end", "1", "fn=(1) a", "=", "a b"];
            let value = self.dice.random.pick(&values);
            self.kept(key, value);
        }
    }

    fn body(&mut self, part: &Part) {
        let mut wants_summary = self.style.summary == Summary::InFirstBlock;
        for block in &part.blocks {
            self.open(block);
            if wants_summary && !block.items.is_empty() {
                wants_summary = false;
                self.line("");
                self.summary(part);
                self.line("");
            }
            for item in &block.items {
                self.idle_lines();
                self.item(part, item);
            }
            if self.document.kind == Kind::Trace {
                self.line("");
            }
        }
        if wants_summary || self.style.summary == Summary::AtEnd {
            self.line("");
            self.summary(part);
        }
        if self.dice.shows(Quirk::IdleLines, 2) {
            self.kept("totals", "1 2");
        }
    }

    /// Writes `ob=`, `fl=` and `fn=`, as far as they are needed.
    fn open(&mut self, block: &Block) {
        let goes_on = self.now.function.replace(block.function) == Some(block.function);
        let is_aggregate = self.document.kind == Kind::Aggregate;
        if goes_on && is_aggregate && self.dice.shows(Quirk::OmitInForce, 2) {
            return;
        }
        let Key { object, file, name } = &self.document.functions[block.function];
        let omit = self.dice.has(Quirk::OmitInForce) || self.document.kind == Kind::Trace;
        if self.now.object != *object || !omit {
            let object_name = self.objects.spell(object, &mut self.dice);
            self.key_line(b"ob", &object_name);
            self.now.object = object.clone();
        }
        let in_force = self.now.file.as_ref().unwrap_or(&self.now.current_file);
        let needs_file = in_force != file || !self.dice.shows(Quirk::OmitInForce, 1);
        if self.now.file.is_none() && needs_file && self.dice.shows(Quirk::LateFiles, 3) {
            self.file_line(b"fi", file);
            self.function_line(name);
        } else if needs_file && self.dice.shows(Quirk::LateFiles, 3) {
            self.function_line(name);
            self.file_line(b"fl", file);
        } else {
            if needs_file {
                self.file_line(b"fl", file);
            }
            self.function_line(name);
        }
    }

    fn function_line(&mut self, name: &[u8]) {
        let name = self.functions.spell(name, &mut self.dice);
        self.key_line(b"fn", &name);
        if let Some(file) = &self.now.file {
            self.now.current_file = file.clone();
        }
    }

    fn file_line(&mut self, key: &[u8], file: &[u8]) {
        let name = self.files.spell(file, &mut self.dice);
        self.key_line(key, &name);
        self.now.current_file = file.to_vec();
        if key == b"fl" {
            self.now.file = Some(file.to_vec());
        }
    }

    fn key_line(&mut self, key: &[u8], value: &[u8]) {
        let has_space = self.dice.shows(Quirk::Blanks, 5);
        let space: &[u8] = if has_space { b" " } else { b"" };
        self.line([key, b"=", space, value].concat());
    }

    /// Lines within a function that hold no cost of it.
    fn idle_lines(&mut self) {
        if self.dice.shows(Quirk::InlinedFiles, 4) {
            let any = self.dice.random.index(self.document.functions.len());
            let key: &[u8] = self.dice.random.pick(&[b"fi", b"fe"]);
            let file = self.document.functions[any].file.clone();
            // Without any `fl=` the file at `fn=` counts, which this must not look like.
            if self.now.file.is_some() {
                self.file_line(key, &file);
            }
        }
        if self.dice.shows(Quirk::Jumps, 4) {
            self.jump();
        }
        if self.dice.shows(Quirk::IdleLines, 6) {
            let lines = ["bb=1", "ln=7", "rec=2", "frfn=x", "total=3"];
            let line = self.dice.random.pick(&lines);
            self.line(line);
        }
        if self.dice.shows(Quirk::UnknownHeaders, 8) {
            self.unknown_header();
        }
    }

    fn jump(&mut self) {
        let any = self.dice.random.index(self.document.functions.len());
        let key = self.document.functions[any].clone();
        if self.dice.random.below(2) == 0 {
            let file = self.files.spell(&key.file, &mut self.dice);
            self.key_line(b"jfi", &file);
            let name = self.functions.spell(&key.name, &mut self.dice);
            self.key_line(b"jfn", &name);
        }
        let line = self.dice.random.below(50);
        let target = self.position(line, false);
        let count = self.dice.random.below(9);
        let jump = self.dice.random.pick(&["jump=", "jcnd=3/"]);
        self.line(format!("{jump}{count} {target}"));
        let line = self.dice.random.below(50);
        let source = self.position(line, true);
        self.line(source);
    }

    fn item(&mut self, part: &Part, item: &Item) {
        let (line, costs) = match item {
            Item::Own { line, costs } => {
                // A function's line is that of its first own cost in its own file.
                if let Some(function) = self.now.function.filter(|_| self.now.file.is_some())
                    && self.with_line.insert(function)
                    && self.now.current_file != self.document.functions[function].file
                {
                    let file = self.document.functions[function].file.clone();
                    self.file_line(b"fe", &file);
                }
                (*line, costs)
            }
            Item::Call {
                callee,
                calls,
                target,
                line,
                costs,
            } => {
                let key = &self.document.functions[*callee];
                self.callee(key);
                self.calls(*calls, *target);
                (*line, costs)
            }
        };
        let mut text = self.position(line, true);
        let mut numbers: Vec<i64> = part.columns.iter().map(|&event| costs[event]).collect();
        while numbers.last() == Some(&0) && self.dice.shows(Quirk::ShortCosts, 1) {
            numbers.pop();
        }
        for number in numbers {
            text += self.blank();
            text += &match u64::try_from(number) {
                Ok(number) => self.number(number),
                Err(_) => number.to_string(),
            };
        }
        if self.dice.shows(Quirk::Blanks, 5) {
            text += self.blank();
        }
        self.line(text);
    }

    /// Writes `cob=`, `cfi=` and `cfn=`, as far as they are needed.
    fn callee(&mut self, key: &Key) {
        let mut lines: Vec<(&[u8], Vec<u8>)> = Vec::new();
        let omit = self.dice.has(Quirk::OmitInForce);
        let trace = self.document.kind == Kind::Trace;
        // Without a `cfn=` the callee stays in force, with its object and file.
        let last = self.now.callee.take();
        let last = last.filter(|last| omit && last.name == key.name);
        let (object, file) = match &last {
            Some(last) => (&last.object, &last.file),
            None => (&self.now.object, &self.now.current_file),
        };
        let (needs_object, needs_file) = (key.object != *object, key.file != *file);
        if needs_object || !(omit || trace) {
            lines.push((b"cob", self.objects.spell(&key.object, &mut self.dice)));
        }
        if needs_file || !omit {
            let file = self.files.spell(&key.file, &mut self.dice);
            let other = self.dice.has(Quirk::AnyOrder) && self.dice.random.below(2) == 0;
            lines.push((if other { b"cfi" } else { b"cfl" }, file));
        }
        if last.is_none() {
            let name = self.functions.spell(&key.name, &mut self.dice);
            lines.push((b"cfn", name));
        }
        if self.dice.has(Quirk::AnyOrder) {
            self.dice.random.shuffle(&mut lines);
        }
        for (key, value) in lines {
            self.key_line(key, &value);
        }
        self.now.callee = Some(key.clone());
    }

    fn calls(&mut self, calls: u64, target: Option<u64>) {
        let is_recursive = self.dice.shows(Quirk::RecursiveCalls, 3);
        let key = if is_recursive { "rcalls=" } else { "calls=" };
        let count = self.number(calls);
        let target = match target {
            Some(line) => self.position(line, false),
            None if self.layout == [Column::Line] => "0 0".to_owned(),
            None => String::new(),
        };
        self.line(format!("{key}{count} {target}"));
    }

    fn blank(&mut self) -> &'static str {
        if self.dice.shows(Quirk::Blanks, 3) {
            self.dice.random.pick(&["\t", "  ", " \t "])
        } else {
            " "
        }
    }

    fn number(&mut self, number: u64) -> String {
        if self.dice.shows(Quirk::Hexadecimal, 3) {
            format!("{number:#x}")
        } else {
            number.to_string()
        }
    }

    /// Writes a position; a source position is what later ones are relative to.
    fn position(&mut self, line: u64, is_source: bool) -> String {
        let mut text = String::new();
        for column in 0..self.layout.len() {
            let number = match self.layout[column] {
                Column::Line => line,
                Column::Address => 0x400_000 + self.dice.random.below(0x1000),
                Column::Block => self.dice.random.below(9),
            };
            if column > 0 {
                text += self.blank();
            }
            text += &self.subposition(self.base[column], number);
            if is_source {
                self.base[column] = number;
            }
        }
        text
    }

    fn subposition(&mut self, base: u64, number: u64) -> String {
        if !self.dice.shows(Quirk::Relative, 2) {
            return self.number(number);
        }
        if number == base && self.dice.random.below(4) > 0 {
            "*".to_owned()
        } else if number >= base {
            format!("+{}", self.number(number - base))
        } else {
            format!("-{}", self.number(base - number))
        }
    }
}

impl Ids {
    /// Writes a name, compressed or not.
    fn spell(&mut self, name: &[u8], dice: &mut Dice) -> Vec<u8> {
        let looks_compressed = matches!(name, [b'(', b'0'..=b'9', ..]);
        // Nothing after an id is a reference, so the empty name cannot be compressed.
        if name.is_empty() || !looks_compressed && dice.shows(Quirk::PlainNames, 2) {
            return name.to_vec();
        }
        let mut known = self.names.iter().filter(|(_, known)| *known == name);
        if let Some((&id, _)) = known.next()
            && !dice.shows(Quirk::Redefinitions, 4)
        {
            return format!("({})", Self::id(id, dice)).into_bytes();
        }
        let id = self.new_id(dice);
        self.names.insert(id, name.to_vec());
        let mut space = " ";
        if dice.shows(Quirk::Blanks, 3) {
            space = dice.random.pick(&["", "  "]);
        }
        let id = format!("({}){space}", Self::id(id, dice));
        [id.as_bytes(), name].concat()
    }

    fn new_id(&self, dice: &mut Dice) -> u64 {
        if !self.names.is_empty() && dice.shows(Quirk::Redefinitions, 3) {
            let known = dice.random.below(self.names.len() as u64) as usize;
            return *self.names.keys().nth(known).expect("one of them");
        }
        if dice.shows(Quirk::FarIds, 2) {
            return u64::MAX >> dice.random.below(64);
        }
        (1..).find(|id| !self.names.contains_key(id)).unwrap_or(0)
    }

    fn id(id: u64, dice: &mut Dice) -> String {
        if dice.shows(Quirk::FarIds, 4) {
            format!("{id:#x}")
        } else {
            id.to_string()
        }
    }
}
