//! A number that several processes share: it is in memory that all of them map, and no lock guards
//! it.

use super::afar::{Mapping, anonymous, opened_by};
use std::fs::File;
use std::io;
use std::ops::Deref;
use std::os::fd::AsRawFd;
use std::sync::atomic::AtomicI64;

/// A number that is used like any atomic one.
pub struct SharedWord {
    mapping: Mapping,
    /// In the process that has made it, for the others to open.
    file: Option<File>,
}

impl SharedWord {
    /// A number that is 0.
    pub fn new() -> io::Result<SharedWord> {
        let file = anonymous(c"ftmpi word", size_of::<AtomicI64>())?;
        let mapping = Mapping::new(&file, 0, size_of::<AtomicI64>())?;
        Ok(SharedWord { mapping, file: Some(file) })
    }

    /// The number that the process `pid` has open by this descriptor.
    pub fn open(pid: i32, descriptor: i32) -> io::Result<SharedWord> {
        let file = opened_by(pid, descriptor, size_of::<AtomicI64>())?;
        Ok(SharedWord { mapping: Mapping::new(&file, 0, size_of::<AtomicI64>())?, file: None })
    }

    /// By which descriptor the process that has made it has it open.
    pub fn descriptor(&self) -> Option<i32> {
        self.file.as_ref().map(File::as_raw_fd)
    }
}

impl Deref for SharedWord {
    type Target = AtomicI64;

    fn deref(&self) -> &AtomicI64 {
        // SAFETY: the mapping begins with a page, has the size of the number, and any bits are one.
        unsafe { &*self.mapping.start().cast::<AtomicI64>() }
    }
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering;

    #[test]
    fn a_number_is_the_same_wherever_it_is_mapped() {
        let word = SharedWord::new().expect("there is memory");
        let descriptor = word.descriptor().expect("it was made here");
        let other = SharedWord::open(std::process::id() as i32, descriptor).expect("it is there");
        assert_eq!(word.fetch_add(5, Ordering::AcqRel), 0);
        assert_eq!(other.fetch_add(7, Ordering::AcqRel), 5);
        drop(word);
        assert_eq!(other.load(Ordering::Acquire), 12);
    }
}
