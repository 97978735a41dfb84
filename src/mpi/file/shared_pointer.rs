//! The shared file pointer: one number, in etypes. The processes of one host map it; those of other
//! hosts ask one of these to change it at once. So it is there as long as one of these is.

use crate::host::memory::SharedWord;
use crate::host::memory::afar::Missing;
use crate::mpi::error::{Class, Result};
use crate::mpi::p2p::outcome::loss;
use crate::transport::{Showing, ShownWord, WordChange};
use std::io;
use std::sync::atomic::{AtomicI64, Ordering};

pub enum Pointer {
    Here(AtomicI64),
    /// Other processes use it, too.
    Shared(Shared),
    /// These processes of another host have it.
    Distant(Vec<Keeper>),
}

/// A process that has the pointer, and where.
pub struct Keeper {
    pub process: Showing,
    pub address: usize,
    /// Its rank, which is named when it has died.
    pub rank: i32,
}

/// A pointer that processes of one host map.
pub struct Shared {
    shown: ShownWord,
    word: SharedWord,
}

impl Shared {
    /// A new one, which is there.
    pub fn at(etypes: i64) -> io::Result<Shared> {
        let word = SharedWord::new()?;
        word.store(etypes, Ordering::Release);
        Ok(Shared { shown: ShownWord::new(&word), word })
    }

    /// The one that the process `pid` has open by this descriptor.
    pub fn open(pid: i32, descriptor: i32) -> io::Result<Shared> {
        let word = SharedWord::open(pid, descriptor)?;
        Ok(Shared { shown: ShownWord::new(&word), word })
    }

    /// By which descriptor the process that has made it has it open.
    pub fn descriptor(&self) -> Option<i32> {
        self.word.descriptor()
    }

    /// Where it is in this process.
    pub fn address(&self) -> usize {
        self.shown.address()
    }
}

/// Has the first keeper that lives change the pointer; returns where it was.
fn change(keepers: &[Keeper], change: WordChange) -> Result<i64> {
    let mut failure = None;
    for Keeper { process, address, rank } in keepers {
        match process.change(*address, change) {
            Ok(former) => return Ok(former),
            Err(Missing::Process) => failure = Some(loss(*rank)),
            // It has closed the file.
            Err(Missing::There(_) | Missing::Here(_) | Missing::Hidden) => {}
        }
    }
    let words = "the processes that have the shared file pointer have closed the file";
    Err(failure.unwrap_or_else(|| Class::FILE.because(words)))
}

impl Pointer {
    fn word(&self) -> std::result::Result<&AtomicI64, &[Keeper]> {
        match self {
            Pointer::Here(word) => Ok(word),
            Pointer::Shared(shared) => Ok(&shared.word),
            Pointer::Distant(keepers) => Err(keepers),
        }
    }

    /// Where it is.
    pub fn position(&self) -> Result<i64> {
        match self.word() {
            Ok(word) => Ok(word.load(Ordering::Acquire)),
            Err(keepers) => change(keepers, WordChange::Add(0)),
        }
    }

    /// Sets it.
    pub fn set(&self, etypes: i64) -> Result {
        match self.word() {
            Ok(word) => word.store(etypes, Ordering::Release),
            Err(keepers) => drop(change(keepers, WordChange::Set(etypes))?),
        }
        Ok(())
    }

    /// Moves it on; returns where it was.
    pub fn pass(&self, etypes: i64) -> Result<i64> {
        match self.word() {
            Ok(word) => Ok(word.fetch_add(etypes, Ordering::AcqRel)),
            Err(keepers) => change(keepers, WordChange::Add(etypes)),
        }
    }

    /// The pointer that processes of this host map, if it is one.
    pub fn shared(&self) -> Option<&Shared> {
        match self {
            Pointer::Shared(shared) => Some(shared),
            Pointer::Here(_) | Pointer::Distant(_) => None,
        }
    }

    /// Whether other processes use it, too.
    pub fn has_others(&self) -> bool {
        !matches!(self, Pointer::Here(_))
    }
}
