//! What a process of several hears from the coordinator of the job, and what follows from that
//! here.

use crate::base::Member;
use crate::base::member::Roster;
use crate::base::roll::Roll;
use crate::engine::World;
use crate::fault::{Notice, Report, Welcome};
use crate::host::{life, service};
use crate::transport::{Address, Area, Distant, Processes};
use std::sync::{Arc, Once};

impl World {
    /// Whether the ranks of this job are in several processes.
    #[inline]
    pub fn is_of_several_processes(&self) -> bool {
        self.elsewhere.is_some()
    }

    /// The host of a process, where the job has several.
    pub fn host_of(&self, process: usize) -> u32 {
        self.processes().map_or(0, |processes| processes.host_of(process))
    }

    /// Whether collective operations may use memory that all members share: not where messages are
    /// to be seen.
    #[inline]
    pub fn can_meet(&self) -> bool {
        self.can_meet
    }

    pub(in crate::engine) fn processes(&self) -> Option<&'static Processes> {
        self.elsewhere.as_ref().map(|elsewhere| elsewhere.processes)
    }

    /// The memory in which members in several processes work together without messages, if there
    /// is any.
    pub fn area(&self) -> Option<&'static Area> {
        self.processes()?.area()
    }

    /// MPI_COMM_WORLD has this context from now on.
    pub fn be_for_world(&self, context: u32) {
        if let Some(processes) = self.processes() {
            processes.be_for_world(context);
        }
    }

    /// How many messages of this process are on their way to others.
    pub fn messages_elsewhere(&self) -> usize {
        self.processes().map_or(0, Processes::waiting)
    }

    /// This rank begins: what the others know already.
    pub fn begin_with(&self, welcome: Welcome) {
        let Welcome { ledger, departed, called, revoked, summons } = welcome;
        let me = self.elsewhere.as_ref().map(|elsewhere| elsewhere.me);
        if let Some(processes) = self.processes() {
            ledger.seats().for_each(|(member, is_alive)| processes.know(member, is_alive));
            departed.iter().for_each(|member| processes.retire(*member));
        }
        self.adopt(ledger);
        departed.into_iter().for_each(|member| self.see_off(member));
        for (home, generation) in called {
            self.hear(Notice::Called { home, generation });
        }
        for (context, roster) in revoked {
            self.hear(Notice::Revoked { context, roster });
        }
        if let Some((me, summons)) = me.zip(summons) {
            self.agreements.lock().summon(me, &summons);
        }
    }

    /// The rank of this process has begun to use MPI; returns when all can be reached that the job
    /// has begun with, as far as they live.
    pub fn note_begin(&self) {
        let Some(elsewhere) = &self.elsewhere else { return };
        elsewhere.report(&Report::Began);
        elsewhere.wait_until_all_are_met(|met| {
            let departed = self.departed();
            let ledger = self.ledger.lock();
            let is_awaited = |(member, is_alive): &(Member, bool)| {
                let is_first = *is_alive && member.incarnation == 0;
                is_first && !met.contains(&member.seat) && !departed.contains(member)
            };
            !ledger.seats().any(|seat| is_awaited(&seat))
        });
    }

    /// A process can be reached there, and if the job has several hosts, on this one in that way.
    pub fn meet(&self, process: usize, at: Address, distant: Option<(u32, Distant)>) {
        if let Some(elsewhere) = &self.elsewhere {
            let processes = elsewhere.processes;
            let met = distant.map(|(host, distant)| processes.meet_on_host(process, host, distant));
            if met != Some(true) {
                processes.meet(process, at);
            }
            elsewhere.meet(process);
        }
    }

    /// Sends a note to the process of another rank, which has it read at once.
    pub fn send_note(&self, to: Member, bytes: &[u8]) {
        if let Some(elsewhere) = &self.elsewhere {
            elsewhere.processes.note(elsewhere.me, to, bytes);
        }
    }

    /// `read` handles the notes of others, and `bury` what follows here from the death of one.
    pub fn handle_notes(&'static self, read: fn(&World, Member, &[u8]), bury: fn(&World, Member)) {
        if let Some(elsewhere) = &self.elsewhere {
            let handler = move |from, bytes: &[u8]| read(self, from, bytes);
            elsewhere.processes.handle_notes(Box::new(handler));
            elsewhere.bury.get_or_init(|| Box::new(move |member| bury(self, member)));
        }
    }

    /// From now on notes are read even while the rank computes.
    pub fn attend_notes(&self) {
        static ATTENDED: Once = Once::new();
        if let Some(processes) = self.processes() {
            let attend = || service::start(Box::new(|| processes.attend_notes()));
            ATTENDED.call_once(|| {
                attend().unwrap_or_else(|error| {
                    life::refuse(&format!("cannot start a thread for one-sided calls: {error}"))
                });
            });
        }
    }

    /// The coordinator says this.
    pub fn hear(&self, notice: Notice) {
        let Some(elsewhere) = &self.elsewhere else { return };
        match notice {
            Notice::Died(member) => {
                if member.seat != elsewhere.me.seat {
                    elsewhere.processes.part(member);
                }
                self.bury(member.seat, member.incarnation);
                if let Some(bury) = elsewhere.bury.get() {
                    bury(member);
                }
                elsewhere.look_again();
            }
            Notice::Departed(member) => {
                elsewhere.processes.retire(member);
                self.see_off(member);
                elsewhere.look_again();
            }
            Notice::Entered(member) => self.enter(member.seat, member.incarnation),
            Notice::Decided { key, decision, next } => {
                elsewhere.decide(key, decision, next);
                self.disturb();
                self.wake(elsewhere.me.seat);
            }
            Notice::Heard { key, all } => {
                elsewhere.answer(key, all);
                self.disturb();
                self.wake(elsewhere.me.seat);
            }
            Notice::Called { home, generation } => self.spread_call(home, generation),
            Notice::Revoked { context, roster } => {
                let me = elsewhere.me;
                if roster.contains(&me) {
                    let roster: Arc<dyn Roster> = Arc::new(Roll::new(roster));
                    self.enter_revocation(context, &roster, me, false);
                }
            }
        }
    }

    /// The members of a roster, as far as they may live.
    pub(super) fn members_of(&self, roster: &dyn Roster) -> Vec<Member> {
        let ledger = self.ledger.lock();
        let latest = (0..self.ranks()).map(|seat| ledger.latest(seat));
        latest.filter(|member| roster.rank_of(*member).is_some()).collect()
    }
}
