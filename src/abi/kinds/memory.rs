//! Kinds that point to the program's memory: buffers, and places for results.

use crate::abi::fortran::{self, Descriptor};
use crate::abi::kinds::{Described, Flow, Form, Fortran, Kind, NoLength, Type};
use crate::host::memory::{Region, Span};
use crate::mpi::datatype::Address;
use crate::mpi::error::{Class, Result};
use crate::mpi::p2p::status::{Completed, Status};
use crate::mpi::process::Process;
use std::ffi::{c_int, c_void};

const UNDEFINED: c_int = -32766;

macro_rules! buffers {
    ($(
        $(#[doc = $doc:literal])*
        $name:ident: $raw:ty = $c:literal, $flow:ident, $may_be_copy:literal;
    )*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Copy)]
        pub(in crate::abi) struct $name(usize);

        impl Kind for $name {
            const C: &'static str = $c;
            type Raw = $raw;
            type Checked = Address;
            #[inline]
            fn from_c(raw: $raw) -> Self {
                Self(raw.expose_provenance())
            }
            #[inline]
            fn check(self, _: &'static Process, _: &'static str) -> Result<Address> {
                Ok(Address(self.0))
            }
        }

        impl Fortran for $name {
            type Wire = $raw;
            type Length = NoLength;
            const FORM: Form = Form::new(Type::Buffer, Flow::$flow);
            #[inline]
            unsafe fn enter(wire: $raw, _: NoLength) -> Self {
                Self(fortran::in_c(wire.expose_provenance()))
            }
            #[inline]
            unsafe fn enter_modern(wire: $raw, length: NoLength, copies: Described<'_>) -> Self {
                let Some(copies) = copies else {
                    // SAFETY: the caller makes the promise that `enter` asks for.
                    return unsafe { Self::enter(wire, length) };
                };
                // SAFETY: the caller is Fortran, and passes a descriptor of a choice buffer.
                let buffer = unsafe { Descriptor::at(wire.cast()) };
                let is_read = matches!(Flow::$flow, Flow::In);
                let address = match $may_be_copy {
                    true => copies.address(buffer, is_read),
                    false => buffer.base.expose_provenance(),
                };
                Self(fortran::in_c(address))
            }
        }
    )*};
}

buffers! {
    /// A buffer that the call reads. Whether it may be null depends on count and datatype.
    InBuf: *const c_void = "const void *", In, true;
    /// A buffer that the call writes.
    OutBuf: *mut c_void = "void *", Unsaid, true;
    /// Memory of which only the address matters; for a section, that of its first element.
    Location: *const c_void = "const void *", Unsaid, false;
    /// Memory that the library keeps using after the call.
    Room: *mut c_void = "void *", Unsaid, false;
}

/// Where a result goes. Only a caller of MPI can make one, so a body may trust it.
macro_rules! outs {
    ($(
        $(#[doc = $doc:literal])*
        $name:ident: $raw:ty = $c:literal, $form:expr, set($from:ty) $convert:expr;
    )*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Copy)]
        pub(in crate::abi) struct $name(*mut $raw);

        impl $name {
            #[inline]
            pub(in crate::abi) fn set(self, value: $from) {
                let convert: fn($from) -> $raw = $convert;
                // SAFETY: `check` refused null; the caller of MPI vouches for the rest (§2.3).
                unsafe { self.0.write(convert(value)) }
            }
        }

        impl Kind for $name {
            const C: &'static str = $c;
            type Raw = *mut $raw;
            type Checked = Self;
            #[inline]
            fn from_c(raw: *mut $raw) -> Self {
                Self(raw)
            }
            #[inline]
            fn check(self, _: &'static Process, name: &'static str) -> Result<Self> {
                if self.0.is_null() { Err(null(name)) } else { Ok(self) }
            }
        }

        impl Fortran for $name {
            type Wire = *mut $raw;
            type Length = NoLength;
            const FORM: Form = $form;
            #[inline]
            unsafe fn enter(wire: *mut $raw, _: NoLength) -> Self {
                Self(wire)
            }
        }
    )*};
}

outs! {
    /// An integer.
    OutInt: c_int = "int *", Form::number("int *", Flow::Out), set(i32) |value| value;
    /// A truth value; gfortran's LOGICAL is 0 or 1, like C's.
    OutFlag: c_int = "int *", Form::new(Type::Logical, Flow::Out), set(bool) c_int::from;
    /// A number of elements, or MPI_UNDEFINED if it does not fit (MPI-5.0 §5.1.11).
    OutCount32: c_int = "int *", Form::number("int *", Flow::Out),
        set(i64) |value| c_int::try_from(value).unwrap_or(UNDEFINED);
    /// A number of elements in the large-count twin.
    OutCount64: i64 = "MPI_Count *", Form::number("MPI_Count *", Flow::Out), set(i64) |value| value;
    /// A position in a file.
    OutOffset: i64 = "MPI_Offset *", Form::number("MPI_Offset *", Flow::Out),
        set(i64) |value| value;
    /// An address-sized integer.
    OutAint64: i64 = "MPI_Aint *", Form::number("MPI_Aint *", Flow::Out), set(i64) |value| value;
}

impl OutInt {
    pub(in crate::abi) fn set_if(self, value: Option<i32>) {
        if let Some(value) = value {
            self.set(value);
        }
    }
}

/// An integer that the call reads and may change.
#[derive(Clone, Copy)]
pub(in crate::abi) struct InOutInt(*mut c_int);

impl InOutInt {
    pub(in crate::abi) fn value(self) -> i32 {
        // SAFETY: `check` refused null; the caller of MPI vouches for the rest (§2.3).
        unsafe { self.0.read() }
    }

    pub(in crate::abi) fn set(self, value: i32) {
        // SAFETY: `check` refused null; the caller of MPI vouches for the rest (§2.3).
        unsafe { self.0.write(value) }
    }

    /// Its memory, for calls that change it after they have returned.
    pub(in crate::abi) fn region(self) -> Region {
        Span::new(self.0.cast(), size_of::<c_int>()).into()
    }
}

impl Kind for InOutInt {
    const C: &'static str = "int *";
    type Raw = *mut c_int;
    type Checked = Self;
    fn from_c(raw: *mut c_int) -> Self {
        Self(raw)
    }
    fn check(self, _: &'static Process, name: &'static str) -> Result<Self> {
        if self.0.is_null() { Err(null(name)) } else { Ok(self) }
    }
}

impl Fortran for InOutInt {
    type Wire = *mut c_int;
    type Length = NoLength;
    const FORM: Form = Form::new(Type::Integer, Flow::InOut);
    unsafe fn enter(wire: *mut c_int, _: NoLength) -> Self {
        Self(wire)
    }
}

/// A position in one of the caller's buffers, which the call advances.
macro_rules! positions {
    ($($(#[doc = $doc:literal])* $name:ident: $raw:ty = $c:literal;)*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Copy)]
        pub(in crate::abi) struct $name(*mut $raw);

        impl $name {
            pub(in crate::abi) fn value(self) -> i64 {
                // SAFETY: `check` refused null; the caller of MPI vouches for the rest (§2.3).
                i64::from(unsafe { self.0.read() })
            }

            /// Sets the position, which is at most the length of the buffer.
            pub(in crate::abi) fn set(self, value: i64) {
                // SAFETY: `check` refused null; the caller of MPI vouches for the rest (§2.3).
                unsafe { self.0.write(value as $raw) }
            }
        }

        impl Kind for $name {
            const C: &'static str = $c;
            type Raw = *mut $raw;
            type Checked = Self;
            fn from_c(raw: *mut $raw) -> Self {
                Self(raw)
            }
            fn check(self, _: &'static Process, name: &'static str) -> Result<Self> {
                if self.0.is_null() { Err(null(name)) } else { Ok(self) }
            }
        }

        impl Fortran for $name {
            type Wire = *mut $raw;
            type Length = NoLength;
            const FORM: Form = Form::number($c, Flow::InOut);
            unsafe fn enter(wire: *mut $raw, _: NoLength) -> Self {
                Self(wire)
            }
        }
    )*};
}

positions! {
    /// As an `int`.
    Position32: c_int = "int *";
    /// As a large count.
    Position64: i64 = "MPI_Count *";
    /// As an address-sized integer.
    PositionAint: i64 = "MPI_Aint *";
}

#[cold]
pub(super) fn null(name: &str) -> crate::mpi::error::Failure {
    Class::ARG.because(format!("{name} is a null pointer; it must point to memory for the result"))
}

/// An index into one of the caller's arrays: from 0 in C, from 1 in Fortran.
#[derive(Clone, Copy)]
pub(in crate::abi) struct OutIndex {
    at: *mut c_int,
    first: c_int,
}

impl OutIndex {
    /// Sets the index; `None` is MPI_UNDEFINED.
    pub(in crate::abi) fn set(self, index: Option<usize>) {
        let index = index.map_or(UNDEFINED, |index| index as c_int + self.first);
        // SAFETY: `check` refused null; the caller of MPI vouches for the rest (§2.3).
        unsafe { self.at.write(index) }
    }
}

impl Kind for OutIndex {
    const C: &'static str = "int *";
    type Raw = *mut c_int;
    type Checked = Self;
    fn from_c(raw: *mut c_int) -> Self {
        Self { at: raw, first: 0 }
    }
    fn check(self, _: &'static Process, name: &'static str) -> Result<Self> {
        if self.at.is_null() { Err(null(name)) } else { Ok(self) }
    }
}

impl Fortran for OutIndex {
    type Wire = *mut c_int;
    type Length = NoLength;
    const FORM: Form = Form::new(Type::Integer, Flow::Out);
    unsafe fn enter(wire: *mut c_int, _: NoLength) -> Self {
        Self { at: wire, first: 1 }
    }
}

/// Where a status goes, if the caller wants it.
#[derive(Clone, Copy)]
pub(in crate::abi) struct OutStatus(*mut Status);

impl OutStatus {
    /// Sets the status of a message, except MPI_ERROR, which a call with one status leaves
    /// unchanged (§3.2.5).
    #[inline]
    pub(in crate::abi) fn set_received(self, mut status: Status) {
        if !self.0.is_null() {
            // SAFETY: the caller of MPI vouches for its status (§2.3).
            status.error = unsafe { (*self.0).error };
            // SAFETY: the caller of MPI vouches for its status (§2.3).
            unsafe { self.0.write(status) }
        }
    }

    /// Sets the status, except MPI_ERROR, which only an empty status sets.
    #[inline]
    pub(in crate::abi) fn set(self, status: Status) {
        if !self.0.is_null() {
            // SAFETY: the caller of MPI vouches for its status (§2.3).
            let error = unsafe { (*self.0).error };
            // SAFETY: the caller of MPI vouches for its status (§2.3).
            unsafe { self.0.write(status.over(error)) }
        }
    }
}

impl Kind for OutStatus {
    const C: &'static str = "MPI_Status *";
    type Raw = *mut Status;
    type Checked = Self;
    fn from_c(raw: *mut Status) -> Self {
        Self(raw)
    }
    fn check(self, _: &'static Process, _: &'static str) -> Result<Self> {
        Ok(self)
    }
}

impl Fortran for OutStatus {
    type Wire = *mut Status;
    type Length = NoLength;
    const FORM: Form = Form::new(Type::Status, Flow::Unsaid);
    unsafe fn enter(wire: *mut Status, _: NoLength) -> Self {
        Self(fortran::unless_ignored(wire))
    }
}

impl OutStatus {
    /// Sets the status of a completed operation and returns its result.
    #[inline]
    pub(in crate::abi) fn end(self, end: Completed) -> Result {
        self.set(end.status);
        end.news
    }

    /// Like [`end`](Self::end), if the operation is complete.
    #[inline]
    pub(in crate::abi) fn end_if(self, end: Option<Completed>) -> Result {
        end.map_or(Ok(()), |end| self.end(end))
    }
}

/// A status that the call changes.
#[derive(Clone, Copy)]
pub(in crate::abi) struct VarStatus(*mut Status);

impl VarStatus {
    pub(in crate::abi) fn change(self, change: impl FnOnce(&mut Status)) {
        // SAFETY: `check` refused null; the caller of MPI vouches for the rest (§2.3).
        let mut status = unsafe { self.0.read() };
        change(&mut status);
        // SAFETY: `check` refused null; the caller of MPI vouches for the rest (§2.3).
        unsafe { self.0.write(status) }
    }
}

impl Kind for VarStatus {
    const C: &'static str = "MPI_Status *";
    type Raw = *mut Status;
    type Checked = Self;
    fn from_c(raw: *mut Status) -> Self {
        Self(raw)
    }
    fn check(self, _: &'static Process, name: &'static str) -> Result<Self> {
        if self.0.is_null() {
            return Err(Class::ARG.because(format!("{name} is a null pointer, not a status")));
        }
        Ok(self)
    }
}

impl Fortran for VarStatus {
    type Wire = *mut Status;
    type Length = NoLength;
    const FORM: Form = Form::new(Type::Status, Flow::InOut);
    unsafe fn enter(wire: *mut Status, _: NoLength) -> Self {
        Self(wire)
    }
}

/// Where an address goes: in C, a pointer to a pointer, declared as `void *`. Before `mpi_f08`, no
/// variable in Fortran is known to be large enough, so nothing is written.
#[derive(Clone, Copy)]
pub(in crate::abi) struct OutAddress(Option<*mut usize>);

impl OutAddress {
    pub(in crate::abi) fn set(self, address: Address) {
        if let Some(at) = self.0 {
            // SAFETY: `check` refused null; the caller of MPI vouches for the rest (§2.3).
            unsafe { at.write_unaligned(address.0) }
        }
    }
}

impl Kind for OutAddress {
    const C: &'static str = "void *";
    type Raw = *mut c_void;
    type Checked = Self;
    fn from_c(raw: *mut c_void) -> Self {
        Self(Some(raw.cast()))
    }
    fn check(self, _: &'static Process, name: &'static str) -> Result<Self> {
        if self.0.is_some_and(|at| at.is_null()) { Err(null(name)) } else { Ok(self) }
    }
}

impl Fortran for OutAddress {
    type Wire = *mut c_void;
    type Length = NoLength;
    const FORM: Form = Form::new(Type::Pointer, Flow::Out);
    unsafe fn enter(_: *mut c_void, _: NoLength) -> Self {
        Self(None)
    }
    unsafe fn enter_modern(wire: *mut c_void, _: NoLength, _: Described<'_>) -> Self {
        Self(Some(wire.cast()))
    }
}

/// A status that the call reads.
#[derive(Clone, Copy)]
pub(in crate::abi) struct InStatus(*const Status);

impl Kind for InStatus {
    const C: &'static str = "const MPI_Status *";
    type Raw = *const Status;
    type Checked = Status;
    fn from_c(raw: *const Status) -> Self {
        Self(raw)
    }
    fn check(self, _: &'static Process, name: &'static str) -> Result<Status> {
        if self.0.is_null() {
            return Err(Class::ARG.because(format!("{name} is a null pointer, not a status")));
        }
        // SAFETY: not null; the caller of MPI vouches for the rest (§2.3).
        Ok(unsafe { *self.0 })
    }
}

impl Fortran for InStatus {
    type Wire = *const Status;
    type Length = NoLength;
    const FORM: Form = Form::new(Type::Status, Flow::In);
    unsafe fn enter(wire: *const Status, _: NoLength) -> Self {
        Self(wire)
    }
}

/// A pointer that the call may ignore: `argc` and `argv` of MPI_Init, `void *` values.
macro_rules! pointers {
    ($($(#[doc = $doc:literal])* $name:ident: $raw:ty = $c:literal;)*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Copy)]
        pub(in crate::abi) struct $name($raw);

        impl Kind for $name {
            const C: &'static str = $c;
            type Raw = $raw;
            type Checked = usize;
            fn from_c(raw: $raw) -> Self {
                Self(raw)
            }
            fn check(self, _: &'static Process, _: &'static str) -> Result<usize> {
                Ok(self.0.expose_provenance())
            }
        }
    )*};
}

pointers! {
    /// `argc` of MPI_Init, which this library leaves unchanged.
    Argc: *mut c_int = "int *";
    /// `argv` of MPI_Info_create_env.
    InArgv: *mut *mut c_void = "char *[]";
    /// `argv` of MPI_Init.
    Argv: *mut *mut *mut c_void = "char ***";
}
