//! Datatypes (MPI-5.0 §5): layout, signature and shape of the items in a buffer.

pub mod array;
pub mod constructors;
mod element;
pub mod envelope;
pub mod external32;
pub mod pack;
pub mod parametric;
pub mod predefined;
pub(in crate::mpi) mod rescaled;
pub mod signature;
pub mod subarray;

use crate::base::layout::Layout;
use crate::host::memory::{Region, Span};
use crate::mpi::attributes::{Attribute, Attributes, Bearer, Found, Keyvals, On};
pub use crate::mpi::datatype::element::{Element, Pair};
use crate::mpi::datatype::envelope::{Combiner, Width};
use crate::mpi::datatype::signature::Signature;
use crate::mpi::error::{Class, Result};
use crate::mpi::handle_table::Held;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

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
    /// No memory of a program lies below this.
    pub const LOWEST: usize = 4096;

    /// The `bytes` bytes from here on.
    #[inline]
    pub fn span(self, bytes: usize) -> Span {
        Span::new(std::ptr::with_exposed_provenance(self.0), bytes)
    }
}

/// Where items are, once that was checked: small, and nothing to drop. [`Datatype::at`] makes a
/// region of it.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    address: Address,
    bytes: usize,
    is_run: bool,
}

impl Place {
    pub const EMPTY: Place = Place { address: Address(0), bytes: 0, is_run: true };

    #[inline(always)]
    fn run_of(buf: Address, first: i64, bytes: usize) -> Place {
        let address = Address(buf.0.wrapping_add_signed(first as isize));
        Place { address, bytes, is_run: true }
    }

    /// How many bytes of data there are.
    #[inline(always)]
    pub fn bytes(self) -> usize {
        self.bytes
    }
}

/// A datatype.
pub struct Datatype {
    pub handle: usize,
    pub shape: Shape,
    pub layout: Arc<Layout>,
    pub signature: Signature,
    pub recipe: Contents,
    /// Where the data of items in a row are when they are one run of bytes.
    run: Option<i64>,
    committed: AtomicBool,
    /// The predefined operations that are known to be defined on it, a bit each.
    pub(in crate::mpi) operations: AtomicU32,
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

/// What the numbers of a type follow from: where its data are, and what they are.
#[derive(Clone)]
pub struct Form {
    pub layout: Arc<Layout>,
    pub signature: Signature,
}

/// A constructor with its arguments, sorted as MPI_Type_get_contents gives them out.
#[derive(Clone)]
pub struct Contents {
    pub combiner: Combiner,
    pub integers: Vec<i32>,
    pub addresses: Vec<i64>,
    pub large_counts: Vec<i64>,
    pub datatypes: Vec<Held<Datatype>>,
    width: Width,
}

impl Contents {
    pub fn new(combiner: Combiner, width: Width) -> Contents {
        Contents {
            combiner,
            integers: Vec::new(),
            addresses: Vec::new(),
            large_counts: Vec::new(),
            datatypes: Vec::new(),
            width,
        }
    }

    /// Which form of the constructor was called.
    pub fn width(&self) -> Width {
        self.width
    }

    /// A type that nobody made.
    pub fn named() -> Contents {
        Contents::new(Combiner::Named, Width::Small)
    }

    /// Arguments that are an `int` in either form.
    pub fn integers(mut self, values: &[i32]) -> Contents {
        self.integers.extend(values);
        self
    }

    /// Arguments that are an `int` in the one form and a large count in the other.
    pub fn counts(mut self, values: &[i64]) -> Contents {
        match self.width {
            Width::Small => self.integers.extend(values.iter().map(|value| *value as i32)),
            Width::Large => self.large_counts.extend(values),
        }
        self
    }

    /// Arguments that are an address in the one form and a large count in the other.
    pub fn distances(mut self, values: &[i64]) -> Contents {
        match self.width {
            Width::Small => self.addresses.extend(values),
            Width::Large => self.large_counts.extend(values),
        }
        self
    }

    /// The types that it was made of.
    pub fn of(mut self, types: &[Held<Datatype>]) -> Contents {
        self.datatypes.extend(types.iter().cloned());
        self
    }
}

/// The parametrised types that a process has asked for: the same question has the same answer.
#[derive(Default)]
pub struct Asked(pub(super) Mutex<BTreeMap<(i32, i32, i32), usize>>);

impl Asked {
    pub fn new() -> Asked {
        Asked::default()
    }
}

/// What a program writes on a type.
#[derive(Default)]
pub struct Notes {
    pub name: Mutex<Option<Vec<u8>>>,
    pub attributes: Attributes,
}

impl Notes {
    /// The attribute under `key`.
    pub fn attribute(&self, keys: &Keyvals, key: i32) -> Result<Option<Found>> {
        self.attributes.value(keys, key, Bearer::Datatype)
    }

    /// Hangs an attribute on the type.
    pub fn set_attribute(
        &self, keys: &Keyvals, of: &Datatype, key: i32, value: Attribute,
    ) -> Result {
        self.attributes.set(keys, of.as_bearer(), key, value)
    }

    /// Takes an attribute off the type.
    pub fn delete_attribute(&self, keys: &Keyvals, of: &Datatype, key: i32) -> Result {
        self.attributes.delete(keys, of.as_bearer(), key)
    }
}

impl Datatype {
    fn as_bearer(&self) -> On {
        On { bearer: Bearer::Datatype, handle: self.handle }
    }

    /// A type that was made as `recipe` says.
    pub fn new(handle: usize, form: Form, recipe: Contents, is_committed: bool) -> Datatype {
        let Form { layout, signature } = form;
        let shape = Shape {
            size: layout.size(),
            lb: layout.lb(),
            extent: layout.extent(),
            true_lb: layout.true_lb(),
            true_extent: layout.true_extent(),
            elements: signature.elements,
            element: signature.element,
        };
        let run = layout.run(u64::MAX);
        let committed = AtomicBool::new(is_committed);
        let (operations, notes) = (AtomicU32::new(0), Arc::default());
        Datatype { handle, shape, layout, signature, recipe, run, committed, operations, notes }
    }

    /// What a type of the same make is made from.
    pub fn form(&self) -> Form {
        Form { layout: self.layout.clone(), signature: self.signature.clone() }
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
        Ok(self.at(self.place(buf, count)?))
    }

    /// Checks that `count` items can be at `buf`.
    #[inline]
    pub fn place(&self, buf: Address, count: i64) -> Result<Place> {
        // Most buffers are arrays of numbers.
        if let Some(first) = self.run
            && let Some(bytes) = count.checked_mul(self.shape.size)
            && bytes > 0
            && buf.0 >= Address::LOWEST
            && self.is_committed()
        {
            return Ok(Place::run_of(buf, first, bytes as usize));
        }
        self.place_with_care(buf, count)
    }

    /// The memory of items at a place that was found for this type.
    #[inline(always)]
    pub fn at(&self, place: Place) -> Region {
        match place.is_run {
            true => place.address.span(place.bytes).into(),
            false => Region::new(place.address.0, place.bytes, self.layout.clone()),
        }
    }

    #[inline(never)]
    fn place_with_care(&self, buf: Address, count: i64) -> Result<Place> {
        if !self.is_committed() {
            let words = "datatype is not committed; call MPI_Type_commit before it is used";
            return Err(Class::TYPE.because(words));
        }
        let bytes = self.bytes(count)?;
        if bytes == 0 {
            return Ok(Place::EMPTY);
        }
        if buf.0 < Address::LOWEST && (buf != Address::BOTTOM || !self.is_absolute()) {
            return Err(no_buffer(buf, count));
        }
        let lone_run = if count == 1 { self.layout.run(1) } else { None };
        match self.run.or(lone_run) {
            Some(first) => Ok(Place::run_of(buf, first, bytes)),
            None => Ok(Place { address: buf, bytes, is_run: false }),
        }
    }

    /// Whether displacements are addresses, so that the buffer may be MPI_BOTTOM.
    fn is_absolute(&self) -> bool {
        usize::try_from(self.shape.true_lb).is_ok_and(|lowest| lowest >= Address::LOWEST)
    }

    /// The bytes of data in `count` items.
    #[inline]
    pub fn bytes(&self, count: i64) -> Result<usize> {
        let bytes = count.checked_mul(self.shape.size);
        let (Some(bytes), Some(_)) = (bytes, count.checked_mul(self.shape.extent)) else {
            let words =
                format!("count is {count}; a buffer of that size exceeds the address space");
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
                let words =
                    format!("count is {count}; a buffer of that size exceeds the address space");
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

    /// How many basic elements came in `bytes`; `None` when the last is not whole.
    pub fn elements(&self, bytes: i64) -> Option<i64> {
        self.signature.elements_in(bytes)
    }

    /// The bytes that `elements` basic elements take.
    pub fn bytes_of(&self, elements: i64) -> Result<i64> {
        self.signature.bytes_of(elements).ok_or_else(|| {
            let words = format!(
                "count is {elements}; datatype has no basic elements, or so large a count overflows"
            );
            Class::COUNT.because(words)
        })
    }

    /// Whether the standard provides the type: it is committed from the start, cannot be freed, and
    /// operations are defined on it. Not all of them have names.
    pub fn is_predefined(&self) -> bool {
        use Combiner::{F90Complex, F90Integer, F90Real, Named};
        matches!(self.recipe.combiner, Named | F90Real | F90Complex | F90Integer)
    }
}

/// The run of bytes that begins `first` bytes behind `buf`.
#[inline]
#[cold]
fn no_buffer(buf: Address, count: i64) -> crate::mpi::error::Failure {
    let what = match buf {
        Address::BOTTOM => "a null pointer",
        Address::IN_PLACE => "MPI_IN_PLACE, which has no meaning here",
        _ => "an invalid address",
    };
    Class::BUFFER.because(format!("the buffer is {what}, and count is {count}"))
}
