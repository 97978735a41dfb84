//! The outcome of a receive (MPI-5.0 §3.2.5).

/// `MPI_Status`, as `mpi.h` lays it out.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    pub source: i32,
    pub tag: i32,
    pub error: i32,
    internal: [i32; 5],
}

impl Status {
    pub fn bytes(&self) -> i64 {
        i64::from(self.internal[0])
    }
}
