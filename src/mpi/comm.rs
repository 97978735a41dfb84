//! Communicators: a group, a context of its own, and what the program hangs on them.

use crate::base::Member;
use crate::engine::Roster;
use crate::mpi::attr::{Attribute, Attributes, Bearer, Found, On};
use crate::mpi::buffer;
use crate::mpi::errhandler::Installed;
use crate::mpi::error::{Class, Result};
use crate::mpi::group::{Comparison, Group};
use crate::mpi::info::Info;
use crate::mpi::process::Process;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

pub const NULL: usize = 0x100;
pub const WORLD: usize = 0x101;
pub const SELF: usize = 0x102;

const PROC_NULL: i32 = -3;
const ANY_SOURCE: i32 = -1;

/// Tags from here on are of operations among some of the members only.
pub(super) const SUBSET_TAGS: i32 = 1 << 30;

/// An intracommunicator.
pub struct Comm {
    /// Its handle in this process.
    pub handle: usize,
    /// What keeps its messages apart: `2 * context` on the wire, `2 * context + 1` in collectives.
    pub context: u32,
    pub group: Arc<Group>,
    /// The rank of this process in it.
    pub rank: i32,
    pub name: Mutex<Vec<u8>>,
    pub errhandler: Installed,
    pub attributes: Attributes,
    /// The hints that were given for it.
    info: Mutex<Arc<Info>>,
    /// What MPI_Comm_attach_buffer attached.
    pub buffer: buffer::Slot,
    /// Counts the collective operations: a late message of one is never taken for another's.
    collectives: AtomicU32,
}

/// Where a message goes to or comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// MPI_PROC_NULL: nowhere.
    Null,
    Rank {
        rank: i32,
        member: Member,
    },
}

/// Where a message may come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Any,
    One(Peer),
}

impl Comm {
    /// A communicator of `group`, of which the caller is a member.
    pub fn new(handle: usize, context: u32, group: Arc<Group>, name: &str) -> Comm {
        let rank = group.rank().expect("whoever holds a communicator is in it");
        Comm {
            handle,
            context,
            group,
            rank,
            name: Mutex::new(name.as_bytes().to_vec()),
            errhandler: Installed::fatal(),
            attributes: Attributes::new(),
            info: Mutex::default(),
            buffer: buffer::Slot::new(),
            collectives: AtomicU32::new(0),
        }
    }

    /// The same, with the error handler of `parent` and these attributes.
    pub(super) fn inherit(self, parent: &Comm, attributes: Attributes) -> Comm {
        Comm { errhandler: Installed::inherit(&parent.errhandler), attributes, ..self }
    }

    /// True for MPI_COMM_WORLD and MPI_COMM_SELF.
    pub fn is_predefined(&self) -> bool {
        matches!(self.handle, WORLD | SELF)
    }

    /// How this communicator compares to `other` (MPI-5.0 §7.4.1).
    pub fn compare(&self, other: &Comm) -> Comparison {
        match self.group.compare(&other.group) {
            _ if self.handle == other.handle => Comparison::Ident,
            Comparison::Ident => Comparison::Congruent,
            unequal => unequal,
        }
    }

    /// True for intercommunicators, which this library does not have yet.
    pub fn is_inter(&self) -> bool {
        false
    }

    /// The other group of an intercommunicator.
    pub fn remote(&self) -> Result<Arc<Group>> {
        let words = format!("comm is {}, which is no intercommunicator", self.title());
        Err(Class::COMM.because(words))
    }

    /// Replaces the hints.
    pub fn set_info(&self, info: Option<&Info>) {
        *self.info.lock() = Arc::new(info.map(Info::duplicate).unwrap_or_default());
    }

    /// The hints, as an info that goes its own way.
    pub fn info(&self) -> Info {
        self.info.lock().duplicate()
    }

    /// The attribute under `key`, predefined or not.
    pub fn attribute(&self, process: &Process, key: i32) -> Result<Option<Found>> {
        match process.predefined.find(key, &process.codes.last_used) {
            Some(found) => Ok(Some(found)),
            None => self.attributes.value(process, key, Bearer::Comm),
        }
    }

    /// Hangs an attribute on this communicator.
    pub fn set_attribute(&self, process: &Process, key: i32, value: Attribute) -> Result {
        self.attributes.set(process, self.as_bearer(), key, value)
    }

    /// Takes an attribute off this communicator.
    pub fn delete_attribute(&self, process: &Process, key: i32) -> Result {
        self.attributes.delete(process, self.as_bearer(), key)
    }

    fn as_bearer(&self) -> On {
        On { bearer: Bearer::Comm, handle: self.handle }
    }

    /// The tag of the next collective operation; all members count alike.
    pub(super) fn next_collective(&self) -> i32 {
        let number = self.collectives.fetch_add(1, Ordering::Relaxed) % SUBSET_TAGS as u32;
        number as i32
    }

    /// How many members there are.
    #[inline]
    pub fn size(&self) -> i32 {
        i32::try_from(self.group.len()).expect("ranks fit an int")
    }

    /// Who has `rank`, which is one of this communicator's.
    #[inline]
    pub fn member(&self, rank: i32) -> Member {
        let member = usize::try_from(rank).ok().and_then(|rank| self.group.member(rank));
        member.expect("the rank was checked")
    }

    /// Its members, for those who must know whether one is there.
    pub fn roster(&self) -> Arc<dyn Roster> {
        self.group.clone()
    }

    /// Where a send to `dest` goes.
    #[inline]
    pub fn peer(&self, dest: i32) -> Result<Peer> {
        let member = usize::try_from(dest).ok().and_then(|rank| self.group.member(rank));
        match member {
            Some(member) => Ok(Peer::Rank { rank: dest, member }),
            None if dest == PROC_NULL => Ok(Peer::Null),
            None => Err(self.stranger("dest", dest, "MPI_PROC_NULL")),
        }
    }

    /// Where a receive from `source` listens.
    #[inline]
    pub fn source(&self, source: i32) -> Result<Source> {
        let member = usize::try_from(source).ok().and_then(|rank| self.group.member(rank));
        match member {
            Some(member) => Ok(Source::One(Peer::Rank { rank: source, member })),
            None if source == ANY_SOURCE => Ok(Source::Any),
            None if source == PROC_NULL => Ok(Source::One(Peer::Null)),
            None => Err(self.stranger("source", source, "MPI_ANY_SOURCE or MPI_PROC_NULL")),
        }
    }

    /// The root of a collective: a rank of this communicator.
    pub fn root(&self, root: i32) -> Result<i32> {
        if (0..self.size()).contains(&root) {
            return Ok(root);
        }
        let words = format!("root is {root}; {} has ranks 0 to {}", self.title(), self.size() - 1);
        Err(Class::ROOT.because(words))
    }

    /// Its name, for messages.
    pub fn title(&self) -> String {
        let name = self.name.lock();
        match name.as_slice() {
            [] => format!("a communicator of {} ranks", self.size()),
            name => String::from_utf8_lossy(name).into_owned(),
        }
    }

    #[cold]
    fn stranger(&self, name: &str, rank: i32, others: &str) -> crate::mpi::error::Failure {
        let last = self.size() - 1;
        let words = format!("{name} is {rank}; {} has ranks 0 to {last}", self.title());
        Class::RANK.because(format!("{words} (it may be {})", others))
    }
}
