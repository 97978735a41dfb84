//! A word of the program's own text, for others to look at: set and read without a lock.

use super::atomic::{AtomicU64, Ordering};

/// A `&'static str` or nothing, as one number: where it is in the lower 48 bits, its length above.
/// Others may see an old one, and never half of one.
#[derive(Default)]
pub struct Name(AtomicU64);

const PLACE: u64 = (1 << 48) - 1;

impl Name {
    /// A word that does not fit is nothing: it is for people only.
    #[inline]
    pub fn set(&self, name: Option<&'static str>) {
        self.0.store(name.map_or(0, packed), Ordering::Relaxed);
    }

    #[inline]
    pub fn read(&self) -> Option<&'static str> {
        let packed = self.0.load(Ordering::Relaxed);
        if packed == 0 {
            return None;
        }
        let place = std::ptr::with_exposed_provenance((packed & PLACE) as usize);
        // SAFETY: `set` made the number of a word that lives as long as the program.
        let bytes = unsafe { std::slice::from_raw_parts(place, (packed >> 48) as usize) };
        // SAFETY: the same: it was a string.
        Some(unsafe { std::str::from_utf8_unchecked(bytes) })
    }
}

#[inline]
fn packed(name: &'static str) -> u64 {
    let (place, length) = (name.as_ptr().expose_provenance() as u64, name.len() as u64);
    if place > PLACE || length > u64::from(u16::MAX) { 0 } else { length << 48 | place }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn what_was_set_is_read() {
        let name = Name::default();
        assert_eq!(name.read(), None);
        for word in ["MPI_Recv", "", "MPI_Allreduce"] {
            name.set(Some(word));
            assert_eq!(name.read(), Some(word));
        }
        name.set(None);
        assert_eq!(name.read(), None);
    }
}
