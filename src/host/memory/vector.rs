//! The copy loop for more than a few bytes: four vectors at a time, or, for very many bytes, the
//! processor's own string instruction.
//!
//! `rep movsb` need not read the lines that it overwrites: up to 1.9 times as fast as vectors where
//! the target is not in the nearest caches. But on some processors it copies at a tenth of the
//! speed or less when the target lies a few bytes behind the source modulo 4096, as two blocks do
//! that `malloc` returns one after the other. libc's `memmove` does not look at that, and is not
//! used.
//!
//! A loop runs upwards unless the target overlaps the source from above, and also downwards where
//! the loads of an upward loop would have to wait for its own stores: the processor compares only
//! the lowest twelve bits of their addresses at first. Memory that is not in a cache is read and
//! written up to twice as fast upwards.

use std::arch::is_x86_feature_detected;
use std::arch::x86_64::{__cpuid, __cpuid_count, __m128i, __m256i};
use std::sync::OnceLock;

/// Copies at least [`LEAST`] bytes; source and target may overlap.
pub(super) type Mover = unsafe extern "C" fn(to: *mut u8, from: *const u8, bytes: usize);

/// Two of the widest vectors.
pub(super) const LEAST: usize = 64;

/// From so many bytes on, the string instruction is the faster one even in the nearest caches.
const LONG: usize = 24 << 10;
/// For processors that have no fast one.
const NEVER: usize = usize::MAX;

/// The fastest loop of this processor.
#[inline]
pub(super) fn mover() -> Mover {
    static MOVER: OnceLock<Mover> = OnceLock::new();
    *MOVER.get_or_init(|| match is_x86_feature_detected!("avx2") {
        true if has_fast_strings() => wide_and_long,
        true => wide,
        false => plain,
    })
}

/// Whether `rep movsb` is fast: processors say so (FSRM), but AMD's family 19h is slow at many
/// places, as GNU libc's authors found, too.
fn has_fast_strings() -> bool {
    const STRUCTURED: u32 = 7;
    const FSRM: u32 = 1 << 4;
    const SLOW_FAMILY: u32 = 0x19;
    let (brand, version) = (__cpuid(0), __cpuid(1).eax);
    if brand.eax < STRUCTURED {
        return false;
    }
    let family = (version >> 8 & 0xf) + (version >> 20 & 0xff);
    let is_slow = brand.ebx == u32::from_le_bytes(*b"Auth") && family == SLOW_FAMILY;
    __cpuid_count(STRUCTURED, 0).edx & FSRM != 0 && !is_slow
}

/// # Safety
/// The processor has AVX2; the rest as for [`copy`].
#[target_feature(enable = "avx2")]
unsafe extern "C" fn wide_and_long(to: *mut u8, from: *const u8, bytes: usize) {
    // SAFETY: the caller's promise.
    unsafe { copy::<__m256i, LONG>(to, from, bytes) }
}

/// # Safety
/// The processor has AVX2; the rest as for [`copy`].
#[target_feature(enable = "avx2")]
unsafe extern "C" fn wide(to: *mut u8, from: *const u8, bytes: usize) {
    // SAFETY: the caller's promise.
    unsafe { copy::<__m256i, NEVER>(to, from, bytes) }
}

/// # Safety
/// As for [`copy`].
unsafe extern "C" fn plain(to: *mut u8, from: *const u8, bytes: usize) {
    // SAFETY: the caller's promise.
    unsafe { copy::<__m128i, NEVER>(to, from, bytes) }
}

/// # Safety
/// Both are `bytes` of mapped memory, or a signal handler leaves the loop, which owns nothing.
/// `bytes` is at least [`LEAST`], and the processor has vectors `V`.
#[inline(always)]
unsafe fn copy<V: Copy, const LONG: usize>(to: *mut u8, from: *const u8, bytes: usize) {
    /// The stores for which the loads of a loop may have to wait.
    const NEAR: usize = 256;
    let vector = size_of::<V>();
    let ahead = to.addr().wrapping_sub(from.addr());
    let looks_near = (1..NEAR).contains(&(ahead % 4096));
    // SAFETY: the caller's promise.
    unsafe {
        if bytes <= 4 * vector {
            short::<V>(to, from, bytes)
        } else if bytes <= 8 * vector {
            middling::<V>(to, from, bytes)
        } else if ahead < bytes || looks_near && ahead.wrapping_neg() >= bytes {
            downwards::<V>(to, from, bytes)
        } else if bytes >= LONG && !looks_near && ahead.wrapping_neg() >= bytes {
            string(to, from, bytes)
        } else {
            upwards::<V>(to, from, bytes)
        }
    }
}

/// # Safety
/// As for [`copy`]; they do not overlap.
#[inline(always)]
unsafe fn string(to: *mut u8, from: *const u8, bytes: usize) {
    // SAFETY: the caller's promise. The direction flag is clear in every function.
    unsafe {
        std::arch::asm!(
            "rep movsb",
            inout("rdi") to => _, inout("rsi") from => _, inout("rcx") bytes => _,
            options(nostack, preserves_flags),
        );
    }
}

/// Copies the first and the last two vectors, which are all there is.
///
/// # Safety
/// As for [`copy`], with two to four vectors.
#[inline(always)]
unsafe fn short<V: Copy>(to: *mut u8, from: *const u8, bytes: usize) {
    let last = bytes - 2 * size_of::<V>();
    // SAFETY: the caller's promise. Everything is loaded before anything is stored.
    unsafe {
        let (first, second) = (Two::<V>::load(from), Two::<V>::load(from.add(last)));
        first.store(to);
        second.store(to.add(last));
    }
}

/// Copies the first and the last four vectors, which are all there is.
///
/// # Safety
/// As for [`copy`], with four to eight vectors.
#[inline(always)]
unsafe fn middling<V: Copy>(to: *mut u8, from: *const u8, bytes: usize) {
    let last = bytes - 4 * size_of::<V>();
    // SAFETY: as in `short`.
    unsafe {
        let (first, second) = (Four::<V>::load(from), Four::<V>::load(from.add(last)));
        first.store(to);
        second.store(to.add(last));
    }
}

/// # Safety
/// As for [`copy`], with more than four vectors; the target does not overlap the source from above.
#[inline(always)]
unsafe fn upwards<V: Copy>(to: *mut u8, from: *const u8, bytes: usize) {
    let (vector, turn) = (size_of::<V>(), size_of::<Four<V>>());
    let last = bytes - turn;
    // SAFETY: the caller's promise. The ends are loaded before the loop can store over them, and
    // the loop begins where the target is aligned.
    unsafe {
        let (head, tail) = (from.cast::<V>().read_unaligned(), Four::<V>::load(from.add(last)));
        let mut at = vector - to.addr() % vector;
        while at < last {
            Four::<V>::load(from.add(at)).store(to.add(at));
            at += turn;
        }
        tail.store(to.add(last));
        to.cast::<V>().write_unaligned(head);
    }
}

/// # Safety
/// As for [`copy`], with more than four vectors; the target does not overlap the source from below.
#[inline(always)]
unsafe fn downwards<V: Copy>(to: *mut u8, from: *const u8, bytes: usize) {
    let (vector, turn) = (size_of::<V>(), size_of::<Four<V>>());
    let last = bytes - vector;
    // SAFETY: as in `upwards`.
    unsafe {
        let (head, tail) = (Four::<V>::load(from), from.add(last).cast::<V>().read_unaligned());
        let mut at = bytes - (to.addr() + bytes) % vector;
        while at > turn {
            at -= turn;
            Four::<V>::load(from.add(at)).store(to.add(at));
        }
        head.store(to);
        to.add(last).cast::<V>().write_unaligned(tail);
    }
}

/// Two vectors in registers.
struct Two<V>(V, V);

/// Four vectors in registers.
struct Four<V>(Two<V>, Two<V>);

impl<V: Copy> Two<V> {
    /// # Safety
    /// They are in mapped memory.
    #[inline(always)]
    unsafe fn load(from: *const u8) -> Two<V> {
        let from = from.cast::<V>();
        // SAFETY: the caller's promise.
        unsafe { Two(from.read_unaligned(), from.add(1).read_unaligned()) }
    }

    /// # Safety
    /// There is mapped memory for them.
    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        let to = to.cast::<V>();
        // SAFETY: the caller's promise.
        unsafe {
            to.write_unaligned(self.0);
            to.add(1).write_unaligned(self.1);
        }
    }
}

impl<V: Copy> Four<V> {
    /// # Safety
    /// As for two.
    #[inline(always)]
    unsafe fn load(from: *const u8) -> Four<V> {
        // SAFETY: the caller's promise.
        unsafe { Four(Two::load(from), Two::load(from.add(size_of::<Two<V>>()))) }
    }

    /// # Safety
    /// As for two.
    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe {
            self.0.store(to);
            self.1.store(to.add(size_of::<Two<V>>()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Behind the bytes that are copied, for those that should not be.
    const MARGIN: usize = 64;

    fn movers() -> Vec<Mover> {
        let wides: [Mover; 2] = [wide, wide_and_long];
        let wides = wides.into_iter().filter(|_| is_x86_feature_detected!("avx2"));
        wides.chain([plain as Mover]).collect()
    }

    /// Copies within one block and compares with what the standard library makes of it.
    fn try_out(from: usize, to: usize, bytes: usize) {
        let room = from.max(to) + bytes + MARGIN;
        let before: Vec<u8> = (0..room).map(|index| (index % 251) as u8).collect();
        let mut expected = before.clone();
        expected.copy_within(from..from + bytes, to);
        for mover in movers() {
            let mut memory = before.clone();
            let start = memory.as_mut_ptr();
            // SAFETY: both are inside of the block.
            unsafe { mover(start.add(to), start.add(from).cast_const(), bytes) };
            assert!(memory == expected, "{bytes} bytes from {from} to {to}");
        }
    }

    #[test]
    fn every_length_arrives_whole_wherever_it_starts() {
        for bytes in LEAST..600 {
            for (from, to) in [(0, 4096), (3, 2000), (4096, 64), (1, 4097), (5000, 1)] {
                try_out(from, to, bytes);
            }
        }
    }

    #[test]
    fn source_and_target_may_overlap_by_any_distance() {
        for distance in (0..300).chain([1000, 4080, 4095, 4096, 4112]) {
            for bytes in [64, 65, 127, 129, 200, 257, 300, 1000, 5000] {
                try_out(distance, 1, bytes);
                try_out(1, distance, bytes);
            }
        }
    }

    #[test]
    fn very_many_bytes_arrive_whole_wherever_they_start() {
        for bytes in [LONG - 1, LONG, LONG + 77] {
            for (from, to) in
                [(0, LONG + 4096), (LONG + 99, 3), (5, LONG + 4101), (9, 25), (700, 4)]
            {
                try_out(from, to, bytes);
            }
        }
    }

    #[test]
    fn distances_that_look_like_an_overlap_are_none() {
        for distance in (0..300).step_by(7).chain([16, 32, 48]) {
            for bytes in [257, 1000, 3000] {
                try_out(5, 5 + 4096 + distance, bytes);
                try_out(5 + 4096 + distance, 5, bytes);
            }
        }
    }
}
