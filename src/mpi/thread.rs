//! Threads of a rank: numbers that tell them apart, and the levels of MPI_Init_thread.

pub const THREAD_SINGLE: i32 = 0;
pub const THREAD_MULTIPLE: i32 = 4096;
pub(super) const THREAD_LEVELS: [(i32, &str); 4] = [
    (THREAD_SINGLE, "MPI_THREAD_SINGLE"),
    (1024, "MPI_THREAD_FUNNELED"),
    (2048, "MPI_THREAD_SERIALIZED"),
    (THREAD_MULTIPLE, "MPI_THREAD_MULTIPLE"),
];

/// A number that no other living thread has.
pub(super) fn thread_token() -> usize {
    thread_local!(static TOKEN: u8 = const { 0 });
    TOKEN.with(|token| std::ptr::from_ref(token).addr())
}
