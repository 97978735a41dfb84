//! The way to the program's functions: their arguments, and how they are called.

use crate::mpi::callback::Callback;
use crate::mpi::error::Result;
use crate::mpi::p2p::status::Status;

/// What is hung on an object: a pointer of C's, or an integer of Fortran's (MPI-5.0 §19.3.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attribute {
    Pointer(usize),
    Integer(i64),
}

/// What an attribute callback is told.
#[derive(Clone, Copy, Debug)]
pub struct Notice {
    pub object: usize,
    pub keyval: i32,
    pub extra_state: usize,
    pub value: Attribute,
}

/// What a reduction callback is told: memory by address, `count` elements of `datatype`.
#[derive(Clone, Copy, Debug)]
pub struct Reduction {
    pub input: usize,
    pub inout: usize,
    pub count: i64,
    pub datatype: usize,
    /// The function takes its length as an MPI_Count.
    pub is_large: bool,
}

/// What a function that converts data of a file is told: memory by address, `count` items of
/// `datatype`.
#[derive(Clone, Copy, Debug)]
pub struct Conversion {
    pub userbuf: usize,
    pub datatype: usize,
    pub count: i64,
    pub filebuf: usize,
    pub position: i64,
    pub extra_state: usize,
    /// The function takes its length as an MPI_Count.
    pub is_large: bool,
}

/// The way to the program's functions, which the floor above provides.
/// The caller must hold no lock: the program may call MPI, or never come back.
pub trait Program: Send + Sync {
    /// The copy of an attribute, if there is to be one.
    fn copy_attribute(&self, function: Callback, notice: Notice) -> Result<Option<Attribute>>;
    fn delete_attribute(&self, function: Callback, notice: Notice) -> Result;
    fn reduce(&self, function: Callback, reduction: Reduction);
    /// What came of a generalized request.
    fn query(&self, function: Callback, extra_state: usize, status: &mut Status) -> Result;
    /// The state of a generalized request may go.
    fn free(&self, function: Callback, extra_state: usize) -> Result;
    /// Nobody wants a generalized request any more.
    fn cancel(&self, function: Callback, extra_state: usize, is_complete: bool) -> Result;
    /// Converts data of a file.
    fn convert(&self, function: Callback, conversion: Conversion) -> Result;
    /// How far items of `datatype` are apart in a file.
    fn file_extent(&self, function: Callback, datatype: usize, extra_state: usize) -> Result<i64>;
}
