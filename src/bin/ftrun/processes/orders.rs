//! Deaths that are ordered: of ranks that `ftrun` kills.

use super::work::{Work, tell};
use ftmpi_base::Member;
use ftmpi_fault::Report;
use ftmpi_machine::schedule::When;
use ftmpi_wireup::Told;
use std::time::Instant;

impl Work {
    /// Plans the deaths of a life that are ordered by time.
    pub(super) fn plan(&mut self, member: Member, started: Instant) {
        for event in &self.job.kills {
            let When::Time { after, .. } = event.when else { continue };
            if event.seat == member.seat && event.life.is(member.incarnation) {
                self.timed.push((started + after, member, event.when.clone()));
            }
        }
    }

    /// Kills a rank as ordered, unless it has finalized MPI.
    pub(super) fn strike(&mut self, seat: usize, incarnation: Option<u32>, order: String) {
        let Some(life) = &mut self.seats[seat] else { return };
        let is_meant = incarnation.is_none_or(|incarnation| incarnation == life.incarnation);
        if is_meant && !life.has_departed && life.ended.is_none() {
            life.order.get_or_insert(order);
            self.kill(seat);
        }
    }

    /// A rank has ended that was done with MPI, and could not know that it would not begin again.
    pub(super) fn see_off(&mut self, member: Member) {
        let orders = self.coordinator.hear(member, Report::Departed, self.started.elapsed());
        self.obey(orders);
    }

    /// Kills a rank as ordered once it is outside of MPI. A process that has not joined is.
    pub(super) fn strike_outside(&mut self, victim: Member, when: &When) {
        let Some(life) = self.life(victim.seat, victim.incarnation) else { return };
        match life.connection.is_some() && !life.has_departed {
            true => tell(life, &Told::DieOutside(when.to_string())),
            false => self.strike(victim.seat, Some(victim.incarnation), when.to_string()),
        }
    }
}
