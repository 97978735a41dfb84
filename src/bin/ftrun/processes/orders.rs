//! Deaths that are ordered, of ranks that `ftrun` kills; and what is ordered of spawned ranks.

use super::lines::say;
use super::recipes;
use super::seats::Life;
use super::work::{Work, tell};
use crate::shared::refusal::NOT_RUNNABLE;
use ftmpi_base::Member;
use ftmpi_fault::{Notice, Report};
use ftmpi_machine::schedule::When;
use ftmpi_wireup::{EndOfGroup, Told};
use std::time::{Duration, Instant};

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

    /// Leaves out the failures by chance that were due so far: the last coordinator has carried
    /// them out, or they fell in the time without one.
    pub(super) fn pass_over_strokes(&mut self) {
        let age = self.started.elapsed();
        if let Some(strokes) = &mut self.strokes {
            while strokes.next_if(|(at, _)| *at <= age).is_some() {}
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

    /// A rank ends all ranks of a group, itself included; or the job, if nobody else is left.
    pub(super) fn end_group(&mut self, end: &EndOfGroup) {
        let EndOfGroup { by, members, status, words } = end;
        let is_other = |(seat, life): (usize, &Option<Life>)| {
            let lives =
                life.as_ref().filter(|life| life.ended.is_none() && life.sentence.is_none());
            let member = |life: &Life| Member { seat, incarnation: life.incarnation };
            lives.is_some_and(|life| !members.contains(&member(life)))
        };
        if !self.seats.iter().enumerate().any(is_other) {
            say(&format!("ftrun: rank {} {words}", by.seat));
            self.end = Some(*status as u8);
            return;
        }
        for member in members {
            let words = match member == by {
                true => format!("rank {} {words}", by.seat),
                false => {
                    format!("rank {} was ended by rank {}, which {words}", member.seat, by.seat)
                }
            };
            if let Some(life) = self.life(member.seat, member.incarnation) {
                life.sentence = Some((*status, words));
                self.kill(member.seat);
            }
        }
    }

    /// A rank that the others wait for cannot be started anywhere: they would wait for ever.
    pub(super) fn end_unable(&mut self, Member { seat, .. }: Member, why: &str) {
        say(&format!("ftrun: rank {seat} cannot be started: {why}; the job ends"));
        self.end = Some(NOT_RUNNABLE);
    }

    /// A world may be spawned: what its ranks run.
    pub(super) fn keep_recipes(&mut self, notice: &Notice) {
        if let Notice::Founded(founding) = notice {
            recipes::keep(&mut self.recipes, founding);
        }
    }

    /// A rank that was spawned ends, which is nobody's loss.
    pub(super) fn disown(&mut self, Member { seat, incarnation }: Member) {
        if let Some(life) = self.life(seat, incarnation) {
            life.is_disowned = true;
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

    /// Kills the ranks that have kept a recovery waiting for too long.
    pub(super) fn vote_out(&mut self, patience: Duration) {
        for late in self.coordinator.latecomers(self.started.elapsed(), patience) {
            let Member { seat, incarnation } = late;
            let Some(life) = self.life(seat, incarnation).filter(|life| !life.is_late) else {
                continue;
            };
            life.is_late = true;
            self.kill(seat);
            if !self.job.is_quiet {
                let seconds = patience.as_secs_f64();
                say(&format!("ftrun: rank {seat} has not joined the recovery for {seconds} s"));
            }
        }
    }
}
