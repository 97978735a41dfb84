//! Reduction kernels: `MPI_SUM` and the like, element by element. Within `mpi`, only this module
//! accesses the program's memory directly.
//!
//! Elements are read and written unaligned, because Fortran programs may lay them out so.

pub mod atomic;
mod half;
mod number;
mod quad;
pub mod x87;

use crate::host::memory::{Span, guard};
use crate::mpi::datatype::{Element, Pair};
use crate::mpi::op::named::Named;
use half::Half;
use number::{Number, Operands};
use std::ffi::c_char;

/// An element that has bits, and a truth value.
trait Bits: Copy + PartialEq {
    const ZERO: Self;
    const ONE: Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
}

macro_rules! integers {
    ($($int:ty)*) => {$(
        impl Number for $int {
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
        }

        impl Bits for $int {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            fn and(self, other: Self) -> Self {
                self & other
            }
            fn or(self, other: Self) -> Self {
                self | other
            }
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 i128 u8 u16 u32 u64);

macro_rules! floats {
    ($($float:ty)*) => {$(
        impl Number for $float {
            fn plus(self, other: Self) -> Self {
                self + other
            }
            fn minus(self, other: Self) -> Self {
                self - other
            }
            fn times(self, other: Self) -> Self {
                self * other
            }
            // In this order no result is "what was there", which is stored under a slow mask.
            fn least(self, other: Self) -> Self {
                other.min(self)
            }
            fn most(self, other: Self) -> Self {
                other.max(self)
            }
        }
    )*};
}

floats!(f32 f64);

impl Number for x87::Float {
    fn plus(self, other: Self) -> Self {
        x87::add(self, other)
    }
    fn minus(self, other: Self) -> Self {
        x87::subtract(self, other)
    }
    fn times(self, other: Self) -> Self {
        x87::multiply(self, other)
    }
}

/// A complex number of two `T`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Complex<T>(T, T);

/// A value and where it was found.
#[repr(C)]
#[derive(Clone, Copy)]
struct Located<V, I>(V, I);

/// What an operation does to elements of one kind. It reads its operands where they are: a copy
/// would be read before it has been written.
#[derive(Clone, Copy)]
pub struct Kernel(fn(&Operands));

impl Kernel {
    /// Combines `count` elements of `input` with those of `inout`, which gets the results. Operands
    /// keep the order of MPI-5.0 §6.9.5.
    #[inline]
    pub fn run(self, input: Span, inout: Span, count: usize) {
        self.start(input, inout, inout, count);
    }

    /// Like [`Kernel::run`], but writes the results to `into`, which overlaps neither operand.
    #[inline]
    pub fn run_apart(self, left: Span, right: Span, into: Span, count: usize) {
        self.start(left, right, into, count);
    }

    /// Like [`Kernel::run_apart`], but `into` may also be `right`. Reports memory that is not
    /// mapped.
    pub fn try_run(self, left: Span, right: Span, into: Span, count: usize) -> Result<(), Missing> {
        // Detects the instructions now, so that the kernel need not do so inside `guard`.
        is_wide();
        // SAFETY: kernels own nothing, and call only kernels in C, which own nothing, either.
        let done = unsafe { guard(&|| self.start(left, right, into, count)) };
        done.map_err(|address| match address {
            _ if left.holds(address) => Missing::Left(address),
            _ if right.holds(address) => Missing::Right(address),
            _ if into.holds(address) => Missing::Into(address),
            _ if left.is_odd() => Missing::Left(left.address()),
            _ if right.is_odd() => Missing::Right(right.address()),
            _ => Missing::Into(into.address()),
        })
    }

    #[inline(always)]
    fn start(self, left: Span, right: Span, into: Span, count: usize) {
        let [left, right, into] = [left, right, into].map(Span::address);
        (self.0)(&Operands { left, right, into, count });
    }
}

/// Memory that was not there, at this address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    Left(usize),
    Right(usize),
    Into(usize),
}

/// What this operation does to such elements, if it has a meaning for them.
pub fn kernel(op: Named, element: Element) -> Option<Kernel> {
    let kernel = match element {
        Element::Signed(1) => integer::<i8>(op),
        Element::Signed(2) => integer::<i16>(op),
        Element::Signed(4) => integer::<i32>(op),
        Element::Char => integer::<c_char>(op),
        Element::Signed(8) | Element::Long => integer::<i64>(op),
        Element::Signed(16) => integer::<i128>(op),
        Element::Unsigned(1) => integer::<u8>(op),
        Element::Unsigned(2) => integer::<u16>(op),
        Element::Unsigned(4) => integer::<u32>(op),
        Element::Unsigned(8) | Element::UnsignedLong => integer::<u64>(op),
        Element::Float(2) => arithmetic::<Half>(op),
        Element::Float(4) => arithmetic::<f32>(op),
        Element::Float(8) => arithmetic::<f64>(op),
        Element::Float(16) => arithmetic::<x87::Float>(op),
        Element::Quad => quad::real(op),
        Element::Complex(4) => complex::<Half>(op),
        Element::Complex(8) => complex::<f32>(op),
        Element::Complex(16) => complex::<f64>(op),
        Element::Complex(32) => complex::<x87::Float>(op),
        Element::ComplexQuad => quad::complex(op),
        Element::Logical(1) => logical::<u8>(op),
        Element::Logical(2) => logical::<i16>(op),
        Element::Logical(4) => logical::<i32>(op),
        Element::Logical(8) => logical::<i64>(op),
        Element::Logical(16) => logical::<i128>(op),
        Element::Byte => bits::<u8>(op),
        Element::Pair(kind) => located(op, kind),
        _ => None,
    };
    kernel.map(Kernel)
}

fn located(op: Named, kind: Pair) -> Option<fn(&Operands)> {
    match kind {
        Pair::FloatInt => extreme::<f32, i32>(op),
        Pair::DoubleInt => extreme::<f64, i32>(op),
        Pair::LongInt => extreme::<i64, i32>(op),
        Pair::ShortInt => extreme::<i16, i32>(op),
        Pair::IntInt => extreme::<i32, i32>(op),
        Pair::LongDoubleInt => extreme::<x87::Float, i32>(op),
        Pair::RealReal => extreme::<f32, f32>(op),
        Pair::DoubleDouble => extreme::<f64, f64>(op),
    }
}

/// So few elements are combined one by one.
const FEW: usize = 2;

impl Operands {
    /// Sets every element of `into` to what `combine` makes of the two. Element by element, so the
    /// width of the machine's registers is of no matter to the results.
    #[inline]
    fn map<T: Copy>(&self, combine: impl Fn(T, T) -> T) {
        if self.count > FEW && is_wide() {
            // SAFETY: the machine has these instructions.
            unsafe { self.map_wide(combine) }
        } else {
            self.run(combine);
        }
    }

    /// Like `run`, compiled for registers of 32 bytes.
    ///
    /// # Safety
    /// The machine must have them.
    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
    unsafe fn map_wide<T: Copy>(&self, combine: impl Fn(T, T) -> T) {
        self.run(combine);
    }

    #[inline(always)]
    fn run<T: Copy>(&self, combine: impl Fn(T, T) -> T) {
        let Operands { left, right, into, count } = *self;
        let bytes = count.saturating_mul(size_of::<T>());
        let is_apart = |operand: usize| operand.abs_diff(into) >= bytes;
        let is_in_place = right == into;
        let left = std::ptr::with_exposed_provenance::<Loose<T>>(left);
        let right = std::ptr::with_exposed_provenance::<Loose<T>>(right);
        let into = std::ptr::with_exposed_provenance_mut::<Loose<T>>(into);
        if count == 1 {
            // SAFETY: the caller of MPI vouches for the elements (§2.3).
            let operands = unsafe { (left.read(), right.read()) };
            // SAFETY: as above.
            return unsafe { into.write(Loose(combine(operands.0.0, operands.1.0))) };
        }
        if count <= FEW || !is_apart(self.left) || !is_in_place && !is_apart(self.right) {
            // Those that overlap get what a plain loop gives: what comes first is combined first.
            for index in 0..count {
                // SAFETY: the caller of MPI vouches for `count` elements everywhere (§2.3).
                let operands = unsafe { (left.add(index).read(), right.add(index).read()) };
                let result = Loose(combine(operands.0.0, operands.1.0));
                // SAFETY: as above.
                unsafe { into.add(index).write(result) }
            }
            return;
        }
        // SAFETY: the caller of MPI vouches for `count` elements (§2.3); any place is aligned.
        let left = unsafe { std::slice::from_raw_parts(left, count) };
        // SAFETY: as above, and it is apart from the others, or the right one itself.
        let into = unsafe { std::slice::from_raw_parts_mut(into, count) };
        if is_in_place {
            return map_in_place(left, into, combine);
        }
        // SAFETY: as above.
        map_apart(left, unsafe { std::slice::from_raw_parts(right, count) }, into, combine);
    }
}

/// An element that may lie anywhere.
#[repr(C, packed)]
#[derive(Clone, Copy)]
struct Loose<T: Copy>(T);

/// The compiler knows that a result changes no operand to come, and takes many at once.
#[inline(always)]
fn map_in_place<T: Copy>(left: &[Loose<T>], inout: &mut [Loose<T>], combine: impl Fn(T, T) -> T) {
    for (place, operand) in inout.iter_mut().zip(left) {
        let (a, b) = (operand.0, place.0);
        *place = Loose(combine(a, b));
    }
}

/// Combines `left` and `right` into `into`, which overlaps neither.
#[inline(always)]
fn map_apart<T: Copy>(
    left: &[Loose<T>], right: &[Loose<T>], into: &mut [Loose<T>], combine: impl Fn(T, T) -> T,
) {
    for (place, (left, right)) in into.iter_mut().zip(left.iter().zip(right)) {
        let (a, b) = (left.0, right.0);
        *place = Loose(combine(a, b));
    }
}

/// Whether the machine has registers of 32 bytes for integers, too.
#[inline]
fn is_wide() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

fn integer<T: Number + Bits>(op: Named) -> Option<fn(&Operands)> {
    arithmetic::<T>(op).or_else(|| bits::<T>(op)).or_else(|| logical::<T>(op))
}

fn arithmetic<T: Number>(op: Named) -> Option<fn(&Operands)> {
    Some(match op {
        Named::Sum => |it| it.map(T::plus),
        Named::Prod => |it| it.map(T::times),
        Named::Min => |it| it.map(T::least),
        Named::Max => |it| it.map(T::most),
        _ => return None,
    })
}

fn complex<T: Number>(op: Named) -> Option<fn(&Operands)> {
    Some(match op {
        Named::Sum => {
            |it| it.map(|a: Complex<T>, b: Complex<T>| Complex(a.0.plus(b.0), a.1.plus(b.1)))
        }
        Named::Prod => |it| {
            it.map(|a: Complex<T>, b: Complex<T>| {
                let real = a.0.times(b.0).minus(a.1.times(b.1));
                Complex(real, a.0.times(b.1).plus(a.1.times(b.0)))
            })
        },
        _ => return None,
    })
}

fn bits<T: Bits>(op: Named) -> Option<fn(&Operands)> {
    Some(match op {
        Named::Band => |it| it.map(T::and),
        Named::Bor => |it| it.map(T::or),
        Named::Bxor => |it| it.map(T::xor),
        _ => return None,
    })
}

fn logical<T: Bits>(op: Named) -> Option<fn(&Operands)> {
    fn truth<T: Bits>(is_true: bool) -> T {
        if is_true { T::ONE } else { T::ZERO }
    }
    fn holds<T: Bits>(value: T) -> bool {
        value != T::ZERO
    }
    Some(match op {
        Named::Land => |it| it.map(|a: T, b: T| truth(holds(a) && holds(b))),
        Named::Lor => |it| it.map(|a: T, b: T| truth(holds(a) || holds(b))),
        Named::Lxor => |it| it.map(|a: T, b: T| truth(holds(a) != holds(b))),
        _ => return None,
    })
}

impl<V: Copy + PartialOrd, I: Copy + PartialOrd> Located<V, I> {
    /// One of the two values with its index; of equal values the smaller index (§6.9.4).
    fn or(self, other: Self, takes_other: bool) -> Self {
        match self.0 == other.0 {
            true => Located(self.0, if other.1 < self.1 { other.1 } else { self.1 }),
            false if takes_other => other,
            false => self,
        }
    }
}

/// The smaller or larger value.
fn extreme<V: Copy + PartialOrd, I: Copy + PartialOrd>(op: Named) -> Option<fn(&Operands)> {
    Some(match op {
        Named::Minloc => |it| it.map(|a: Located<V, I>, b| a.or(b, b.0 < a.0)),
        Named::Maxloc => |it| it.map(|a: Located<V, I>, b| a.or(b, b.0 > a.0)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of<T>(op: Named, element: Element, a: &[T], b: &mut [T]) -> bool {
        let bytes = size_of_val(a);
        let input = Span::new(a.as_ptr().cast(), bytes);
        let inout = Span::new(b.as_mut_ptr().cast_const().cast(), bytes);
        let kernel = kernel(op, element);
        kernel.inspect(|kernel| kernel.run(input, inout, a.len())).is_some()
    }

    #[test]
    fn integers_know_every_operation_but_locations() {
        let a = [6i32, -3, 0];
        let cases: [(Named, [i32; 3]); 10] = [
            (Named::Sum, [9, 2, 7]),
            (Named::Prod, [18, -15, 0]),
            (Named::Min, [3, -3, 0]),
            (Named::Max, [6, 5, 7]),
            (Named::Band, [2, 5, 0]),
            (Named::Bor, [7, -3, 7]),
            (Named::Bxor, [5, -8, 7]),
            (Named::Land, [1, 1, 0]),
            (Named::Lor, [1, 1, 1]),
            (Named::Lxor, [0, 0, 1]),
        ];
        for (op, expected) in cases {
            let mut b = [3, 5, 7];
            assert!(of(op, Element::Signed(4), &a, &mut b));
            assert_eq!(b, expected, "{op:?}");
        }
        assert!(!of(Named::Minloc, Element::Signed(4), &a, &mut [0; 3]));
    }

    #[test]
    fn sums_of_integers_wrap_as_in_c() {
        let mut b = [i64::MAX];
        assert!(of(Named::Sum, Element::Signed(8), &[1i64], &mut b));
        assert_eq!(b, [i64::MIN]);
    }

    #[test]
    fn floats_have_no_bits_and_complex_numbers_no_order() {
        assert!(!of(Named::Band, Element::Float(8), &[1.0], &mut [1.0]));
        assert!(!of(Named::Land, Element::Float(4), &[1f32], &mut [1f32]));
        assert!(!of(Named::Max, Element::Complex(16), &[1.0, 2.0], &mut [1.0, 2.0]));
        assert!(!of(Named::Sum, Element::Byte, &[1u8], &mut [1u8]));
        assert!(!of(Named::Sum, Element::Text(1), &[1u8], &mut [1u8]));
        assert!(of(Named::Sum, Element::Char, &[1u8], &mut [1u8]));
        assert!(!of(Named::Sum, Element::Logical(4), &[1i32], &mut [1i32]));
    }

    #[test]
    fn complex_products_are_products() {
        let a = [Complex(1.0f64, 2.0)];
        let mut b = [Complex(3.0f64, -1.0)];
        assert!(of(Named::Prod, Element::Complex(16), &a, &mut b));
        assert_eq!((b[0].0, b[0].1), (5.0, 5.0));
    }

    #[test]
    fn the_smaller_index_wins_among_equals() {
        let a = [Located(1.5f64, 7i32), Located(2.0, 1), Located(9.0, 4)];
        let mut b = [Located(1.5f64, 3i32), Located(3.0, 0), Located(8.0, 5)];
        assert!(of(Named::Minloc, Element::Pair(Pair::DoubleInt), &a, &mut b));
        let found: Vec<_> = b.iter().map(|found| (found.0, found.1)).collect();
        assert_eq!(found, [(1.5, 3), (2.0, 1), (8.0, 5)]);
    }

    #[test]
    fn results_may_lie_apart_from_the_operands() {
        for count in [1, 2, 3, 7, 64, 1001] {
            let left: Vec<i32> = (0..count).collect();
            let right: Vec<i32> = (0..count).map(|index| 1000 * index).collect();
            let mut into = vec![-1; left.len() + 1];
            let span = |slice: &[i32]| Span::new(slice.as_ptr().cast(), size_of_val(slice));
            let goal = Span::new(into.as_mut_ptr().cast_const().cast(), 4 * left.len());
            let kernel = kernel(Named::Sum, Element::Signed(4)).expect("sums of integers exist");
            assert_eq!(kernel.try_run(span(&left), span(&right), goal, left.len()), Ok(()));
            assert!(into[..left.len()].iter().zip(0..).all(|(sum, index)| *sum == 1001 * index));
            assert_eq!(into[left.len()], -1, "no more than {count}");
        }
    }

    #[test]
    fn long_doubles_keep_their_64_bits_of_precision() {
        let big = x87::Float::from_i64(i64::MAX);
        let mut b = [x87::Float::from_i64(1)];
        assert!(of(Named::Sum, Element::Float(16), &[big], &mut b));
        assert!(b[0] > big, "a double would have rounded the 1 away");
        let mut c = [x87::Float::from_i64(-5)];
        assert!(of(Named::Min, Element::Float(16), &b, &mut c));
        assert!(c[0] == x87::Float::from_i64(-5));
    }
}
