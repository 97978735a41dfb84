//! What the processes of a job and `ftrun`, which has started them, tell each other: messages over
//! a local socket, each after its length. Where the job has several hosts, an agent on each passes
//! them on ([`hosts`]).

#![forbid(unsafe_code)]

pub mod adoption;
pub mod hosts;
pub mod takeover;

use ftmpi_base::Member;
use ftmpi_fault::{Notice, Report, Summons, Welcome};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, ErrorKind, Read, Write};

/// The variable by which a process learns that it is one of several, and which. The first line is
/// a [`Place`]; the job follows.
pub const VARIABLE: &str = "FTRUN_PROCESS";

/// The most processes of a job.
pub const MOST_PROCESSES: usize = 16_384;

/// Where a process belongs, and where `ftrun` listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The socket's name, which is no file.
    pub address: String,
    /// Only the processes of the job know it.
    pub secret: String,
    /// The rank that it is, and which life of it; or if it has several, the first of them, and how
    /// often the process has been started again.
    pub seat: usize,
    pub incarnation: u32,
    /// How many lives of the rank there were before; others may have had the seat before it.
    pub past: u32,
    /// If the job has several hosts: which of them this is, and what only its processes know.
    pub host: Option<(u32, u64)>,
}

impl Place {
    pub fn encode(&self) -> String {
        let Place { address, secret, seat, incarnation, past, host } = self;
        let host = host.map(|(host, key)| format!(" {host} {key}")).unwrap_or_default();
        format!("{address} {secret} {seat} {incarnation} {past}{host}")
    }

    pub fn decode(text: &str) -> Option<Place> {
        let words: Vec<&str> = text.split(' ').collect();
        let (&[address, secret, seat, incarnation, past], host) = words.split_first_chunk()?;
        let host = match host {
            [] => None,
            [host, key] => Some((host.parse().ok()?, key.parse().ok()?)),
            _ => return None,
        };
        Some(Place {
            address: address.to_string(),
            secret: secret.to_string(),
            seat: seat.parse().ok()?,
            incarnation: incarnation.parse().ok()?,
            past: past.parse().ok()?,
            host,
        })
    }
}

/// Where the memory of a process is found into which others write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Whereabouts {
    pub pid: i32,
    pub descriptor: i32,
    /// How processes of other hosts reach it.
    pub distant: Option<Distant>,
}

/// How a process is reached from other hosts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Distant {
    pub host: u32,
    pub incarnation: u32,
    /// Of its UCX worker.
    pub address: Vec<u8>,
}

/// Where a rank sits on a simulated machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Berth {
    pub seat: usize,
    /// The name of the node.
    pub node: String,
    pub rack: u32,
}

/// Where memory is found that all processes of a job share, which has one host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Area {
    pub pid: i32,
    pub descriptor: i32,
}

impl Area {
    /// The most processes that share it.
    pub const MOST: usize = 1024;
}

/// How a process is that stands still.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Still {
    /// Changes whenever something has happened there.
    pub turn: u64,
    /// In which calls each of its ranks is, and what it waits for.
    pub ranks: Vec<(usize, Vec<String>)>,
    /// What has passed between it and processes of other hosts.
    pub traffic: Vec<Traffic>,
}

/// What has passed between a process and another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traffic {
    pub peer: Member,
    /// How many frames the process has sent to the other one, and taken in from it.
    pub sent: u64,
    pub taken: u64,
}

/// What a process shows of one of its ranks to who watches the job: what this life of it does, and
/// has done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Glance {
    /// What it is seen doing, as `ftmpi_watch` numbers it.
    pub kind: u8,
    pub messages: u64,
    pub collectives: u64,
    /// How often it was woken; wraps around.
    pub wakings: u32,
    /// The age of its latest checkpoint, if it has one.
    pub checkpoint_ms: Option<u64>,
    /// The ranks that it waits for, if that was asked.
    pub awaited: Vec<u32>,
    /// How many messages it has sent to each rank since that was asked first.
    pub sent_to: Vec<(u32, u64)>,
}

/// What a process is to show of its ranks beside what is always shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asks {
    /// For which ranks it waits.
    pub awaited: bool,
    /// To which ranks it sends how much; messages are counted by pairs from then on.
    pub pairs: bool,
}

/// What a process says to `ftrun`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Said {
    /// Another launcher has started it as this rank: it wants to know what `ftrun` would have told
    /// it by its environment.
    Adopt { secret: String, seat: usize },
    /// It has made its first call.
    Joined { secret: String, seat: usize, incarnation: u32, at: Whereabouts },
    /// How the program takes failures, as the library would write it into a job.
    Rules(String),
    /// A rank of this process tells the coordinator something.
    Report { from: Member, report: Report },
    /// One of several ranks of this process has ended.
    Ended(EndOfRank),
    /// The latest life in this seat is to be killed, or this one if it is named: an agent names it,
    /// so that another coordinator may hear that again.
    Kill { seat: usize, incarnation: Option<u32> },
    /// It is about to die as ordered.
    Order(String),
    /// What it has seen of itself when it was asked for the time of this number; `None`: it is at
    /// work, or may go on by itself.
    Seen { look: u64, still: Option<Still> },
    /// What its ranks show, when it was asked, or for the last time.
    Glances(Vec<(Member, Glance)>),
    /// What one of its ranks does, in words: the answer to the question of this number.
    Described { question: u64, words: String },
    /// This life, on another host, does not answer, or is heard again.
    Silent { member: Member, is_silent: bool },
    /// Rows of the timeline, where the job has several hosts.
    Traced(Vec<u8>),
    /// This life, on another host, cannot be reached any more.
    Unreachable(Member),
    /// The job is to end.
    Abort { status: i32, words: String },
    /// A rank ends all ranks of a group, itself included.
    EndGroup(EndOfGroup),
}

/// How one of several ranks of a process has ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EndOfRank {
    pub member: Member,
    /// That of a process that ends in this way.
    pub status: i32,
    pub words: String,
    /// The order that killed it.
    pub order: Option<String>,
    /// What it showed at its end, if somebody watches the job.
    pub last: Option<Glance>,
}

/// What a rank does that aborts a part of the job, and with which status.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EndOfGroup {
    pub by: Member,
    pub members: Vec<Member>,
    pub status: i32,
    pub words: String,
}

/// What `ftrun` says to a process.
#[derive(Debug, Serialize, Deserialize)]
pub enum Told {
    /// The value of [`VARIABLE`] for one that another launcher has started.
    Adopted(String),
    /// It is one of the job; so many have been met already.
    Welcome {
        welcome: Box<Welcome>,
        met: Vec<(usize, Whereabouts)>,
        /// What all processes share, if there is anything.
        area: Option<Area>,
        /// Where ranks share processes: which start of each process is the present or the next.
        lives: Vec<u32>,
        /// Where its ranks sit, if the job is on a simulated machine.
        berths: Vec<Berth>,
    },
    /// It is not: another process has this place.
    Refused,
    /// The process of this seat is found there.
    Met {
        seat: usize,
        at: Whereabouts,
    },
    Notice(Notice),
    /// It is for one rank only.
    Answer {
        to: Member,
        notice: Notice,
    },
    /// The process with this first seat has ended, which was started again so often.
    Parted(Member),
    /// One of several ranks of this process begins.
    Begin {
        member: Member,
        generation: u64,
        summons: Option<Summons>,
    },
    /// Ranks of this process sit there from now on.
    Sit(Vec<Berth>),
    /// This rank, one of several in the process, is to be killed.
    Kill(Member),
    /// No rank begins here any more.
    Leave,
    /// The first rank that failed did so with this exit status.
    Cause(u8),
    /// It is to die by this order as soon as it is outside of MPI.
    DieOutside(String),
    /// It is to say whether it stands still, for the time of this number.
    Look(u64),
    /// It is to show what its ranks do.
    Glance(Asks),
    /// It is to say what this rank of it does, in answer to the question of this number.
    Describe {
        question: u64,
        member: Member,
    },
    /// Another host cannot reach this process from that life: it is to try the other way.
    TryToReach(Member),
    /// The job is over, with this exit status: it is to write what it holds, and to end.
    End(u8),
}

/// Longer messages are a mistake.
const LONGEST: usize = 1 << 28;

/// The bytes of one message.
pub fn encode<T: Serialize>(message: &T) -> Vec<u8> {
    let body = postcard::to_allocvec(message).expect("messages are made of plain data");
    let length = u32::try_from(body.len()).expect("messages are short");
    [&length.to_le_bytes()[..], &body].concat()
}

pub fn write<T: Serialize>(to: &mut impl Write, message: &T) -> io::Result<()> {
    to.write_all(&encode(message))
}

/// Reads one message; `None`: the other end is closed.
pub fn read<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<T>> {
    read_at_most(from, LONGEST)
}

/// As [`read`], from somebody who may not be trusted with much memory.
pub fn read_at_most<T: DeserializeOwned>(
    from: &mut impl Read, longest: usize,
) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = u32::from_le_bytes(length) as usize;
    if length > longest {
        return Err(ErrorKind::InvalidData.into());
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body)?;
    decode(&body).map(Some)
}

/// Reads the body of one message.
fn decode<T: DeserializeOwned>(body: &[u8]) -> io::Result<T> {
    postcard::from_bytes(body).map_err(|_| ErrorKind::InvalidData.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_one_after_the_other_until_the_end() {
        let rules = |number: usize| Said::Rules("x".repeat(number));
        let bytes: Vec<u8> = (0..50).flat_map(|number| encode(&rules(number))).collect();
        let mut rest = &bytes[..];
        for number in 0..50 {
            let said = read(&mut rest).expect("it is well formed");
            assert!(matches!(said, Some(Said::Rules(text)) if text.len() == number));
        }
        assert!(matches!(read::<Said>(&mut rest), Ok(None)));
        assert!(read::<Said>(&mut &bytes[..bytes.len() - 60][..]).is_ok());
        assert!(read::<Said>(&mut &[255; 9][..]).is_err(), "too long");
        assert!(read::<Said>(&mut &[3, 0, 0, 0, 255, 255, 255][..]).is_err(), "unknown");
    }

    #[test]
    fn a_place_survives_the_environment() {
        let (address, secret) = ("ftmpi-12".to_string(), "0a".to_string());
        let place = Place { address, secret, seat: 7, incarnation: 2, past: 1, host: None };
        let elsewhere = Place { host: Some((3, u64::MAX)), ..place.clone() };
        for place in [place, elsewhere] {
            assert_eq!(Place::decode(&place.encode()), Some(place));
        }
        assert_eq!(Place::decode("a b 1 0"), None);
    }
}
