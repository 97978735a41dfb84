//! Temporary memory for the length of one call, aligned for any element.

use crate::host::memory::{Region, Span};
use crate::mpi::datatype::{Address, Datatype};
use crate::mpi::error::Result;
use std::ffi::c_void;
use std::mem::MaybeUninit;

/// Room that nobody needs any more when the value goes. One room at a time.
#[derive(Default)]
pub struct Scratch(Box<[MaybeUninit<u128>]>);

impl Scratch {
    /// Room for `bytes`, whatever is in them.
    pub fn room(&mut self, bytes: usize) -> Span {
        self.0 = Box::new_uninit_slice(bytes.div_ceil(size_of::<u128>()));
        self.span(bytes)
    }

    /// Room for `count` items: the address that the first of them has, and their data. What lies
    /// between these is zero.
    pub fn items(&mut self, datatype: &Datatype, count: i64) -> Result<(Address, Region)> {
        let (first, length) = datatype.hull(count)?;
        // The address of the items keeps the alignment of the room.
        let gap = first.rem_euclid(size_of::<u128>() as i64);
        let start = self.room(length + gap as usize).address();
        if datatype.bytes(count)? != length {
            self.0.fill(MaybeUninit::new(0));
        }
        let address = Address(start.wrapping_add_signed((gap - first) as isize));
        Ok((address, datatype.region(address, count)?))
    }

    /// The first `bytes` of the room.
    pub fn span(&mut self, bytes: usize) -> Span {
        Span::new(self.0.as_mut_ptr().cast_const().cast::<c_void>(), bytes)
    }
}
