//! Fault injection inside a rank: counts what the rank does, and says when its planned death is
//! due. A plan is for one incarnation of one rank; ranks without a plan do not pay for this.

use crate::engine::Steps;
use crate::machine::schedule::{Moment, When};
use crate::mpi::thread::thread_token;
use parking_lot::Mutex;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// What is ordered for one life, and how far it has come.
#[derive(Debug, Default)]
pub struct PlannedDeath {
    orders: Vec<Order>,
    threads: Mutex<Vec<Thread>>,
    met: OnceLock<When>,
}

#[derive(Debug)]
struct Order {
    when: When,
    /// How often what it counts has happened.
    seen: AtomicU64,
}

/// A thread that is inside of a call.
#[derive(Debug)]
struct Thread {
    token: usize,
    /// In how many calls: callbacks may call, too.
    depth: u32,
    fuse: Option<Fuse>,
}

/// An order that is about to be met.
#[derive(Debug)]
struct Fuse {
    order: usize,
    /// The call that does not come back.
    depth: u32,
    /// After how many more steps; `None`: at the end of the call.
    left: Option<u32>,
}

impl PlannedDeath {
    /// The fate of a life for which these moments are ordered.
    pub fn new(orders: impl IntoIterator<Item = When>) -> PlannedDeath {
        let orders = orders.into_iter().map(|when| Order { when, seen: AtomicU64::new(0) });
        PlannedDeath { orders: orders.collect(), ..PlannedDeath::default() }
    }

    /// Whether the steps of calls count.
    pub fn counts_steps(&self) -> bool {
        let counts = |order: &Order| match order.when {
            When::Call { moment, .. } => matches!(moment, Moment::Inside { .. }),
            When::Recovery { .. } => true,
            When::Time { .. } => false,
        };
        self.orders.iter().any(counts)
    }

    /// Which order was met.
    pub fn met(&self) -> Option<&When> {
        self.met.get()
    }

    /// Whether a thread of this rank is inside of a call.
    pub fn is_in_call(&self) -> bool {
        !self.threads.lock().is_empty()
    }

    /// The calling thread enters a call; whether it ends here.
    pub(in crate::mpi) fn enters(&self, call: &str) -> bool {
        let mut fuse = None;
        for (order, number) in self.orders.iter().zip(0..) {
            let When::Call { name, count, moment } = &order.when else { continue };
            let is_it = name.as_deref().is_none_or(|name| is_named(call, name));
            if !is_it || order.seen.fetch_add(1, Ordering::Relaxed) + 1 != *count {
                continue;
            }
            match *moment {
                Moment::Before => return self.meet(number),
                Moment::Inside { step } => fuse = Some((number, Some(step))),
                Moment::After => fuse = fuse.or(Some((number, None))),
            }
        }
        let mut threads = self.threads.lock();
        let thread = Thread::here(&mut threads);
        thread.depth += 1;
        if let Some((order, left)) = fuse {
            thread.fuse = Some(Fuse { order, depth: thread.depth, left });
        }
        false
    }

    /// The calling thread has come to the end of a call; whether it ends here.
    pub(in crate::mpi) fn leaves(&self) -> bool {
        let mut threads = self.threads.lock();
        let token = thread_token();
        let Some(place) = threads.iter().position(|thread| thread.token == token) else {
            return false;
        };
        let thread = &mut threads[place];
        let depth = thread.depth;
        let due = thread.fuse.take_if(|fuse| fuse.depth == depth);
        thread.depth -= 1;
        if thread.depth == 0 {
            threads.swap_remove(place);
        }
        due.is_some_and(|fuse| self.meet(fuse.order))
    }

    /// The calling thread takes part in a recovery from here on, which is a step of it.
    pub(in crate::mpi) fn recovers(&self) -> bool {
        let mut is_ordered = false;
        for (order, number) in self.orders.iter().zip(0..) {
            let When::Recovery { count, step } = order.when else { continue };
            if order.seen.fetch_add(1, Ordering::Relaxed) + 1 == count {
                let mut threads = self.threads.lock();
                let thread = Thread::here(&mut threads);
                thread.fuse = Some(Fuse { order: number, depth: thread.depth, left: Some(step) });
                is_ordered = true;
            }
        }
        is_ordered && self.step()
    }

    fn meet(&self, order: usize) -> bool {
        let _is_first = self.met.set(self.orders[order].when.clone());
        true
    }
}

impl Steps for PlannedDeath {
    fn step(&self) -> bool {
        let token = thread_token();
        let mut threads = self.threads.lock();
        let thread = threads.iter_mut().find(|thread| thread.token == token);
        let Some(Fuse { order, left: Some(left), .. }) =
            thread.and_then(|thread| thread.fuse.as_mut())
        else {
            return false;
        };
        *left -= 1;
        *left == 0 && self.meet(*order)
    }
}

impl Thread {
    /// The record of the calling thread.
    fn here(threads: &mut Vec<Thread>) -> &mut Thread {
        let token = thread_token();
        let place = threads.iter().position(|thread| thread.token == token);
        let place = place.unwrap_or_else(|| {
            threads.push(Thread { token, depth: 0, fuse: None });
            threads.len() - 1
        });
        &mut threads[place]
    }
}

/// Whether `call` is the call of this name; with large counts it is the same call.
fn is_named(call: &str, name: &str) -> bool {
    call == name || call.strip_suffix("_c") == Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::schedule::Event;

    fn fate(orders: &[&str]) -> PlannedDeath {
        let when = |order: &&str| Event::parse(&format!("0@{order}")).expect("a moment").when;
        PlannedDeath::new(orders.iter().map(when))
    }

    /// Runs calls of these names, of so many steps each, until the end: at which call and step.
    fn life(fate: &PlannedDeath, calls: &[(&str, u32)]) -> Option<(usize, &'static str, u32)> {
        for ((name, steps), number) in calls.iter().zip(1..) {
            if fate.enters(name) {
                return Some((number, "before", 0));
            }
            assert!(fate.is_in_call());
            if let Some(step) = (1..=*steps).find(|_| fate.step()) {
                return Some((number, "inside", step));
            }
            if fate.leaves() {
                return Some((number, "after", 0));
            }
            assert!(!fate.is_in_call());
        }
        None
    }

    const CALLS: &[(&str, u32)] =
        &[("MPI_Init", 0), ("MPI_Send", 1), ("MPI_Bcast", 3), ("MPI_Send_c", 2), ("MPI_Send", 1)];

    #[test]
    fn an_order_is_met_at_its_call_and_moment() {
        let cases = [
            ("before:MPI_Send:2", Some((4, "before", 0))),
            ("after:MPI_Send:3", Some((5, "after", 0))),
            ("inside:MPI_Bcast", Some((3, "inside", 1))),
            ("inside:MPI_Bcast:1:3", Some((3, "inside", 3))),
            ("inside:MPI_Init", Some((1, "after", 0))),
            ("inside:MPI_Bcast:1:9", Some((3, "after", 0))),
            ("call:4", Some((4, "before", 0))),
            ("MPI_Send_c", Some((4, "before", 0))),
            ("MPI_Send:4", None),
            ("MPI_Sen", None),
        ];
        for (order, end) in cases {
            let fate = fate(&[order]);
            assert_eq!(life(&fate, CALLS), end, "{order}");
            assert_eq!(fate.met().is_some(), end.is_some(), "{order}");
        }
    }

    #[test]
    fn of_two_orders_the_earlier_moment_is_met() {
        let both = fate(&["after:call:3", "inside:MPI_Bcast"]);
        assert_eq!(life(&both, CALLS), Some((3, "inside", 1)));
        let both = fate(&["inside:MPI_Bcast", "after:call:3", "before:MPI_Bcast"]);
        assert_eq!(life(&both, CALLS), Some((3, "before", 0)));
    }

    #[test]
    fn a_call_out_of_a_callback_is_not_the_end_of_the_call_around_it() {
        let fate = fate(&["inside:MPI_Comm_dup:1:2"]);
        assert!(!fate.enters("MPI_Comm_dup") && !fate.step());
        assert!(!fate.enters("MPI_Comm_rank") && !fate.leaves(), "the callback's own call");
        assert!(fate.step());
    }

    #[test]
    fn a_recovery_begins_with_a_step() {
        let first = fate(&["recovery"]);
        assert!(!first.enters("MPI_Comm_dup") && first.recovers());
        let later = fate(&["recovery:2:2"]);
        assert!(!later.enters("MPI_Comm_dup") && !later.recovers() && !later.step());
        assert!(!later.leaves() && !later.enters("MPI_Comm_dup"));
        assert!(!later.recovers() && later.step());
    }
}
