//! Parameter kinds: every parameter of a call is a type that checks itself.
//!
//! A kind is made from what C passes (`Raw`) or from what Fortran passes (`Wire`: always by
//! reference, handles as `INTEGER`), and remembers the difference where it matters later. It checks
//! what can be checked without the other parameters. How parameters relate (is this rank in that
//! communicator?) is for the body to check.

pub(super) mod allocation;
pub(super) mod attribute;
pub(super) mod callback;
pub(super) mod command;
pub(super) mod form;
pub(super) mod handle;
pub(super) mod list;
pub(super) mod memory;
pub(super) mod section;
pub(super) mod text;
pub(super) mod tools;
pub(super) mod topology;
pub(super) mod width;

pub(super) use allocation::*;
pub(super) use attribute::*;
pub(super) use callback::*;
pub(super) use command::*;
pub(super) use form::{Flow, Form, Type};
pub(super) use handle::*;
pub(super) use list::*;
pub(super) use memory::*;
pub(super) use section::Sections;
pub(super) use text::*;
pub(super) use topology::*;

use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::process::Process;
pub(super) use std::ffi::{c_double, c_int};

/// One parameter of an MPI call.
pub(super) trait Kind: Sized + Copy {
    /// The parameter's type as `mpi.h` spells it.
    #[cfg_attr(not(test), allow(dead_code, reason = "a test compares it with the header"))]
    const C: &'static str;
    /// The parameter as C passes it.
    type Raw: Copy;
    /// What the body of the call sees.
    type Checked;
    fn from_c(raw: Self::Raw) -> Self;
    /// Checks the argument `name` of a call by `process`.
    fn check(self, process: &'static Process, name: &'static str) -> Result<Self::Checked>;
}

/// A kind that Fortran can also pass.
pub(super) trait Fortran: Kind {
    type Wire: Copy;
    /// `usize` for CHARACTER arguments, whose lengths follow all arguments; otherwise nothing.
    type Length: Copy + Default;
    /// How the modules declare such a parameter.
    const FORM: Form = Form::UNKNOWN;
    /// # Safety
    /// `wire` is what a Fortran caller passed for a parameter of this kind.
    unsafe fn enter(wire: Self::Wire, length: Self::Length) -> Self;
    /// Like [`enter`](Self::enter), for a caller that uses `mpi_f08`. In a call with a choice
    /// buffer, buffers and texts are passed as descriptors without lengths, and `copies` is set.
    /// # Safety
    /// `wire` is what such a caller passed for a parameter of this kind.
    #[inline]
    unsafe fn enter_modern(wire: Self::Wire, length: Self::Length, _copies: Described<'_>) -> Self {
        // SAFETY: the caller makes the promise that `enter` asks for.
        unsafe { Self::enter(wire, length) }
    }
    /// The place of the request handle that the call sets, if this parameter is that place.
    #[inline]
    fn request(_wire: Self::Wire) -> Option<*mut c_int> {
        None
    }
}

/// Holds the copies of sections, in a call whose buffers are passed as descriptors.
pub(super) type Described<'a> = Option<&'a mut Sections>;

/// The length of an argument that is not CHARACTER.
pub(super) type NoLength = ();

/// The value of a function that does not return an error code.
pub(super) trait Value {
    #[cfg_attr(not(test), allow(dead_code, reason = "a test compares it with the header"))]
    const C: &'static str;
    type Raw;
    fn into_c(self) -> Self::Raw;
}

macro_rules! values {
    ($($type:ty = $c:literal;)*) => {$(
        impl Value for $type {
            const C: &'static str = $c;
            type Raw = $type;
            fn into_c(self) -> $type {
                self
            }
        }
    )*};
}

values! {
    c_double = "double";
    i64 = "MPI_Aint";
    c_int = "int";
}

/// Where a Fortran call stores its error code.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(super) struct Ierror(*mut c_int);

impl Ierror {
    pub(super) fn set(self, code: c_int) {
        if !self.0.is_null() {
            // SAFETY: the caller of MPI vouches for its `ierror` (§2.3).
            unsafe { self.0.write(code) }
        }
    }
}

macro_rules! scalars {
    ($(
        $(#[doc = $doc:literal])*
        $name:ident: $raw:ty = $c:literal => $seen:ty, $ok:expr, $class:ident, $words:literal;
    )*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Copy)]
        pub(super) struct $name($raw);

        impl Kind for $name {
            const C: &'static str = $c;
            type Raw = $raw;
            type Checked = $seen;
            #[inline]
            fn from_c(raw: $raw) -> Self {
                Self(raw)
            }
            #[inline]
            fn check(self, _: &'static Process, name: &'static str) -> Result<$seen> {
                let ok: fn($raw) -> bool = $ok;
                if ok(self.0) {
                    return Ok(<$seen>::from(self.0));
                }
                Err(refused(Class::$class, name, self.0.into(), $words))
            }
        }

        impl Fortran for $name {
            type Wire = *const $raw;
            type Length = NoLength;
            const FORM: Form = Form::number($c, Flow::In);
            #[inline]
            unsafe fn enter(wire: *const $raw, _: NoLength) -> Self {
                // SAFETY: Fortran passes scalars by reference, and the reference is live here.
                Self(unsafe { *wire })
            }
        }
    )*};
}

/// A separate function, so that a valid number need not be in memory.
#[cold]
#[inline(never)]
fn refused(class: Class, name: &str, value: i64, words: &str) -> Failure {
    class.because(format!("{name} is {value}; {words}"))
}

scalars! {
    /// A number of elements.
    Count32: c_int = "int" => i64, |n| n >= 0, COUNT, "it must not be negative";
    /// A number of elements in the large-count twin.
    Count64: i64 = "MPI_Count" => i64, |n| n >= 0, COUNT, "it must not be negative";
    /// A number of bytes, ranks or other things.
    Size: c_int = "int" => i64, |n| n >= 0, ARG, "it must not be negative";
    /// A number of bytes or other things in the large-count twin.
    Length64: i64 = "MPI_Count" => i64, |n| n >= 0, ARG, "it must not be negative";
    /// A number of bytes or other things, as an address-sized integer.
    LengthAint: i64 = "MPI_Aint" => i64, |n| n >= 0, ARG, "it must not be negative";
    /// A number of bytes, as an address-sized integer.
    AintSize: i64 = "MPI_Aint" => i64, |n| n >= 0, SIZE, "it must not be negative";
    /// A number of grid dimensions, or the room for them.
    Dimensions: c_int = "int" => i64, |n| n >= 0, DIMS, "it must not be negative";
    /// A peer rank; only its communicator knows whether it exists.
    Rank: c_int = "int" => i32, |_| true, RANK, "";
    /// A tag to send with.
    Tag: c_int = "int" => i32, |n| n >= 0, TAG, "it must be between 0 and MPI_TAG_UB";
    /// A tag to receive with, or MPI_ANY_TAG.
    AnyTag: c_int = "int" => i32, |n| n >= 0 || n == -2, TAG,
        "it must be between 0 and MPI_TAG_UB, or MPI_ANY_TAG";
    /// Any integer; the body checks it.
    Int: c_int = "int" => i32, |_| true, ARG, "";
    /// Any integer that is a large count in the twin.
    Number32: c_int = "int" => i64, |_| true, ARG, "";
    Number64: i64 = "MPI_Count" => i64, |_| true, ARG, "";
    /// A number of bytes, positive or negative.
    Distance64: i64 = "MPI_Aint" => i64, |_| true, ARG, "";
    /// A position in a file, or a number of bytes there; the body checks it.
    Offset: i64 = "MPI_Offset" => i64, |_| true, ARG, "";
    /// Any integer that `mpi.h` declares `const`.
    ConstInt: c_int = "const int" => i32, |_| true, ARG, "";
    /// Any integer that can hold an address.
    Aint: i64 = "MPI_Aint" => i64, |_| true, ARG, "";
}

impl Aint {
    pub(super) fn value(self) -> i64 {
        self.0
    }
}

impl Int {
    pub(super) fn value(self) -> i32 {
        self.0
    }
}

/// A parameter that matters only in some processes, or only with some values of other parameters.
/// The body asks for it when it matters; only then can it be an error.
#[derive(Clone, Copy)]
pub(super) struct Late<K>(K);

impl<K: Handle> Late<K> {
    /// The handle's value, unchecked.
    #[inline(always)]
    pub(super) fn key(self) -> usize {
        self.0.key()
    }
}

impl<K: Kind> Kind for Late<K> {
    const C: &'static str = K::C;
    type Raw = K::Raw;
    type Checked = Result<K::Checked>;
    #[inline(always)]
    fn from_c(raw: K::Raw) -> Self {
        Self(K::from_c(raw))
    }
    #[inline(always)]
    fn check(self, process: &'static Process, name: &'static str) -> Result<Result<K::Checked>> {
        Ok(self.0.check(process, name))
    }
}

impl<K: Fortran> Fortran for Late<K> {
    type Wire = K::Wire;
    type Length = K::Length;
    const FORM: Form = K::FORM;
    unsafe fn enter(wire: K::Wire, length: K::Length) -> Self {
        // SAFETY: the caller makes the promise that `K` asks for.
        Self(unsafe { K::enter(wire, length) })
    }
    unsafe fn enter_modern(wire: K::Wire, length: K::Length, copies: Described<'_>) -> Self {
        // SAFETY: the caller makes the promise that `K` asks for.
        Self(unsafe { K::enter_modern(wire, length, copies) })
    }
}

/// The rest of a variadic list, which the call ignores.
#[derive(Clone, Copy)]
pub(super) struct Rest;

impl Kind for Rest {
    const C: &'static str = "...";
    type Raw = ();
    type Checked = ();
    fn from_c((): ()) -> Self {
        Self
    }
    fn check(self, _: &'static Process, _: &'static str) -> Result<()> {
        Ok(())
    }
}

impl Fortran for Rest {
    type Wire = ();
    type Length = NoLength;
    const FORM: Form = Form::ABSENT;
    unsafe fn enter((): (), _: NoLength) -> Self {
        Self
    }
}

/// A truth value: an `int` in C, a `LOGICAL` in Fortran, which gfortran stores as 0 or 1.
#[derive(Clone, Copy)]
pub(super) struct Logical(c_int);

impl Kind for Logical {
    const C: &'static str = "int";
    type Raw = c_int;
    type Checked = bool;
    fn from_c(raw: c_int) -> Self {
        Self(raw)
    }
    fn check(self, _: &'static Process, _: &'static str) -> Result<bool> {
        Ok(self.0 != 0)
    }
}

impl Fortran for Logical {
    type Wire = *const c_int;
    type Length = NoLength;
    const FORM: Form = Form::new(Type::Logical, Flow::In);
    unsafe fn enter(wire: *const c_int, _: NoLength) -> Self {
        // SAFETY: Fortran passes scalars by reference, and the reference is live here.
        Self(unsafe { *wire })
    }
}
