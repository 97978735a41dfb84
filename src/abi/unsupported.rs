//! Calls that are not implemented yet: each fails with MPI_ERR_UNSUPPORTED_OPERATION.
//!
//! A line gives the call, its Fortran form if it has one, and its parameters. `_` stands for each
//! parameter but the communicator whose error handler is called. This list may only get shorter.

unsupported!(
    /// Errors are raised on the communicator.
    Comm:
    MPI_Precv_init [mpi_precv_init_] (_ _ _ _ _ _ comm _ _);
    MPI_Precv_init_c [] (_ _ _ _ _ _ comm _ _);
    MPI_Psend_init [mpi_psend_init_] (_ _ _ _ _ _ comm _ _);
    MPI_Psend_init_c [] (_ _ _ _ _ _ comm _ _);
    MPI_Win_allocate [mpi_win_allocate_] (_ _ _ comm _ _);
    MPI_Win_allocate_c [] (_ _ _ comm _ _);
    MPI_Win_allocate_shared [mpi_win_allocate_shared_] (_ _ _ comm _ _);
    MPI_Win_allocate_shared_c [] (_ _ _ comm _ _);
    MPI_Win_create [mpi_win_create_] (_ _ _ _ comm _);
    MPI_Win_create_c [] (_ _ _ _ comm _);
    MPI_Win_create_dynamic [mpi_win_create_dynamic_] (_ comm _);
);

unsupported!(
    /// Errors of files, which return by default.
    File:
    MPI_File_close [mpi_file_close_] (_);
    MPI_File_delete [mpi_file_delete_] (_ _);
    MPI_File_get_amode [mpi_file_get_amode_] (_ _);
    MPI_File_get_atomicity [mpi_file_get_atomicity_] (_ _);
    MPI_File_get_byte_offset [mpi_file_get_byte_offset_] (_ _ _);
    MPI_File_get_group [mpi_file_get_group_] (_ _);
    MPI_File_get_info [mpi_file_get_info_] (_ _);
    MPI_File_get_position [mpi_file_get_position_] (_ _);
    MPI_File_get_position_shared [mpi_file_get_position_shared_] (_ _);
    MPI_File_get_size [mpi_file_get_size_] (_ _);
    MPI_File_get_type_extent [mpi_file_get_type_extent_] (_ _ _);
    MPI_File_get_type_extent_c [] (_ _ _);
    MPI_File_get_view [mpi_file_get_view_] (_ _ _ _ _);
    MPI_File_iread [mpi_file_iread_] (_ _ _ _ _);
    MPI_File_iread_all [mpi_file_iread_all_] (_ _ _ _ _);
    MPI_File_iread_all_c [] (_ _ _ _ _);
    MPI_File_iread_at [mpi_file_iread_at_] (_ _ _ _ _ _);
    MPI_File_iread_at_all [mpi_file_iread_at_all_] (_ _ _ _ _ _);
    MPI_File_iread_at_all_c [] (_ _ _ _ _ _);
    MPI_File_iread_at_c [] (_ _ _ _ _ _);
    MPI_File_iread_c [] (_ _ _ _ _);
    MPI_File_iread_shared [mpi_file_iread_shared_] (_ _ _ _ _);
    MPI_File_iread_shared_c [] (_ _ _ _ _);
    MPI_File_iwrite [mpi_file_iwrite_] (_ _ _ _ _);
    MPI_File_iwrite_all [mpi_file_iwrite_all_] (_ _ _ _ _);
    MPI_File_iwrite_all_c [] (_ _ _ _ _);
    MPI_File_iwrite_at [mpi_file_iwrite_at_] (_ _ _ _ _ _);
    MPI_File_iwrite_at_all [mpi_file_iwrite_at_all_] (_ _ _ _ _ _);
    MPI_File_iwrite_at_all_c [] (_ _ _ _ _ _);
    MPI_File_iwrite_at_c [] (_ _ _ _ _ _);
    MPI_File_iwrite_c [] (_ _ _ _ _);
    MPI_File_iwrite_shared [mpi_file_iwrite_shared_] (_ _ _ _ _);
    MPI_File_iwrite_shared_c [] (_ _ _ _ _);
    MPI_File_open [mpi_file_open_] (_ _ _ _ _);
    MPI_File_preallocate [mpi_file_preallocate_] (_ _);
    MPI_File_read [mpi_file_read_] (_ _ _ _ _);
    MPI_File_read_all [mpi_file_read_all_] (_ _ _ _ _);
    MPI_File_read_all_begin [mpi_file_read_all_begin_] (_ _ _ _);
    MPI_File_read_all_begin_c [] (_ _ _ _);
    MPI_File_read_all_c [] (_ _ _ _ _);
    MPI_File_read_all_end [mpi_file_read_all_end_] (_ _ _);
    MPI_File_read_at [mpi_file_read_at_] (_ _ _ _ _ _);
    MPI_File_read_at_all [mpi_file_read_at_all_] (_ _ _ _ _ _);
    MPI_File_read_at_all_begin [mpi_file_read_at_all_begin_] (_ _ _ _ _);
    MPI_File_read_at_all_begin_c [] (_ _ _ _ _);
    MPI_File_read_at_all_c [] (_ _ _ _ _ _);
    MPI_File_read_at_all_end [mpi_file_read_at_all_end_] (_ _ _);
    MPI_File_read_at_c [] (_ _ _ _ _ _);
    MPI_File_read_c [] (_ _ _ _ _);
    MPI_File_read_ordered [mpi_file_read_ordered_] (_ _ _ _ _);
    MPI_File_read_ordered_begin [mpi_file_read_ordered_begin_] (_ _ _ _);
    MPI_File_read_ordered_begin_c [] (_ _ _ _);
    MPI_File_read_ordered_c [] (_ _ _ _ _);
    MPI_File_read_ordered_end [mpi_file_read_ordered_end_] (_ _ _);
    MPI_File_read_shared [mpi_file_read_shared_] (_ _ _ _ _);
    MPI_File_read_shared_c [] (_ _ _ _ _);
    MPI_File_seek [mpi_file_seek_] (_ _ _);
    MPI_File_seek_shared [mpi_file_seek_shared_] (_ _ _);
    MPI_File_set_atomicity [mpi_file_set_atomicity_] (_ _);
    MPI_File_set_info [mpi_file_set_info_] (_ _);
    MPI_File_set_size [mpi_file_set_size_] (_ _);
    MPI_File_set_view [mpi_file_set_view_] (_ _ _ _ _ _);
    MPI_File_sync [mpi_file_sync_] (_);
    MPI_File_write [mpi_file_write_] (_ _ _ _ _);
    MPI_File_write_all [mpi_file_write_all_] (_ _ _ _ _);
    MPI_File_write_all_begin [mpi_file_write_all_begin_] (_ _ _ _);
    MPI_File_write_all_begin_c [] (_ _ _ _);
    MPI_File_write_all_c [] (_ _ _ _ _);
    MPI_File_write_all_end [mpi_file_write_all_end_] (_ _ _);
    MPI_File_write_at [mpi_file_write_at_] (_ _ _ _ _ _);
    MPI_File_write_at_all [mpi_file_write_at_all_] (_ _ _ _ _ _);
    MPI_File_write_at_all_begin [mpi_file_write_at_all_begin_] (_ _ _ _ _);
    MPI_File_write_at_all_begin_c [] (_ _ _ _ _);
    MPI_File_write_at_all_c [] (_ _ _ _ _ _);
    MPI_File_write_at_all_end [mpi_file_write_at_all_end_] (_ _ _);
    MPI_File_write_at_c [] (_ _ _ _ _ _);
    MPI_File_write_c [] (_ _ _ _ _);
    MPI_File_write_ordered [mpi_file_write_ordered_] (_ _ _ _ _);
    MPI_File_write_ordered_begin [mpi_file_write_ordered_begin_] (_ _ _ _);
    MPI_File_write_ordered_begin_c [] (_ _ _ _);
    MPI_File_write_ordered_c [] (_ _ _ _ _);
    MPI_File_write_ordered_end [mpi_file_write_ordered_end_] (_ _ _);
    MPI_File_write_shared [mpi_file_write_shared_] (_ _ _ _ _);
    MPI_File_write_shared_c [] (_ _ _ _ _);
    MPI_Register_datarep [mpi_register_datarep_] (_ _ _ _ _);
    MPI_Register_datarep_c [] (_ _ _ _ _);
);

unsupported!(
    /// The tools interface: no error handler is called.
    Tool:
    MPI_T_category_changed [] (_);
    MPI_T_category_get_categories [] (_ _ _);
    MPI_T_category_get_cvars [] (_ _ _);
    MPI_T_category_get_events [] (_ _ _);
    MPI_T_category_get_index [] (_ _);
    MPI_T_category_get_info [] (_ _ _ _ _ _ _ _);
    MPI_T_category_get_num [] (_);
    MPI_T_category_get_num_events [] (_ _);
    MPI_T_category_get_pvars [] (_ _ _);
    MPI_T_cvar_get_index [] (_ _);
    MPI_T_cvar_get_info [] (_ _ _ _ _ _ _ _ _ _);
    MPI_T_cvar_get_num [] (_);
    MPI_T_cvar_handle_alloc [] (_ _ _ _);
    MPI_T_cvar_handle_free [] (_);
    MPI_T_cvar_read [] (_ _);
    MPI_T_cvar_write [] (_ _);
    MPI_T_enum_get_info [] (_ _ _ _);
    MPI_T_enum_get_item [] (_ _ _ _ _);
    MPI_T_event_callback_get_info [] (_ _ _);
    MPI_T_event_callback_set_info [] (_ _ _);
    MPI_T_event_copy [] (_ _);
    MPI_T_event_get_index [] (_ _);
    MPI_T_event_get_info [] (_ _ _ _ _ _ _ _ _ _ _ _);
    MPI_T_event_get_num [] (_);
    MPI_T_event_get_source [] (_ _);
    MPI_T_event_get_timestamp [] (_ _);
    MPI_T_event_handle_alloc [] (_ _ _ _);
    MPI_T_event_handle_free [] (_ _ _);
    MPI_T_event_handle_get_info [] (_ _);
    MPI_T_event_handle_set_info [] (_ _);
    MPI_T_event_read [] (_ _ _);
    MPI_T_event_register_callback [] (_ _ _ _ _);
    MPI_T_event_set_dropped_handler [] (_ _);
    MPI_T_finalize [] ();
    MPI_T_init_thread [] (_ _);
    MPI_T_pvar_get_index [] (_ _ _);
    MPI_T_pvar_get_info [] (_ _ _ _ _ _ _ _ _ _ _ _ _);
    MPI_T_pvar_get_num [] (_);
    MPI_T_pvar_handle_alloc [] (_ _ _ _ _);
    MPI_T_pvar_handle_free [] (_ _);
    MPI_T_pvar_read [] (_ _ _);
    MPI_T_pvar_readreset [] (_ _ _);
    MPI_T_pvar_reset [] (_ _);
    MPI_T_pvar_session_create [] (_);
    MPI_T_pvar_session_free [] (_);
    MPI_T_pvar_start [] (_ _);
    MPI_T_pvar_stop [] (_ _);
    MPI_T_pvar_write [] (_ _ _);
    MPI_T_source_get_info [] (_ _ _ _ _ _ _ _ _);
    MPI_T_source_get_num [] (_);
    MPI_T_source_get_timestamp [] (_ _);
);

unsupported!(
    /// Errors that belong to no object.
    Initial:
    MPI_Parrived [mpi_parrived_] (_ _ _);
    MPI_Pready [mpi_pready_] (_ _);
    MPI_Pready_list [mpi_pready_list_] (_ _ _);
    MPI_Pready_range [mpi_pready_range_] (_ _ _);
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
    const REFUSED: usize = 199;

    #[test]
    fn every_refused_call_is_in_the_header_and_the_list_gets_shorter() {
        let all = [super::Comm, super::File, super::Tool, super::Initial].concat();
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
