//! What ranks ask for that the whole job has once: its ports, and seats for ranks that are spawned.
//! In one process it is had at once; where there are several, the coordinator of the job answers.

use crate::base::Member;
use crate::engine::rank::operation::Died;
use crate::engine::shared::elsewhere::Answer;
use crate::engine::{Engine, World};
use crate::fault::ports::{AtPorts, Reply};
use crate::fault::{Ask, Founding, Report, Spawn};
use crate::transport::Processes;
use std::ops::Range;

/// What becomes of an order for ranks in other processes.
pub enum Ordered {
    Founded(Founding),
    /// There are no seats. `may_come`: others may leave some.
    NoSeats {
        may_come: bool,
    },
}

impl World {
    /// `register` keeps what the ranks of a world that is spawned have to know.
    pub fn handle_foundings(&'static self, register: fn(&World, &Founding)) {
        if let Some(elsewhere) = &self.elsewhere {
            elsewhere.register.get_or_init(|| Box::new(move |founding| register(self, founding)));
        }
    }

    /// Whether ranks share processes, and there are several.
    pub fn shares_processes(&self) -> bool {
        self.processes().is_some_and(Processes::are_shared)
    }

    /// These have been spawned, and not all of their parents know. False if `me` has to end them
    /// itself.
    pub fn end_newborn(&self, me: Member, members: &[Member]) -> bool {
        let Some(elsewhere) = &self.elsewhere else { return false };
        elsewhere.report(me, &Report::Disowned(members.to_vec()));
        true
    }

    /// The ports that a rank of this process has open.
    pub fn ports_of(&self, me: Member) -> Vec<Vec<u8>> {
        self.ports.lock().of_owner(me)
    }

    fn act_at_ports(&self, me: Member, what: &AtPorts, contexts: [u32; 2]) -> Reply {
        // By the ledger, so that all copies of the table are equal: it also knows of seats that
        // others have now, though nobody has died.
        self.ports.lock().act(me, what, contexts, |member| self.ledger.lock().is_dead(member))
    }

    /// The coordinator has done what a rank wants at the ports: the same is done here.
    pub(super) fn hear_at_ports(
        &self, (by, number): (Member, u64), what: &AtPorts, contexts: [u32; 2],
    ) {
        let reply = self.act_at_ports(by, what, contexts);
        self.answer((by, number), Answer::AtPorts(reply));
    }

    /// A world is spawned, whose ranks are in other processes than this one.
    pub(super) fn hear_founding(&self, founding: Founding) {
        let Some(processes) = self.processes() else { return };
        if let Some(before) = founding.first.checked_sub(1) {
            founding.seats.clone().for_each(|seat| match processes.are_shared() {
                // The process may end later than its rank: that is told then.
                true => processes.leave(processes.process_of(seat)),
                false => processes.part(Member { seat, incarnation: before }),
            });
        }
        self.learn_of(&founding);
        self.answer((founding.by, founding.number), Answer::Founded(founding));
    }

    /// A world is spawned, or was before this process began.
    pub(super) fn learn_of(&self, founding: &Founding) {
        let Some(elsewhere) = &self.elsewhere else { return };
        let of = |seats: Range<usize>| seats.map(|seat| elsewhere.processes.process_of(seat));
        elsewhere.part_with(of(founding.seats.clone()));
        self.found_with(founding.context, founding.seats.clone(), founding.first);
        if let Some(register) = elsewhere.register.get() {
            register(founding);
        }
    }

    pub(super) fn answer(&self, (to, number): (Member, u64), answer: Answer) {
        let Some(elsewhere) = &self.elsewhere else { return };
        if elsewhere.is_here(to.seat) {
            elsewhere.keep((to, number), answer);
            self.disturb();
            self.wake(to.seat);
        }
    }
}

impl Engine {
    /// This rank does something at the ports of the job.
    pub fn at_ports(&self, what: AtPorts) -> Result<Reply, Died> {
        let world = self.world;
        if world.elsewhere.is_none() {
            let contexts = [world.fresh_context(), world.fresh_context()];
            return Ok(world.act_at_ports(self.me, &what, contexts));
        }
        match self.ask(Ask::AtPorts(what))? {
            Answer::AtPorts(reply) => Ok(reply),
            Answer::Founded(_) | Answer::NoSeats { .. } => unreachable!("that was not asked"),
        }
    }

    /// This rank orders a world whose ranks are processes.
    pub fn order_ranks(&self, spawn: Spawn) -> Result<Ordered, Died> {
        match self.ask(Ask::Spawn(spawn))? {
            Answer::Founded(founding) => Ok(Ordered::Founded(founding)),
            Answer::NoSeats { may_come } => Ok(Ordered::NoSeats { may_come }),
            Answer::AtPorts(_) => unreachable!("that was not asked"),
        }
    }

    /// Asks the coordinator, which answers in any case.
    fn ask(&self, what: Ask) -> Result<Answer, Died> {
        let elsewhere = self.world.elsewhere.as_ref().expect("there are several processes");
        let number = elsewhere.ask(self.me, what);
        self.wait_until(|_| elsewhere.take_answer((self.me, number)))
    }
}
