//! The shared file pointer: one number, in etypes. Processes of one host map it; those of other
//! hosts ask the process that has opened the file first, which has it change at once.

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
    Distant(Distant),
}

/// A pointer that processes of one host map.
pub struct Shared {
    /// In the process that has made it.
    shown: Option<ShownWord>,
    word: SharedWord,
}

impl Shared {
    /// A new one, which is there.
    pub fn at(etypes: i64) -> io::Result<Shared> {
        let word = SharedWord::new()?;
        word.store(etypes, Ordering::Release);
        Ok(Shared { shown: Some(ShownWord::new(&word)), word })
    }

    /// The one that the process `pid` has open by this descriptor.
    pub fn open(pid: i32, descriptor: i32) -> io::Result<Shared> {
        Ok(Shared { shown: None, word: SharedWord::open(pid, descriptor)? })
    }

    /// By which descriptor the process that has made it has it open, and where it is there.
    pub fn place(&self) -> Option<(i32, usize)> {
        Some((self.word.descriptor()?, self.shown.as_ref()?.address()))
    }
}

/// A pointer that a process on another host keeps.
pub struct Distant {
    pub keeper: Showing,
    pub address: usize,
    /// The keeper's rank, which is named when it has died.
    pub rank: i32,
}

impl Distant {
    fn change(&self, change: WordChange) -> Result<i64> {
        let former = self.keeper.change(self.address, change);
        former.map_err(|missing| match missing {
            Missing::There(_) => Class::FILE.because(format!(
                "rank {}, which keeps the shared file pointer, has closed the file",
                self.rank
            )),
            Missing::Process | Missing::Here(_) => loss(self.rank),
        })
    }
}

impl Pointer {
    fn word(&self) -> std::result::Result<&AtomicI64, &Distant> {
        match self {
            Pointer::Here(word) => Ok(word),
            Pointer::Shared(shared) => Ok(&shared.word),
            Pointer::Distant(distant) => Err(distant),
        }
    }

    /// Where it is.
    pub fn position(&self) -> Result<i64> {
        match self.word() {
            Ok(word) => Ok(word.load(Ordering::Acquire)),
            Err(distant) => distant.change(WordChange::Add(0)),
        }
    }

    /// Sets it.
    pub fn set(&self, etypes: i64) -> Result {
        match self.word() {
            Ok(word) => word.store(etypes, Ordering::Release),
            Err(distant) => drop(distant.change(WordChange::Set(etypes))?),
        }
        Ok(())
    }

    /// Moves it on; returns where it was.
    pub fn pass(&self, etypes: i64) -> Result<i64> {
        match self.word() {
            Ok(word) => Ok(word.fetch_add(etypes, Ordering::AcqRel)),
            Err(distant) => distant.change(WordChange::Add(etypes)),
        }
    }

    /// What other processes need to know to use it, if this one has made it for them.
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
