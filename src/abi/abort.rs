//! MPI_Abort (MPI-5.0 §9.6): ends the job; where programs live by ULFM's rules, only those who are
//! in the group of its communicator, who are failed processes for all others.

use crate::abi::{current, start};
use crate::base::Member;
use crate::engine::shared::rules::Rules;
use crate::host::life;
use crate::mpi::comm::Comm;
use crate::mpi::process::Process;
use parking_lot::Mutex;
use std::ffi::c_int;

/// The lives that were ended so, and have not been buried yet.
static ENDED: Mutex<Vec<(Member, Fate)>> = Mutex::new(Vec::new());

/// How such a life ended.
pub(super) struct Fate {
    pub(super) status: c_int,
    /// What the rank did, or what was done to it.
    pub(super) words: String,
}

/// MPI_Abort with this code, as far as an exit status can say it.
pub(super) fn abort(process: &Process, comm: Option<&Comm>, code: c_int) -> ! {
    let status = match code & 0xff {
        0 if code != 0 => 1,
        status => status,
    };
    let title = comm.map_or("no communicator".to_string(), Comm::title);
    let words = format!("called MPI_Abort on {title} with {code}");
    if let Some(comm) = comm {
        end_group(process, comm, status, &words);
    }
    start::end_job(status, &format!("rank {} {words}", process.me.seat))
}

/// Ends all members of `comm`, the caller among them, if the rules say so and somebody else lives;
/// returns if not.
pub(super) fn end_group(process: &Process, comm: &Comm, status: c_int, words: &str) {
    if process.world.rules() != Rules::Ulfm {
        return;
    }
    let everyone = comm.everyone();
    let lives = (0..process.world.size()).filter_map(|seat| {
        let incarnation = life::living(seat)?.incarnation;
        Some(Member { seat, incarnation })
    });
    let (members, others): (Vec<Member>, Vec<Member>) =
        lives.partition(|member| everyone.rank_of(*member).is_some());
    if others.is_empty() {
        return;
    }
    let me = process.me;
    let fate = |member: &Member| {
        let words = match *member == me {
            true => words.to_string(),
            false => format!("was ended by rank {}, which {words}", me.seat),
        };
        (*member, Fate { status, words })
    };
    ENDED.lock().extend(members.iter().map(fate));
    let peers = members.iter().filter(|member| **member != me);
    peers.for_each(|member| life::kill_only(member.seat, member.incarnation));
    current::end()
}

/// What has ended this life, if it was that: asked once.
pub(super) fn fate_of(member: Member) -> Option<Fate> {
    let mut ended = ENDED.lock();
    let place = ended.iter().position(|(other, _)| *other == member)?;
    Some(ended.swap_remove(place).1)
}
