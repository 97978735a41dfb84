//! When something happens next: what lies between costs nothing.

use super::{Court, Duration, Host, Sim, Time};

/// Where a candidate asks again.
pub(super) const AGAIN: Time = 50;

impl Sim {
    /// The next moment at which anything may happen; if it has passed, the next millisecond.
    pub(super) fn next_time(&self) -> Time {
        let letters = self.letters.iter().map(|letter| letter.at);
        let hosts = self.hosts.iter().filter(|host| host.ended.is_none());
        let courts = self.courts.iter().enumerate();
        let courts =
            courts.filter(|(_, court)| court.ended.is_none() && !self.is_dead(court.place));
        let deaths = self.plan.deaths.iter().map(|(_, at)| *at);
        let kills = self.plan.kills.iter().map(|(_, at)| *at);
        letters
            .chain(hosts.map(|host| host.due(self.now)))
            .chain(courts.filter_map(|(_, court)| court.due()))
            .chain(deaths.chain(kills).filter(|at| *at > self.now))
            .min()
            .unwrap_or(Time::MAX)
    }
}

impl Court {
    fn due(&self) -> Option<Time> {
        let lease = self.leases.due().map(|at| at.as_millis() as Time);
        lease.into_iter().chain(self.succeeds).min()
    }
}

impl Host {
    fn due(&self, now: Time) -> Time {
        if (self.stall.0..self.stall.1).contains(&now) {
            return self.stall.1;
        }
        let clock = self.clock(now);
        let mut due = self.time(clock + self.lease.rest(clock));
        if !self.standby.is_cut {
            due = due.min(self.time(self.lease.next_beat()));
        }
        let asks = self.standby.due(clock);
        let acts = if self.standby.has_enough() { asks.min(clock) } else { asks };
        due = due.min(self.time(acts));
        match self.standby.candidacy.is_some() {
            true => due.min((now / AGAIN + 1) * AGAIN),
            false => due,
        }
    }

    /// When its clock shows `clock`, or has just passed it.
    fn time(&self, clock: Duration) -> Time {
        let micros = (clock.as_micros() as u64).saturating_sub(self.offset);
        micros.div_ceil((1000 + self.drift) as u64)
    }
}
