//! Accumulates: what one-sided calls do to elements at a target, each atomically (MPI-5.0 §12.7.1).
//!
//! Elements of 1, 2, 4 or 8 bytes that are aligned are changed by the processor's own atomic
//! instructions: by one where there is one for the operation, otherwise by compare-and-swap around
//! the kernel. So they are atomic for loads and stores of the target, too. For all others the
//! caller holds a lock. The same element always takes the same way.

use super::{Kernel, Operands, kernel};
use crate::host::memory::{Exchange, exchange, guard};
use crate::mpi::datatype::{Element, Pair};
use crate::mpi::op::named::Named;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

/// What an accumulate does to elements of one kind.
#[derive(Clone, Copy)]
pub struct Accumulator {
    way: Way,
    /// Where the parts of an element are in memory: offset and length. A pair has two.
    parts: [(usize, usize); 2],
    /// Whether the element is one word without gaps; then how long.
    word: Option<usize>,
}

#[derive(Clone, Copy)]
enum Way {
    Fetch,
    Replace,
    Add,
    And,
    Or,
    Xor,
    Combine(Kernel),
}

/// Elements in a row at each of the addresses.
#[derive(Clone, Copy)]
pub struct Elements {
    /// The operands; not looked at by MPI_NO_OP.
    pub origin: usize,
    pub target: usize,
    /// Where the former values go; 0: nowhere.
    pub fetched: usize,
    pub count: usize,
}

/// The largest element: a pair of a long double and an `int`.
const ROOM: usize = 32;

impl Accumulator {
    /// What `op` does to such elements, if that is defined.
    #[inline]
    pub fn new(op: Named, element: Element) -> Option<Accumulator> {
        use Element::{Byte, Char, Long, Signed, Unsigned, UnsignedLong};
        let is_integer = matches!(element, Signed(_) | Unsigned(_) | Long | UnsignedLong | Char);
        let parts = parts(element)?;
        let word = (parts[1].1 == 0 || parts[0].1 == parts[1].0).then_some(parts[0].1 + parts[1].1);
        let way = match op {
            Named::NoOp => Way::Fetch,
            Named::Replace => Way::Replace,
            Named::Sum if is_integer => Way::Add,
            Named::Band if is_integer || element == Byte => Way::And,
            Named::Bor if is_integer || element == Byte => Way::Or,
            Named::Bxor if is_integer || element == Byte => Way::Xor,
            _ => Way::Combine(kernel(op, element)?),
        };
        Some(Accumulator { way, parts, word })
    }

    /// Bytes of data in an element.
    #[inline]
    pub fn bytes(&self) -> usize {
        self.parts[0].1 + self.parts[1].1
    }

    /// How many bytes of memory these elements take that follow each other: a single one may have a
    /// gap between its parts.
    pub fn span_of(&self, count: usize) -> Option<usize> {
        let ends = self.parts.map(|(offset, bytes)| offset + bytes);
        if count == 1 { Some(ends[0].max(ends[1])) } else { self.bytes().checked_mul(count) }
    }

    /// Whether elements at `target` need no lock.
    #[inline]
    pub fn is_atomic_at(&self, target: usize) -> bool {
        matches!(self.word, Some(word @ (1 | 2 | 4 | 8)) if target.is_multiple_of(word))
    }

    /// Combines the elements; the caller holds the lock of the target if they are not atomic there.
    /// After a fault, returns the address that was not mapped.
    #[inline]
    pub fn run(&self, it: Elements) -> Result<(), usize> {
        let is_atomic = self.is_atomic_at(it.target);
        let work = || match (is_atomic, self.word) {
            (true, Some(8)) => self.each_u64(it),
            (true, Some(4)) => self.each_u32(it),
            (true, Some(2)) => self.each_u16(it),
            (true, _) => self.each_u8(it),
            (false, _) => self.each_in_parts(it),
        };
        // SAFETY: the work owns nothing, and calls only kernels, which own nothing, either.
        unsafe { guard(&work) }
    }

    /// Elements that the caller's lock protects.
    fn each_in_parts(&self, it: Elements) {
        let stride = self.bytes();
        for index in 0..it.count {
            let skip = index * stride;
            let old = self.load(it.target + skip);
            let new = match self.way {
                Way::Fetch => old,
                Way::Replace => self.load(it.origin + skip),
                Way::Add | Way::And | Way::Or | Way::Xor => {
                    self.alter(self.load(it.origin + skip), old)
                }
                Way::Combine(kernel) => combined(kernel, &self.load(it.origin + skip), &old),
            };
            if !matches!(self.way, Way::Fetch) {
                self.store(&new, it.target + skip);
            }
            if it.fetched != 0 {
                self.store(&old, it.fetched + skip);
            }
        }
    }

    /// What an integer operation makes of two integers of up to 16 bytes.
    fn alter(&self, one: Value, other: Value) -> Value {
        let number = |value: Value| {
            let [low, high, ..] = value.0;
            u128::from(high) << 64 | u128::from(low)
        };
        let (one, other) = (number(one), number(other));
        let result = match self.way {
            Way::Add => one.wrapping_add(other),
            Way::And => one & other,
            Way::Or => one | other,
            _ => one ^ other,
        };
        Value([result as u64, (result >> 64) as u64, 0, 0])
    }

    fn load(&self, address: usize) -> Value {
        let mut value = Value::default();
        let room = (&raw mut value.0).cast::<u8>();
        for (offset, bytes) in self.parts {
            let from = std::ptr::with_exposed_provenance::<u8>(address.wrapping_add(offset));
            // SAFETY: the caller of MPI vouches for the element (§2.3); there is room for it.
            unsafe { std::ptr::copy_nonoverlapping(from, room.add(offset), bytes) };
        }
        value
    }

    fn store(&self, value: &Value, address: usize) {
        let room = (&raw const value.0).cast::<u8>();
        for (offset, bytes) in self.parts {
            let to = std::ptr::with_exposed_provenance_mut::<u8>(address.wrapping_add(offset));
            // SAFETY: the caller of MPI vouches for the element (§2.3).
            unsafe { std::ptr::copy_nonoverlapping(room.add(offset), to, bytes) };
        }
    }
}

/// An element of any kind.
#[repr(C, align(16))]
#[derive(Clone, Copy, Default)]
struct Value([u64; ROOM / 8]);

/// `operand` op `old`.
fn combined(kernel: Kernel, operand: &Value, old: &Value) -> Value {
    let mut new = Value::default();
    kernel.0(&Operands {
        left: std::ptr::from_ref(operand).expose_provenance(),
        right: std::ptr::from_ref(old).expose_provenance(),
        into: std::ptr::from_mut(&mut new).expose_provenance(),
        count: 1,
    });
    new
}

/// Where the parts of an element are.
fn parts(element: Element) -> Option<[(usize, usize); 2]> {
    use Element::{
        Byte, Char, Complex, ComplexQuad, Float, Logical, Long, Mixed, Quad, Signed, Text,
        Unsigned, UnsignedLong,
    };
    let bytes = match element {
        Byte | Char => 1,
        Long | UnsignedLong => 8,
        Quad => 16,
        ComplexQuad => 32,
        Signed(bytes) | Unsigned(bytes) | Float(bytes) | Complex(bytes) | Logical(bytes)
        | Text(bytes) => bytes,
        Element::Pair(pair) => return Some(parts_of_pair(pair)),
        Mixed => return None,
    };
    (bytes <= ROOM).then_some([(0, bytes), (0, 0)])
}

fn parts_of_pair(pair: Pair) -> [(usize, usize); 2] {
    let (value, index) = (pair.value_bytes() as usize, pair.index_bytes() as usize);
    [(0, value), (value.next_multiple_of(index), index)]
}

/// Aligned words, by the processor's own instructions.
macro_rules! words {
    ($($each:ident, $atomic:ty, $int:ty;)*) => {
        impl Accumulator {$(
            fn $each(&self, it: Elements) {
                for index in 0..it.count {
                    let skip = index * size_of::<$int>();
                    let place = std::ptr::with_exposed_provenance_mut::<$int>(it.target + skip);
                    // SAFETY: it is aligned, and the caller of MPI vouches for the target (§2.3).
                    let cell = unsafe { <$atomic>::from_ptr(place) };
                    let origin = it.origin + skip;
                    let operand = || {
                        let from = std::ptr::with_exposed_provenance::<$int>(origin);
                        // SAFETY: the caller of MPI vouches for the origin (§2.3).
                        unsafe { from.read_unaligned() }
                    };
                    let old = match self.way {
                        Way::Fetch => cell.load(Ordering::SeqCst),
                        Way::Replace => cell.swap(operand(), Ordering::SeqCst),
                        Way::Add => cell.fetch_add(operand(), Ordering::SeqCst),
                        Way::And => cell.fetch_and(operand(), Ordering::SeqCst),
                        Way::Or => cell.fetch_or(operand(), Ordering::SeqCst),
                        Way::Xor => cell.fetch_xor(operand(), Ordering::SeqCst),
                        Way::Combine(kernel) => {
                            let operand = Value([u64::from(operand()), 0, 0, 0]);
                            let next = |old: $int| {
                                let old = Value([u64::from(old), 0, 0, 0]);
                                Some(combined(kernel, &operand, &old).0[0] as $int)
                            };
                            let (won, lost) = (Ordering::SeqCst, Ordering::SeqCst);
                            cell.fetch_update(won, lost, next).unwrap_or_default()
                        }
                    };
                    if it.fetched != 0 {
                        let to = std::ptr::with_exposed_provenance_mut::<$int>(it.fetched + skip);
                        // SAFETY: the caller of MPI vouches for the result buffer (§2.3).
                        unsafe { to.write_unaligned(old) };
                    }
                }
            }
        )*}
    };
}

words! {
    each_u8, AtomicU8, u8;
    each_u16, AtomicU16, u16;
    each_u32, AtomicU32, u32;
    each_u64, AtomicU64, u64;
}

impl Accumulator {
    /// Replaces the element at the target if it is what it is compared with. The caller holds the
    /// lock of the target if the element is not atomic there.
    pub fn compare_and_swap(&self, it: Exchange) -> Result<(), usize> {
        if let Some(word) = self.word.filter(|_| self.is_atomic_at(it.target)) {
            return exchange(it, word.trailing_zeros() as u8);
        }
        let work = || {
            let (old, wanted) = (self.load(it.target), self.load(it.compare));
            let new = self.load(it.origin);
            if old.0 == wanted.0 {
                self.store(&new, it.target);
            }
            self.store(&old, it.result);
        };
        // SAFETY: the work owns nothing.
        unsafe { guard(&work) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address<T>(slice: &mut [T]) -> usize {
        slice.as_mut_ptr().expose_provenance()
    }

    fn run<T: Copy>(op: Named, element: Element, a: &mut [T], b: &mut [T], old: &mut [T]) {
        let it = Accumulator::new(op, element).expect("it is defined");
        let (origin, target, fetched) = (address(a), address(b), address(old));
        assert_eq!(it.run(Elements { origin, target, fetched, count: b.len() }), Ok(()));
    }

    #[test]
    fn every_width_is_combined_and_its_former_values_are_fetched() {
        let (mut a, mut b, mut old) = ([1u8, 2], [255u8, 7], [0u8; 2]);
        run(Named::Sum, Element::Unsigned(1), &mut a, &mut b, &mut old);
        assert_eq!((b, old), ([0, 9], [255, 7]));
        let (mut a, mut b, mut old) = ([1i16, -2], [5i16, 7], [0i16; 2]);
        run(Named::Prod, Element::Signed(2), &mut a, &mut b, &mut old);
        assert_eq!((b, old), ([5, -14], [5, 7]));
        let (mut a, mut b, mut old) = ([1.5f32, -2.0], [5f32, -7.0], [0f32; 2]);
        run(Named::Max, Element::Float(4), &mut a, &mut b, &mut old);
        assert_eq!((b, old), ([5.0, -2.0], [5.0, -7.0]));
        let (mut a, mut b, mut old) = ([1i128 << 100, -2], [5i128, -7], [0i128; 2]);
        run(Named::Sum, Element::Signed(16), &mut a, &mut b, &mut old);
        assert_eq!((b, old), ([5 + (1 << 100), -9], [5, -7]));
        let (mut a, mut b, mut old) = ([[1f64, 2.0]], [[3f64, -1.0]], [[0f64; 2]]);
        run(Named::Prod, Element::Complex(16), &mut a, &mut b, &mut old);
        assert_eq!((b, old), ([[5.0, 5.0]], [[3.0, -1.0]]));
        run(Named::Replace, Element::Complex(16), &mut a, &mut b, &mut old);
        assert_eq!((b, old), ([[1.0, 2.0]], [[5.0, 5.0]]));
        run(Named::NoOp, Element::Complex(16), &mut a, &mut b, &mut old);
        assert_eq!((b, old), ([[1.0, 2.0]], [[1.0, 2.0]]));
    }

    #[test]
    fn pairs_keep_what_is_in_their_gaps() {
        #[repr(C)]
        #[derive(Clone, Copy, Debug, PartialEq)]
        struct At(f64, i32, i32);
        let (mut a, mut b) = ([At(1.0, 7, 100)], [At(2.0, 3, 200)]);
        let mut old = [At(0.0, 0, 300)];
        run(Named::Minloc, Element::Pair(Pair::DoubleInt), &mut a, &mut b, &mut old);
        assert_eq!((b, old), ([At(1.0, 7, 200)], [At(2.0, 3, 300)]));
    }

    #[test]
    fn elements_that_are_not_aligned_are_not_words() {
        let it = Accumulator::new(Named::Sum, Element::Signed(8)).expect("it is defined");
        assert!(it.is_atomic_at(64) && !it.is_atomic_at(60));
        let (mut a, mut b, mut old) = ([1u64; 2], [3u64, 5, 9], [0u64; 2]);
        let (origin, target, fetched) = (address(&mut a), address(&mut b) + 4, address(&mut old));
        assert_eq!(it.run(Elements { origin, target, fetched, count: 2 }), Ok(()));
        assert_eq!(b, [3 | 1 << 32, 5 | 1 << 32, 9]);
        assert_eq!(old, [5 << 32, 9 << 32]);
    }

    #[test]
    fn only_what_is_equal_is_swapped() {
        let it = Accumulator::new(Named::Replace, Element::Signed(4)).expect("it is defined");
        let mut cells = [10i32, 20, 30, 20];
        let start = address(&mut cells);
        let at = |index: usize| start + 4 * index;
        let it_is = |compare| Exchange {
            origin: at(0),
            compare: at(compare),
            result: at(2),
            target: at(3),
        };
        assert_eq!(it.compare_and_swap(it_is(0)), Ok(()));
        assert_eq!(cells, [10, 20, 20, 20]);
        assert_eq!(it.compare_and_swap(it_is(1)), Ok(()));
        assert_eq!(cells, [10, 20, 20, 10]);
    }

    #[test]
    fn memory_that_is_not_there_is_reported() {
        crate::host::memory::expect_faults();
        let brink = crate::host::memory::brink();
        let mut own = [1u64; 4];
        for element in [Element::Signed(8), Element::Complex(16)] {
            let it = Accumulator::new(Named::Sum, element).expect("it is defined");
            let origin = address(&mut own);
            let bad = Elements { origin, target: brink, fetched: 0, count: 1 };
            let fault = it.run(bad).expect_err("no such memory");
            assert!((brink..brink + 64).contains(&fault));
        }
    }
}
