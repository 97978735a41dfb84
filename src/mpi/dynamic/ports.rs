//! What a rank does at the ports of its job (see [`crate::fault::ports`]), and the errors of that.

use crate::base::Member;
use crate::engine::World;
use crate::fault::ports::{AtPorts, Flaw, Found, Partner, Reply, Side, Ticket};
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::process::Process;

/// MPI_MAX_PORT_NAME, with C's null byte.
pub const MAX_PORT_NAME: usize = 1024;

fn act(process: &Process, what: AtPorts) -> Result<Reply> {
    Ok(process.engine.at_ports(what)?)
}

fn shown(name: &[u8]) -> String {
    format!("`{}`", String::from_utf8_lossy(name))
}

/// The error of something at this port.
fn error(flaw: Flaw, world: &World, port: &[u8]) -> Failure {
    let port_name = || format!("port_name is {}, which", shown(port));
    match flaw {
        Flaw::NoPort => {
            Class::PORT.because(format!("{} is not an open port of this job", port_name()))
        }
        Flaw::OfAnother => Class::PORT.because(format!("{} another process opened", port_name())),
        Flaw::Lost => lost(world),
        Flaw::IsPublished | Flaw::NotPublished | Flaw::NoName => {
            unreachable!("that is about the names of services")
        }
    }
}

/// The process at the other end of a socket joins nobody any more: it has failed, or has given up,
/// for which failures of others are the usual reason.
pub(super) fn lost(world: &World) -> Failure {
    let class = if world.epoch() > 0 { Class::PROC_ABORTED } else { Class::OTHER };
    class.because("the process at the other end of the socket has failed, or has given up")
}

/// An answer to another question.
fn strange(reply: &Reply) -> ! {
    unreachable!("{reply:?} is no answer to what was asked")
}

/// Opens a port; returns its name.
pub fn open(process: &Process) -> Result<Vec<u8>> {
    match act(process, AtPorts::Open)? {
        Reply::Port(name) => Ok(name),
        other => strange(&other),
    }
}

/// Closes a port; returns the tickets of those that wait there.
pub(super) fn close(process: &Process, name: &[u8]) -> Result<Vec<Ticket>> {
    match act(process, AtPorts::Close { port: name.to_vec() })? {
        Reply::Waiting(tickets) => Ok(tickets),
        Reply::No(flaw) => Err(error(flaw, process.world, name)),
        other => strange(&other),
    }
}

/// Takes the ticket of a living root of the other side, or leaves one.
pub(super) fn come(process: &Process, side: Side, rank: i32, name: &[u8]) -> Result<Found> {
    match act(process, AtPorts::Come { side, rank, port: name.to_vec() })? {
        Reply::Found(found) => Ok(found),
        Reply::No(flaw) => Err(error(flaw, process.world, name)),
        other => strange(&other),
    }
}

/// Ends a wait: the ticket waits no more. Returns who has taken it.
pub(super) fn leave(process: &Process, name: &[u8], ticket: Ticket) -> Result<Option<Partner>> {
    match act(process, AtPorts::Leave { port: name.to_vec(), ticket })? {
        Reply::Taken(partner) => Ok(partner),
        other => strange(&other),
    }
}

/// The owner of one port joins that of the other; returns whom.
pub(super) fn join(process: &Process, own: &[u8], theirs: &[u8]) -> Result<Member> {
    match act(process, AtPorts::Join { own: own.to_vec(), theirs: theirs.to_vec() })? {
        Reply::Joined(member) => Ok(member),
        Reply::No(flaw) => Err(error(flaw, process.world, theirs)),
        other => strange(&other),
    }
}

/// Publishes a port under a name.
pub fn publish(process: &Process, service: Vec<u8>, port: Vec<u8>) -> Result {
    match act(process, AtPorts::Publish { service: service.clone(), port })? {
        Reply::Done => Ok(()),
        Reply::No(_) => {
            let words = format!("service_name is {}, which is published already", shown(&service));
            Err(Class::SERVICE.because(words))
        }
        other => strange(&other),
    }
}

/// Takes a name back.
pub fn unpublish(process: &Process, service: Vec<u8>, port: Vec<u8>) -> Result {
    match act(process, AtPorts::Unpublish { service: service.clone(), port: port.clone() })? {
        Reply::Done => Ok(()),
        Reply::No(_) => {
            let (port, service) = (shown(&port), shown(&service));
            let words = format!("this process has not published {port} as {service}");
            Err(Class::SERVICE.because(words))
        }
        other => strange(&other),
    }
}

/// The port that is published under a name.
pub fn look_up(process: &Process, service: Vec<u8>) -> Result<Vec<u8>> {
    match act(process, AtPorts::LookUp { service: service.clone() })? {
        Reply::Port(name) => Ok(name),
        Reply::No(_) => {
            let words = format!("service_name is {}, which nobody has published", shown(&service));
            Err(Class::NAME.because(words))
        }
        other => strange(&other),
    }
}
