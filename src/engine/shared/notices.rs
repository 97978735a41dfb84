//! What a process of several hears from the coordinator of the job, and what follows from that
//! here.

use crate::base::Member;
use crate::base::member::Roster;
use crate::base::roll::Roll;
use crate::engine::World;
use crate::engine::shared::elsewhere::Answer;
use crate::fault::{Notice, Report, Summons, Welcome};
use crate::host::{life, service};
use crate::transport::{Address, Area, Distant, Processes};
use std::ops::Range;
use std::sync::{Arc, Once};

impl World {
    /// Whether the ranks of this job are in several processes.
    #[inline]
    pub fn is_of_several_processes(&self) -> bool {
        self.elsewhere.is_some()
    }

    /// The process of a seat, where ranks share processes.
    pub fn shared_process_of(&self, seat: usize) -> Option<usize> {
        let processes = self.processes().filter(|processes| processes.are_shared())?;
        Some(processes.process_of(seat))
    }

    /// The host of a rank, where the job has several.
    pub fn host_of(&self, seat: usize) -> u32 {
        self.processes().map_or(0, |processes| processes.host_of(seat))
    }

    /// Whether collective operations may use memory that all members share: not where messages are
    /// to be seen.
    #[inline]
    pub fn can_meet(&self) -> bool {
        self.can_meet
    }

    /// The seats of this process, if there are several processes.
    pub fn own_seats(&self) -> Option<Range<usize>> {
        self.processes().map(Processes::seats)
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

    /// This process begins: what the others know already. `me` is its rank, if it has one.
    pub fn begin_with(&self, welcome: Welcome, me: Option<Member>) {
        let Welcome { ledger, departed, called, revoked, summons, ports, founded } = welcome;
        *self.ports.lock() = ports;
        founded.iter().for_each(|founding| self.learn_of(founding));
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
            self.summon(me, &summons);
        }
    }

    /// `member`, which begins now, is to take part in a recovery.
    pub fn summon(&self, member: Member, summons: &Summons) {
        self.agreements.lock().summon(member, summons);
    }

    /// `me` has a session open, or none any more.
    pub fn note_session(&self, me: Member, is_open: bool) {
        if let Some(elsewhere) = &self.elsewhere {
            elsewhere.report(me, &Report::InSession(is_open));
        }
    }

    /// `me` has begun to use MPI; returns when all can be reached that its world has begun with, as
    /// far as they live.
    pub fn note_begin(&self, me: Member) {
        let Some(elsewhere) = &self.elsewhere else { return };
        elsewhere.report(me, &Report::Began);
        let home = self.home_of(me.seat);
        elsewhere.wait_until_all_are_met(|met| {
            let departed = self.departed();
            let ledger = self.ledger.lock();
            let is_awaited = |(member, is_alive): &(Member, bool)| {
                let is_first =
                    *is_alive && home.has(member.seat) && member.incarnation == home.first();
                let process = elsewhere.processes.process_of(member.seat);
                is_first && !met.contains(&process) && !departed.contains(member)
            };
            !ledger.seats().any(|seat| is_awaited(&seat))
        });
    }

    /// The process of this seat can be reached there, and if the job has several hosts, on this one
    /// in that way.
    pub fn meet(&self, seat: usize, at: Address, distant: Option<(u32, Distant)>) {
        if let Some(elsewhere) = &self.elsewhere {
            let processes = elsewhere.processes;
            let process = processes.process_of(seat);
            let met = distant.map(|(host, distant)| processes.meet_on_host(process, host, distant));
            if met != Some(true) {
                processes.meet(process, at);
            }
            elsewhere.meet(process);
        }
    }

    /// Sends a note to the process of another rank, which has it read at once.
    pub fn send_note(&self, from: Member, to: Member, bytes: &[u8]) {
        if let Some(processes) = self.processes() {
            processes.note(from, to, bytes);
        }
    }

    /// `read` handles the notes that ranks of this process get, and `bury` what follows here from
    /// the death of one.
    pub fn handle_notes(
        &'static self, read: fn(&World, Member, Member, &[u8]), bury: fn(&World, Member),
    ) {
        if let Some(elsewhere) = &self.elsewhere {
            let handler = move |from, to, bytes: &[u8]| read(self, from, to, bytes);
            elsewhere.processes.handle_notes(Box::new(handler));
            elsewhere.bury.get_or_init(|| Box::new(move |member| bury(self, member)));
        }
    }

    /// From now on notes are read even while the rank computes.
    pub fn attend_notes(&self) {
        static ATTENDED: Once = Once::new();
        // Where ranks share processes, somebody reads whatever comes in any case.
        if let Some(processes) = self.processes().filter(|processes| !processes.are_shared()) {
            let attend = || service::start(Box::new(|| processes.attend_notes()));
            ATTENDED.call_once(|| {
                attend().unwrap_or_else(|error| {
                    life::refuse(&format!("cannot start a thread for one-sided calls: {error}"))
                });
            });
        }
    }

    /// A process that had several ranks has ended. Their deaths are told next.
    pub fn part(&self, process: Member) {
        if let Some(processes) = self.processes() {
            processes.part(process);
        }
    }

    /// Returns when the death of `member`, or that it has left, is known here.
    pub fn await_end_of(&self, member: Member) {
        if let Some(elsewhere) = &self.elsewhere {
            elsewhere.wait_until_all_are_met(|_| {
                self.is_dead(member) || self.departed().contains(&member)
            });
        }
    }

    /// The coordinator says this to one rank of this process.
    pub fn hear_for(&self, to: Member, notice: Notice) {
        let Some(elsewhere) = &self.elsewhere else { return };
        match notice {
            Notice::Decided { key, decision, next } => elsewhere.decide(to, key, decision, next),
            Notice::Heard { key, all } => elsewhere.answer(to, key, all),
            Notice::NoSeats { number, may_come } => {
                return self.answer((to, number), Answer::NoSeats { may_come });
            }
            for_all => return self.hear(for_all),
        }
        self.disturb();
        self.wake(to.seat);
    }

    /// The coordinator says this to all.
    pub fn hear(&self, notice: Notice) {
        let Some(elsewhere) = &self.elsewhere else { return };
        match notice {
            Notice::Died(member) => {
                match elsewhere.is_here(member.seat) {
                    true => {
                        elsewhere.processes.lose_own(member);
                        elsewhere.forget(member);
                    }
                    false => elsewhere.processes.lose(member),
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
            Notice::Decided { .. } | Notice::Heard { .. } | Notice::NoSeats { .. } => {}
            Notice::AtPorts { by, number, what, contexts } => {
                self.hear_at_ports((by, number), &what, contexts);
            }
            Notice::Founded(founding) => self.hear_founding(founding),
            Notice::Called { home, generation } => self.spread_call(home, generation),
            Notice::Revoked { context, roster } => {
                let me = roster.iter().copied().find(|member| elsewhere.is_here(member.seat));
                if let Some(me) = me {
                    let roster: Arc<dyn Roster> = Arc::new(Roll::new(roster));
                    self.enter_revocation(context, &roster, me, false);
                }
            }
        }
    }

    /// The members of a roster, as far as they may live.
    pub fn members_of(&self, roster: &dyn Roster) -> Vec<Member> {
        let ledger = self.ledger.lock();
        let latest = (0..self.size()).map(|seat| ledger.latest(seat));
        latest.filter(|member| roster.rank_of(*member).is_some()).collect()
    }
}
