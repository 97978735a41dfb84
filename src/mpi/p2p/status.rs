//! MPI_Status: source, tag and size of a received message, in the ABI's layout (MPI-5.0 §3.2.5).

use crate::engine::{ANY_SOURCE, ANY_TAG};
use crate::mpi::error::Result;

/// MPI_Status: 32 bytes. The words behind the public ones are ours.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    pub source: i32,
    pub tag: i32,
    pub error: i32,
    is_cancelled: i32,
    /// The number of bytes, low half first: the struct is aligned to 4.
    bytes: [u32; 2],
    spare: [i32; 2],
}

const _: () = assert!(size_of::<Status>() == 32 && align_of::<Status>() == 4);

impl Default for Status {
    fn default() -> Status {
        Status::EMPTY
    }
}

impl Status {
    /// What a wait on nothing returns: its MPI_ERROR is MPI_SUCCESS (MPI-5.0 §3.7.3).
    pub const EMPTY: Status = Status {
        source: ANY_SOURCE,
        tag: ANY_TAG,
        error: 0,
        is_cancelled: 0,
        bytes: [0; 2],
        spare: [0; 2],
    };

    /// That of an operation which has nothing to say of a message.
    pub const PLAIN: Status = Status::new(ANY_SOURCE, ANY_TAG);

    /// In the place of an error code: the caller's MPI_ERROR stays as it is.
    const KEPT: i32 = i32::MIN;

    /// A message without data from `source`.
    pub const fn new(source: i32, tag: i32) -> Status {
        Status { source, tag, error: Status::KEPT, ..Status::EMPTY }
    }

    /// This status, but one that leaves the caller's MPI_ERROR unchanged.
    pub const fn without_error(self) -> Status {
        self.with_error(Status::KEPT)
    }

    /// As it is written over one whose MPI_ERROR was `error`: only a call that met an error changes
    /// that (§3.2.5), and an empty status.
    #[inline]
    pub const fn over(self, error: i32) -> Status {
        if self.error == Status::KEPT { self.with_error(error) } else { self }
    }

    /// This status with `error` as its MPI_ERROR.
    #[inline]
    pub const fn with_error(self, error: i32) -> Status {
        Status { error, ..self }
    }

    /// How many bytes arrived.
    pub fn bytes(&self) -> i64 {
        (u64::from(self.bytes[1]) << 32 | u64::from(self.bytes[0])) as i64
    }

    pub fn set_bytes(&mut self, bytes: i64) {
        self.bytes = [bytes as u32, (bytes as u64 >> 32) as u32];
    }

    pub fn is_cancelled(&self) -> bool {
        self.is_cancelled != 0
    }

    pub fn set_cancelled(&mut self, is_cancelled: bool) {
        self.is_cancelled = is_cancelled.into();
    }
}

/// An operation that has ended: what is known of its message, and whether that is good news. The
/// status says something even then: for instance, who is dead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completed {
    pub status: Status,
    pub news: Result,
}

impl From<Status> for Completed {
    fn from(status: Status) -> Completed {
        Completed { status, news: Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_holds_more_bytes_than_32_bits_count() {
        let mut status = Status::EMPTY;
        status.set_bytes(0x1_2345_6789_abcd);
        status.set_cancelled(true);
        assert_eq!((status.bytes(), status.is_cancelled()), (0x1_2345_6789_abcd, true));
    }
}
