//! What the time of each rank went into, by what it was seen doing, and for which ranks it waited.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A longer time between two looks is not accounted for: nobody has looked.
const LONGEST: Duration = Duration::from_millis(500);
/// For how long ranks are asked for whom they wait after a page has asked for the accounts.
const INTEREST: Duration = Duration::from_secs(3);

#[derive(Clone, Default)]
struct Account {
    times: Vec<Duration>,
    awaited: BTreeMap<u32, Duration>,
}

pub struct Accounts {
    seats: Vec<Account>,
    looked: Option<Instant>,
    asked: Option<Instant>,
    /// What passed between the last two looks.
    passed: Duration,
}

impl Accounts {
    /// For this many ranks, which can be seen doing this many things.
    pub fn new(seats: usize, kinds: usize) -> Accounts {
        let account = Account { times: vec![Duration::ZERO; kinds], ..Account::default() };
        let (looked, asked) = (None, None);
        Accounts { seats: vec![account; seats], looked, asked, passed: Duration::ZERO }
    }

    /// All ranks are looked at, now.
    pub fn look(&mut self, now: Instant) {
        let before = self.looked.replace(now);
        let passed = before.map_or(Duration::ZERO, |before| now - before);
        self.passed = if passed > LONGEST { Duration::ZERO } else { passed };
    }

    /// A rank does this now; counted as if it had done so since the last look.
    pub fn note(&mut self, seat: usize, kind: u8) {
        self.seats[seat].times[usize::from(kind)] += self.passed;
    }

    /// It waits for this one.
    pub fn note_awaited(&mut self, seat: usize, awaited: u32) {
        *self.seats[seat].awaited.entry(awaited).or_default() += self.passed;
    }

    /// A page shows the accounts.
    pub fn ask(&mut self, now: Instant) {
        self.asked = Some(now);
    }

    /// Whether ranks are to be asked for whom they wait.
    pub fn are_shown(&self, now: Instant) -> bool {
        self.asked.is_some_and(|asked| now - asked < INTEREST)
    }

    /// Milliseconds of each kind, and for each rank that was waited for the longest, in JSON.
    pub fn json(&self, seat: usize) -> String {
        const MOST_AWAITED: usize = 4;
        let Account { times, awaited } = &self.seats[seat];
        let millis = |time: &Duration| time.as_millis().to_string();
        let mut longest: Vec<_> = awaited.iter().collect();
        longest.sort_by(|(_, one), (_, other)| other.cmp(one));
        let longest = longest.into_iter().take(MOST_AWAITED);
        let awaited = longest.map(|(seat, time)| format!("[{seat},{}]", millis(time)));
        let awaited: Vec<String> = awaited.collect();
        let times = times.iter().map(millis).collect::<Vec<_>>().join(",");
        format!("\"times\":[{times}],\"awaited\":[{}]", awaited.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_accounted_for_between_looks_that_are_close() {
        let mut accounts = Accounts::new(2, 3);
        let start = Instant::now();
        for (millis, kind) in [(0, 0), (100, 1), (200, 1), (9000, 2), (9050, 2)] {
            accounts.look(start + Duration::from_millis(millis));
            accounts.note(1, kind);
            accounts.note_awaited(1, 0);
        }
        assert_eq!(accounts.json(1), "\"times\":[0,200,50],\"awaited\":[[0,250]]");
        assert_eq!(accounts.json(0), "\"times\":[0,0,0],\"awaited\":[]");
    }

    #[test]
    fn ranks_are_asked_for_whom_they_wait_only_while_a_page_shows_it() {
        let (mut accounts, now) = (Accounts::new(1, 3), Instant::now());
        assert!(!accounts.are_shown(now));
        accounts.ask(now);
        assert!(accounts.are_shown(now + Duration::from_secs(1)));
        assert!(!accounts.are_shown(now + Duration::from_secs(4)));
    }
}
