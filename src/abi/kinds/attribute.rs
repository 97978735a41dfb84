//! Kinds that carry attribute values: pointers in C, address-sized integers in Fortran, and default
//! integers in the Fortran of MPI-1 (MPI-5.0 §19.3.7).

use crate::abi::kinds::{Flow, Form, Fortran, Kind, NoLength, OutFlag, Type};
use crate::mpi::attributes::{Attribute, Found};
use crate::mpi::error::Result;
use crate::mpi::process::Process;
use std::ffi::{c_int, c_void};

/// The value of an attribute to set.
#[derive(Clone, Copy)]
pub(in crate::abi) struct InAttribute(Attribute);

impl Kind for InAttribute {
    const C: &'static str = "void *";
    type Raw = *mut c_void;
    type Checked = Attribute;
    fn from_c(raw: *mut c_void) -> Self {
        Self(Attribute::Pointer(raw.expose_provenance()))
    }
    fn check(self, _: &'static Process, _: &'static str) -> Result<Attribute> {
        Ok(self.0)
    }
}

impl Fortran for InAttribute {
    type Wire = *const i64;
    type Length = NoLength;
    const FORM: Form = Form::new(Type::Address, Flow::In);
    unsafe fn enter(wire: *const i64, _: NoLength) -> Self {
        // SAFETY: Fortran passes scalars by reference, and the reference is live here.
        Self(Attribute::Integer(unsafe { *wire }))
    }
}

/// [`InAttribute`] in MPI-1's Fortran, where it is a default integer.
#[derive(Clone, Copy)]
pub(in crate::abi) struct InAttributeOld(InAttribute);

impl Kind for InAttributeOld {
    const C: &'static str = "void *";
    type Raw = *mut c_void;
    type Checked = Attribute;
    fn from_c(raw: *mut c_void) -> Self {
        Self(InAttribute::from_c(raw))
    }
    fn check(self, process: &'static Process, name: &'static str) -> Result<Attribute> {
        self.0.check(process, name)
    }
}

impl Fortran for InAttributeOld {
    type Wire = *const c_int;
    type Length = NoLength;
    const FORM: Form = Form::new(Type::Integer, Flow::In);
    unsafe fn enter(wire: *const c_int, _: NoLength) -> Self {
        // SAFETY: Fortran passes scalars by reference, and the reference is live here.
        Self(InAttribute(Attribute::Integer(i64::from(unsafe { *wire }))))
    }
}

/// Where the value of an attribute goes.
#[derive(Clone, Copy)]
pub(in crate::abi) enum OutAttribute {
    C(*mut usize),
    Fortran(*mut i64),
    FortranOld(*mut c_int),
}

impl OutAttribute {
    /// Sets the value if it was found, and `flag` to whether it was.
    pub(in crate::abi) fn set_if(self, found: Option<Found>, flag: OutFlag) {
        flag.set(found.is_some());
        if let Some(found) = found {
            self.set(found);
        }
    }

    /// Sets the value. If Fortran set it as an integer, C gets a pointer to that integer.
    fn set(self, found: Found) {
        let integer = match found.value {
            Attribute::Pointer(pointer) => pointer as i64,
            Attribute::Integer(integer) => integer,
        };
        match self {
            OutAttribute::C(at) if found.is_value => {
                // SAFETY: `check` refused null; the caller has room for an int there.
                unsafe { at.cast::<c_int>().write_unaligned(integer as c_int) }
            }
            OutAttribute::C(at) => {
                let pointer = match found.value {
                    Attribute::Pointer(pointer) => pointer,
                    Attribute::Integer(_) => found.cell,
                };
                // SAFETY: `check` refused null; the caller of MPI vouches for the rest (§2.3).
                unsafe { at.write_unaligned(pointer) }
            }
            // SAFETY: `check` refused null; the caller of MPI vouches for the rest (§2.3).
            OutAttribute::Fortran(at) => unsafe { at.write(integer) },
            // SAFETY: `check` refused null; the caller of MPI vouches for the rest (§2.3).
            OutAttribute::FortranOld(at) => unsafe { at.write(integer as c_int) },
        }
    }
}

impl Kind for OutAttribute {
    const C: &'static str = "void *";
    type Raw = *mut c_void;
    type Checked = Self;
    fn from_c(raw: *mut c_void) -> Self {
        OutAttribute::C(raw.cast())
    }
    fn check(self, _: &'static Process, name: &'static str) -> Result<Self> {
        let is_null = match self {
            OutAttribute::C(at) => at.is_null(),
            OutAttribute::Fortran(at) => at.is_null(),
            OutAttribute::FortranOld(at) => at.is_null(),
        };
        if is_null { Err(super::memory::null(name)) } else { Ok(self) }
    }
}

impl Fortran for OutAttribute {
    type Wire = *mut i64;
    type Length = NoLength;
    const FORM: Form = Form::new(Type::Address, Flow::Out);
    unsafe fn enter(wire: *mut i64, _: NoLength) -> Self {
        OutAttribute::Fortran(wire)
    }
}

/// [`OutAttribute`] in MPI-1's Fortran, where it is a default integer.
#[derive(Clone, Copy)]
pub(in crate::abi) struct OutAttributeOld(OutAttribute);

impl Kind for OutAttributeOld {
    const C: &'static str = "void *";
    type Raw = *mut c_void;
    type Checked = OutAttribute;
    fn from_c(raw: *mut c_void) -> Self {
        Self(OutAttribute::from_c(raw))
    }
    fn check(self, process: &'static Process, name: &'static str) -> Result<OutAttribute> {
        self.0.check(process, name)
    }
}

impl Fortran for OutAttributeOld {
    type Wire = *mut c_int;
    type Length = NoLength;
    const FORM: Form = Form::new(Type::Integer, Flow::Out);
    unsafe fn enter(wire: *mut c_int, _: NoLength) -> Self {
        Self(OutAttribute::FortranOld(wire))
    }
}

/// A value that the program's callbacks get back.
#[derive(Clone, Copy)]
pub(in crate::abi) struct ExtraState(usize);

impl Kind for ExtraState {
    const C: &'static str = "void *";
    type Raw = *mut c_void;
    type Checked = usize;
    fn from_c(raw: *mut c_void) -> Self {
        Self(raw.expose_provenance())
    }
    fn check(self, _: &'static Process, _: &'static str) -> Result<usize> {
        Ok(self.0)
    }
}

impl Fortran for ExtraState {
    type Wire = *const i64;
    type Length = NoLength;
    const FORM: Form = Form::new(Type::Address, Flow::In);
    unsafe fn enter(wire: *const i64, _: NoLength) -> Self {
        // SAFETY: Fortran passes scalars by reference, and the reference is live here.
        Self(unsafe { *wire } as usize)
    }
}

/// [`ExtraState`] in MPI-1's Fortran, where it is a default integer.
#[derive(Clone, Copy)]
pub(in crate::abi) struct ExtraStateOld(usize);

impl Kind for ExtraStateOld {
    const C: &'static str = "void *";
    type Raw = *mut c_void;
    type Checked = usize;
    fn from_c(raw: *mut c_void) -> Self {
        Self(raw.expose_provenance())
    }
    fn check(self, _: &'static Process, _: &'static str) -> Result<usize> {
        Ok(self.0)
    }
}

impl Fortran for ExtraStateOld {
    type Wire = *const c_int;
    type Length = NoLength;
    const FORM: Form = Form::new(Type::Integer, Flow::In);
    unsafe fn enter(wire: *const c_int, _: NoLength) -> Self {
        // SAFETY: Fortran passes scalars by reference, and the reference is live here.
        Self(i64::from(unsafe { *wire }) as usize)
    }
}
