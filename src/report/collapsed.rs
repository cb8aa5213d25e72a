//! The stacks of a trace, one per line, as flame graph tools read them.
//!
//! ```text
//! {main} 1200
//! {main};App\Kernel->boot 350
//! {main};App\Kernel->boot;php::include 90
//! ```
//!
//! Each line has the frames of a stack from the root on, and the sum of the self costs of all
//! invocations with just that stack: the lines add up to the profile's total. Costs are written in
//! full, whatever their size. Lines are sorted by the bytes of their stacks.
//!
//! Frames are function names, except for characters that readers of the format cannot handle:
//!
//! | in a name | in its frame | because it |
//! |---|---|---|
//! | `;` | `:` | separates frames |
//! | control characters, line separators | a blank | end lines |
//! | the blank before trailing digits and points | `_` | makes these a second cost |
//! | the blank of `# ` at its beginning | `_` | makes a comment |
//! | bytes that are not UTF-8 | `\xff` and the like | make some refuse the whole file |
//! | nothing, or nothing but blanks | `???` | is taken for no frame |
//!
//! # Examples
//!
//! ```
//! use cg_preprocess::callgrind;
//! use cg_preprocess::profile::{ProfileBuilder, ProfileOptions};
//! use cg_preprocess::report::collapsed;
//!
//! let trace = "creator: xdebug 3.4.0\nevents: Time\nfl=a.php\nfn=work\n3 40\n\n\
//!     fl=a.php\nfn={main}\n7 2\ncfl=a.php\ncfn=work\ncalls=1 0 0\n8 40\n";
//! let mut options = ProfileOptions::default();
//! options.contexts = true;
//! let mut builder = ProfileBuilder::new(options);
//! callgrind::read(trace.as_bytes(), "a.cg", &callgrind::Options::default(), &mut builder)?;
//!
//! let mut stacks = Vec::new();
//! collapsed::write(&builder.finish()?, &mut stacks)?;
//! assert_eq!(String::from_utf8(stacks)?, "{main} 2\n{main};work 40\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::cmp::Ordering;
use std::collections::HashMap;
use std::io::{self, BufWriter, Write};

use thiserror::Error;

use crate::profile::{ContextId, ContextTree, Cost, FunctionId, Profile, Step, split_scale};
use crate::shown::text::utf8;

/// How many frames a stack has at most: recursion would make the output grow with its square.
const MOST_FRAMES: usize = 1024;

/// For the same reason frames are summed up where those above them have this many bytes.
const MOST_BYTES: usize = 1 << 20;

/// Stands for all deeper frames.
const DEEPER: &[u8] = b"(deeper)";

/// Warnings about stacks that were written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Warning {
    /// Sums of memory can be negative, which no reader of the format takes.
    #[error("stacks with a negative sum are left out: {stacks}, which add up to {cost}")]
    Negative {
        /// How many.
        stacks: u64,
        /// Their sum.
        cost: Cost,
    },
    /// So many stacks were cut, because some calls are nested very deeply.
    #[error(
        "{0} stacks of more than {MOST_FRAMES} frames: what lies deeper is summed up as (deeper)"
    )]
    Deeper(u64),
    /// A warning about the base of a comparison.
    #[error("in the base, {0}")]
    InBase(Box<Warning>),
    /// A warning about the new profile of a comparison.
    #[error("in the new profile, {0}")]
    InNew(Box<Warning>),
}

/// Writes the stacks of a profile's traces; see the [module](self)'s documentation.
///
/// The profile has to have been read with
/// [`ProfileOptions::contexts`](crate::profile::ProfileOptions::contexts): without them nothing is
/// written.
///
/// # Errors
///
/// When the output fails.
pub fn write(profile: &Profile, output: impl Write) -> io::Result<Vec<Warning>> {
    let mut output = BufWriter::new(output);
    let Some(contexts) = profile.contexts() else {
        return Ok(Vec::new());
    };
    let frames = Frames::new(profile);
    let merged = frames.merged(contexts);
    let mut stacks = Stacks::new(merged.as_ref().unwrap_or(contexts), &frames);
    while let Some(cost) = stacks.advance() {
        output.write_all(&stacks.stack)?;
        writeln!(output, " {cost}")?;
    }
    output.flush()?;
    Ok(stacks.warnings())
}

/// Writes every stack that either of two profiles has, with its costs in the base and in the new
/// one: `frame;frame 100 250`, as programs that draw differential flame graphs take it.
///
/// Otherwise the output is like that of [`write()`]. Costs of scaled profiles are multiplied by
/// their scale.
///
/// # Errors
///
/// When the output fails.
pub fn write_comparison(
    base: &Profile,
    new: &Profile,
    output: impl Write,
) -> io::Result<Vec<Warning>> {
    let mut output = BufWriter::new(output);
    let sides = [base, new];
    let [Some(base), Some(new)] = sides.map(Profile::contexts) else {
        return Ok(Vec::new());
    };
    let contexts = [base, new];
    let scales = sides.map(|profile| i128::from(split_scale(profile.event()).1));
    let frames = sides.map(Frames::new);
    let merged = [0, 1].map(|side| frames[side].merged(contexts[side]));
    let mut stacks = [0, 1].map(|side| {
        let contexts = merged[side].as_ref().unwrap_or(contexts[side]);
        Stacks::new(contexts, &frames[side])
    });
    let mut costs = stacks.each_mut().map(Stacks::advance);
    loop {
        let own = [0, 1].map(|side| costs[side].and(Some(&stacks[side].stack)));
        let Some(stack) = own.into_iter().flatten().min() else {
            break;
        };
        output.write_all(stack)?;
        let is_there = own.map(|own| own == Some(stack));
        for side in 0..2 {
            let cost = costs[side].filter(|_| is_there[side]);
            let cost = i128::from(cost.unwrap_or(0)) * scales[side];
            write!(output, " {cost}")?;
            if is_there[side] {
                costs[side] = stacks[side].advance();
            }
        }
        output.write_all(b"\n")?;
    }
    output.flush()?;
    let [of_base, of_new] = stacks.map(|side| side.warnings().into_iter().map(Box::new));
    let warnings = of_base.map(Warning::InBase);
    Ok(warnings.chain(of_new.map(Warning::InNew)).collect())
}

/// The frames of all functions.
struct Frames {
    /// By number of the function.
    texts: Vec<String>,
    /// For every function the first one of the same frame.
    first: Vec<FunctionId>,
    /// Whether there is another one.
    are_shared: bool,
}

impl Frames {
    fn new(profile: &Profile) -> Self {
        let mut frames = Frames {
            texts: Vec::new(),
            first: Vec::new(),
            are_shared: false,
        };
        let mut seen = HashMap::new();
        for (id, function) in profile.functions() {
            let text = frame(profile.name(function.name));
            let first = *seen.entry(text.clone()).or_insert(id);
            frames.are_shared |= first != id;
            frames.first.push(first);
            frames.texts.push(text);
        }
        frames
    }

    /// The tree by frames, if that is another one than by functions.
    fn merged(&self, contexts: &ContextTree) -> Option<ContextTree> {
        self.are_shared
            .then(|| contexts.regrouped(|function| self.first[function.index()]))
    }

    fn of(&self, function: FunctionId) -> &[u8] {
        self.texts[function.index()].as_bytes()
    }
}

/// How a function is called in a stack.
fn frame(name: &[u8]) -> String {
    let mut frame: String = utf8(name)
        .chars()
        .map(|char| match char {
            ';' => ':',
            '\u{2028}' | '\u{2029}' => ' ',
            _ if char.is_control() => ' ',
            _ => char,
        })
        .collect();
    if frame.trim().is_empty() {
        return "???".to_owned();
    }
    // Readers trim lines and stacks before they look at them.
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

/// Goes through the stacks in the order of their bytes, from one line to the next.
struct Stacks<'a> {
    contexts: &'a ContextTree,
    frames: &'a Frames,
    /// What comes next, last.
    pending: Vec<Pending<'a>>,
    stack: Vec<u8>,
    negative: (u64, Cost),
    deeper: u64,
}

/// Lines that are still to come: that of a stack, or those of all stacks below it.
struct Pending<'a> {
    context: ContextId,
    /// The last frame of the stack.
    frame: &'a [u8],
    /// The cost of its line; none if it is about those below it.
    cost: Option<Cost>,
    /// Bytes of the stack above it, and the frames in it.
    bytes: usize,
    frames: usize,
}

impl<'a> Stacks<'a> {
    fn new(contexts: &'a ContextTree, frames: &'a Frames) -> Self {
        let mut stacks = Stacks {
            contexts,
            frames,
            pending: Vec::new(),
            stack: Vec::new(),
            negative: (0, 0),
            deeper: 0,
        };
        stacks.expect(contexts.roots(), 0);
        stacks
    }

    /// Goes to the next stack, and returns its cost, which is more than 0.
    fn advance(&mut self) -> Option<Cost> {
        while let Some(next) = self.pending.pop() {
            self.stack.truncate(next.bytes);
            if next.bytes > 0 {
                self.stack.push(b';');
            }
            self.stack.extend_from_slice(next.frame);
            if next.cost.is_some() {
                return next.cost;
            }
            self.go_below(next.context, next.frames + 1);
        }
        None
    }

    fn go_below(&mut self, context: ContextId, frames: usize) {
        if frames < MOST_FRAMES && self.stack.len() < MOST_BYTES {
            self.expect(self.contexts.children(context), frames);
            return;
        }
        let below = self.contexts.walk_below(context);
        let cost = below.fold(0, |sum: Cost, step| match step {
            Step::Enter(id) => sum.saturating_add(self.contexts.context(id).self_cost),
            Step::Leave(_) => sum,
        });
        self.deeper += 1;
        if self.is_written(cost) {
            self.pending.push(Pending {
                context,
                frame: DEEPER,
                cost: Some(cost),
                bytes: self.stack.len(),
                frames,
            });
        }
    }

    /// Notes the lines of these contexts and of those below them as the next ones.
    fn expect(&mut self, contexts: impl Iterator<Item = ContextId>, frames: usize) {
        let start = self.pending.len();
        let bytes = self.stack.len();
        for id in contexts {
            let context = self.contexts.context(id);
            let pending = |cost| Pending {
                context: id,
                frame: self.frames.of(context.function),
                cost,
                bytes,
                frames,
            };
            if self.is_written(context.self_cost) {
                self.pending.push(pending(Some(context.self_cost)));
            }
            if self.contexts.children(id).next().is_some() {
                self.pending.push(pending(None));
            }
        }
        let beginning = |next: &Pending<'a>| (next.frame, next.cost.is_none());
        self.pending[start..].sort_unstable_by(|a, b| compare(beginning(b), beginning(a)));
    }

    fn is_written(&mut self, cost: Cost) -> bool {
        if cost < 0 {
            let (stacks, sum) = self.negative;
            self.negative = (stacks + 1, sum.saturating_add(cost));
        }
        cost > 0
    }

    fn warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if let (stacks @ 1.., cost) = self.negative {
            warnings.push(Warning::Negative { stacks, cost });
        }
        if let stacks @ 1.. = self.deeper {
            warnings.push(Warning::Deeper(stacks));
        }
        warnings
    }
}

/// Compares the beginnings of lines: frames of which some are followed by a `;` and others.
///
/// No frame has a `;`. So all lines below a frame stand together, but not always next to its own:
/// `a`, `a b`, `a;b`.
fn compare((a, a_goes_on): (&[u8], bool), (b, b_goes_on): (&[u8], bool)) -> Ordering {
    let end = |goes_on: bool| goes_on.then_some(&b';');
    let a = a.iter().chain(end(a_goes_on));
    a.cmp(b.iter().chain(end(b_goes_on)))
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
