//! What goes over the simulated network that is no message: transfers between ranks, and accesses
//! to files.

use super::journeys::{Step, Then};
use super::{SimulatedNetwork, Transfers};
use crate::host::clock;
use crate::host::virtual_time::accounts;

impl SimulatedNetwork {
    /// So many bytes go from one seat to another, as one of these transfers.
    pub fn bring(&'static self, transfers: &Transfers, (from, to): (usize, usize), bytes: u64) {
        self.set_off(self.journey((from, to), bytes, ends(transfers, Some(from))));
    }

    /// So many bytes go from one seat to another, and then so many come back.
    pub fn ask(
        &'static self, transfers: &Transfers, (from, to): (usize, usize), bytes: u64, back: u64,
    ) {
        let answer = self.journey((to, from), back, ends(transfers, Some(to)));
        let answer = self.journeys.lock().add(answer);
        self.set_off(self.journey((from, to), bytes, Then::Go(Step::Leave, answer)));
    }

    /// So many bytes are written to the machine's files, or read there, as one of these transfers.
    pub fn access_files(&'static self, transfers: &Transfers, bytes: u64) {
        if let Some(at) = self.network.lock().access_files(bytes, clock::picos()) {
            let access = self.journey((0, 0), bytes, ends(transfers, None));
            let access = self.journeys.lock().add(access);
            self.expect(at, Step::Arrive, access);
        }
    }

    /// So many bytes go from one seat to another, for each of these: data of a common work that its
    /// members read in each other's memory.
    pub fn carry(&'static self, transfers: impl Iterator<Item = (usize, usize, u64)>) -> Transfers {
        let all = Transfers::default();
        for (from, to, bytes) in transfers.filter(|(from, to, bytes)| from != to && *bytes > 0) {
            self.bring(&all, (from, to), bytes);
        }
        all
    }
}

/// One of these transfers ends, for which this seat is to blame.
fn ends(transfers: &Transfers, whom: Option<usize>) -> Then {
    let end = transfers.hold();
    Then::Call(Box::new(move |_| {
        accounts::blame(whom);
        end();
    }))
}
