//! What a rank can be seen doing.

/// The meanings of the colours.
pub const KINDS: [&str; 8] = [
    "computes",
    "waits for messages",
    "waits in a collective",
    "waits in another call",
    "recovers",
    "takes a checkpoint",
    "has not called MPI",
    "is done",
];
pub const COMPUTES: u8 = 0;
pub const MESSAGES: u8 = 1;
pub const COLLECTIVE: u8 = 2;
pub const OTHER: u8 = 3;
pub const RECOVERS: u8 = 4;
pub const CHECKPOINT: u8 = 5;
pub const OUTSIDE: u8 = 6;
pub const DONE: u8 = 7;

/// Whether a rank that is seen doing this sleeps in a call.
pub fn is_asleep(kind: u8) -> bool {
    matches!(kind, MESSAGES | COLLECTIVE | OTHER | CHECKPOINT)
}

/// What a call usually waits for.
pub fn kind_of(call: &str) -> u8 {
    const OF_MESSAGES: [&str; 15] = [
        "Send", "Ssend", "Bsend", "Rsend", "Recv", "Isend", "Irecv", "Wait", "Test", "Probe",
        "Mprobe", "Mrecv", "Iprobe", "Improbe", "Start",
    ];
    const COLLECTIVES: [&str; 11] = [
        "Barrier",
        "Bcast",
        "Gather",
        "Scatter",
        "Allgather",
        "Alltoall",
        "Reduce",
        "Allreduce",
        "Scan",
        "Exscan",
        "Neighbor_",
    ];
    if call.starts_with("FTCK_") {
        return CHECKPOINT;
    }
    let name = call.strip_prefix("MPI_").unwrap_or(call);
    let is_of = |names: &[&str]| names.iter().any(|known| name.starts_with(known));
    match () {
        () if is_of(&OF_MESSAGES) => MESSAGES,
        () if is_of(&COLLECTIVES) => COLLECTIVE,
        () => OTHER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_told_apart_by_what_they_wait_for() {
        for (call, kind) in [
            ("MPI_Recv", MESSAGES),
            ("MPI_Waitall", MESSAGES),
            ("MPI_Sendrecv_c", MESSAGES),
            ("MPI_Allreduce", COLLECTIVE),
            ("MPI_Reduce_scatter", COLLECTIVE),
            ("MPI_Comm_dup", OTHER),
            ("MPI_Finalize", OTHER),
            ("FTCK_Checkpoint", CHECKPOINT),
        ] {
            assert_eq!(kind_of(call), kind, "{call}");
        }
    }
}
