//! Stacks, one per line, as flame graph tools read them.
//!
//! ```text
//! {main} 1200
//! {main};App\Kernel->boot 350
//! {main};App\Kernel->boot;php::include 90
//! ```
//!
//! Each line contains the frames of a stack, from the root on, and the cost of exactly that stack.
//! The lines add up to the profile's total. Costs are written in full, whatever their size. Lines
//! are sorted by the bytes of their stacks.
//!
//! Frames are function names, except for characters that readers of the format cannot handle:
//!
//! | in a name | in its frame | reason |
//! |---|---|---|
//! | `;` | `:` | it separates frames |
//! | invisible characters that reverse or break text | `\u{202e}` and the like | two names would look alike |
//! | control characters, line separators | a blank | they end lines |
//! | the blank before digits and points at the end | `_` | these would be a second cost |
//! | the blank of `# ` at the beginning | `_` | the line would be a comment |
//! | bytes that are not UTF-8 | `\xff` and the like | some readers refuse the whole file |
//! | an empty name, or only blanks | `???` | readers would see no frame |
//!
//! # Examples
//!
//! ```
//! use cg_preprocess::callgrind;
//! use cg_preprocess::profile::{ProfileBuilder, ProfileOptions};
//! use cg_preprocess::stacks::Stacks;
//! use cg_preprocess::output::collapsed;
//!
//! let trace = "creator: xdebug 3.4.0\nevents: Time\nfl=a.php\nfn=work\n3 40\n\n\
//!     fl=a.php\nfn={main}\n7 2\ncfl=a.php\ncfn=work\ncalls=1 0 0\n8 40\n";
//! let mut options = ProfileOptions::default();
//! options.contexts = true;
//! let mut builder = ProfileBuilder::new(options);
//! callgrind::read(trace.as_bytes(), "a.cg", &callgrind::ReadOptions::default(), &mut builder)?;
//!
//! let profile = builder.finish()?;
//! let mut lines = Vec::new();
//! collapsed::write(&Stacks::new(&profile), &mut lines)?;
//! assert_eq!(String::from_utf8(lines)?, "{main} 2\n{main};work 40\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::io::{self, BufWriter, Write};
use std::rc::Rc;

use thiserror::Error;

use crate::display::numbers::counted;
use crate::display::text::{printable, utf8};
use crate::maps::HashMap;
use crate::output::MAX_FRAMES;
use crate::profile::{Cost, split_scale};
use crate::stacks::{StackId, Stacks};
use crate::tables::first_cost;

/// The most bytes of a stack, for the same reason as [`MAX_FRAMES`]. Deeper frames are merged.
const MAX_BYTES: usize = 1 << 20;

/// The frame for all deeper frames.
const DEEPER: &str = "(deeper);";

/// Warnings about stacks that were written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CollapsedWarning {
    /// Sums of memory can be negative, which no reader of the format accepts.
    #[error("stacks with a negative cost are omitted: {stacks}, with {cost} in total")]
    Negative {
        /// The number of omitted stacks.
        stacks: u64,
        /// The sum of their costs.
        cost: Cost,
    },
    /// The number of stacks that were cut, because of deep recursion.
    #[error(
        "{} of more than {MAX_FRAMES} frames: deeper frames are merged into (deeper)",
        counted(*.0, "stack")
    )]
    Deeper(u64),
    /// A warning about the base of a comparison.
    #[error("in the base, {0}")]
    InBase(Box<CollapsedWarning>),
    /// A warning about the new profile of a comparison.
    #[error("in the new profile, {0}")]
    InNew(Box<CollapsedWarning>),
}

/// Writes stacks by the first event; see the [module](self)'s documentation.
///
/// # Errors
///
/// When the output fails.
pub fn write(stacks: &Stacks<'_>, output: impl Write) -> io::Result<Vec<CollapsedWarning>> {
    let [warnings] = write_lines([(stacks, 1)], output)?;
    Ok(warnings)
}

/// Writes every stack of either profile, with its costs in the base and in the new one:
/// `frame;frame 100 250`. Programs that draw differential flame graphs read this.
///
/// Otherwise the output is like that of [`write()`]. Costs of scaled profiles are multiplied by
/// their scale.
///
/// # Errors
///
/// When the output fails.
pub fn write_comparison(
    base: &Stacks<'_>,
    new: &Stacks<'_>,
    output: impl Write,
) -> io::Result<Vec<CollapsedWarning>> {
    let sides = [base, new].map(|side| (side, split_scale(side.profile().event()).1));
    let warnings = write_lines(sides, output)?;
    let [base, new] = warnings.map(|of_side| of_side.into_iter().map(Box::new));
    Ok(base
        .map(CollapsedWarning::InBase)
        .chain(new.map(CollapsedWarning::InNew))
        .collect())
}

/// Writes the stacks of all sides, each with its cost on every side, multiplied by the side's scale.
/// Returns the warnings about each side.
fn write_lines<const SIDES: usize>(
    sides: [(&Stacks<'_>, u64); SIDES],
    output: impl Write,
) -> io::Result<[Vec<CollapsedWarning>; SIDES]> {
    let mut output = BufWriter::new(output);
    let mut sides = sides.map(|(stacks, scale)| (StackLines::new(stacks), i128::from(scale)));
    while let Some(stack) = sides.iter().filter_map(|(lines, _)| lines.stack()).min() {
        output.write_all(stack)?;
        let is_there = sides
            .each_ref()
            .map(|(lines, _)| lines.stack() == Some(stack));
        for ((lines, scale), is_there) in sides.iter_mut().zip(is_there) {
            let cost = lines.cost.filter(|_| is_there).unwrap_or(0);
            write!(output, " {}", i128::from(cost) * *scale)?;
            if is_there {
                lines.advance();
            }
        }
        output.write_all(b"\n")?;
    }
    output.flush()?;
    Ok(sides.map(|(lines, _)| lines.warnings()))
}

/// The name of a function in a stack.
fn frame(name: &[u8]) -> String {
    let blank = |char: char| match char {
        ';' => ':',
        '\u{2028}' | '\u{2029}' => ' ',
        _ if char.is_control() => ' ',
        _ => char,
    };
    let kept: String = utf8(name).chars().map(blank).collect();
    let mut frame = printable(kept.as_bytes());
    if frame.trim().is_empty() {
        return "???".to_owned();
    }
    // Readers trim lines and stacks.
    let start = frame.len() - frame.trim_start().len();
    if frame[start..].starts_with("# ") {
        frame.replace_range(start + 1..start + 2, "_");
    }
    let trimmed = frame.trim_end();
    let number = trimmed.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.');
    if number.len() < trimmed.len() && number.ends_with(' ') {
        let blank = number.len() - 1;
        frame.replace_range(blank..=blank, "_");
    }
    frame
}

/// A cursor over the lines of all stacks, in the order of their bytes.
///
/// Nodes of different functions can have the same frames. These are one line.
struct StackLines<'a> {
    stacks: &'a Stacks<'a>,
    /// The text of each node's frame, followed by `;`, which no frame contains.
    frames: Vec<Rc<str>>,
    /// The remaining lines. The next one is the last.
    pending: Vec<Pending>,
    /// The current stack.
    stack: Vec<u8>,
    /// Its cost, which is more than 0; `None` after the last line.
    cost: Option<Cost>,
    /// The number and sum of stacks with a negative cost.
    negative: (u64, Cost),
    /// The number of stacks that were cut.
    deeper: u64,
}

/// The line of a stack, or those of all stacks below it.
struct Pending {
    /// The last frame of the stack, followed by `;`.
    frame: Rc<str>,
    what: What,
    /// The length of the stack above it in bytes, with the `;` at its end.
    bytes: usize,
    /// The number of frames above it.
    frames: usize,
}

enum What {
    /// The line of the stack, with its cost.
    Line(Cost),
    /// The lines of all stacks below these nodes.
    Below(Vec<StackId>),
}

impl Pending {
    /// What distinguishes its first line from those of its siblings.
    fn text(&self) -> &str {
        match self.what {
            What::Line(_) => &self.frame[..self.frame.len() - 1],
            What::Below(_) => &self.frame,
        }
    }
}

impl<'a> StackLines<'a> {
    /// A cursor at the first line.
    fn new(stacks: &'a Stacks<'a>) -> Self {
        let mut texts: HashMap<&[u8], Rc<str>> = HashMap::default();
        let frames = stacks.nodes().map(|node| {
            let name = stacks.frame(node);
            let text = texts.entry(name);
            Rc::clone(text.or_insert_with(|| (frame(name) + ";").into()))
        });
        let mut lines = StackLines {
            stacks,
            frames: frames.collect(),
            pending: Vec::new(),
            stack: Vec::new(),
            cost: None,
            negative: (0, 0),
            deeper: 0,
        };
        lines.expect(stacks.roots(), 0);
        lines.advance();
        lines
    }

    /// The current stack; `None` after the last line.
    fn stack(&self) -> Option<&[u8]> {
        self.cost.map(|_| self.stack.as_slice())
    }

    /// Goes to the next line.
    fn advance(&mut self) {
        self.cost = None;
        while self.cost.is_none()
            && let Some(next) = self.pending.pop()
        {
            self.stack.truncate(next.bytes);
            self.stack.extend(next.frame.bytes());
            match next.what {
                What::Line(cost) => {
                    self.stack.pop();
                    self.cost = Some(cost);
                }
                What::Below(nodes) => self.go_below(&nodes, next.frames + 1),
            }
        }
    }

    fn go_below(&mut self, nodes: &[StackId], frames: usize) {
        let stacks = self.stacks;
        if frames < MAX_FRAMES && self.stack.len() <= MAX_BYTES {
            let children = nodes.iter().flat_map(|&node| stacks.children(node));
            return self.expect(children, frames);
        }
        let below = nodes.iter().map(|&node| {
            let inclusive = first_cost(stacks.inclusive_costs(node));
            inclusive.saturating_sub(first_cost(stacks.self_costs(node)))
        });
        self.deeper += 1;
        self.expect_line(DEEPER.into(), below, frames);
    }

    /// Schedules the lines of these nodes and of all below them as the next ones.
    fn expect(&mut self, nodes: impl Iterator<Item = StackId>, frames: usize) {
        let (stacks, start) = (self.stacks, self.pending.len());
        let mut nodes: Vec<(Rc<str>, StackId)> = nodes
            .map(|node| (Rc::clone(&self.frames[node.index()]), node))
            .collect();
        nodes.sort_unstable();
        for group in nodes.chunk_by(|(one, _), (other, _)| one == other) {
            let nodes = group.iter().map(|&(_, node)| node);
            let costs = nodes.clone().map(|id| first_cost(stacks.self_costs(id)));
            self.expect_line(Rc::clone(&group[0].0), costs, frames);
            let above = nodes.filter(|&node| stacks.children(node).next().is_some());
            let above: Vec<StackId> = above.collect();
            if !above.is_empty() {
                self.push(Rc::clone(&group[0].0), What::Below(above), frames);
            }
        }
        // Other lines can come between the line of a node and those below it: `a`, `a b`, `a;b`.
        self.pending[start..].sort_unstable_by(|one, other| other.text().cmp(one.text()));
    }

    /// Schedules a line, if its cost is positive.
    fn expect_line(&mut self, frame: Rc<str>, costs: impl Iterator<Item = Cost>, frames: usize) {
        let cost = costs.fold(0, Cost::saturating_add);
        if cost > 0 {
            self.push(frame, What::Line(cost), frames);
        } else if cost < 0 {
            let (stacks, sum) = self.negative;
            self.negative = (stacks + 1, sum.saturating_add(cost));
        }
    }

    fn push(&mut self, frame: Rc<str>, what: What, frames: usize) {
        let bytes = self.stack.len();
        self.pending.push(Pending {
            frame,
            what,
            bytes,
            frames,
        });
    }

    fn warnings(&self) -> Vec<CollapsedWarning> {
        let (stacks, cost) = self.negative;
        let negative = (stacks > 0).then_some(CollapsedWarning::Negative { stacks, cost });
        let deeper = (self.deeper > 0).then_some(CollapsedWarning::Deeper(self.deeper));
        negative.into_iter().chain(deeper).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_names_but_for_what_breaks_the_format() {
        for (name, expected) in [
            (&b"App\\Kernel->boot"[..], "App\\Kernel->boot"),
            ("Größe::λ".as_bytes(), "Größe::λ"),
            (b"a;b;;c", "a:b::c"),
            (
                b"class@anonymous\0/srv/a.php\t7",
                "class@anonymous /srv/a.php_7",
            ),
            ("a\u{85}b\u{2028}c".as_bytes(), "a b c"),
            (b"f 12", "f_12"),
            (b"f  12.5", "f _12.5"),
            (b"f 1.2.", "f_1.2."),
            (b"f 12 ", "f_12 "),
            ("f 12\u{a0}".as_bytes(), "f_12\u{a0}"),
            (b"f\n12\n", "f_12 "),
            (b" 12", "_12"),
            (b"12", "12"),
            (b"f12", "f12"),
            (b"f 12x", "f 12x"),
            (b"f 1 2", "f 1_2"),
            (b"# f", "#_f"),
            (b" # 7", " #_7"),
            (b"#f", "#f"),
            (b"a\xffb", "a\\xffb"),
            (
                "a\u{200b}b\u{202e}c\u{2066}d\u{feff}".as_bytes(),
                "a\\u{200b}b\\u{202e}c\\u{2066}d\\u{feff}",
            ),
            (b"", "???"),
            (b" \n", "???"),
            ("\u{a0}".as_bytes(), "???"),
            (b"???", "???"),
        ] {
            let name_text = String::from_utf8_lossy(name);
            assert_eq!(frame(name), expected, "{name_text:?}");
        }
    }
}
