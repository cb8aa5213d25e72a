//! A decoder of the preprocessed formats, written from their description and nothing else.

use std::collections::{BTreeMap, BTreeSet};

use super::tables::{Call, Row, Tables, spelled};

/// Function or invocation number of "nobody".
pub const NOBODY: u32 = u32::MAX;

/// A preprocessed file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    pub version: u32,
    pub functions: Vec<DecodedFunction>,
    pub headers: Vec<Vec<u8>>,
}

/// A function record. What a version does not have is empty or 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DecodedFunction {
    pub line: u32,
    pub self_cost: u32,
    pub inclusive: u32,
    /// v4: costs of the calls to it.
    pub call_cost: u32,
    pub invocation_count: u32,
    /// Function, line, calls, cost.
    pub called_from: Vec<[u32; 4]>,
    pub sub_calls: Vec<[u32; 4]>,
    pub invocations: Vec<V4Invocation>,
    pub file: Vec<u8>,
    pub name: Vec<u8>,
}

/// An invocation of v4.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct V4Invocation {
    pub self_cost: u32,
    pub inclusive: u32,
    pub call_cost: u32,
    pub caller: u32,
    pub caller_invocation: u32,
    pub line: u32,
    pub sub_calls: Vec<V4Call>,
}

/// A sub-call of v4.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct V4Call {
    pub function: u32,
    pub invocation: u32,
    pub line: u32,
    pub cost: u32,
}

/// Numbers as files hold them.
pub fn numbers(numbers: &[u32]) -> Vec<u8> {
    let bytes = numbers.iter().flat_map(|number| number.to_le_bytes());
    bytes.collect()
}

impl Decoded {
    /// The tables of a file but for v4.
    pub fn tables(&self) -> Tables {
        let calls = |calls: &[[u32; 4]]| {
            let calls = calls.iter().map(|&[function, line, calls, cost]| Call {
                function: function as usize,
                file: None,
                line: line.into(),
                calls: calls.into(),
                costs: vec![cost.into()],
            });
            calls.collect()
        };
        let functions = self.functions.iter().map(|function| Row {
            object: String::new(),
            file: spelled(&function.file),
            name: spelled(&function.name),
            line: function.line.into(),
            self_costs: vec![function.self_cost.into()],
            inclusive: vec![function.inclusive.into()],
            invocations: function.invocation_count.into(),
            called_from: calls(&function.called_from),
            sub_calls: calls(&function.sub_calls),
        });
        Tables {
            headers: self.headers.iter().map(|line| spelled(line)).collect(),
            functions: functions.collect(),
        }
    }
}

/// Invocations of v4, by the numbers of their functions and their own.
impl Decoded {
    pub fn invocations(&self) -> impl Iterator<Item = ([u32; 2], &V4Invocation)> {
        let functions = (0..).zip(&self.functions);
        functions.flat_map(|(function, record)| {
            let invocations = (0..).zip(&record.invocations);
            invocations.map(move |(number, invocation)| ([function, number], invocation))
        })
    }

    pub fn name(&self, function: u32) -> String {
        String::from_utf8_lossy(&self.functions[function as usize].name).into_owned()
    }

    pub fn invocation(&self, [function, number]: [u32; 2]) -> &V4Invocation {
        &self.functions[function as usize].invocations[number as usize]
    }

    /// Names of the functions of invocations that nobody called, in order.
    pub fn roots(&self) -> Vec<String> {
        let roots = self.invocations().filter(|(_, one)| one.caller == NOBODY);
        let names = roots.map(|([function, _], _)| self.name(function));
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }

    /// Sees that each call leads to an invocation that names it as its own, and that all others have
    /// no caller. Returns by how much calls cost other than the invocations that they made: their
    /// writers round the two apart.
    pub fn assert_linked(&self) -> Vec<u32> {
        let (differences, others) = self.links();
        assert_eq!(others, [""; 0], "calls that are not linked");
        assert!(!differences.is_empty(), "no calls at all");
        differences
    }

    /// The same; also the names of functions whose invocations are missing.
    pub fn links(&self) -> (Vec<u32>, Vec<String>) {
        let made_by =
            |one: &V4Invocation| [one.caller, one.caller_invocation, one.line, one.call_cost];
        let mut called = BTreeSet::new();
        let (mut differences, mut missing) = (Vec::new(), Vec::new());
        for ([function, number], invocation) in self.invocations() {
            for call in &invocation.sub_calls {
                let name = self.name(call.function);
                if call.invocation == NOBODY {
                    missing.push(name);
                    continue;
                }
                let there = [call.function, call.invocation];
                assert!(called.insert(there), "{name} {} twice", call.invocation);
                let callee = self.invocation(there);
                let here = [function, number, call.line, call.cost];
                assert_eq!(made_by(callee), here, "{name}");
                differences.push(callee.inclusive.abs_diff(call.cost));
            }
        }
        let mut others = self
            .invocations()
            .filter(|(here, _)| !called.contains(here));
        assert!(others.all(|(_, other)| made_by(other) == [NOBODY, 0, 0, 0]));
        (differences, missing)
    }

    /// The sums of the self costs of all invocations with the same callers, by a walk from the roots
    /// down; calls without an invocation are leaves.
    pub fn stacks(&self) -> BTreeMap<String, i64> {
        let roots = self.invocations().filter(|(_, one)| one.caller == NOBODY);
        let mut pending: Vec<_> = roots.map(|(root, _)| (self.name(root[0]), root)).collect();
        let mut stacks: BTreeMap<String, i64> = BTreeMap::new();
        while let Some((stack, here)) = pending.pop() {
            let invocation = self.invocation(here);
            for call in &invocation.sub_calls {
                let below = format!("{stack};{}", self.name(call.function));
                match call.invocation {
                    NOBODY => *stacks.entry(below).or_default() += i64::from(call.cost),
                    number => pending.push((below, [call.function, number])),
                }
            }
            *stacks.entry(stack).or_default() += i64::from(invocation.self_cost);
        }
        stacks.retain(|_, cost| *cost != 0);
        stacks
    }
}

struct Place<'a> {
    data: &'a [u8],
    at: usize,
}

impl<'a> Place<'a> {
    fn number(&mut self) -> u32 {
        let bytes = &self.data[self.at..self.at + 4];
        self.at += 4;
        u32::from_le_bytes(bytes.try_into().expect("four bytes"))
    }

    fn numbers<const N: usize>(&mut self) -> [u32; N] {
        std::array::from_fn(|_| self.number())
    }

    fn line(&mut self) -> Vec<u8> {
        let rest = &self.data[self.at..];
        let end = rest.iter().position(|&b| b == b'\n').expect("a whole line");
        self.at += end + 1;
        rest[..end].to_vec()
    }

    fn calls(&mut self, count: u32) -> Vec<[u32; 4]> {
        (0..count).map(|_| self.numbers()).collect()
    }
}

/// Decodes a file, checking that its pieces stand back to back as they must.
pub fn decode(data: &[u8]) -> Decoded {
    let mut place = Place { data, at: 0 };
    let [version, header_address, count] = place.numbers();
    let addresses: Vec<u32> = (0..count).map(|_| place.number()).collect();
    let mut functions: Vec<DecodedFunction> = Vec::new();
    for address in addresses {
        assert_eq!(place.at, address as usize, "records are back to back");
        functions.push(function(version, &mut place));
    }
    let invocations = functions.iter().flat_map(|function| &function.invocations);
    let sub_calls: usize = invocations.map(|one| one.sub_calls.len()).sum();
    assert_eq!(place.at + 16 * sub_calls, header_address as usize);
    place.at = header_address as usize;
    let mut headers = Vec::new();
    while place.at < data.len() {
        headers.push(place.line());
    }
    Decoded {
        version,
        functions,
        headers,
    }
}

fn function(version: u32, place: &mut Place<'_>) -> DecodedFunction {
    let mut function = DecodedFunction::default();
    if version == 7 {
        function.line = place.number();
    }
    [function.self_cost, function.inclusive] = place.numbers();
    if version == 4 {
        [function.call_cost, function.invocation_count] = place.numbers();
        let invocations = 0..function.invocation_count;
        function.invocations = invocations.map(|_| invocation(place)).collect();
    } else {
        let [invocations, called_from] = place.numbers();
        let sub_calls = if version > 5 { place.number() } else { 0 };
        function.invocation_count = invocations;
        function.called_from = place.calls(called_from);
        function.sub_calls = place.calls(sub_calls);
    }
    function.file = place.line();
    function.name = place.line();
    function
}

fn invocation(place: &mut Place<'_>) -> V4Invocation {
    let numbers: [u32; 6] = place.numbers();
    let [count, address] = place.numbers();
    let mut calls = Place {
        data: place.data,
        at: address as usize,
    };
    let sub_calls = (0..count).map(|_| {
        let [function, invocation, line, cost] = calls.numbers();
        V4Call {
            function,
            invocation,
            line,
            cost,
        }
    });
    V4Invocation {
        self_cost: numbers[0],
        inclusive: numbers[1],
        call_cost: numbers[2],
        caller: numbers[3],
        caller_invocation: numbers[4],
        line: numbers[5],
        sub_calls: sub_calls.collect(),
    }
}
