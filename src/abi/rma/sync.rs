//! Synchronization of windows (MPI-5.0 §12.5).

use crate::abi::kinds::*;
use crate::abi::rma::fast_path;
use crate::mpi::rma::{active, passive};

mpi!(
    /// Ends an epoch of all members and begins another (MPI-5.0 §12.5.1).
    #[fortran(mpi_win_fence_)]
    #[raises_on(win)]
    fn MPI_Win_fence(process: &Process, assert: Int, win: MPI_Win) {
        active::fence(process, &win, assert)
    }
);

mpi!(
    /// Begins to access a group (MPI-5.0 §12.5.2).
    #[fortran(mpi_win_start_)]
    #[raises_on(win)]
    fn MPI_Win_start(process: &Process, group: MPI_Group, assert: Int, win: MPI_Win) {
        active::start(process, &win, &group, assert)
    }
);

mpi!(
    /// Ends the accesses that MPI_Win_start began.
    #[fortran(mpi_win_complete_)]
    #[raises_on(win)]
    fn MPI_Win_complete(process: &Process, win: MPI_Win) {
        active::complete(process, &win)
    }
);

mpi!(
    /// Exposes the own memory to a group.
    #[fortran(mpi_win_post_)]
    #[raises_on(win)]
    fn MPI_Win_post(process: &Process, group: MPI_Group, assert: Int, win: MPI_Win) {
        active::post(process, &win, &group, assert)
    }
);

mpi!(
    /// Waits until the group has completed its accesses.
    #[fortran(mpi_win_wait_)]
    #[raises_on(win)]
    fn MPI_Win_wait(process: &Process, win: MPI_Win) {
        active::wait(process, &win)
    }
);

mpi!(
    /// Whether the group has completed its accesses.
    #[fortran(mpi_win_test_)]
    #[raises_on(win)]
    fn MPI_Win_test(process: &Process, win: MPI_Win, flag: OutFlag) {
        flag.set(active::test(process, &win)?);
        Ok(())
    }
);

mpi!(
    /// Locks a member's memory (MPI-5.0 §12.5.3).
    #[fortran(mpi_win_lock_)]
    #[raises_on(win)]
    #[at_once(fast_path::lock)]
    fn MPI_Win_lock(process: &Process, lock_type: Int, rank: Int, assert: Int, win: MPI_Win) {
        passive::lock(process, &win, lock_type, rank, assert)
    }
);

mpi!(
    /// Locks the memory of all members, each when it is first accessed.
    #[fortran(mpi_win_lock_all_)]
    #[raises_on(win)]
    fn MPI_Win_lock_all(process: &Process, assert: Int, win: MPI_Win) {
        passive::lock_all(process, &win, assert)
    }
);

mpi!(
    /// Unlocks a member's memory.
    #[fortran(mpi_win_unlock_)]
    #[raises_on(win)]
    #[at_once(fast_path::unlock)]
    fn MPI_Win_unlock(process: &Process, rank: Int, win: MPI_Win) {
        passive::unlock(process, &win, rank)
    }
);

mpi!(
    /// Unlocks the memory of all members.
    #[fortran(mpi_win_unlock_all_)]
    #[raises_on(win)]
    fn MPI_Win_unlock_all(process: &Process, win: MPI_Win) {
        passive::unlock_all(process, &win)
    }
);

mpi!(
    /// Completes the accesses to a member (MPI-5.0 §12.5.4).
    #[fortran(mpi_win_flush_)]
    #[raises_on(win)]
    #[at_once(fast_path::flush)]
    fn MPI_Win_flush(process: &Process, rank: Int, win: MPI_Win) {
        passive::flush(process, &win, Some(rank))
    }
);

mpi!(
    /// Completes the accesses to all members.
    #[fortran(mpi_win_flush_all_)]
    #[raises_on(win)]
    #[at_once(fast_path::flush_all)]
    fn MPI_Win_flush_all(process: &Process, win: MPI_Win) {
        passive::flush(process, &win, None)
    }
);

mpi!(
    /// Completes the accesses to a member at this end.
    #[fortran(mpi_win_flush_local_)]
    #[raises_on(win)]
    #[at_once(fast_path::flush)]
    fn MPI_Win_flush_local(process: &Process, rank: Int, win: MPI_Win) {
        passive::flush_local(process, &win, Some(rank))
    }
);

mpi!(
    /// Completes the accesses to all members at this end.
    #[fortran(mpi_win_flush_local_all_)]
    #[raises_on(win)]
    #[at_once(fast_path::flush_all)]
    fn MPI_Win_flush_local_all(process: &Process, win: MPI_Win) {
        passive::flush_local(process, &win, None)
    }
);

mpi!(
    /// Orders the loads and stores of this process.
    #[fortran(mpi_win_sync_)]
    #[raises_on(win)]
    fn MPI_Win_sync(process: &Process, win: MPI_Win) {
        passive::synchronize(process, &win)
    }
);
