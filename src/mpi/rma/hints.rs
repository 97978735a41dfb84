//! The hints of a window (MPI-5.0 §12.2.1). The library needs none, but tells which are in force.

use crate::mpi::error::Result;
use crate::mpi::info::Info;
use crate::mpi::rma::win::Flavor;

/// The keys that the standard names, and what holds without them.
const KNOWN: [(&str, &str); 6] = [
    ("no_locks", "false"),
    ("accumulate_ordering", "rar,raw,war,waw"),
    ("accumulate_ops", "same_op_no_op"),
    ("mpi_accumulate_granularity", "0"),
    ("same_size", "false"),
    ("same_disp_unit", "false"),
];

/// Whether shared memory may be in several pieces.
pub const NONCONTIGUOUS: &str = "alloc_shared_noncontig";

/// The hints of a new window.
pub fn new(flavor: Flavor, given: Option<&Info>) -> Result<Info> {
    let hints = Info::default();
    let of_shared = (flavor == Flavor::Shared).then_some((NONCONTIGUOUS, "false"));
    for (key, value) in KNOWN.into_iter().chain(of_shared) {
        hints.set(key.as_bytes(), value.as_bytes())?;
    }
    set(&hints, given)?;
    Ok(hints)
}

/// Takes those over that the window knows.
pub fn set(hints: &Info, given: Option<&Info>) -> Result {
    let Some(given) = given else { return Ok(()) };
    for place in 0..hints.len() {
        let key = hints.key(place as i32)?;
        if let Some(value) = given.value(&key)? {
            hints.set(&key, &value)?;
        }
    }
    Ok(())
}

/// Whether the hint under `key` says true.
pub fn is_true(hints: Option<&Info>, key: &str) -> Result<bool> {
    let value = hints.map(|hints| hints.value(key.as_bytes())).transpose()?.flatten();
    Ok(value.is_some_and(|value| value.eq_ignore_ascii_case(b"true")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_hints_are_kept() {
        let given = Info::default();
        for (key, value) in [("no_locks", "true"), ("colour", "blue"), (NONCONTIGUOUS, "TRUE")] {
            given.set(key.as_bytes(), value.as_bytes()).expect("fine");
        }
        let hints = new(Flavor::Shared, Some(&given)).expect("fine");
        assert_eq!(hints.value(b"no_locks"), Ok(Some(b"true".to_vec())));
        assert_eq!(hints.value(b"same_size"), Ok(Some(b"false".to_vec())));
        assert_eq!(hints.value(b"colour"), Ok(None));
        assert_eq!(is_true(Some(&hints), NONCONTIGUOUS), Ok(true));
        let hints = new(Flavor::Create, Some(&given)).expect("fine");
        assert_eq!(is_true(Some(&hints), NONCONTIGUOUS), Ok(false));
    }
}
