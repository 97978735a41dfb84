//! Memory of which many threads hold parts: each part has one writer, or any number of readers.
//!
//! The holders are recorded. An access to a part that another holder writes, or a write to a part
//! that another holds, breaks a rule of the protocol that shares the sheet: it is detected before
//! any memory is touched.

use parking_lot::Mutex;
use std::ops::{Deref, DerefMut, Range};
use std::ptr;

/// Bytes that are shared in parts.
pub struct Sheet {
    /// Accessed through `start` only, except for resizing.
    memory: Vec<u8>,
    start: *mut u8,
    held: Mutex<Vec<Held>>,
}

/// A part that is held.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Held {
    range: Range<usize>,
    is_written: bool,
}

// SAFETY: the sheet owns the memory behind `start`, and a part that is written to has one holder.
unsafe impl Send for Sheet {}
// SAFETY: as above; the record of holders is behind a lock.
unsafe impl Sync for Sheet {}

impl Default for Sheet {
    fn default() -> Sheet {
        Sheet::from(Vec::new())
    }
}

impl From<Vec<u8>> for Sheet {
    fn from(mut memory: Vec<u8>) -> Sheet {
        let start = memory.as_mut_ptr();
        Sheet { memory, start, held: Mutex::default() }
    }
}

impl Sheet {
    #[inline]
    pub fn len(&self) -> usize {
        self.memory.len()
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.memory.is_empty()
    }

    /// Where it begins, for other processes, which may read it.
    pub fn address(&self) -> usize {
        self.start.expose_provenance()
    }

    /// Sets its length; new bytes are zero.
    pub fn resize(&mut self, bytes: usize) {
        self.memory.resize(bytes, 0);
        self.start = self.memory.as_mut_ptr();
    }

    /// A part to read.
    #[inline]
    pub fn read(&self, range: Range<usize>) -> Reading<'_> {
        Reading(self.hold(range, false))
    }

    /// A part to write to.
    #[inline]
    pub fn write(&self, range: Range<usize>) -> Writing<'_> {
        Writing(self.hold(range, true))
    }

    fn hold(&self, range: Range<usize>, is_written: bool) -> Part<'_> {
        assert!(range.start <= range.end && range.end <= self.len(), "{range:?} of {}", self.len());
        let meets = |one: &Held| one.range.start.max(range.start) < one.range.end.min(range.end);
        let part = Held { range: range.clone(), is_written };
        let mut held = self.held.lock();
        let other = held.iter().find(|one| meets(one) && (is_written || one.is_written));
        assert!(other.is_none(), "{part:?} is wanted while {other:?} is held");
        held.push(part.clone());
        Part { sheet: self, held: part }
    }
}

/// A held part.
struct Part<'a> {
    sheet: &'a Sheet,
    held: Held,
}

impl Part<'_> {
    #[inline]
    fn address(&self) -> *mut u8 {
        self.sheet.start.wrapping_add(self.held.range.start)
    }
}

impl Drop for Part<'_> {
    fn drop(&mut self) {
        let mut held = self.sheet.held.lock();
        let at = held.iter().position(|one| *one == self.held).expect("what is held is noted");
        held.swap_remove(at);
    }
}

/// A part that is only read.
pub struct Reading<'a>(Part<'a>);

impl Deref for Reading<'_> {
    type Target = [u8];
    #[inline]
    fn deref(&self) -> &[u8] {
        // SAFETY: the range is inside the sheet, and not written to while this is held.
        unsafe { &*ptr::slice_from_raw_parts(self.0.address(), self.0.held.range.len()) }
    }
}

/// A part with a single holder.
pub struct Writing<'a>(Part<'a>);

impl Deref for Writing<'_> {
    type Target = [u8];
    #[inline]
    fn deref(&self) -> &[u8] {
        // SAFETY: the range is inside the sheet, and nothing else holds any of it meanwhile.
        unsafe { &*ptr::slice_from_raw_parts(self.0.address(), self.0.held.range.len()) }
    }
}

impl DerefMut for Writing<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and this is the only way to it.
        unsafe { &mut *ptr::slice_from_raw_parts_mut(self.0.address(), self.0.held.range.len()) }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn many_write_parts_of_their_own_at_once_and_then_all_read() {
        let mut sheet = Sheet::default();
        sheet.resize(8 * 100);
        std::thread::scope(|scope| {
            for who in 0..8 {
                let sheet = &sheet;
                scope.spawn(move || {
                    for start in (who * 100..who * 100 + 100).step_by(10) {
                        sheet.write(start..start + 10).fill(who as u8);
                    }
                });
            }
        });
        let (one, other) = (sheet.read(0..800), sheet.read(350..500));
        assert!(one.iter().enumerate().all(|(at, byte)| *byte as usize == at / 100));
        assert_eq!((other[49], other[50]), (3, 4));
    }

    #[test]
    fn what_somebody_writes_nobody_else_gets_and_what_is_read_nobody_writes() {
        let sheet = Sheet::from(vec![7; 100]);
        let fails = |wanted: &dyn Fn()| catch_unwind(AssertUnwindSafe(wanted)).is_err();
        let writing = sheet.write(10..20);
        assert!(fails(&|| drop(sheet.read(19..30))));
        assert!(fails(&|| drop(sheet.write(0..11))));
        drop((sheet.read(20..30), sheet.write(0..10), sheet.read(15..15)));
        drop(writing);
        let reading = sheet.read(10..20);
        assert!(fails(&|| drop(sheet.write(12..13))));
        assert!(fails(&|| drop(sheet.read(90..101))));
        drop(reading);
        sheet.write(12..13)[0] = 1;
        assert_eq!(sheet.read(11..14)[..], [7, 1, 7]);
    }

    #[test]
    fn what_is_made_longer_keeps_what_it_has() {
        let mut sheet = Sheet::from(vec![1, 2, 3]);
        sheet.resize(1000);
        sheet.write(999..1000)[0] = 9;
        assert_eq!((&sheet.read(0..4)[..], sheet.read(999..1000)[0]), (&[1, 2, 3, 0][..], 9));
    }
}
