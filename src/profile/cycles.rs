//! Functions that call each other. Without special treatment, the costs of their calls would count
//! twice.

/// Sets of members, such as functions, that call each other directly or through others.
#[derive(Debug, Default)]
pub(crate) struct Cycles {
    /// By member: the number of its set.
    pub of: Vec<u32>,
    /// By set: the number of its members.
    sizes: Vec<u32>,
}

impl Cycles {
    /// Computes the sets of `count` members. `calls` are pairs of caller and callee.
    ///
    /// This is Gabow's algorithm, without recursion, in linear time.
    pub fn new(count: usize, calls: impl Iterator<Item = (usize, usize)> + Clone) -> Self {
        const NONE: u32 = u32::MAX;
        // The callees of each member, with the start and end of each list.
        let mut ends = vec![0usize; count + 1];
        calls.clone().for_each(|(caller, _)| ends[caller + 1] += 1);
        for at in 1..=count {
            ends[at] += ends[at - 1];
        }
        let mut callees = vec![0u32; ends[count]];
        let mut next = ends.clone();
        for (caller, callee) in calls {
            callees[next[caller]] = crate::tables::next_index(callee);
            next[caller] += 1;
        }
        next.copy_from_slice(&ends);
        let mut cycles = Cycles {
            of: vec![NONE; count],
            sizes: Vec::new(),
        };
        // The position of a member among those without a set.
        let mut places = vec![NONE; count];
        let (mut open, mut bounds, mut path) = (Vec::new(), Vec::new(), Vec::new());
        for root in 0..count {
            path.extend((places[root] == NONE).then_some(root));
            while let Some(&at) = path.last() {
                if places[at] == NONE {
                    places[at] = crate::tables::next_index(open.len());
                    bounds.push(places[at]);
                    open.push(at);
                }
                if next[at] < ends[at + 1] {
                    let callee = callees[next[at]] as usize;
                    next[at] += 1;
                    if places[callee] == NONE {
                        path.push(callee);
                    } else if cycles.of[callee] == NONE {
                        let is_later = |bound: &mut u32| *bound > places[callee];
                        while bounds.pop_if(is_later).is_some() {}
                    }
                    continue;
                }
                path.pop();
                if bounds.pop_if(|bound| *bound == places[at]).is_some() {
                    let set = crate::tables::next_index(cycles.sizes.len());
                    let members = open.split_off(places[at] as usize);
                    cycles.sizes.push(crate::tables::next_index(members.len()));
                    members
                        .into_iter()
                        .for_each(|member| cycles.of[member] = set);
                }
            }
        }
        cycles
    }

    /// Whether there is a cycle of at least two members.
    pub fn are_any(&self) -> bool {
        self.sizes.iter().any(|&size| size > 1)
    }

    /// Whether a member is in a cycle with others.
    pub fn has(&self, member: usize) -> bool {
        self.sizes[self.of[member] as usize] > 1
    }

    /// The number of sets.
    pub fn len(&self) -> usize {
        self.sizes.len()
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
        let cycles = Cycles::new(9, calls.into_iter());
        let in_cycle: Vec<_> = (0..9).filter(|&member| cycles.has(member)).collect();
        assert_eq!(in_cycle, [1, 2, 4, 5, 6]);
        assert_eq!(cycles.of[1], cycles.of[2]);
        assert_eq!(cycles.of[4], cycles.of[5]);
        assert_ne!(cycles.of[1], cycles.of[4]);
        assert_eq!(cycles.len(), 6);
        assert!(!Cycles::new(2, [(0, 1), (0, 0)].into_iter()).are_any());
        assert!(!Cycles::new(0, [].into_iter()).are_any());
    }

    #[test]
    fn long_chains_take_no_stack() {
        const COUNT: usize = 300_000;
        let chain = (1..COUNT).map(|at| (at - 1, at));
        assert_eq!(Cycles::new(COUNT, chain.clone()).len(), COUNT);
        let ring = Cycles::new(COUNT, chain.chain([(COUNT - 1, 0)]));
        assert_eq!((ring.len(), ring.has(77)), (1, true));
    }
}
