//! Kinds for memory that MPI allocates for the program: it belongs to the rank and is freed with
//! it.

use crate::abi::fortran::Descriptor;
use crate::abi::kinds::{Described, Flow, Form, Fortran, Kind, NoLength, Type};
use crate::host::shims::alloc::allocate;
use crate::mpi::datatype::Address;
use crate::mpi::error::{Class, Result};
use crate::mpi::process::Process;
use std::ffi::c_void;

/// The alignment that suits large blocks of data.
const ALIGNMENT: usize = 64;

/// Where the address of new memory goes. C declares `void *` but means a pointer to a pointer.
#[derive(Clone, Copy)]
pub(in crate::abi) struct OutPointer(*mut usize);

impl OutPointer {
    /// Allocates `size` bytes and sets their address.
    pub(in crate::abi) fn allocate(self, size: i64) -> Result {
        let size = usize::try_from(size).unwrap_or(usize::MAX).max(1);
        let block = allocate(ALIGNMENT, size);
        if block.is_null() {
            return Err(Class::NO_MEM.because(format!("size is {size}; out of memory")));
        }
        self.set(Address(block.expose_provenance()));
        Ok(())
    }

    /// Sets the address of memory that there is.
    pub(in crate::abi) fn set(self, address: Address) {
        // SAFETY: `check` refused null; the caller of MPI vouches for the rest (§2.3).
        unsafe { self.0.write_unaligned(address.0) }
    }
}

impl Kind for OutPointer {
    const C: &'static str = "void *";
    type Raw = *mut c_void;
    type Checked = Self;
    fn from_c(raw: *mut c_void) -> Self {
        Self(raw.cast())
    }
    fn check(self, _: &'static Process, name: &'static str) -> Result<Self> {
        if self.0.is_null() { Err(super::memory::null(name)) } else { Ok(self) }
    }
}

impl Fortran for OutPointer {
    type Wire = *mut c_void;
    type Length = NoLength;
    const FORM: Form = Form::new(Type::Pointer, Flow::Out);
    unsafe fn enter(wire: *mut c_void, _: NoLength) -> Self {
        Self(wire.cast())
    }
}

/// Memory that came from [`OutPointer::allocate`].
#[derive(Clone, Copy)]
pub(in crate::abi) struct Allocated(*mut c_void);

impl Allocated {
    pub(in crate::abi) fn free(self) {
        // SAFETY: the caller of MPI vouches that MPI_Alloc_mem gave it (§9.2).
        unsafe { libc::free(self.0) }
    }
}

impl Kind for Allocated {
    const C: &'static str = "void *";
    type Raw = *mut c_void;
    type Checked = Self;
    fn from_c(raw: *mut c_void) -> Self {
        Self(raw)
    }
    fn check(self, _: &'static Process, name: &'static str) -> Result<Self> {
        if self.0.is_null() {
            return Err(Class::BASE.because(format!("{name} is a null pointer")));
        }
        Ok(self)
    }
}

impl Fortran for Allocated {
    type Wire = *mut c_void;
    type Length = NoLength;
    const FORM: Form = Form::new(Type::Buffer, Flow::In);
    unsafe fn enter(wire: *mut c_void, _: NoLength) -> Self {
        Self(wire)
    }
    unsafe fn enter_modern(wire: *mut c_void, _: NoLength, _: Described<'_>) -> Self {
        // SAFETY: the caller is Fortran, and passes a descriptor of a choice buffer.
        Self(unsafe { Descriptor::at(wire.cast()) }.base.cast())
    }
}
