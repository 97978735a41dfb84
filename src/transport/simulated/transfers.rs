//! Transfers: data that one rank moves between another one's memory and its own, in which that one
//! takes no part. Whoever began them waits for them together, or has something done when all have
//! come.

use super::{SimulatedNetwork, happens_at};
use crate::host::clock;
use crate::host::sched::Bell;
use crate::host::virtual_time::accounts;
use parking_lot::Mutex;
use std::sync::Arc;

/// Transfers that are under way together.
#[derive(Clone, Default)]
pub struct Transfers(Arc<Inner>);

#[derive(Default)]
struct Inner {
    state: Mutex<State>,
    bell: Bell,
}

#[derive(Default)]
struct State {
    under_way: usize,
    then: Vec<Box<dyn FnOnce() + Send>>,
}

impl Transfers {
    /// One more begins, which ends when what this returns is called.
    pub fn hold(&self) -> impl FnOnce() + Send + 'static {
        self.begin();
        let all = self.clone();
        move || all.end()
    }

    fn begin(&self) {
        self.0.state.lock().under_way += 1;
    }

    fn end(&self) {
        let mut state = self.0.state.lock();
        state.under_way -= 1;
        if state.under_way == 0 {
            let then = std::mem::take(&mut state.then);
            drop(state);
            then.into_iter().for_each(|call| call());
            self.0.bell.unpark();
        }
    }

    pub fn are_over(&self) -> bool {
        self.0.state.lock().under_way == 0
    }

    /// Calls `call` when none is under way any more.
    pub fn then(&self, call: impl FnOnce() + Send + 'static) {
        let mut state = self.0.state.lock();
        if state.under_way > 0 {
            state.then.push(Box::new(call));
            return;
        }
        drop(state);
        call();
    }

    /// The calling rank waits until none is under way any more.
    pub fn wait(&self) {
        loop {
            let heard = self.0.bell.listen();
            if self.are_over() {
                return;
            }
            self.0.bell.park(heard);
        }
    }
}

impl SimulatedNetwork {
    /// So many bytes go from one seat to another, as one of these transfers.
    pub fn bring(&'static self, transfers: &Transfers, (from, to): (usize, usize), bytes: u64) {
        transfers.begin();
        let transfers = transfers.clone();
        let journey = self.journey((from, to), bytes, move |_| {
            accounts::blame(Some(from));
            transfers.end();
        });
        happens_at(clock::picos(), move |now| self.go_on(journey, now));
    }

    /// So many bytes go from one seat to another, and then so many come back.
    pub fn ask(
        &'static self, transfers: &Transfers, (from, to): (usize, usize), bytes: u64, back: u64,
    ) {
        transfers.begin();
        let transfers = transfers.clone();
        let answer = self.journey((to, from), back, move |_| {
            accounts::blame(Some(to));
            transfers.end();
        });
        let question = self.journey((from, to), bytes, move |now| self.go_on(answer, now));
        happens_at(clock::picos(), move |now| self.go_on(question, now));
    }

    /// So many bytes are written to the machine's files, or read there, as one of these transfers.
    pub fn access_files(&'static self, transfers: &Transfers, bytes: u64) {
        if let Some(at) = self.network.lock().access_files(bytes, clock::picos()) {
            let end = transfers.hold();
            happens_at(at, move |_| {
                accounts::blame(None);
                end();
            });
        }
    }

    /// The calling rank waits until so many bytes have gone from one seat to another, for each of
    /// these: data of a common work that its members read in each other's memory.
    pub fn carry(&'static self, transfers: impl Iterator<Item = (usize, usize, u64)>) {
        let all = Transfers::default();
        for (from, to, bytes) in transfers.filter(|(from, to, bytes)| from != to && *bytes > 0) {
            self.bring(&all, (from, to), bytes);
        }
        all.wait();
    }
}
