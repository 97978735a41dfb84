//! MPI_Comm_accept and MPI_Comm_connect: the roots meet at a port, and their groups get an
//! intercommunicator as by MPI_Intercomm_create.

use crate::base::Member;
use crate::base::member::Roster;
use crate::base::roll::Roll;
use crate::engine::{Letter, Mode};
use crate::fault::ports::{Found, Partner, Side, Ticket};
use crate::host::memory::Span;
use crate::mpi::coll::claim::Kind;
use crate::mpi::coll::lane;
use crate::mpi::comm::Comm;
use crate::mpi::comm::bootstrap::Circle;
use crate::mpi::comm::group::Group;
use crate::mpi::comm::intercomm::{Meeting, learn, living_root};
use crate::mpi::comm::prepared::{Draft, Words};
use crate::mpi::dynamic::ports::{self, lost};
use crate::mpi::error::{Class, Result};
use crate::mpi::failure::ulfm::must_not_be_revoked;
use crate::mpi::lane::Lane;
use crate::mpi::p2p::outcome::envelope;
use crate::mpi::process::Process;
use crate::mpi::run::{self, Way};
use std::sync::Arc;

/// What a root that waits is told.
const TAKEN: u8 = 1;
const CLOSED: u8 = 2;
/// The tag of such messages, on a context of their own.
const TAG: i32 = 0;

/// Waits at a port for a group that connects; `port` matters at the root only.
pub fn accept(process: &Process, comm: &Comm, root: i32, port: Result<Vec<u8>>) -> Result<usize> {
    come_together(process, comm, root, Kind::Accept, (port, None))
}

/// Connects to the group that accepts at a port, now or later.
pub fn connect(process: &Process, comm: &Comm, root: i32, port: Result<Vec<u8>>) -> Result<usize> {
    come_together(process, comm, root, Kind::Connect, (port, None))
}

/// The owners of two ports meet at the one with the lesser name, each for itself.
pub fn join(process: &Process, alone: &Comm, own: &[u8], theirs: &[u8]) -> Result<usize> {
    let partner = ports::join(process, own, theirs)?;
    let kind = if own < theirs { Kind::Accept } else { Kind::Connect };
    come_together(process, alone, 0, kind, (Ok(own.min(theirs).to_vec()), Some(partner)))
}

fn come_together(
    process: &Process, comm: &Comm, root: i32, kind: Kind,
    (port, partner): (Result<Vec<u8>>, Option<Member>),
) -> Result<usize> {
    comm.must_be_intra()?;
    let root = living_root(comm, root)?;
    let lane = lane(process, comm, kind)?;
    let side = if kind == Kind::Accept { Side::Accept } else { Side::Connect };
    let group = &comm.living().group;
    let is_root = lane.rank() == root;
    let told = is_root.then(|| meet_at(process, comm, side, &port?, partner));
    let agreed = learn(process, &lane, root, told, &[comm])?;
    let draft = Draft::child(comm, 0, group.clone());
    draft.between(agreed.contexts, agreed.remote).make(process).map(|made| made.handle)
}

/// Meets a root of the other side: `expected`, if it is known who comes.
fn meet_at(
    process: &Process, comm: &Comm, side: Side, name: &[u8], expected: Option<Member>,
) -> Result<Words> {
    must_not_be_revoked(process, comm)?;
    let found = ports::come(process, side, comm.living().rank, name);
    let (partner, talk) =
        match found.map_err(|why| expected.map_or(why, |_| lost(process.world)))? {
            Found::Partner { ticket, talk } => {
                tell(process, ticket, TAKEN)?;
                (ticket.member, talk)
            }
            Found::Wait { ticket, owner } => {
                let heard = wait(process, comm, ticket, expected.unwrap_or(owner));
                match (ports::leave(process, name, ticket)?, heard) {
                    (Some(Partner { member, talk }), Ok(_)) => (member, talk),
                    (Some(Partner { member, talk }), Err(failure)) => {
                        if !failure.is_death() {
                            let _told = Meeting::new(process, pair(process, member), talk).refuse();
                        }
                        return Err(failure);
                    }
                    (None, Ok(())) if expected.is_some() => return Err(lost(process.world)),
                    (None, Ok(())) => {
                        let words = "the port was closed while this process waited there";
                        return Err(Class::PORT.because(words));
                    }
                    (None, Err(failure))
                        if expected.is_none()
                            && !failure.is_death()
                            && process.world.is_dead(owner) =>
                    {
                        let words = "the process that opened the port has failed";
                        return Err(Class::PORT.because(words));
                    }
                    (None, Err(failure)) => return Err(failure),
                }
            }
        };
    // What comes of it has a later context than any recovery of either world.
    process.world.learn_context(talk);
    Meeting::new(process, pair(process, partner), talk).within(comm).exchange(&comm.living().group)
}

/// The calling process and its partner, in the order that both know.
fn pair(process: &Process, partner: Member) -> Arc<Group> {
    let mut both = vec![process.me, partner];
    both.sort_unstable_by_key(|member| member.seat);
    Arc::new(Group::of(both, process.me))
}

/// Waits until the ticket is taken or the port is closed. A death in the own group ends the wait,
/// and so does that of `other`, the port's owner or who is expected there.
fn wait(process: &Process, comm: &Comm, ticket: Ticket, other: Member) -> Result {
    let circle = Circle::on(process, ticket.wake, comm.living().group.clone()).within(comm);
    let members = comm.living().group.members().chain([other]).collect();
    let roster: Arc<dyn Roster> = Arc::new(Roll::new(members));
    let lane = Lane::among(process, &circle.comm, roster, TAG, Way::Blocking);
    let mut word = [0];
    run::block(lane.recv(ticket.rank, &Span::of_mut(&mut word).into())).map(drop)
}

/// Sends the root with this ticket the message that it waits for.
fn tell(process: &Process, ticket: Ticket, word: u8) -> Result {
    let envelope = envelope(2 * ticket.wake + 1, ticket.rank, TAG);
    let letter = Letter { envelope, to: ticket.member, rank: ticket.rank, everyone: None };
    let word = [word];
    if let Some(lost) = process.engine.send(letter, &Span::of(&word).into(), Mode::Standard)? {
        // It is dead: the one that meets it hears of that.
        process.engine.wait(lost)?;
    }
    Ok(())
}

/// Closes all ports of a process that leaves MPI.
pub(in crate::mpi) fn close_all(process: &Process) -> Result {
    let own = process.world.ports_of(process.me);
    own.iter().try_for_each(|name| close(process, name))
}

/// Closes a port; those that wait there are told.
pub fn close(process: &Process, name: &[u8]) -> Result {
    let waiting = ports::close(process, name)?;
    waiting.into_iter().try_for_each(|ticket| tell(process, ticket, CLOSED))
}
