//! Ports: where roots of two groups meet, as a host and guests meet at a door. And the names under
//! which ports are published.
//!
//! The job has one table. A root that comes to a port where none of the other side waits leaves a
//! *ticket*, and waits for one message. A root that finds a ticket takes it, notes that it has, and
//! sends that message. Both then talk on a context that only this ticket has. A rank that gives up
//! finds in the table whether its ticket is taken: then it tells the other one.

use crate::base::Member;
use crate::engine::World;
use crate::mpi::error::{Class, Result};
use crate::mpi::process::Process;
use parking_lot::Mutex;
use std::collections::{BTreeMap, VecDeque};

/// MPI_MAX_PORT_NAME, with C's null byte.
pub const MAX_PORT_NAME: usize = 1024;

/// The ports of a job.
#[derive(Default)]
pub(super) struct Ports(Mutex<Table>);

#[derive(Default)]
struct Table {
    opened: u64,
    open: BTreeMap<Vec<u8>, Port>,
    /// Service names: the port, and who has published it.
    published: BTreeMap<Vec<u8>, (Vec<u8>, Member)>,
    tickets: u64,
    /// By ticket: who has taken it.
    taken: BTreeMap<u64, Partner>,
}

struct Port {
    owner: Member,
    /// Those that wait to accept, and those that wait to connect.
    waiting: [VecDeque<Ticket>; 2],
    /// The port of the one that the owner joins (MPI_Comm_join): of no use once that is closed.
    joined: Option<Vec<u8>>,
}

/// Which side of a port a root comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Accept,
    Connect,
}

/// A root that waits at a port.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ticket {
    number: u64,
    pub(super) member: Member,
    /// Its rank in its communicator.
    pub(super) rank: i32,
    /// Where it waits for the message.
    pub(super) wake: u32,
}

/// The root that has taken a ticket, and where both talk. Not before both are there is the context
/// drawn: a world that has recovered hears nothing on those of before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Partner {
    pub(super) member: Member,
    pub(super) talk: u32,
}

/// What a root finds at a port.
pub(super) enum Found {
    /// One of the other side: this ticket is taken. Where both talk.
    Partner { ticket: Ticket, talk: u32 },
    /// Nobody yet: it waits with this ticket, as long as the owner of the port lives.
    Wait { ticket: Ticket, owner: Member },
}

impl Ports {
    /// Takes the ticket of a living root of the other side, or leaves one.
    pub(super) fn come(
        &self, process: &Process, side: Side, rank: i32, name: &[u8],
    ) -> Result<Found> {
        let (world, me) = (process.world, process.me);
        let mut table = self.0.lock();
        let table = &mut *table;
        let port = table.open.get_mut(name).filter(|port| !world.is_dead(port.owner));
        let port = port.ok_or_else(|| no_port(name))?;
        let [own, others] = match side {
            Side::Accept => [0, 1],
            Side::Connect => [1, 0],
        };
        while let Some(ticket) = port.waiting[others].pop_front() {
            if !world.is_dead(ticket.member) {
                let talk = world.fresh_context();
                table.taken.insert(ticket.number, Partner { member: me, talk });
                return Ok(Found::Partner { ticket, talk });
            }
        }
        table.tickets += 1;
        let ticket =
            Ticket { number: table.tickets, member: me, rank, wake: world.fresh_context() };
        port.waiting[own].push_back(ticket);
        Ok(Found::Wait { ticket, owner: port.owner })
    }

    /// Ends a wait: the ticket waits no more. Returns who has taken it.
    pub(super) fn leave(&self, name: &[u8], ticket: Ticket) -> Option<Partner> {
        let mut table = self.0.lock();
        if let Some(port) = table.open.get_mut(name) {
            let is_other = |waiting: &Ticket| waiting.number != ticket.number;
            port.waiting.iter_mut().for_each(|queue| queue.retain(is_other));
        }
        table.taken.remove(&ticket.number)
    }

    /// Closes a port; returns the tickets of those that wait there.
    pub(super) fn close(&self, me: Member, name: &[u8]) -> Result<Vec<Ticket>> {
        let mut table = self.0.lock();
        match table.open.get(name) {
            Some(port) if port.owner == me => {}
            Some(_) => {
                let words = format!("port_name is {}, which another process opened", shown(name));
                return Err(Class::PORT.because(words));
            }
            None => return Err(no_port(name)),
        }
        let port = table.open.remove(name).expect("it was just there");
        let joining = |port: &&mut Port| port.joined.as_deref() == Some(name);
        let partners = table.open.values_mut().filter(joining);
        let theirs = partners.flat_map(|port| std::mem::take(&mut port.waiting));
        Ok(port.waiting.into_iter().chain(theirs).flatten().collect())
    }

    /// The names of the ports that `me` has open.
    pub(super) fn of(&self, me: Member) -> Vec<Vec<u8>> {
        let table = self.0.lock();
        let own = table.open.iter().filter(|(_, port)| port.owner == me);
        own.map(|(name, _)| name.clone()).collect()
    }

    /// The owner of one port joins that of the other; returns whom.
    pub(super) fn join(&self, process: &Process, own: &[u8], theirs: &[u8]) -> Result<Member> {
        let mut table = self.0.lock();
        let partner = table.open.get(theirs).map(|port| port.owner);
        let partner = partner.filter(|partner| !process.world.is_dead(*partner));
        let partner = partner.ok_or_else(|| lost(process.world))?;
        let port = table.open.get_mut(own).expect("its owner closes it later");
        port.joined = Some(theirs.to_vec());
        Ok(partner)
    }
}

/// The process at the other end of a socket joins nobody any more: it has failed, or has given up,
/// for which failures of others are the usual reason.
pub(super) fn lost(world: &World) -> crate::mpi::error::Failure {
    let class = if world.epoch() > 0 { Class::PROC_ABORTED } else { Class::OTHER };
    class.because("the process at the other end of the socket has failed, or has given up")
}

fn no_port(name: &[u8]) -> crate::mpi::error::Failure {
    Class::PORT
        .because(format!("port_name is {}, which is not an open port of this job", shown(name)))
}

fn shown(name: &[u8]) -> String {
    format!("`{}`", String::from_utf8_lossy(name))
}

/// Fails where ranks are in several processes: none of them knows the ports of the others.
pub(super) fn must_be_in_one_process(process: &Process) -> Result {
    if !process.world.is_of_several_processes() {
        return Ok(());
    }
    let words = "dynamic processes in a job of several processes: run ftrun without --processes";
    Err(Class::UNSUPPORTED_OPERATION.because(words))
}

/// Opens a port; returns its name.
pub fn open(process: &Process) -> Vec<u8> {
    let ports = process.world.tenant::<Ports>();
    let mut table = ports.0.lock();
    table.opened += 1;
    let name = format!("{}{}", prefix(), table.opened).into_bytes();
    let port = Port { owner: process.me, waiting: Default::default(), joined: None };
    table.open.insert(name.clone(), port);
    name
}

/// How the names of this job's ports begin.
fn prefix() -> String {
    format!("ftmpi-rs:{}:", std::process::id())
}

/// Whether a name is one of this job's.
pub(super) fn is_of_this_job(name: &[u8]) -> bool {
    name.starts_with(prefix().as_bytes())
}

/// Publishes a port under a name.
pub fn publish(process: &Process, service: Vec<u8>, port: Vec<u8>) -> Result {
    let ports = process.world.tenant::<Ports>();
    let mut table = ports.0.lock();
    if is_published(process.world, &table, &service) {
        let words = format!("service_name is {}, which is published already", shown(&service));
        return Err(Class::SERVICE.because(words));
    }
    table.published.insert(service, (port, process.me));
    Ok(())
}

/// Takes a name back.
pub fn unpublish(process: &Process, service: &[u8], port: &[u8]) -> Result {
    let ports = process.world.tenant::<Ports>();
    let mut table = ports.0.lock();
    let is_it =
        table.published.get(service).is_some_and(|(known, by)| known == port && *by == process.me);
    if !is_it {
        let words = format!("this process has not published {} as {}", shown(port), shown(service));
        return Err(Class::SERVICE.because(words));
    }
    table.published.remove(service);
    Ok(())
}

/// The port that is published under a name.
pub fn look_up(process: &Process, service: &[u8]) -> Result<Vec<u8>> {
    let ports = process.world.tenant::<Ports>();
    let table = ports.0.lock();
    match table.published.get(service).filter(|_| is_published(process.world, &table, service)) {
        Some((port, _)) => Ok(port.clone()),
        None => Err(Class::NAME
            .because(format!("service_name is {}, which nobody has published", shown(service)))),
    }
}

/// What the dead have published counts no more.
fn is_published(world: &World, table: &Table, service: &[u8]) -> bool {
    table.published.get(service).is_some_and(|(_, by)| !world.is_dead(*by))
}
