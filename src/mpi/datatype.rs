//! Datatypes (MPI-5.0 §5): what a buffer holds.

use crate::base::layout::{Layout, TooLarge};
use crate::host::memory::{Region, Span};
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
    pub layout: Arc<Layout>,
    pub maker: Maker,
    /// Where the data of items in a row are when they are one run of bytes.
    run: Option<i64>,
    committed: AtomicBool,
    /// Of a predefined type, which all ranks share, each process keeps the notes itself.
    pub notes: Arc<Notes>,
}

/// How an item lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Bytes of data in one item.
    pub size: i64,
    /// Where an item begins, and how far the next one is.
    pub lb: i64,
    pub extent: i64,
    /// Where the data of an item begin.
    pub true_lb: i64,
    /// Bytes from the first of data to the last.
    pub true_extent: i64,
    /// Basic elements in one item; a pair has two.
    pub elements: i64,
    /// What those are.
    pub element: Element,
}

/// What the numbers of a type follow from.
#[derive(Clone)]
pub struct Form {
    pub layout: Arc<Layout>,
    pub elements: i64,
    pub element: Element,
}

/// No memory of a program lies below this address.
const LOWEST: usize = 4096;

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
    pub fn new(handle: usize, form: Form, maker: Maker, is_committed: bool) -> Datatype {
        let committed = AtomicBool::new(is_committed);
        let Form { layout, elements, element } = form;
        let shape = Shape {
            size: layout.size(),
            lb: layout.lb(),
            extent: layout.extent(),
            true_lb: layout.true_lb(),
            true_extent: layout.true_extent(),
            elements,
            element,
        };
        let run = layout.run(u64::MAX);
        Datatype { handle, shape, layout, maker, run, committed, notes: Arc::default() }
    }

    /// What a type of the same make is made from.
    pub fn form(&self) -> Form {
        let Shape { elements, element, .. } = self.shape;
        Form { layout: self.layout.clone(), elements, element }
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
    pub fn region(&self, buf: Address, count: i64) -> Result<Region> {
        if !self.is_committed() {
            let words = "datatype is not committed; call MPI_Type_commit before it is used";
            return Err(Class::TYPE.because(words));
        }
        let bytes = self.bytes(count)?;
        if bytes == 0 {
            return Ok(Region::EMPTY);
        }
        if buf.0 < LOWEST && (buf != Address::BOTTOM || !self.is_absolute()) {
            return Err(no_buffer(buf, count));
        }
        if let Some(first) = self.run.or_else(|| self.lone_run(count)) {
            let start = buf.0.wrapping_add_signed(first as isize);
            return Ok(Span::new(std::ptr::with_exposed_provenance(start), bytes).into());
        }
        Ok(Region::new(buf.0, bytes, self.layout.clone()))
    }

    fn lone_run(&self, count: i64) -> Option<i64> {
        if count == 1 { self.layout.run(1) } else { None }
    }

    /// Whether displacements are addresses, so that the buffer may be MPI_BOTTOM.
    fn is_absolute(&self) -> bool {
        usize::try_from(self.shape.true_lb).is_ok_and(|lowest| lowest >= LOWEST)
    }

    /// The bytes of data in `count` items.
    #[inline]
    pub fn bytes(&self, count: i64) -> Result<usize> {
        let bytes = count.checked_mul(self.shape.size);
        let (Some(bytes), Some(_)) = (bytes, count.checked_mul(self.shape.extent)) else {
            let words = format!("count is {count}; so many items do not fit into memory");
            return Err(Class::COUNT.because(words));
        };
        Ok(usize::try_from(bytes).expect("neither counts nor sizes are negative"))
    }

    /// The memory that `count` items reach over: where it begins, seen from the first item's
    /// address, and how long it is.
    pub fn hull(&self, count: i64) -> Result<(i64, usize)> {
        if self.bytes(count)? == 0 {
            return Ok((0, 0));
        }
        let Shape { extent, true_lb, true_extent, .. } = self.shape;
        let way = extent * (count - 1);
        let first = true_lb.checked_add(way.min(0));
        let length = true_extent.checked_add(way.abs());
        match (first, length) {
            (Some(first), Some(length)) => Ok((first, length as usize)),
            _ => {
                let words = format!("count is {count}; so many items do not fit into memory");
                Err(Class::COUNT.because(words))
            }
        }
    }

    /// How many whole items came in `bytes`; `None` when the last is not whole, or when there are
    /// bytes and items have none (MPI-5.0 §3.2.5).
    pub fn count(&self, bytes: i64) -> Option<i64> {
        match self.shape.size {
            0 => (bytes == 0).then_some(0),
            size if bytes % size == 0 => Some(bytes / size),
            _ => None,
        }
    }

    /// How many basic elements came in `bytes` (MPI-5.0 §5.1.11).
    pub fn elements(&self, bytes: i64) -> Option<i64> {
        if self.shape.size == 0 || self.shape.elements == 0 {
            return (bytes == 0).then_some(0);
        }
        let Element::Pair(pair) = self.shape.element else {
            let each = self.shape.size / self.shape.elements;
            return (bytes % each == 0).then_some(bytes / each);
        };
        let each = 2 * self.shape.size / self.shape.elements;
        match bytes % each {
            0 => Some(bytes / each * 2),
            rest if rest >= pair.value_bytes() => Some(bytes / each * 2 + 1),
            _ => None,
        }
    }

    /// `count` items in a row as one.
    pub fn contiguous(of: &Held<Datatype>, count: i64) -> Result<(Form, Maker)> {
        of.bytes(count)?;
        let length = u64::try_from(count).expect("a count is not negative");
        let layout = of.layout.vector(length, 1, of.shape.extent).map_err(|TooLarge| {
            let words = format!("count is {count}; so many items do not fit into memory");
            Class::COUNT.because(words)
        })?;
        let Shape { elements, element, .. } = of.shape;
        let form = Form { layout: Arc::new(layout), elements: elements * count, element };
        Ok((form, Maker::Contiguous { count, of: of.clone() }))
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
