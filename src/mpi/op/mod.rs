//! Reduction operations (MPI-5.0 §6.9).

pub mod combine;
#[allow(unsafe_code, reason = "reductions read and write elements")]
pub mod kernels;
mod named;

use crate::mpi::callback::Callback;
use crate::mpi::checks;
use crate::mpi::datatype::{Datatype, predefined};
use crate::mpi::error::{Class, Result};
use crate::mpi::handle_table::Held;
pub use crate::mpi::op::named::Named;
use std::sync::atomic::Ordering;

/// What combines two values.
#[derive(Debug, PartialEq, Eq)]
pub enum Op {
    Named(Named),
    User { function: Callback, commutes: bool, is_large: bool },
}

const FIRST: usize = 0x20;
const LAST: usize = 0x3f;

/// The number of functions of the program's that do not commute; one more: of those that do.
const USER: u8 = (LAST - FIRST + 1) as u8;

const OPS: &[(usize, &str, Op)] = &[
    (0x21, "MPI_SUM", Op::Named(Named::Sum)),
    (0x22, "MPI_MIN", Op::Named(Named::Min)),
    (0x23, "MPI_MAX", Op::Named(Named::Max)),
    (0x24, "MPI_PROD", Op::Named(Named::Prod)),
    (0x28, "MPI_BAND", Op::Named(Named::Band)),
    (0x29, "MPI_BOR", Op::Named(Named::Bor)),
    (0x2a, "MPI_BXOR", Op::Named(Named::Bxor)),
    (0x30, "MPI_LAND", Op::Named(Named::Land)),
    (0x31, "MPI_LOR", Op::Named(Named::Lor)),
    (0x32, "MPI_LXOR", Op::Named(Named::Lxor)),
    (0x38, "MPI_MINLOC", Op::Named(Named::Minloc)),
    (0x39, "MPI_MAXLOC", Op::Named(Named::Maxloc)),
    (0x3c, "MPI_REPLACE", Op::Named(Named::Replace)),
    (0x3d, "MPI_NO_OP", Op::Named(Named::NoOp)),
];

impl Op {
    /// The predefined operation with this handle.
    #[inline]
    pub fn predefined(handle: usize) -> Option<Held<Op>> {
        /// Where each is in the list, plus one.
        static PLACES: [u8; LAST - FIRST + 1] = places();
        let place = PLACES.get(handle.wrapping_sub(FIRST)).copied().unwrap_or(0);
        OPS.get(usize::from(place).wrapping_sub(1)).map(|(_, _, op)| Held::Ever(op))
    }

    /// The name of the predefined operation with this handle.
    #[inline(always)]
    pub fn predefined_name(handle: usize) -> Option<Named> {
        static NAMES: [Option<Named>; LAST - FIRST + 1] = names();
        NAMES.get(handle.wrapping_sub(FIRST)).copied().flatten()
    }

    /// A number for what it is: of a function of the program's, only whether it commutes is known.
    #[inline]
    pub fn code(&self) -> u8 {
        match self {
            Op::Named(op) => Op::code_of(OPS[*op as usize].0),
            Op::User { commutes, .. } => USER + u8::from(*commutes),
        }
    }

    /// The code of the predefined operation with this handle (see [`Op::code`]).
    #[inline(always)]
    pub fn code_of(handle: usize) -> u8 {
        (handle - FIRST) as u8
    }

    /// What has such a number, in words.
    pub fn title(code: u8) -> &'static str {
        match OPS.iter().find(|(handle, ..)| Op::code_of(*handle) == code) {
            Some((_, name, _)) => name,
            None if code == USER => "a function of the program's that does not commute",
            None => "a function of the program's that commutes",
        }
    }

    /// Whether it looks at its operand: all but MPI_NO_OP do.
    pub fn needs_origin(&self) -> bool {
        *self != Op::Named(Named::NoOp)
    }

    /// True if the order of the operands does not matter.
    pub fn commutes(&self) -> bool {
        match self {
            Op::Named(Named::Replace | Named::NoOp) => false,
            Op::Named(_) => true,
            Op::User { commutes, .. } => *commutes,
        }
    }

    /// Fails unless the operation works on items of `datatype`: a function of the program's on all,
    /// the predefined on some of the predefined types (the table of MPI-5.0 §6.9.2; logical
    /// operations work on integers of Fortran, too, and all that work on integers on MPI_CHAR).
    #[inline]
    pub fn is_defined_on(&self, datatype: &Datatype) -> Result {
        match self {
            Op::Named(op) if datatype.operations.load(Ordering::Relaxed) & op.bit() != 0 => Ok(()),
            Op::Named(op) => self.is_named_defined_on(*op, datatype),
            Op::User { .. } => Ok(()),
        }
    }

    #[inline(never)]
    fn is_named_defined_on(&self, op: Named, datatype: &Datatype) -> Result {
        if !checks::are_on() {
            return Ok(());
        }
        let kernel = || kernels::kernel(op, datatype.shape.element);
        if datatype.is_predefined() && kernel().is_some() {
            datatype.operations.fetch_or(op.bit(), Ordering::Relaxed);
            return Ok(());
        }
        self.is_not_defined_on(datatype)
    }

    #[cold]
    fn is_not_defined_on(&self, datatype: &Datatype) -> Result {
        let Op::Named(op) = self else { return Ok(()) };
        let name = predefined::name(datatype.handle).unwrap_or("a datatype that the program made");
        Err(Class::OP.because(format!("op is {}, which is not defined on {name}", op.title())))
    }
}

const fn names() -> [Option<Named>; LAST - FIRST + 1] {
    let mut names = [None; LAST - FIRST + 1];
    let mut place = 0;
    while place < OPS.len() {
        if let Op::Named(named) = OPS[place].2 {
            names[OPS[place].0 - FIRST] = Some(named);
        }
        place += 1;
    }
    names
}

const fn places() -> [u8; LAST - FIRST + 1] {
    let mut places = [0; LAST - FIRST + 1];
    let mut place = 0;
    while place < OPS.len() {
        places[OPS[place].0 - FIRST] = place as u8 + 1;
        place += 1;
    }
    places
}

impl Named {
    /// Its bit in a set of predefined operations.
    fn bit(self) -> u32 {
        1 << self as u32
    }

    /// The standard's name.
    pub fn title(self) -> &'static str {
        let known = OPS.iter().find(|(_, _, op)| *op == Op::Named(self));
        known.map_or("an operation", |(_, name, _)| name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_found_by_their_handles_and_have_their_numbers() {
        for (place, (handle, name, op)) in OPS.iter().enumerate() {
            let Op::Named(named) = op else { panic!("{name} is predefined") };
            assert_eq!(*named as usize, place, "{name}");
            assert_eq!(Op::predefined(*handle).as_deref(), Some(op));
            assert_eq!((op.code(), Op::title(op.code())), (Op::code_of(*handle), *name));
        }
        for handle in [0, 0x1f, 0x20, 0x25, 0x3f, 0x40, usize::MAX] {
            assert!(Op::predefined(handle).is_none(), "{handle:#x} is no operation");
        }
    }
}
