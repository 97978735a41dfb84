//! Where the time of the ranks goes in virtual time: computing, waiting, and for whom.

use crate::host::clock;
use crate::machine::units::{NANO, Picos};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// What one seat's ranks have done with their time, in all their lives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Account {
    pub computing: Picos,
    pub waiting: Picos,
    /// How long others have waited for a message of this seat's, or for its part in a common work.
    pub awaited: Picos,
}

/// The accounts of the job so far.
#[derive(Debug)]
struct Accounts {
    seats: Vec<Account>,
    /// Of lives that have ended.
    living: Picos,
    /// How many go on, and the sum of the times when they began.
    alive: u64,
    alive_since: u128,
    latest: Picos,
}

static ACCOUNTS: Mutex<Accounts> =
    Mutex::new(Accounts { seats: Vec::new(), living: 0, alive: 0, alive_since: 0, latest: 0 });

/// Nobody: a timer, an order.
const NOBODY: usize = usize::MAX;
/// On whose account it is if somebody becomes ready now.
static CAUSE: AtomicUsize = AtomicUsize::new(NOBODY);

/// What happens from now on is the doing of this seat, or of nobody.
pub fn blame(seat: Option<usize>) {
    CAUSE.store(seat.unwrap_or(NOBODY), Ordering::Relaxed);
}

/// Whose doing it is that somebody becomes ready now.
pub(in crate::host) fn blamed() -> usize {
    CAUSE.load(Ordering::Relaxed)
}

/// The rank of a seat has waited for so long, and goes on at `now` by the doing of another one.
pub(in crate::host) fn note_wait(seat: usize, waited: Picos, now: Picos, cause: usize) {
    let mut accounts = ACCOUNTS.lock();
    accounts.of(seat).waiting += waited;
    if cause != NOBODY && cause != seat {
        accounts.of(cause).awaited += waited;
    }
    accounts.latest = accounts.latest.max(now);
}

/// The rank that runs has computed for so long.
pub(super) fn note_computing(time: Picos) {
    match blamed() {
        NOBODY => {}
        seat => {
            let mut accounts = ACCOUNTS.lock();
            let account = accounts.of(seat);
            account.computing = account.computing.saturating_add(time);
        }
    }
}

/// A rank's life begins.
pub(in crate::host) fn note_birth(now: Picos) {
    let mut accounts = ACCOUNTS.lock();
    accounts.alive += 1;
    accounts.alive_since += u128::from(now);
}

/// A rank has lived from one time to the other.
pub(in crate::host) fn note_life(begun: Picos, ended: Picos) {
    let mut accounts = ACCOUNTS.lock();
    accounts.living += ended - begun;
    accounts.alive -= 1;
    accounts.alive_since -= u128::from(begun);
    accounts.latest = accounts.latest.max(ended);
}

impl Accounts {
    fn of(&mut self, seat: usize) -> &mut Account {
        if seat >= self.seats.len() {
            self.seats.resize(seat + 1, Account::default());
        }
        &mut self.seats[seat]
    }

    /// The time that all ranks have lived, one after another.
    fn lived(&self) -> f64 {
        let alive = self.alive as f64 * self.latest as f64 - self.alive_since as f64;
        (self.living as f64 + alive.max(0.0)).max(1.0)
    }

    fn summary(&self) -> String {
        let sum = |of: fn(&Account) -> Picos| self.seats.iter().map(|seat| of(seat) as f64).sum();
        let waiting: f64 = sum(|seat| seat.waiting);
        let computing: f64 = sum(|seat| seat.computing);
        let share = |sum: f64| 100.0 * sum / self.lived();
        let latest = Duration::from_nanos(self.latest / NANO);
        let mut text = format!(
            "ftrun: virtual time: {latest:?}; ranks computed {:.1} % of their time, and waited \
             {:.1} %",
            share(computing),
            share(waiting)
        );
        let most = self.seats.iter().enumerate().max_by_key(|(_, seat)| seat.awaited);
        if let Some((seat, most)) = most.filter(|(_, seat)| seat.awaited > 0) {
            let part = 100.0 * most.awaited as f64 / waiting.max(1.0);
            text += &format!(", most of all for rank {seat} ({part:.1} % of that)");
        }
        text.push('\n');
        text
    }
}

/// A sentence on the time that the job has taken.
pub(in crate::host) fn summary() -> String {
    ACCOUNTS.lock().summary()
}

/// When the job has ended, and the account of each seat; none unless time is virtual.
pub fn all() -> Option<(Picos, Vec<Account>)> {
    let accounts = ACCOUNTS.lock();
    clock::is_of_each_rank().then(|| (accounts.latest, accounts.seats.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_names_who_was_waited_for() {
        let none = Account::default();
        let seats = vec![
            Account { waiting: 30 * NANO, ..none },
            Account { computing: 40 * NANO, waiting: 10 * NANO, awaited: 30 * NANO },
        ];
        let mut accounts =
            Accounts { seats, living: 100 * NANO, alive: 0, alive_since: 0, latest: 50 * NANO };
        assert_eq!(
            accounts.summary(),
            "ftrun: virtual time: 50ns; ranks computed 40.0 % of their time, and waited 40.0 %, \
             most of all for rank 1 (75.0 % of that)\n"
        );
        accounts.seats[1].awaited = 0;
        assert!(accounts.summary().ends_with("waited 40.0 %\n"));
    }
}
