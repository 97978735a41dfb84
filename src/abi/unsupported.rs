//! Calls that are not implemented yet: each fails with MPI_ERR_UNSUPPORTED_OPERATION.
//!
//! A line gives the call, its Fortran form if it has one, and its parameters. `_` stands for each
//! parameter but the communicator whose error handler is called. This list may only get shorter.

unsupported!(
    /// Errors are raised on the communicator.
    Comm:
    MPI_Comm_spawn [mpi_comm_spawn_] (_ _ _ _ _ comm _ _);
    MPI_Comm_spawn_multiple [mpi_comm_spawn_multiple_] (_ _ _ _ _ _ comm _ _);
    MPI_Win_allocate [mpi_win_allocate_] (_ _ _ comm _ _);
    MPI_Win_allocate_c [] (_ _ _ comm _ _);
    MPI_Win_allocate_shared [mpi_win_allocate_shared_] (_ _ _ comm _ _);
    MPI_Win_allocate_shared_c [] (_ _ _ comm _ _);
    MPI_Win_create [mpi_win_create_] (_ _ _ _ comm _);
    MPI_Win_create_c [] (_ _ _ _ comm _);
    MPI_Win_create_dynamic [mpi_win_create_dynamic_] (_ comm _);
);

unsupported!(
    /// Errors that belong to no object.
    Initial:
    MPI_Win_create_keyval [mpi_win_create_keyval_] (_ _ _ _);
    MPI_Win_delete_attr [mpi_win_delete_attr_] (_ _);
    MPI_Win_free_keyval [mpi_win_free_keyval_] (_);
    MPI_Win_get_attr [mpi_win_get_attr_] (_ _ _ _);
    MPI_Win_set_attr [mpi_win_set_attr_] (_ _ _);
    MPI_Accumulate [mpi_accumulate_] (_ _ _ _ _ _ _ _ _);
    MPI_Accumulate_c [] (_ _ _ _ _ _ _ _ _);
    MPI_Compare_and_swap [mpi_compare_and_swap_] (_ _ _ _ _ _ _);
    MPI_Fetch_and_op [mpi_fetch_and_op_] (_ _ _ _ _ _ _);
    MPI_Get [mpi_get_] (_ _ _ _ _ _ _ _);
    MPI_Get_accumulate [mpi_get_accumulate_] (_ _ _ _ _ _ _ _ _ _ _ _);
    MPI_Get_accumulate_c [] (_ _ _ _ _ _ _ _ _ _ _ _);
    MPI_Get_c [] (_ _ _ _ _ _ _ _);
    MPI_Put [mpi_put_] (_ _ _ _ _ _ _ _);
    MPI_Put_c [] (_ _ _ _ _ _ _ _);
    MPI_Raccumulate [mpi_raccumulate_] (_ _ _ _ _ _ _ _ _ _);
    MPI_Raccumulate_c [] (_ _ _ _ _ _ _ _ _ _);
    MPI_Rget [mpi_rget_] (_ _ _ _ _ _ _ _ _);
    MPI_Rget_accumulate [mpi_rget_accumulate_] (_ _ _ _ _ _ _ _ _ _ _ _ _);
    MPI_Rget_accumulate_c [] (_ _ _ _ _ _ _ _ _ _ _ _ _);
    MPI_Rget_c [] (_ _ _ _ _ _ _ _ _);
    MPI_Rput [mpi_rput_] (_ _ _ _ _ _ _ _ _);
    MPI_Rput_c [] (_ _ _ _ _ _ _ _ _);
    MPI_Win_attach [mpi_win_attach_] (_ _ _);
    MPI_Win_complete [mpi_win_complete_] (_);
    MPI_Win_detach [mpi_win_detach_] (_ _);
    MPI_Win_fence [mpi_win_fence_] (_ _);
    MPI_Win_flush [mpi_win_flush_] (_ _);
    MPI_Win_flush_all [mpi_win_flush_all_] (_);
    MPI_Win_flush_local [mpi_win_flush_local_] (_ _);
    MPI_Win_flush_local_all [mpi_win_flush_local_all_] (_);
    MPI_Win_free [mpi_win_free_] (_);
    MPI_Win_get_group [mpi_win_get_group_] (_ _);
    MPI_Win_get_info [mpi_win_get_info_] (_ _);
    MPI_Win_lock [mpi_win_lock_] (_ _ _ _);
    MPI_Win_lock_all [mpi_win_lock_all_] (_ _);
    MPI_Win_post [mpi_win_post_] (_ _ _);
    MPI_Win_set_info [mpi_win_set_info_] (_ _);
    MPI_Win_set_name [mpi_win_set_name_] (_ _);
    MPI_Win_shared_query [mpi_win_shared_query_] (_ _ _ _ _);
    MPI_Win_shared_query_c [] (_ _ _ _ _);
    MPI_Win_start [mpi_win_start_] (_ _ _);
    MPI_Win_sync [mpi_win_sync_] (_);
    MPI_Win_test [mpi_win_test_] (_ _);
    MPI_Win_unlock [mpi_win_unlock_] (_ _);
    MPI_Win_unlock_all [mpi_win_unlock_all_] (_);
    MPI_Win_wait [mpi_win_wait_] (_);
);

/// The listed calls that have a Fortran form.
#[cfg(test)]
pub(super) fn in_fortran() -> Vec<&'static str> {
    let text = include_str!("unsupported.rs");
    let calls = text.lines().map(str::trim).filter(|line| line.starts_with("MPI_"));
    let calls = calls.filter(|line| !line.contains(" [] "));
    calls.filter_map(|line| line.split_whitespace().next()).collect()
}

#[cfg(test)]
mod tests {
    use crate::abi::header;

    /// The number of refused calls when this list last became shorter.
    const REFUSED: usize = 56;

    #[test]
    fn every_refused_call_is_in_the_header_and_the_list_gets_shorter() {
        let all = [super::Comm, super::Initial].concat();
        for (name, args) in &all {
            let (_, params) = header::prototype(name);
            assert_eq!(params.len(), args.len(), "{name}: parameters");
            let comm = args.iter().position(|arg| *arg == "comm");
            let takes_comm = comm.map(|index| params[index].starts_with("MPI_Comm "));
            assert_ne!(takes_comm, Some(false), "{name}: where its communicator is");
            println!("refused: {name}");
        }
        println!("{} calls are refused", all.len());
        assert_eq!(all.len(), REFUSED, "what is built leaves the list, and the number follows");
    }
}
