//! Functions that call each other. Without special treatment, the costs of their calls would count
//! twice.

use crate::tables::next_index;

/// Sets of members, such as functions, that call each other directly or through others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cycles {
    /// By member: the number of its set.
    pub of: Vec<u32>,
    /// The members of all sets, one set after the other.
    members: Vec<u32>,
    /// By set: the end of its members among these.
    ends: Vec<u32>,
}

impl Cycles {
    /// Computes the sets of `count` members. `callees` returns those of a member.
    ///
    /// This is Gabow's algorithm, without recursion, in linear time.
    pub fn new<I: Iterator<Item = usize>>(count: usize, callees: impl Fn(usize) -> I) -> Self {
        const NONE: u32 = u32::MAX;
        let mut cycles = Cycles {
            of: vec![NONE; count],
            members: Vec::with_capacity(count),
            ends: Vec::new(),
        };
        // The position of a member among those without a set.
        let mut places = vec![NONE; count];
        let (mut open, mut bounds, mut path) = (Vec::new(), Vec::new(), Vec::new());
        for root in 0..count {
            let mut entered = (places[root] == NONE).then_some(root);
            loop {
                if let Some(member) = entered.take() {
                    places[member] = next_index(open.len());
                    bounds.push(places[member]);
                    open.push(member);
                    path.push((member, callees(member)));
                }
                let Some((at, callees)) = path.last_mut() else {
                    break;
                };
                if let Some(callee) = callees.next() {
                    if places[callee] == NONE {
                        entered = Some(callee);
                    } else if cycles.of[callee] == NONE {
                        let is_later = |bound: &mut u32| *bound > places[callee];
                        while bounds.pop_if(is_later).is_some() {}
                    }
                    continue;
                }
                let place = places[*at];
                path.pop();
                if bounds.pop_if(|bound| *bound == place).is_some() {
                    let set = next_index(cycles.ends.len());
                    for member in open.drain(place as usize..) {
                        cycles.of[member] = set;
                        cycles.members.push(next_index(member));
                    }
                    cycles.ends.push(next_index(cycles.members.len()));
                }
            }
        }
        cycles
    }

    /// Whether there is a cycle of at least two members.
    pub fn are_any(&self) -> bool {
        self.ends.len() < self.members.len()
    }

    /// Whether a member is in a cycle with others.
    pub fn has(&self, member: usize) -> bool {
        self.members_with(member).len() > 1
    }

    /// The members of all sets.
    pub fn all(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.ends.len()).map(|set| self.set(set))
    }

    /// The members of the set of a member.
    pub fn members_with(&self, member: usize) -> &[u32] {
        self.set(self.of[member] as usize)
    }

    fn set(&self, set: usize) -> &[u32] {
        let start = set.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.members[start as usize..self.ends[set] as usize]
    }

    /// The number of sets.
    #[cfg(test)]
    fn len(&self) -> usize {
        self.ends.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_that_call_each_other_are_in_one_set() {
        let calls = [
            (0, 1),
            (1, 2),
            (2, 1),
            (2, 3),
            (3, 3),
            (5, 4),
            (4, 6),
            (6, 5),
            (6, 3),
            (7, 0),
        ];
        let callees = |member| {
            let calls = calls.iter().filter(move |&&(caller, _)| caller == member);
            calls.map(|&(_, callee)| callee)
        };
        let cycles = Cycles::new(9, callees);
        let in_cycle: Vec<_> = (0..9).filter(|&member| cycles.has(member)).collect();
        assert_eq!(in_cycle, [1, 2, 4, 5, 6]);
        let mut members = cycles.members_with(5).to_vec();
        members.sort_unstable();
        assert_eq!(members, [4, 5, 6]);
        assert_eq!(cycles.members_with(0), [0]);
        assert_eq!(cycles.of[1], cycles.of[2]);
        assert_eq!(cycles.of[4], cycles.of[5]);
        assert_ne!(cycles.of[1], cycles.of[4]);
        assert_eq!(cycles.len(), 6);
        assert!(!Cycles::new(2, |member| [1, 0].into_iter().skip(2 * member)).are_any());
        assert!(!Cycles::new(0, |_| std::iter::empty()).are_any());
    }

    #[test]
    fn long_chains_take_no_stack() {
        const COUNT: usize = 300_000;
        let next = |member| Some(member + 1).filter(|&next| next < COUNT).into_iter();
        assert_eq!(Cycles::new(COUNT, next).len(), COUNT);
        let ring = Cycles::new(COUNT, |member| [(member + 1) % COUNT].into_iter());
        assert_eq!((ring.len(), ring.has(77)), (1, true));
    }
}
