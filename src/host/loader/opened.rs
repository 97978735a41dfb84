//! What one rank has opened while it runs: its own copies of libraries, in an area of their own.
//!
//! The area is one stretch of address space, reserved when the rank opens its first library. All
//! ranks use the same offsets in it, so that the relocations of a library are resolved once. A
//! library that was opened stays until the rank ends, as POSIX allows: `dlclose` only counts.

use super::object::Object;
use super::plugins::{AREA_ALIGNMENT, AREA_BYTES, Library, MOST, Plugins};
use super::reloc_program::{Base, Own};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::io::Error;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The libraries that a rank has opened.
#[derive(Default)]
pub(super) struct Opened {
    /// Made when the first one is opened. Read in handlers of signals.
    area: OnceLock<Box<Area>>,
}

struct Area {
    mapping: Range<usize>,
    start: usize,
    /// A bit for each library whose image is there, by number.
    present: [AtomicU64; MOST / 64],
    books: Mutex<Books>,
}

#[derive(Default)]
struct Books {
    /// By number: how often it was opened and not closed.
    uses: HashMap<usize, usize>,
    /// In the order of their constructors.
    constructed: Vec<usize>,
}

impl Opened {
    /// Where the images of this rank are; its program's begin at `images`.
    pub(super) fn base(&self, images: usize, plugins: &Plugins) -> Base {
        let start = self.area.get().map_or(0, |area| area.start);
        Base { images, boundary: plugins.boundary(), opened: start }
    }

    /// Whether the address is in the area. Safe in handlers.
    pub(super) fn contains(&self, address: usize) -> bool {
        self.area.get().is_some_and(|area| address.wrapping_sub(area.start) < AREA_BYTES)
    }

    /// Whether the rank has a copy of the library with this number. Safe in handlers.
    pub(super) fn has(&self, number: usize) -> bool {
        let word = |area: &Area| area.present[number / 64].load(Ordering::Acquire);
        self.area.get().is_some_and(|area| word(area) >> (number % 64) & 1 == 1)
    }

    /// Those of which it has copies. Safe in handlers.
    pub(super) fn objects<'a>(&'a self, plugins: &'a Plugins) -> impl Iterator<Item = &'a Object> {
        let all = self.area.get().map(|_| plugins.libraries()).into_iter().flatten();
        all.filter(|(number, _)| self.has(*number)).map(|(_, library)| &library.object)
    }

    /// In the order of their constructors.
    pub(super) fn constructed(&self) -> Vec<usize> {
        self.area.get().map_or_else(Vec::new, |area| area.books.lock().constructed.clone())
    }

    /// Counts one more use of a library, and makes the copies that the rank lacks of it and of what
    /// it needs. Returns their numbers, in the order in which their constructors are to run.
    pub(super) fn open(
        &self, number: usize, images: usize, plugins: &Plugins, own: Own<'_>,
    ) -> Result<Vec<usize>, Error> {
        let area = match self.area.get() {
            Some(area) => area,
            None => {
                let fresh = Area::new()?;
                self.area.get_or_init(|| Box::new(fresh))
            }
        };
        let mut books = area.books.lock();
        let library = plugins.library(number);
        let lacking: Vec<usize> =
            library.with.iter().copied().filter(|number| !self.has(*number)).collect();
        let fresh: Vec<&Library> = lacking.iter().map(|&it| plugins.library(it)).collect();
        let base = self.base(images, plugins);
        for library in &fresh {
            area.unlock(base.range(library.object.span()))?;
            library.object.place(base)?;
        }
        for library in &fresh {
            // SAFETY: libraries come after those that they need, so these are done first.
            unsafe { library.object.program.apply(base, own) };
        }
        for library in &fresh {
            // SAFETY: everything is relocated.
            unsafe { library.object.program.ask_resolvers(base) };
        }
        for &number in &lacking {
            area.present[number / 64].fetch_or(1 << (number % 64), Ordering::Release);
        }
        books.constructed.extend(&lacking);
        *books.uses.entry(number).or_default() += 1;
        Ok(lacking)
    }

    /// Counts one use less; false if there is none.
    pub(super) fn close(&self, number: usize) -> bool {
        let Some(area) = self.area.get() else { return false };
        let mut books = area.books.lock();
        let Some(uses) = books.uses.get_mut(&number).filter(|uses| **uses > 0) else {
            return false;
        };
        *uses -= 1;
        true
    }
}

impl Area {
    fn new() -> Result<Area, Error> {
        let bytes = AREA_BYTES + AREA_ALIGNMENT;
        let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping at a place of the kernel's choice.
        let place =
            unsafe { libc::mmap(std::ptr::null_mut(), bytes, libc::PROT_NONE, kind, -1, 0) };
        if place == libc::MAP_FAILED {
            return Err(Error::last_os_error());
        }
        let place = place.expose_provenance();
        Ok(Area {
            mapping: place..place + bytes,
            start: place.next_multiple_of(AREA_ALIGNMENT),
            present: [const { AtomicU64::new(0) }; MOST / 64],
            books: Mutex::default(),
        })
    }

    /// Makes this part of it zeroed memory.
    fn unlock(&self, part: Range<usize>) -> Result<(), Error> {
        let start = std::ptr::with_exposed_provenance_mut(part.start);
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a part of the area that nobody has used.
        let status = unsafe { libc::mprotect(start, part.len(), protection) };
        if status == 0 { Ok(()) } else { Err(Error::last_os_error()) }
    }
}

impl Drop for Area {
    fn drop(&mut self) {
        let start = std::ptr::with_exposed_provenance_mut(self.mapping.start);
        // SAFETY: the area of a rank that is dead, all of whose threads are gone.
        unsafe { libc::munmap(start, self.mapping.len()) };
    }
}
