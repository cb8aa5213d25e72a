//! Profiles made from bytes, with the tables that they must become.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use arbitrary::{Result, Unstructured};

/// How many files and names there are; each has an id.
const FILES: usize = 2;
const NAMES: usize = 3;

/// A file and a name.
pub type Key = (usize, usize);

/// What there is to know of a function.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Function {
    /// Line of its first cost, or that which the first call says it has.
    pub line: u64,
    pub self_cost: i64,
    /// By callee and line: calls and cost.
    pub calls: BTreeMap<(Key, u64), (u64, i64)>,
}

/// A sound profile, and what it holds.
#[derive(Debug, Default)]
pub struct Made {
    pub text: String,
    pub functions: BTreeMap<Key, Function>,
    /// The functions that have costs of their own.
    costly: BTreeSet<Key>,
    /// Ids of files and names that were defined.
    defined: [Vec<usize>; 2],
    columns: usize,
    /// Whether an address stands before the line.
    has_addresses: bool,
    address: u64,
    line: u64,
}

/// The name of a file or function as JSON has it.
pub fn name(kind: char, number: usize) -> String {
    format!("{kind}{number}")
}

/// Any number, the lengths equally likely.
fn number(bytes: &mut Unstructured<'_>) -> Result<u64> {
    Ok(match bytes.int_in_range(0..=9)? {
        0..4 => u64::from(bytes.arbitrary::<u8>()? % 10),
        4 | 5 => u64::from(bytes.arbitrary::<u8>()?),
        6 => u64::from(bytes.arbitrary::<u16>()?),
        7 => u64::from(bytes.arbitrary::<u32>()? >> 8),
        8 => u64::from(bytes.arbitrary::<u32>()?),
        _ => 1 << 32,
    })
}

impl Made {
    /// Makes a profile for as long as there are bytes.
    pub fn from_bytes(bytes: &mut Unstructured<'_>) -> Result<Self> {
        let mut made = Made {
            columns: bytes.int_in_range(1..=3)?,
            has_addresses: bytes.arbitrary()?,
            ..Made::default()
        };
        if made.has_addresses {
            made.text += "positions: instr line\n";
        }
        let columns = ["Ir", "Dr", "Dw"][..made.columns].join(" ");
        let _ = writeln!(made.text, "events: {columns}");
        let mut current = made.function(bytes)?;
        while !bytes.is_empty() {
            match bytes.int_in_range(0..=15)? {
                0 => current = made.function(bytes)?,
                1..4 => made.call(current, bytes)?,
                _ => made.cost(current, bytes)?,
            }
        }
        Ok(made)
    }

    fn key(bytes: &mut Unstructured<'_>) -> Result<Key> {
        Ok((bytes.choose_index(FILES)?, bytes.choose_index(NAMES)?))
    }

    /// Writes a name, with its id alone where it is known.
    fn reference(&mut self, key: &str, kind: usize, number: usize) {
        let _ = write!(self.text, "{key}=({})", number + 1);
        if !self.defined[kind].contains(&number) {
            self.defined[kind].push(number);
            self.text += " ";
            self.text += &name(['a', 'f'][kind], number);
        }
        self.text += "\n";
    }

    fn function(&mut self, bytes: &mut Unstructured<'_>) -> Result<Key> {
        let key = Self::key(bytes)?;
        self.reference("fl", 0, key.0);
        self.reference("fn", 1, key.1);
        // A block begins with its first cost.
        self.cost(key, bytes)?;
        Ok(key)
    }

    fn cost(&mut self, function: Key, bytes: &mut Unstructured<'_>) -> Result<()> {
        let cost = self.cost_line(bytes)?;
        let line = self.line;
        let is_first = self.costly.insert(function);
        let function = self.functions.entry(function).or_default();
        if is_first {
            function.line = line;
        }
        function.self_cost += cost;
        Ok(())
    }

    fn call(&mut self, caller: Key, bytes: &mut Unstructured<'_>) -> Result<()> {
        let callee = Self::key(bytes)?;
        self.reference("cfi", 0, callee.0);
        self.reference("cfn", 1, callee.1);
        let calls = number(bytes)?;
        let target = if self.has_addresses { "+3 *" } else { "*" };
        let _ = writeln!(self.text, "calls={calls} {target}");
        let line = self.line;
        let cost = self.cost_line(bytes)?;
        self.functions.entry(callee).or_insert_with(|| Function {
            line,
            ..Function::default()
        });
        let edges = &mut self.functions.entry(caller).or_default().calls;
        let edge = edges.entry((callee, self.line)).or_default();
        edge.0 += calls;
        edge.1 += cost;
        Ok(())
    }

    /// Writes a line with costs; returns the first of them.
    fn cost_line(&mut self, bytes: &mut Unstructured<'_>) -> Result<i64> {
        if self.has_addresses {
            self.address = self.position(self.address, bytes)?;
        }
        self.line = self.position(self.line, bytes)?;
        let count = bytes.int_in_range(0..=self.columns)?.max(1);
        let mut first = None;
        for _ in 0..count {
            let cost = number(bytes)?;
            let _ = write!(self.text, "{cost} ");
            first.get_or_insert(cost);
        }
        self.text.pop();
        self.text += "\n";
        Ok(first.map_or(0, |cost| cost.cast_signed()))
    }

    /// Writes a position in any way that leads to it.
    fn position(&mut self, base: u64, bytes: &mut Unstructured<'_>) -> Result<u64> {
        let step = number(bytes)?;
        let (text, position) = match bytes.int_in_range(0..=3)? {
            0 => ("*".to_owned(), base),
            1 if base >= step => (format!("-{step}"), base - step),
            1 | 2 if base < 1 << 60 => (format!("+{step}"), base + step),
            _ => (step.to_string(), step),
        };
        self.text += &text;
        self.text += " ";
        Ok(position)
    }
}
