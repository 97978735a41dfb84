//! MPI_Abort of a part of the job. Under ULFM's rules it ends the ranks in its communicator's
//! group, which all other ranks then see as failed processes (MPI-5.0 §9.6).

use crate::base::Member;
use crate::engine::shared::rules::Rules;
use crate::host::life;
use crate::job::link;
use crate::mpi::comm::Comm;
use crate::mpi::process::Process;
use parking_lot::Mutex;

/// The incarnations that an abort ended and that have not been buried yet.
static ENDED: Mutex<Vec<(Member, End)>> = Mutex::new(Vec::new());

/// How an abort ended an incarnation.
pub(super) struct End {
    pub(super) status: i32,
    /// What the rank did, or what ended it.
    pub(super) words: String,
}

/// Ends all other members of `comm` if the rules say so and a rank outside of `comm` is alive.
/// Returns true if the caller must end, too.
pub fn end_group(process: &Process, comm: &Comm, status: i32, words: &str) -> bool {
    if process.world.rules() != Rules::Ulfm {
        return false;
    }
    let everyone = comm.everyone();
    if process.world.is_of_several_processes() {
        let members = process.world.members_of(&*everyone);
        link::end_group(process.me, members, status, words);
        return true;
    }
    let lives = (0..process.world.size()).filter_map(|seat| {
        let incarnation = life::living(seat)?.incarnation;
        Some(Member { seat, incarnation })
    });
    let (members, others): (Vec<Member>, Vec<Member>) =
        lives.partition(|member| everyone.rank_of(*member).is_some());
    if others.is_empty() {
        return false;
    }
    let me = process.me;
    let fate = |member: &Member| {
        let words = match *member == me {
            true => words.to_string(),
            false => format!("was ended by rank {}, which {words}", me.seat),
        };
        (*member, End { status, words })
    };
    ENDED.lock().extend(members.iter().map(fate));
    let peers = members.iter().filter(|member| **member != me);
    peers.for_each(|member| life::kill_only(member.seat, member.incarnation));
    true
}

/// The abort that ended this incarnation, if one did. Can be taken only once.
pub(super) fn end_of(member: Member) -> Option<End> {
    let mut ended = ENDED.lock();
    let place = ended.iter().position(|(other, _)| *other == member)?;
    Some(ended.swap_remove(place).1)
}
