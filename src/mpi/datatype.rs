//! Datatypes (MPI-5.0 §5): what a buffer holds. Here every type is one run of bytes per item.

use crate::host::memory::Span;
use crate::mpi::attr::{Attribute, Attributes, Bearer, Found, On};
use crate::mpi::error::{Class, Result};
use crate::mpi::process::Process;
use crate::mpi::table::Held;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// MPI_UNDEFINED.
pub const UNDEFINED: i64 = -32766;

/// A buffer's address as the program gave it; the standard's buffer constants are small numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address(pub usize);

impl Address {
    /// MPI_BOTTOM: address zero.
    pub const BOTTOM: Address = Address(0);
    /// MPI_IN_PLACE: the data is where the result goes.
    pub const IN_PLACE: Address = Address(1);
}

/// What the elements of a type are, as far as reductions care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    Signed(usize),
    Unsigned(usize),
    Float(usize),
    Complex(usize),
    Logical(usize),
    /// Characters, bytes and packed data: no arithmetic; bytes alone have bits.
    Text(usize),
    Byte,
    /// Fortran's REAL*16: the quad of IEEE, not C's long double.
    Quad,
    ComplexQuad,
    /// A value and its index, for MPI_MINLOC and MPI_MAXLOC.
    Pair(Pair),
}

/// The pairs of C (value, then `int` index) and of Fortran (both of the value's type).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pair {
    FloatInt,
    DoubleInt,
    LongInt,
    ShortInt,
    IntInt,
    LongDoubleInt,
    RealReal,
    DoubleDouble,
}

/// How a type was made (MPI-5.0 §5.1.13).
#[derive(Clone)]
pub enum Maker {
    Named,
    Dup(Held<Datatype>),
    Contiguous { count: i64, of: Held<Datatype> },
}

/// A datatype.
pub struct Datatype {
    pub handle: usize,
    pub shape: Shape,
    pub maker: Maker,
    committed: AtomicBool,
    /// Of a predefined type, which all ranks share, each process keeps the notes itself.
    pub notes: Arc<Notes>,
}

/// How an item lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Bytes of data in one item.
    pub size: i64,
    /// Bytes from one item to the next.
    pub extent: i64,
    /// Bytes from the first of data to the last.
    pub true_extent: i64,
    /// Basic elements in one item; a pair has two.
    pub elements: i64,
    /// What those are.
    pub element: Element,
}

/// What a program writes on a type.
#[derive(Default)]
pub struct Notes {
    pub name: Mutex<Option<Vec<u8>>>,
    pub attributes: Attributes,
}

impl Notes {
    /// The attribute under `key`.
    pub fn attribute(&self, process: &Process, key: i32) -> Result<Option<Found>> {
        self.attributes.value(process, key, Bearer::Datatype)
    }

    /// Hangs an attribute on the type.
    pub fn set_attribute(
        &self, process: &Process, of: &Datatype, key: i32, value: Attribute,
    ) -> Result {
        self.attributes.set(process, of.as_bearer(), key, value)
    }

    /// Takes an attribute off the type.
    pub fn delete_attribute(&self, process: &Process, of: &Datatype, key: i32) -> Result {
        self.attributes.delete(process, of.as_bearer(), key)
    }
}

impl Datatype {
    fn as_bearer(&self) -> On {
        On { bearer: Bearer::Datatype, handle: self.handle }
    }

    /// A type that the program made.
    pub fn new(handle: usize, shape: Shape, maker: Maker, is_committed: bool) -> Datatype {
        let committed = AtomicBool::new(is_committed);
        Datatype { handle, shape, maker, committed, notes: Arc::default() }
    }

    /// Lets communication use the type.
    pub fn commit(&self) {
        self.committed.store(true, Ordering::Relaxed);
    }

    pub fn is_committed(&self) -> bool {
        self.committed.load(Ordering::Relaxed)
    }

    /// The memory of `count` items at `buf`; the type must be committed.
    #[inline]
    pub fn span(&self, buf: Address, count: i64) -> Result<Span> {
        if !self.is_committed() {
            let words = "datatype is not committed; call MPI_Type_commit before it is used";
            return Err(Class::TYPE.because(words));
        }
        let bytes = self.bytes(count)?;
        if bytes == 0 {
            return Ok(Span::EMPTY);
        }
        if buf.0 < 4096 {
            return Err(no_buffer(buf, count));
        }
        Ok(Span::new(std::ptr::with_exposed_provenance(buf.0), bytes))
    }

    /// The bytes that `count` items take on the wire.
    #[inline]
    pub fn bytes(&self, count: i64) -> Result<usize> {
        let bytes = count.checked_mul(self.shape.extent);
        let bytes = bytes.and_then(|bytes| isize::try_from(bytes).ok());
        let Some(bytes) = bytes.and_then(|bytes| usize::try_from(bytes).ok()) else {
            let words = format!("count is {count}; so many items do not fit into memory");
            return Err(Class::COUNT.because(words));
        };
        Ok(bytes)
    }

    /// How many whole items came in `bytes`; `None` when the last is not whole, or when there are
    /// bytes and items have none (MPI-5.0 §3.2.5).
    pub fn count(&self, bytes: i64) -> Option<i64> {
        match self.shape.extent {
            0 => (bytes == 0).then_some(0),
            extent if bytes % extent == 0 => Some(bytes / extent),
            _ => None,
        }
    }

    /// How many basic elements came in `bytes` (MPI-5.0 §5.1.11).
    pub fn elements(&self, bytes: i64) -> Option<i64> {
        if self.shape.extent == 0 || self.shape.elements == 0 {
            return (bytes == 0).then_some(0);
        }
        let Element::Pair(pair) = self.shape.element else {
            let each = self.shape.extent / self.shape.elements;
            return (bytes % each == 0).then_some(bytes / each);
        };
        let each = 2 * self.shape.extent / self.shape.elements;
        match bytes % each {
            0 => Some(bytes / each * 2),
            rest if rest >= pair.value_bytes() => Some(bytes / each * 2 + 1),
            _ => None,
        }
    }

    /// `count` items in a row as one.
    pub fn contiguous(of: &Held<Datatype>, count: i64) -> Result<(Shape, Maker)> {
        of.bytes(count)?;
        let inner = of.shape;
        let true_extent =
            if count == 0 { 0 } else { inner.extent * (count - 1) + inner.true_extent };
        let shape = Shape {
            size: inner.size * count,
            extent: inner.extent * count,
            true_extent,
            elements: inner.elements * count,
            element: inner.element,
        };
        Ok((shape, Maker::Contiguous { count, of: of.clone() }))
    }
}

#[cold]
fn no_buffer(buf: Address, count: i64) -> crate::mpi::error::Failure {
    let what = match buf {
        Address::BOTTOM => "a null pointer",
        Address::IN_PLACE => "MPI_IN_PLACE, which has no meaning here",
        _ => "no address",
    };
    Class::BUFFER.because(format!("the buffer is {what}, and count is {count}"))
}

impl Pair {
    /// Bytes of the value, which comes first.
    fn value_bytes(self) -> i64 {
        match self {
            Pair::ShortInt => 2,
            Pair::FloatInt | Pair::IntInt | Pair::RealReal => 4,
            Pair::DoubleInt | Pair::LongInt | Pair::DoubleDouble => 8,
            Pair::LongDoubleInt => 16,
        }
    }
}
