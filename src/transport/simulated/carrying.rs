//! What goes over the simulated network that is no message: transfers between ranks, and accesses
//! to files.

use super::{SimulatedNetwork, Transfers, happens_at};
use crate::host::clock;
use crate::host::virtual_time::accounts;

impl SimulatedNetwork {
    /// So many bytes go from one seat to another, as one of these transfers.
    pub fn bring(&'static self, transfers: &Transfers, (from, to): (usize, usize), bytes: u64) {
        let end = transfers.hold();
        let journey = self.journey((from, to), bytes, move |_| {
            accounts::blame(Some(from));
            end();
        });
        happens_at(clock::picos(), move |now| self.go_on(journey, now));
    }

    /// So many bytes go from one seat to another, and then so many come back.
    pub fn ask(
        &'static self, transfers: &Transfers, (from, to): (usize, usize), bytes: u64, back: u64,
    ) {
        let end = transfers.hold();
        let answer = self.journey((to, from), back, move |_| {
            accounts::blame(Some(to));
            end();
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
