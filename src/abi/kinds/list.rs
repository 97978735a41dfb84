//! Kinds that are arrays. Their length is another argument, which the body passes to them.

use crate::abi::fortran;
use crate::abi::kinds::{Flow, Form, Fortran, Kind, NoLength, Type};
use crate::mpi::coll::List;
use crate::mpi::error::{Class, Result};
use crate::mpi::p2p::status::Status;
use crate::mpi::process::Process;
use std::ffi::c_int;

macro_rules! lists {
    ($(
        $(#[doc = $doc:literal])*
        $name:ident: $raw:ty = $c:literal => $seen:ty;
    )*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Copy)]
        pub(in crate::abi) struct $name {
            at: *const $raw,
            name: &'static str,
        }

        impl $name {
            /// The first `count` elements.
            pub(in crate::abi) fn read(self, count: i64) -> Result<Vec<$seen>> {
                let count = length(self.at.is_null(), count, self.name)?;
                // SAFETY: the caller of MPI vouches for `count` elements (§2.3).
                let read = |index| unsafe { self.at.add(index).read() };
                Ok((0..count).map(|index| <$seen>::from(read(index))).collect())
            }
        }

        impl Kind for $name {
            const C: &'static str = $c;
            type Raw = *const $raw;
            type Checked = Self;
            fn from_c(raw: *const $raw) -> Self {
                Self { at: raw, name: "" }
            }
            fn check(self, _: &'static Process, name: &'static str) -> Result<Self> {
                Ok(Self { name, ..self })
            }
        }

        impl Fortran for $name {
            type Wire = *const $raw;
            type Length = NoLength;
            const FORM: Form = Form {
                shape: if size_of::<$raw>() == 12 { "3,*" } else { "*" },
                ..Form::number($c, Flow::In)
            };
            unsafe fn enter(wire: *const $raw, _: NoLength) -> Self {
                Self { at: wire, name: "" }
            }
        }
    )*};
}

lists! {
    /// Integers: ranks, counts, displacements.
    Ints: c_int = "const int[]" => i64;
    /// Integers that are `int` in the large-count twin, too.
    Ints32: c_int = "const int[]" => c_int;
    /// Address-sized integers.
    Aints: i64 = "const MPI_Aint[]" => i64;
    /// Large counts.
    Counts64: i64 = "const MPI_Count[]" => i64;
    /// Triplets of first, last and stride.
    Ranges: [c_int; 3] = "int[][3]" => [c_int; 3];
}

pub(super) fn length(is_null: bool, count: i64, name: &str) -> Result<usize> {
    if is_null && count > 0 {
        let words = format!("{name} is a null pointer; it must point to {count} elements");
        return Err(Class::ARG.because(words));
    }
    Ok(usize::try_from(count).unwrap_or(0))
}

macro_rules! lists_of_numbers {
    ($($name:ident)*) => {$(
        impl List for $name {
            fn numbers(&self, count: i64) -> Result<Vec<i64>> {
                self.read(count)
            }
        }
    )*};
}

lists_of_numbers! { Ints Aints Counts64 }

macro_rules! out_lists {
    ($(
        $(#[doc = $doc:literal])*
        $name:ident: $raw:ty = $c:literal;
    )*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Copy)]
        pub(in crate::abi) struct $name {
            at: *mut $raw,
            name: &'static str,
        }

        impl $name {
            /// Writes `values` to the array, from its start.
            pub(in crate::abi) fn put(self, values: &[$raw]) -> Result {
                length(self.at.is_null(), values.len() as i64, self.name)?;
                for (index, value) in values.iter().enumerate() {
                    // SAFETY: the caller of MPI vouches for `values.len()` elements (§2.3).
                    unsafe { self.at.add(index).write(*value) }
                }
                Ok(())
            }
        }

        impl Kind for $name {
            const C: &'static str = $c;
            type Raw = *mut $raw;
            type Checked = Self;
            fn from_c(raw: *mut $raw) -> Self {
                Self { at: raw, name: "" }
            }
            fn check(self, _: &'static Process, name: &'static str) -> Result<Self> {
                Ok(Self { name, ..self })
            }
        }

        impl Fortran for $name {
            type Wire = *mut $raw;
            type Length = NoLength;
            const FORM: Form = Form::number($c, Flow::Out);
            unsafe fn enter(wire: *mut $raw, _: NoLength) -> Self {
                Self { at: wire, name: "" }
            }
        }
    )*};
}

out_lists! {
    /// Integers that the call writes.
    OutInts: c_int = "int[]";
    /// Address-sized integers that the call writes.
    OutAints: i64 = "MPI_Aint[]";
    /// Large counts that the call writes.
    OutCounts64: i64 = "MPI_Count[]";
}

impl OutInts {
    /// Writes as many of `values` as there is room for.
    pub(in crate::abi) fn put_most(self, values: &[c_int], room: i64) -> Result {
        let most = usize::try_from(room).unwrap_or(0).min(values.len());
        self.put(&values[..most])
    }
}

/// Indices into one of the caller's arrays: from 0 in C, from 1 in Fortran.
#[derive(Clone, Copy)]
pub(in crate::abi) struct OutIndices {
    at: *mut c_int,
    first: c_int,
    name: &'static str,
}

impl OutIndices {
    /// Writes `indices` to the array, from its start.
    pub(in crate::abi) fn put(self, indices: &[usize]) -> Result {
        length(self.at.is_null(), indices.len() as i64, self.name)?;
        for (place, index) in indices.iter().enumerate() {
            let index = *index as c_int + self.first;
            // SAFETY: the caller of MPI vouches for `indices.len()` elements (§2.3).
            unsafe { self.at.add(place).write(index) }
        }
        Ok(())
    }
}

impl Kind for OutIndices {
    const C: &'static str = "int[]";
    type Raw = *mut c_int;
    type Checked = Self;
    fn from_c(raw: *mut c_int) -> Self {
        Self { at: raw, first: 0, name: "" }
    }
    fn check(self, _: &'static Process, name: &'static str) -> Result<Self> {
        Ok(Self { name, ..self })
    }
}

impl Fortran for OutIndices {
    type Wire = *mut c_int;
    type Length = NoLength;
    const FORM: Form = Form::array(Type::Integer, Flow::Out);
    unsafe fn enter(wire: *mut c_int, _: NoLength) -> Self {
        Self { at: wire, first: 1, name: "" }
    }
}

/// Where statuses go, if the caller wants them.
#[derive(Clone, Copy)]
pub(in crate::abi) struct OutStatuses(*mut Status);

impl OutStatuses {
    /// MPI_STATUSES_IGNORE.
    pub(in crate::abi) const IGNORED: OutStatuses = OutStatuses(std::ptr::null_mut());

    /// Sets the status at `index`, except MPI_ERROR, which only an empty status sets.
    #[inline]
    pub(in crate::abi) fn set(self, index: usize, status: Status) {
        if !self.0.is_null() {
            // SAFETY: the caller of MPI vouches for as many statuses as it has requests (§2.3).
            let at = unsafe { self.0.add(index) };
            // SAFETY: the caller of MPI vouches for as many statuses as it has requests (§2.3).
            let error = unsafe { (*at).error };
            // SAFETY: the caller of MPI vouches for as many statuses as it has requests (§2.3).
            unsafe { at.write(status.over(error)) }
        }
    }

    /// Sets MPI_ERROR of the status at `index`; only a call that found an error does so (§3.2.5).
    pub(in crate::abi) fn set_error(self, index: usize, code: c_int) {
        if !self.0.is_null() {
            // SAFETY: the caller of MPI vouches for as many statuses as it has requests (§2.3).
            unsafe { (*self.0.add(index)).error = code }
        }
    }
}

impl Kind for OutStatuses {
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

impl Fortran for OutStatuses {
    type Wire = *mut Status;
    type Length = NoLength;
    const FORM: Form = Form::array(Type::Status, Flow::Unsaid);
    unsafe fn enter(wire: *mut Status, _: NoLength) -> Self {
        Self(fortran::unless_ignored(wire))
    }
}
