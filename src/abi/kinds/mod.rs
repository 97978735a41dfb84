//! Parameter kinds: every parameter of a call is a type that knows how to check itself.
//!
//! A kind is made from what C passes (`Raw`) or from what Fortran passes (`Wire`: always by
//! reference, handles as `INTEGER`), and remembers the difference where it matters later. It
//! checks what can be judged without the other parameters; relations between parameters (is this
//! rank in that communicator?) are the body's business.

pub(super) mod allocation;
pub(super) mod attribute;
pub(super) mod callback;
pub(super) mod form;
pub(super) mod handle;
pub(super) mod list;
pub(super) mod memory;
pub(super) mod section;
pub(super) mod text;
pub(super) mod topology;
pub(super) mod width;

pub(super) use allocation::*;
pub(super) use attribute::*;
pub(super) use callback::*;
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
    /// Judges the argument called `name` of a call by `process`.
    fn check(self, process: &'static Process, name: &'static str) -> Result<Self::Checked>;
}

/// A kind that Fortran can pass too.
pub(super) trait Fortran: Kind {
    type Wire: Copy;
    /// `usize` for CHARACTER arguments, whose lengths come after all arguments; else nothing.
    type Length: Copy + Default;
    /// How the modules declare such a parameter.
    const FORM: Form = Form::UNKNOWN;
    /// # Safety
    /// `wire` is what a Fortran caller passed for a parameter of this kind.
    unsafe fn enter(wire: Self::Wire, length: Self::Length) -> Self;
    /// The same for a caller who uses `mpi_f08`. In a call with a choice buffer, buffers and texts
    /// come as descriptors, and there are no lengths; there is room for `copies` then.
    /// # Safety
    /// As above.
    #[inline]
    unsafe fn enter_modern(wire: Self::Wire, length: Self::Length, _copies: Described<'_>) -> Self {
        // SAFETY: the caller's promise is the same.
        unsafe { Self::enter(wire, length) }
    }
    /// Where the handle of the operation goes that the call starts, if this is the place.
    #[inline]
    fn request(_wire: Self::Wire) -> Option<*mut c_int> {
        None
    }
}

/// In a call whose buffers are described: where copies of sections are kept.
pub(super) type Described<'a> = Option<&'a mut Sections>;

/// The length of an argument that is no CHARACTER.
pub(super) type NoLength = ();

/// What a call returns where that is no error code.
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

/// Where a Fortran call puts its error code.
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

/// Apart, so that a number that is right need not lie in memory.
#[cold]
#[inline(never)]
fn refused(class: Class, name: &str, value: i64, words: &str) -> Failure {
    class.because(format!("{name} is {value}; {words}"))
}

scalars! {
    /// A number of elements.
    Count32: c_int = "int" => i64, |n| n >= 0, COUNT, "it must not be negative";
    /// A number of elements, large-count twin.
    Count64: i64 = "MPI_Count" => i64, |n| n >= 0, COUNT, "it must not be negative";
    /// A number of bytes, of ranks, of whatever the call says.
    Size: c_int = "int" => i64, |n| n >= 0, ARG, "it must not be negative";
    /// The same, large-count twin.
    Length64: i64 = "MPI_Count" => i64, |n| n >= 0, ARG, "it must not be negative";
    /// The same as an address-sized integer.
    LengthAint: i64 = "MPI_Aint" => i64, |n| n >= 0, ARG, "it must not be negative";
    /// A number of bytes, as an address-sized integer.
    AintSize: i64 = "MPI_Aint" => i64, |n| n >= 0, SIZE, "it must not be negative";
    /// How many dimensions a grid has, or room for.
    Dimensions: c_int = "int" => i64, |n| n >= 0, DIMS, "it must not be negative";
    /// A peer; only its communicator knows whether it exists.
    Rank: c_int = "int" => i32, |_| true, RANK, "";
    /// A tag to send with.
    Tag: c_int = "int" => i32, |n| n >= 0, TAG, "it must be between 0 and MPI_TAG_UB";
    /// A tag to receive with: MPI_ANY_TAG is one.
    AnyTag: c_int = "int" => i32, |n| n >= 0 || n == -2, TAG,
        "it must be between 0 and MPI_TAG_UB, or MPI_ANY_TAG";
    /// Any integer; the body judges.
    Int: c_int = "int" => i32, |_| true, ARG, "";
    /// Any integer that is a large count in the twin.
    Number32: c_int = "int" => i64, |_| true, ARG, "";
    Number64: i64 = "MPI_Count" => i64, |_| true, ARG, "";
    /// A number of bytes in either direction.
    Distance64: i64 = "MPI_Aint" => i64, |_| true, ARG, "";
    /// The same where `mpi.h` says `const`.
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

/// A parameter that matters in some processes only, or next to some values of others: the body
/// asks for it when it does, and only then its faults count.
#[derive(Clone, Copy)]
pub(super) struct Late<K>(K);

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
        // SAFETY: the caller's promise is the same.
        Self(unsafe { K::enter(wire, length) })
    }
    unsafe fn enter_modern(wire: K::Wire, length: K::Length, copies: Described<'_>) -> Self {
        // SAFETY: the caller's promise is the same.
        Self(unsafe { K::enter_modern(wire, length, copies) })
    }
}

/// The rest of a variadic list, which the call does not look at.
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

/// A truth value: an `int` in C, a `LOGICAL` in Fortran, which gfortran keeps as 0 and 1.
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
