//! A process that has several ranks of a job, while others have the rest. `ftrun` tells it which
//! ranks begin, hears how they end, and judges what that means to the job.

use crate::base::Member;
use crate::host::computing::Computing;
use crate::host::life::{self, Apps, Ending, Tenant, Verdict};
use crate::host::{Rank, variables};
use crate::job::fault_injection;
use crate::job::join::{self, Joined};
use crate::job::link::say;
use crate::job::live::glance;
use crate::job::worlds::Worlds;
use crate::launch::Job;
use crate::mpi::failure::call_trace;
use crate::mpi::process::Process;
use crate::wireup::{EndOfRank, Place, Said, VARIABLE};
use std::time::Instant;

/// Tells `ftrun` of the ranks of this process.
struct Company {
    joined: Joined,
    /// Somebody may watch the job.
    is_seen: bool,
}

/// Joins the job, and runs those of its ranks that are to live here.
pub(super) fn start(job: Job, apps: Apps, worlds: &Worlds) -> ! {
    let text = std::env::var(VARIABLE).ok();
    // Programs that the ranks start are none of this job.
    variables::set(VARIABLE, None);
    let Some(place) = text.as_deref().and_then(Place::decode) else {
        life::refuse(&format!("cannot read the variable {VARIABLE}"))
    };
    let joined = match join::enter(&place, &job, worlds.call) {
        Ok(Some(joined)) => joined,
        Ok(None) => life::refuse("another process has this place in the job"),
        Err(why) => life::refuse(&why),
    };
    (worlds.keep)(joined.world);
    // These are for `ftrun` to see to.
    let job = Job { timeout: None, patience: None, ..job };
    let is_seen = job.is_seen();
    life::run(apps, job, Box::new(Company { joined, is_seen }))
}

/// What [`std::process::ExitStatus`] would have for a process that ends in this way.
fn status_of(ending: Ending) -> i32 {
    match ending {
        Ending::Exited { status } => (status & 0xff) << 8,
        Ending::Signalled { number, .. } => number,
        Ending::Killed => libc::SIGKILL,
    }
}

impl Tenant for Company {
    fn opened(&self) {
        if let Err(error) = self.joined.attend() {
            life::end_process(2, &format!("ftrun: a process cannot work: {error}\n"));
        }
    }

    fn began(&self, rank: &'static Rank) {
        self.joined.world.count_pairs_anew(rank.seat);
        fault_injection::began(Member { seat: rank.seat, incarnation: rank.incarnation });
    }

    fn ended(&self, rank: &'static Rank, ending: Ending) -> Verdict {
        let member = Member { seat: rank.seat, incarnation: rank.incarnation };
        let order = fault_injection::met(rank).filter(|_| ending == Ending::Killed);
        let words = life::obituary(rank, ending);
        // The call in which it was has no end of its own.
        call_trace::leaves(member, -1);
        let process = rank.attached::<Process>();
        let last = process.filter(|_| self.is_seen).map(glance::last);
        let status = status_of(ending);
        say(&Said::Ended(EndOfRank { member, status, words, order, last }));
        // Its memory is there for as long as somebody may read from it.
        let world = self.joined.world;
        world.await_end_of(member);
        if let Some(process) = process.filter(|_| world.is_dead(member)) {
            match rank.is_shown() {
                true => process.lay_down_but_memory(),
                false => process.lay_down(),
            }
        }
        Verdict::Continue
    }

    fn wake(&self, seat: usize) {
        self.joined.world.wake(seat);
    }

    fn computes_too_long(&self, _: Computing) {}

    fn closing(&self) {}

    fn status(&self) -> i32 {
        0
    }

    fn last_words(&self) -> String {
        String::new()
    }

    fn due(&self) -> Option<Instant> {
        None
    }
}
