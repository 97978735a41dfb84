//! Ports: where roots of two groups meet, as a host and guests meet at a door. And the names under
//! which ports are published. Pure.
//!
//! The job has one table. A root that comes to a port where none of the other side waits leaves a
//! *ticket*, and waits for one message. A root that finds a ticket takes it, notes that it has, and
//! sends that message. Both then talk on a context that only this ticket has. A rank that gives up
//! finds in the table whether its ticket is taken: then it tells the other one.
//!
//! Where ranks are in several processes, each process has a copy of the table, and all do the same
//! to it in the order in which the coordinator tells them. So a coordinator that takes over has it,
//! too.

use ftmpi_base::Member;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

/// The ports of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ports {
    /// What the names of this job's ports have in common.
    job: u32,
    opened: u64,
    open: BTreeMap<Vec<u8>, Port>,
    /// Service names: the port, and who has published it.
    published: BTreeMap<Vec<u8>, (Vec<u8>, Member)>,
    tickets: u64,
    /// By ticket: who has taken it.
    taken: BTreeMap<u64, Partner>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Port {
    owner: Member,
    /// Those that wait to accept, and those that wait to connect.
    waiting: [VecDeque<Ticket>; 2],
    /// The port of the one that the owner joins (MPI_Comm_join): of no use once that is closed.
    joined: Option<Vec<u8>>,
}

/// Which side of a port a root comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Side {
    Accept,
    Connect,
}

/// A root that waits at a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ticket {
    number: u64,
    pub member: Member,
    /// Its rank in its communicator.
    pub rank: i32,
    /// Where it waits for the message.
    pub wake: u32,
}

/// The root that has taken a ticket, and where both talk. Not before both are there is the context
/// drawn: a world that has recovered hears nothing on those of before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Partner {
    pub member: Member,
    pub talk: u32,
}

/// What a root finds at a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// One of the other side: this ticket is taken. Where both talk.
    Partner { ticket: Ticket, talk: u32 },
    /// Nobody yet: it waits with this ticket, as long as the owner of the port lives.
    Wait { ticket: Ticket, owner: Member },
}

/// What a rank does at the ports of its job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AtPorts {
    Open,
    Close {
        port: Vec<u8>,
    },
    Publish {
        service: Vec<u8>,
        port: Vec<u8>,
    },
    Unpublish {
        service: Vec<u8>,
        port: Vec<u8>,
    },
    LookUp {
        service: Vec<u8>,
    },
    /// It takes the ticket of a living root of the other side, or leaves one.
    Come {
        side: Side,
        rank: i32,
        port: Vec<u8>,
    },
    /// It ends its wait.
    Leave {
        port: Vec<u8>,
        ticket: Ticket,
    },
    /// It joins the owner of another port.
    Join {
        own: Vec<u8>,
        theirs: Vec<u8>,
    },
}

/// What comes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    Done,
    /// The port that was opened or looked up.
    Port(Vec<u8>),
    /// Those that wait at the port that was closed.
    Waiting(Vec<Ticket>),
    Found(Found),
    /// Who has taken the ticket.
    Taken(Option<Partner>),
    /// Who is joined.
    Joined(Member),
    No(Flaw),
}

/// Why it does not work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// There is no such port.
    NoPort,
    OfAnother,
    IsPublished,
    /// The rank has not published that.
    NotPublished,
    /// Nobody has published that.
    NoName,
    /// Whoever is to be joined is not there.
    Lost,
}

/// How the names of ports begin.
const MARK: &str = "ftmpi-rs:";

/// Whether two names are of ports of one job.
pub fn are_of_one_job(one: &[u8], other: &[u8]) -> bool {
    let of = |name: &[u8]| name.iter().rposition(|byte| *byte == b':').map(|end| end + 1);
    one.starts_with(MARK.as_bytes())
        && of(one).is_some_and(|end| of(other) == Some(end) && one[..end] == other[..end])
}

impl Ports {
    /// Those of a job that has this number on its machine.
    pub fn of(job: u32) -> Ports {
        Ports { job, ..Ports::default() }
    }

    /// `me` does this. `wake` and `talk`: contexts that nobody has had.
    pub fn act(
        &mut self, me: Member, what: &AtPorts, [wake, talk]: [u32; 2],
        is_dead: impl Fn(Member) -> bool,
    ) -> Reply {
        match what {
            AtPorts::Open => self.open(me),
            AtPorts::Close { port } => self.close(me, port),
            AtPorts::Publish { service, port } => {
                if self.finder(service, is_dead).is_some() {
                    return Reply::No(Flaw::IsPublished);
                }
                self.published.insert(service.clone(), (port.clone(), me));
                Reply::Done
            }
            AtPorts::Unpublish { service, port } => {
                if self.published.get(service).is_none_or(|(known, by)| known != port || *by != me)
                {
                    return Reply::No(Flaw::NotPublished);
                }
                self.published.remove(service);
                Reply::Done
            }
            AtPorts::LookUp { service } => {
                self.finder(service, is_dead).map_or(Reply::No(Flaw::NoName), Reply::Port)
            }
            AtPorts::Come { side, rank, port } => {
                let ticket = Ticket { number: self.tickets + 1, member: me, rank: *rank, wake };
                self.come(*side, port, ticket, talk, is_dead)
            }
            AtPorts::Leave { port, ticket } => Reply::Taken(self.leave(port, *ticket)),
            AtPorts::Join { own, theirs } => self.join(own, theirs, is_dead),
        }
    }

    /// The ports that `me` has open.
    pub fn of_owner(&self, me: Member) -> Vec<Vec<u8>> {
        let own = self.open.iter().filter(|(_, port)| port.owner == me);
        own.map(|(name, _)| name.clone()).collect()
    }

    fn open(&mut self, owner: Member) -> Reply {
        self.opened += 1;
        let name = format!("{MARK}{}:{}", self.job, self.opened).into_bytes();
        let port = Port { owner, waiting: Default::default(), joined: None };
        self.open.insert(name.clone(), port);
        Reply::Port(name)
    }

    fn close(&mut self, me: Member, name: &[u8]) -> Reply {
        match self.open.get(name) {
            Some(port) if port.owner == me => {}
            Some(_) => return Reply::No(Flaw::OfAnother),
            None => return Reply::No(Flaw::NoPort),
        }
        let port = self.open.remove(name).expect("it was just there");
        let joining = |port: &&mut Port| port.joined.as_deref() == Some(name);
        let partners = self.open.values_mut().filter(joining);
        let theirs = partners.flat_map(|port| std::mem::take(&mut port.waiting));
        Reply::Waiting(port.waiting.into_iter().chain(theirs).flatten().collect())
    }

    /// What is published under this name. What the dead have published counts no more.
    fn finder(&self, service: &[u8], is_dead: impl Fn(Member) -> bool) -> Option<Vec<u8>> {
        let (port, by) = self.published.get(service)?;
        (!is_dead(*by)).then(|| port.clone())
    }

    fn come(
        &mut self, side: Side, name: &[u8], ticket: Ticket, talk: u32,
        is_dead: impl Fn(Member) -> bool,
    ) -> Reply {
        let Some(port) = self.open.get_mut(name).filter(|port| !is_dead(port.owner)) else {
            return Reply::No(Flaw::NoPort);
        };
        let [own, others] = match side {
            Side::Accept => [0, 1],
            Side::Connect => [1, 0],
        };
        while let Some(other) = port.waiting[others].pop_front() {
            if !is_dead(other.member) {
                self.taken.insert(other.number, Partner { member: ticket.member, talk });
                return Reply::Found(Found::Partner { ticket: other, talk });
            }
        }
        self.tickets = ticket.number;
        port.waiting[own].push_back(ticket);
        Reply::Found(Found::Wait { ticket, owner: port.owner })
    }

    fn leave(&mut self, name: &[u8], ticket: Ticket) -> Option<Partner> {
        if let Some(port) = self.open.get_mut(name) {
            let is_other = |waiting: &Ticket| waiting.number != ticket.number;
            port.waiting.iter_mut().for_each(|queue| queue.retain(is_other));
        }
        self.taken.remove(&ticket.number)
    }

    fn join(&mut self, own: &[u8], theirs: &[u8], is_dead: impl Fn(Member) -> bool) -> Reply {
        let partner = self.open.get(theirs).map(|port| port.owner);
        let Some(partner) = partner.filter(|partner| !is_dead(*partner)) else {
            return Reply::No(Flaw::Lost);
        };
        if let Some(port) = self.open.get_mut(own) {
            port.joined = Some(theirs.to_vec());
        }
        Reply::Joined(partner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(seat: usize) -> Member {
        Member { seat, incarnation: 0 }
    }

    fn opened(ports: &mut Ports, seat: usize) -> Vec<u8> {
        match ports.act(member(seat), &AtPorts::Open, [0, 0], |_| false) {
            Reply::Port(name) => name,
            other => panic!("{other:?}"),
        }
    }

    fn come(ports: &mut Ports, seat: usize, side: Side, port: &[u8], dead: &[usize]) -> Reply {
        let what = AtPorts::Come { side, rank: 0, port: port.to_vec() };
        let contexts = [10 + seat as u32, 20 + seat as u32];
        ports.act(member(seat), &what, contexts, |member| dead.contains(&member.seat))
    }

    #[test]
    fn who_comes_second_takes_the_ticket_of_the_first_that_lives() {
        let mut ports = Ports::of(7);
        let port = opened(&mut ports, 0);
        for guest in [1, 2] {
            let reply = come(&mut ports, guest, Side::Connect, &port, &[]);
            assert!(matches!(reply, Reply::Found(Found::Wait { owner, .. }) if owner == member(0)));
        }
        let Reply::Found(Found::Partner { ticket, talk }) =
            come(&mut ports, 0, Side::Accept, &port, &[1])
        else {
            panic!("rank 2 waits")
        };
        assert_eq!((ticket.member, ticket.wake, talk), (member(2), 12, 20));
        let leave = AtPorts::Leave { port: port.clone(), ticket };
        let taken = ports.act(member(2), &leave, [0, 0], |_| false);
        assert_eq!(taken, Reply::Taken(Some(Partner { member: member(0), talk: 20 })));
        assert_eq!(come(&mut ports, 3, Side::Connect, &port, &[0]), Reply::No(Flaw::NoPort));
    }

    #[test]
    fn a_port_that_closes_sends_those_away_who_wait_there() {
        let mut ports = Ports::of(7);
        let port = opened(&mut ports, 0);
        come(&mut ports, 1, Side::Connect, &port, &[]);
        let close = AtPorts::Close { port: port.clone() };
        let no = |flaw| Reply::No(flaw);
        assert_eq!(ports.act(member(1), &close, [0, 0], |_| false), no(Flaw::OfAnother));
        let Reply::Waiting(waiting) = ports.act(member(0), &close, [0, 0], |_| false) else {
            panic!("it is closed")
        };
        assert_eq!(waiting.iter().map(|it| it.member.seat).collect::<Vec<_>>(), [1]);
        assert_eq!(ports.act(member(0), &close, [0, 0], |_| false), no(Flaw::NoPort));
    }

    #[test]
    fn what_the_dead_have_published_counts_no_more() {
        let mut ports = Ports::of(7);
        let publish = AtPorts::Publish { service: b"ocean".into(), port: b"p".into() };
        let look_up = AtPorts::LookUp { service: b"ocean".into() };
        let mut act = |seat, what: &AtPorts, dead: &[usize]| {
            ports.act(member(seat), what, [0, 0], |member| dead.contains(&member.seat))
        };
        assert_eq!(act(0, &publish, &[]), Reply::Done);
        assert_eq!(act(1, &publish, &[]), Reply::No(Flaw::IsPublished));
        assert_eq!(act(1, &look_up, &[]), Reply::Port(b"p".into()));
        assert_eq!(act(1, &look_up, &[0]), Reply::No(Flaw::NoName));
        assert_eq!(act(1, &publish, &[0]), Reply::Done);
    }

    #[test]
    fn names_tell_jobs_apart() {
        let [one, other] = [7, 70].map(|job| opened(&mut Ports::of(job), 0));
        let mut same = Ports::of(7);
        opened(&mut same, 0);
        assert!(are_of_one_job(&one, &opened(&mut same, 0)) && !are_of_one_job(&one, &other));
        assert!(!are_of_one_job(&one, b"") && !are_of_one_job(b"", b""));
    }
}
