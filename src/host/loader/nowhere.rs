//! Functions that no library defines: calling one is a fault at an address that identifies it.
//!
//! ld.so lets such a program start, too, and ends it at the call.

use parking_lot::Mutex;
use std::ffi::CStr;

/// Their names; the one at `n` stands for the address `n * STEP` bytes into [`ground`].
static NAMES: Mutex<Vec<&'static CStr>> = Mutex::new(Vec::new());

const STEP: usize = 16;
const BYTES: usize = 1 << 20;

/// The address that stands for the function `name`, or 0 if there are too many.
pub(super) fn address(name: &'static CStr) -> usize {
    let mut names = NAMES.lock();
    let known = names.iter().position(|it| *it == name);
    let index = known.unwrap_or_else(|| {
        names.push(name);
        names.len() - 1
    });
    match ground() {
        0 => 0,
        ground if index < BYTES / STEP => ground + index * STEP,
        _ => 0,
    }
}

/// The function that `address` stands for.
pub(in crate::host) fn name(address: usize) -> Option<&'static CStr> {
    let names = NAMES.lock();
    if names.is_empty() {
        return None;
    }
    let inside = address.checked_sub(ground()).filter(|inside| *inside < BYTES)?;
    names.get(inside / STEP).copied()
}

/// Inaccessible address space; 0 if the system has none left.
fn ground() -> usize {
    static GROUND: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    *GROUND.get_or_init(|| {
        let (access, flags) = (libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping, where the kernel finds room, replaces no other.
        let at = unsafe { libc::mmap(std::ptr::null_mut(), BYTES, access, flags, -1, 0) };
        if at == libc::MAP_FAILED { 0 } else { at as usize }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_its_function() {
        let (first, second) = (address(c"first"), address(c"second"));
        assert_eq!(address(c"first"), first);
        assert_eq!((name(first), name(second)), (Some(c"first"), Some(c"second")));
        assert_eq!((name(0), name(first.wrapping_sub(1))), (None, None));
    }
}
