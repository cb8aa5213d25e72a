//! Calls and self costs by line, as a profile in the callgrind format says them: read word by word,
//! by nothing of the program's.

use std::collections::{BTreeMap, HashMap};

/// Caller, callee, and where: each with its file.
pub type Site = ([String; 2], [String; 2], (String, u64));

/// A function with its file, and a line with its file.
pub type Line = ([String; 2], (String, u64));

/// What is known of lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// How often calls were made, and at what cost of the first event.
    pub calls: BTreeMap<Site, (u64, i64)>,
    /// Self costs of all events; zeros at the end are left out.
    pub costs: BTreeMap<Line, Vec<i64>>,
}

impl Lines {
    /// Reads a profile whose calls name the file of each callee that is not in the current one.
    pub fn read(text: &str) -> Self {
        let mut names = HashMap::new();
        let (mut file, mut own, mut function) = (String::new(), String::new(), String::new());
        let (mut callee, mut callee_file) = (String::new(), None);
        let (mut positions, mut calls, mut is_jump) = (vec![0], None, false);
        let mut lines = Lines::default();
        for line in text.lines() {
            if let Some(columns) = line.strip_prefix("positions: ") {
                positions = vec![0; columns.split(' ').count()];
            } else if line.starts_with(|first: char| "0123456789+-*".contains(first)) {
                let mut words = line.split(' ').filter(|word| !word.is_empty());
                for position in &mut positions {
                    *position = at(*position, words.next().unwrap());
                }
                let place = (file.clone(), positions[positions.len() - 1]);
                let costs: Vec<i64> = words.map(|word| word.parse().unwrap()).collect();
                let caller = [own.clone(), function.clone()];
                match (std::mem::take(&mut is_jump), calls.take()) {
                    (true, _) => {}
                    (_, None) => lines.add(caller, place, &costs),
                    (_, Some(count)) => {
                        let called = callee_file.take().unwrap_or_else(|| file.clone());
                        let site = (caller, [called, callee.clone()], place);
                        let sums: &mut (u64, i64) = lines.calls.entry(site).or_default();
                        sums.0 += count;
                        sums.1 += costs.first().copied().unwrap_or(0);
                    }
                }
            } else if let Some((key, value)) = line.split_once('=') {
                let id = value.split(' ').next().unwrap();
                let key_of_id = (key.contains('n'), key.ends_with("ob"), id.to_owned());
                if let ("fl" | "fi" | "fe" | "fn" | "cfi" | "cfl" | "cfn" | "jfi" | "jfn", true) =
                    (key, value.starts_with('(') && value.contains(") "))
                {
                    let name = value.split_once(' ').unwrap().1;
                    names.insert(key_of_id.clone(), name.to_owned());
                }
                let name = names.get(&key_of_id).map_or(value, |name| name).to_owned();
                match key {
                    "fl" => (file, own) = (name.clone(), name),
                    "fi" | "fe" => file = name,
                    "fn" => (function, file) = (name, own.clone()),
                    "cfi" | "cfl" => callee_file = Some(name),
                    "cfn" => callee = name,
                    "calls" => calls = Some(id.parse::<u64>().unwrap()),
                    "jump" | "jcnd" => is_jump = true,
                    _ => {}
                }
            }
        }
        lines.costs.retain(|_, costs| !costs.is_empty());
        lines
    }

    /// Adds self costs.
    pub fn add(&mut self, function: [String; 2], place: (String, u64), costs: &[i64]) {
        let sums = self.costs.entry((function, place)).or_default();
        sums.resize(sums.len().max(costs.len()), 0);
        sums.iter_mut()
            .zip(costs)
            .for_each(|(sum, cost)| *sum += cost);
        while sums.pop_if(|cost| *cost == 0).is_some() {}
    }

    /// The sums of these lines and others.
    pub fn plus(mut self, other: &Lines) -> Self {
        for ((function, place), costs) in &other.costs {
            self.add(function.clone(), place.clone(), costs);
        }
        for (site, (count, cost)) in &other.calls {
            let sums = self.calls.entry(site.clone()).or_default();
            *sums = (sums.0 + count, sums.1 + cost);
        }
        self
    }
}

/// The position that a word stands for, after another one.
fn at(before: u64, word: &str) -> u64 {
    match word.split_at(1) {
        ("*", _) => before,
        ("+", more) => before + number(more),
        ("-", less) => before - number(less),
        _ => number(word),
    }
}

fn number(word: &str) -> u64 {
    match word.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).unwrap(),
        None => word.parse().unwrap(),
    }
}
