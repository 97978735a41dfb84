//! Kinds for topologies: arrays of truth values, of optional weights, and of dimensions that the
//! call reads and fills in.

use crate::abi::fortran;
use crate::abi::kinds::list::length;
use crate::abi::kinds::{Flow, Form, Fortran, Kind, NoLength, Type};
use crate::mpi::error::{Class, Result};
use crate::mpi::process::Process;
use std::ffi::c_int;

/// MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY.
const UNWEIGHTED: usize = 10;
const WEIGHTS_EMPTY: usize = 11;

/// Declares a kind for an array in the caller's memory, by its type there.
macro_rules! arrays {
    ($(
        $(#[doc = $doc:literal])*
        $name:ident: $raw:ty = $c:literal, $of:ident $flow:ident, $from_fortran:expr;
    )*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Copy)]
        pub(in crate::abi) struct $name {
            at: $raw,
            name: &'static str,
        }

        impl Kind for $name {
            const C: &'static str = $c;
            type Raw = $raw;
            type Checked = Self;
            fn from_c(raw: $raw) -> Self {
                Self { at: raw, name: "" }
            }
            fn check(self, _: &'static Process, name: &'static str) -> Result<Self> {
                Ok(Self { name, ..self })
            }
        }

        impl Fortran for $name {
            type Wire = $raw;
            type Length = NoLength;
            const FORM: Form = Form::array(Type::$of, Flow::$flow);
            unsafe fn enter(wire: $raw, _: NoLength) -> Self {
                let meant: fn($raw) -> $raw = $from_fortran;
                Self { at: meant(wire), name: "" }
            }
        }
    )*};
}

arrays! {
    /// Truth values: `int` in C, `LOGICAL` in Fortran, which gfortran stores as 0 or 1.
    Flags: *const c_int = "const int[]", Logical In, |wire| wire;
    /// Truth values that the call writes.
    OutFlags: *mut c_int = "int[]", Logical Out, |wire| wire;
    /// Integers that the call reads and changes.
    VarInts: *mut c_int = "int[]", Integer InOut, |wire| wire;
    /// Weights of edges, or MPI_UNWEIGHTED or MPI_WEIGHTS_EMPTY.
    Weights: *const c_int = "const int[]", Integer In,
        |wire| std::ptr::with_exposed_provenance(fortran::in_c(wire.expose_provenance()));
    /// Where weights go, or MPI_UNWEIGHTED.
    OutWeights: *mut c_int = "int[]", Integer Unsaid,
        |wire| std::ptr::with_exposed_provenance_mut(fortran::in_c(wire.expose_provenance()));
}

impl Flags {
    /// The first `count` truth values.
    pub(in crate::abi) fn read(self, count: i64) -> Result<Vec<bool>> {
        Ok(read(self.at, count, self.name)?.into_iter().map(|flag| flag != 0).collect())
    }
}

impl OutFlags {
    /// Writes `values` to the array, from its start.
    pub(in crate::abi) fn put(self, values: &[bool]) -> Result {
        let values: Vec<c_int> = values.iter().map(|value| c_int::from(*value)).collect();
        put(self.at, &values, self.name)
    }
}

impl VarInts {
    /// The first `count` integers.
    pub(in crate::abi) fn read(self, count: i64) -> Result<Vec<c_int>> {
        read(self.at, count, self.name)
    }

    /// Writes `values` to the array, from its start.
    pub(in crate::abi) fn put(self, values: &[c_int]) -> Result {
        put(self.at, values, self.name)
    }
}

impl Weights {
    /// The first `count` weights, or `None` for unweighted edges.
    pub(in crate::abi) fn read(self, count: i64) -> Result<Option<Vec<c_int>>> {
        match self.at.addr() {
            UNWEIGHTED => Ok(None),
            WEIGHTS_EMPTY if count <= 0 => Ok(Some(Vec::new())),
            WEIGHTS_EMPTY => {
                let words = format!("{} is MPI_WEIGHTS_EMPTY; there are {count} edges", self.name);
                Err(Class::ARG.because(words))
            }
            _ => read(self.at, count, self.name).map(Some),
        }
    }
}

impl OutWeights {
    /// Writes as many weights as there is room for, if there are any.
    pub(in crate::abi) fn put_most(self, weights: Option<&[c_int]>, room: i64) -> Result {
        let weights = weights.unwrap_or_default();
        let most = usize::try_from(room).unwrap_or(0).min(weights.len());
        match self.at.addr() {
            UNWEIGHTED | WEIGHTS_EMPTY => Ok(()),
            _ => put(self.at, &weights[..most], self.name),
        }
    }
}

fn read(at: *const c_int, count: i64, name: &str) -> Result<Vec<c_int>> {
    let count = length(at.is_null(), count, name)?;
    // SAFETY: the caller of MPI vouches for `count` elements (§2.3).
    Ok((0..count).map(|index| unsafe { at.add(index).read() }).collect())
}

fn put(at: *mut c_int, values: &[c_int], name: &str) -> Result {
    length(at.is_null(), values.len() as i64, name)?;
    for (index, value) in values.iter().enumerate() {
        // SAFETY: the caller of MPI vouches for `values.len()` elements (§2.3).
        unsafe { at.add(index).write(*value) }
    }
    Ok(())
}
