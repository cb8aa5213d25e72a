//! Work on several threads, with results that are joined in the order of the work.

use std::mem;
use std::sync::mpsc::sync_channel;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Does all work on up to this number of threads, and adds the results to `state` in the order of
/// the work. So the outcome is the same as with one thread.
///
/// Each thread does one piece of work, waits for the state from the previous piece, adds its
/// result, and takes the next piece. Only one thread at a time calls `next`, and one calls `join`.
///
/// # Errors
///
/// The first one of `join`. Later results are dropped.
pub(crate) fn in_order<Work, Outcome, State: Send, Error: Send>(
    threads: usize,
    state: State,
    next: impl FnMut() -> Option<Work> + Send,
    work: impl Fn(Work) -> Outcome + Sync,
    join: impl Fn(State, Outcome) -> Result<State, Error> + Sync,
) -> Result<State, Error> {
    // Each piece receives the state from the previous one, and sends it on with its own result.
    let (first, state_so_far) = sync_channel(1);
    let _ = first.send(Ok(state));
    let queue = Mutex::new((next, state_so_far));
    let take = || {
        let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
        let piece = queue.0()?;
        let (after, next) = sync_channel(1);
        Some((piece, mem::replace(&mut queue.1, next), after))
    };
    let work_off = || {
        while let Some((piece, before, after)) = take() {
            let outcome = work(piece);
            // A thread that has panicked sends nothing.
            let Ok(before) = before.recv() else {
                return;
            };
            let state = before.and_then(|state| join(state, outcome));
            let goes_on = state.is_ok();
            let _ = after.send(state);
            if !goes_on {
                return;
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            // If no more threads can be started, the others do the work.
            let _ = thread::Builder::new().spawn_scoped(scope, work_off);
        }
        work_off();
    });
    let (_, state) = queue.into_inner().unwrap_or_else(PoisonError::into_inner);
    state.recv().expect("the scope has passed a panic on")
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn outcomes_are_joined_in_order_up_to_the_first_error() {
        for threads in [1, 2, 5] {
            let join = |mut joined: Vec<u32>, number: u32| {
                joined.push(number);
                if number == 140 {
                    Err(joined)
                } else {
                    Ok(joined)
                }
            };
            let all: Vec<u32> = (0..100).collect();
            let mut numbers = all.iter();
            let joined = in_order(
                threads,
                Vec::new(),
                || numbers.next(),
                |&number| number,
                join,
            );
            assert_eq!(joined, Ok(all.clone()));
            let mut numbers = all.iter();
            let joined = in_order(
                threads,
                Vec::new(),
                || numbers.next(),
                |number| number * 10,
                join,
            );
            assert_eq!(joined, Err((0..=14).map(|number| number * 10).collect()));
        }
    }

    #[test]
    fn no_thread_waits_for_one_that_has_panicked() {
        let panics = |which: usize| {
            let mut numbers = 0..40;
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                let work = |number| assert_ne!(number, which);
                in_order(
                    3,
                    (),
                    || numbers.next(),
                    work,
                    |(), ()| Ok::<_, Infallible>(()),
                )
            }));
            outcome.is_err()
        };
        assert!(panics(0) && panics(5));
        assert!(!panics(usize::MAX));
    }
}
