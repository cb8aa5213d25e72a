//! The whole profile as one JSON document.
//!
//! ```text
//! {
//!   "event": the event whose costs these are,
//!   "events": [all events there are],
//!   "scale": what one unit of cost stands for, such as 1000 for the event Ir_(x1000),
//!   "headers": [[key, value], ...],
//!   "total": sum of all self costs,
//!   "functions": [
//!     {"number", "object", "file", "name", "line", "self", "inclusive", "invocations",
//!      "called_from": [{"function", "line", "calls", "cost"}, ...], "sub_calls": [...]},
//!     ...
//!   ]
//! }
//! ```
//!
//! Functions stand in the order of their numbers, which count from 0; `function` in a call is such
//! a number. Costs and counts are integers of 64 bits, as they were summed. Bytes of names that are
//! not UTF-8 become U+FFFD. Each function stands on a line of its own, for `grep` and `diff`.

use std::io::{self, BufWriter, Write};

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};
use serde_json::ser::Formatter;

use crate::profile::{CallEdge, Function, FunctionId, Profile, split_scale};
use crate::text::utf8;

/// Writes a profile as JSON, as a stream, with a newline at its end.
///
/// # Errors
///
/// When the output fails.
pub fn write(profile: &Profile, output: impl Write) -> io::Result<()> {
    let mut output = BufWriter::new(output);
    let layout = Layout::default();
    let mut serializer = serde_json::Serializer::with_formatter(&mut output, layout);
    Document { profile }.serialize(&mut serializer)?;
    output.write_all(b"\n")?;
    output.flush()
}

struct Document<'a> {
    profile: &'a Profile,
}

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let profile = self.profile;
        let (_, scale) = split_scale(profile.event());
        let headers = || {
            let headers = profile.headers();
            headers
                .map(|header| [header.key(), header.value()].map(<[u8]>::to_vec))
                .map(|[key, value]| (Owned(key), Owned(value)))
        };
        let functions = || {
            let functions = profile.functions();
            functions.map(|(id, function)| FunctionRecord {
                profile,
                id,
                function,
            })
        };
        let mut document = serializer.serialize_struct("Profile", 6)?;
        document.serialize_field("event", &Text(profile.event()))?;
        document.serialize_field("events", &List(|| profile.available_events().map(Text)))?;
        document.serialize_field("scale", &scale)?;
        document.serialize_field("headers", &List(headers))?;
        document.serialize_field("total", &profile.total())?;
        document.serialize_field("functions", &List(functions))?;
        document.end()
    }
}

struct FunctionRecord<'a> {
    profile: &'a Profile,
    id: FunctionId,
    function: &'a Function,
}

impl Serialize for FunctionRecord<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let FunctionRecord {
            profile,
            id,
            function,
        } = *self;
        let text = |name| Text(profile.name(name));
        let called_from = || {
            let edges = profile.called_from(id);
            edges.map(|edge| CallRecord(edge.caller, *edge))
        };
        let sub_calls = || {
            let edges = profile.sub_calls(id);
            edges.map(|edge| CallRecord(edge.callee, *edge))
        };
        let mut record = serializer.serialize_struct("Function", 10)?;
        record.serialize_field("number", &id.number())?;
        record.serialize_field("object", &text(function.object))?;
        record.serialize_field("file", &text(function.file))?;
        record.serialize_field("name", &text(function.name))?;
        record.serialize_field("line", &function.line)?;
        record.serialize_field("self", &function.self_cost)?;
        record.serialize_field("inclusive", &function.inclusive)?;
        record.serialize_field("invocations", &function.invocations)?;
        record.serialize_field("called_from", &List(called_from))?;
        record.serialize_field("sub_calls", &List(sub_calls))?;
        record.end()
    }
}

/// A call edge, as one of its two functions sees it: the other one, and the call.
struct CallRecord(FunctionId, CallEdge);

impl Serialize for CallRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let CallRecord(other, edge) = self;
        let mut record = serializer.serialize_struct("Call", 4)?;
        record.serialize_field("function", &other.number())?;
        record.serialize_field("line", &edge.line)?;
        record.serialize_field("calls", &edge.calls)?;
        record.serialize_field("cost", &edge.cost)?;
        record.end()
    }
}

/// Bytes that need not be UTF-8, though JSON has to be.
struct Text<'a>(&'a [u8]);

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&utf8(self.0))
    }
}

/// The same, owned.
struct Owned(Vec<u8>);

impl Serialize for Owned {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Text(&self.0).serialize(serializer)
    }
}

/// An array whose elements come from an iterator, one at a time.
struct List<F>(F);

impl<F, I> Serialize for List<F>
where
    F: Fn() -> I,
    I: Iterator<Item: Serialize>,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0())
    }
}

/// Puts what is at most [`Layout::OPEN`] levels deep on lines of its own; the rest is compact.
#[derive(Debug, Default)]
struct Layout {
    depth: usize,
    has_value: bool,
}

impl Layout {
    /// The document's fields, and the elements of the arrays among them.
    const OPEN: usize = 2;

    fn begin<W: ?Sized + Write>(&mut self, output: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.has_value = false;
        output.write_all(bracket)
    }

    fn begin_value<W: ?Sized + Write>(&self, output: &mut W, is_first: bool) -> io::Result<()> {
        if !is_first {
            output.write_all(b",")?;
        }
        self.break_line(output, self.depth)
    }

    fn end<W: ?Sized + Write>(&mut self, output: &mut W, bracket: &[u8]) -> io::Result<()> {
        if self.has_value {
            self.break_line(output, self.depth.saturating_sub(1))?;
        }
        self.depth = self.depth.saturating_sub(1);
        output.write_all(bracket)
    }

    fn break_line<W: ?Sized + Write>(&self, output: &mut W, indent: usize) -> io::Result<()> {
        if self.depth > Self::OPEN {
            return Ok(());
        }
        output.write_all(b"\n")?;
        (0..indent).try_for_each(|_| output.write_all(b"  "))
    }
}

impl Formatter for Layout {
    fn begin_array<W: ?Sized + Write>(&mut self, output: &mut W) -> io::Result<()> {
        self.begin(output, b"[")
    }

    fn begin_array_value<W: ?Sized + Write>(
        &mut self,
        output: &mut W,
        is_first: bool,
    ) -> io::Result<()> {
        self.begin_value(output, is_first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_value = true;
        Ok(())
    }

    fn end_array<W: ?Sized + Write>(&mut self, output: &mut W) -> io::Result<()> {
        self.end(output, b"]")
    }

    fn begin_object<W: ?Sized + Write>(&mut self, output: &mut W) -> io::Result<()> {
        self.begin(output, b"{")
    }

    fn begin_object_key<W: ?Sized + Write>(
        &mut self,
        output: &mut W,
        is_first: bool,
    ) -> io::Result<()> {
        self.begin_value(output, is_first)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_value = true;
        Ok(())
    }

    fn end_object<W: ?Sized + Write>(&mut self, output: &mut W) -> io::Result<()> {
        self.end(output, b"}")
    }
}
