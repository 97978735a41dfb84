//! The parts of a state.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::without_provenance_mut;

const MPI_BYTE: usize = 0x247;
const MPI_DOUBLE: usize = 0x214;

/// A type that can be saved as its bytes: any bytes are a value, and no byte belongs to a
/// reference.
///
/// # Safety
/// Both must hold; and the type consists of `DOUBLES` consecutive doubles, or that is 0.
pub unsafe trait Datum: Copy + 'static {
    /// The number of doubles in it, which codes may sum up; 0: it is something else.
    const DOUBLES: usize = 0;
}

macro_rules! data {
    ($($number:ty),*) => { $(
        // SAFETY: any bytes are a number.
        unsafe impl Datum for $number {}
    )* };
}
data!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, f32);

// SAFETY: any bytes are a number, and it is a double.
unsafe impl Datum for f64 {
    const DOUBLES: usize = 1;
}

// SAFETY: there is nothing between the items of an array.
unsafe impl<T: Datum, const N: usize> Datum for [T; N] {
    const DOUBLES: usize = T::DOUBLES * N;
}

/// What a program needs to continue.
pub trait State {
    /// Adds each part under its own number. The numbers and lengths never change, and a replacement
    /// has those of the rank that it replaces.
    fn list<'a>(&'a mut self, parts: &mut Parts<'a>);
}

/// The parts of a state, which is borrowed as long as they exist.
#[derive(Default)]
pub struct Parts<'a> {
    pub(crate) all: Vec<Part>,
    of: PhantomData<&'a mut ()>,
}

/// Memory, in MPI's terms.
pub(crate) struct Part {
    pub(crate) id: i32,
    pub(crate) start: *mut c_void,
    pub(crate) count: i64,
    pub(crate) datatype: *mut c_void,
}

impl<'a> Parts<'a> {
    pub(crate) fn of(state: &'a mut impl State) -> Parts<'a> {
        let mut parts = Parts::default();
        state.list(&mut parts);
        parts
    }

    /// Adds many values, or none.
    pub fn many<T: Datum>(&mut self, id: i32, values: &'a mut [T]) {
        let is_new = self.all.iter().all(|part| part.id != id);
        assert!(is_new, "two parts of a state have the number {id}");
        self.all.push(Part::of(id, values));
    }

    /// Adds one value.
    pub fn one<T: Datum>(&mut self, id: i32, value: &'a mut T) {
        self.many(id, std::slice::from_mut(value));
    }
}

impl Part {
    pub(crate) fn of<T: Datum>(id: i32, values: &mut [T]) -> Part {
        let bytes = size_of_val(values);
        let (count, datatype) = match T::DOUBLES {
            0 => (bytes, MPI_BYTE),
            doubles => (values.len() * doubles, MPI_DOUBLE),
        };
        Part {
            id,
            start: values.as_mut_ptr().cast(),
            count: count as i64,
            datatype: without_provenance_mut(datatype),
        }
    }
}
