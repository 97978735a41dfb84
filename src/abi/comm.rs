//! Communicators: creation, comparison, names, hints (MPI-5.0 §7.4, §7.8).

use crate::abi::check_recover;
use crate::abi::kinds::*;
use crate::mpi::comm::intercomm::Sides;
use crate::mpi::comm::wishes::Wish;
use crate::mpi::comm::{create, intercomm};
use crate::mpi::dynamic::{disconnect, spawn};
use crate::mpi::env;

mpi!(
    /// The caller's rank in `comm` (MPI-5.0 §7.4.1).
    #[fortran(mpi_comm_rank_)]
    #[raises_on(comm)]
    fn MPI_Comm_rank(process: &Process, comm: MPI_Comm, rank: OutInt) {
        rank.set(comm.rank);
        Ok(())
    }
);

mpi!(
    /// The number of members of `comm`.
    #[fortran(mpi_comm_size_)]
    #[raises_on(comm)]
    fn MPI_Comm_size(process: &Process, comm: MPI_Comm, size: OutInt) {
        size.set(comm.size());
        Ok(())
    }
);

mpi!(
    /// Compares two communicators.
    #[fortran(mpi_comm_compare_)]
    #[raises_on(comm1)]
    fn MPI_Comm_compare(process: &Process, comm1: MPI_Comm, comm2: MPI_Comm, result: OutInt) {
        result.set(comm1.compare(&comm2) as i32);
        Ok(())
    }
);

mpi!(
    /// Duplicates `comm` with a new context (MPI-5.0 §7.4.2).
    #[fortran(mpi_comm_dup_)]
    #[raises_on(comm)]
    fn MPI_Comm_dup(process: &Process, comm: MPI_Comm, newcomm: Var<MPI_Comm>) {
        let is_asked = check_recover::is_asked(newcomm.key());
        newcomm.set(create::duplicate_or_recover(process, &comm, is_asked)?);
        Ok(())
    }
);

mpi!(
    /// Like MPI_Comm_dup, with new hints.
    #[fortran(mpi_comm_dup_with_info_)]
    #[raises_on(comm)]
    fn MPI_Comm_dup_with_info(
        process: &Process, comm: MPI_Comm, info: Hints, newcomm: Var<MPI_Comm>,
    ) {
        newcomm.set(create::duplicate(process, &comm, info.as_deref())?);
        Ok(())
    }
);

mpi!(
    /// Starts duplicating `comm`.
    #[fortran(mpi_comm_idup_)]
    #[raises_on(comm)]
    fn MPI_Comm_idup(
        process: &Process, comm: MPI_Comm, newcomm: Var<MPI_Comm>, request: Var<MPI_Request>,
    ) {
        let (made, started) = create::start_duplicate(process, &comm, None)?;
        newcomm.set(made);
        request.set(started);
        Ok(())
    }
);

mpi!(
    /// Like MPI_Comm_idup, with new hints.
    #[fortran(mpi_comm_idup_with_info_)]
    #[raises_on(comm)]
    fn MPI_Comm_idup_with_info(
        process: &Process, comm: MPI_Comm, info: Hints, newcomm: Var<MPI_Comm>,
        request: Var<MPI_Request>,
    ) {
        let (made, started) = create::start_duplicate(process, &comm, info.as_deref())?;
        newcomm.set(made);
        request.set(started);
        Ok(())
    }
);

mpi!(
    /// Creates one communicator for each color.
    #[fortran(mpi_comm_split_)]
    #[raises_on(comm)]
    fn MPI_Comm_split(
        process: &Process, comm: MPI_Comm, color: Int, key: Int, newcomm: Var<MPI_Comm>,
    ) {
        newcomm.set_or_null(create::split(process, &comm, Wish::new(color, key)?)?);
        Ok(())
    }
);

mpi!(
    /// Creates one communicator for each part of the machine.
    #[fortran(mpi_comm_split_type_)]
    #[raises_on(comm)]
    fn MPI_Comm_split_type(
        process: &Process, comm: MPI_Comm, split_type: Int, key: Int, info: Hints,
        newcomm: Var<MPI_Comm>,
    ) {
        newcomm.set_or_null(create::split_type(process, &comm, split_type, key, info.as_ref())?);
        Ok(())
    }
);

mpi!(
    /// Creates a communicator of `group`; all members of `comm` call it.
    #[fortran(mpi_comm_create_)]
    #[raises_on(comm)]
    fn MPI_Comm_create(
        process: &Process, comm: MPI_Comm, group: MPI_Group, newcomm: Var<MPI_Comm>,
    ) {
        newcomm.set_or_null(create::create(process, &comm, &group)?);
        Ok(())
    }
);

mpi!(
    /// Creates a communicator of `group`; only its members call it.
    #[fortran(mpi_comm_create_group_)]
    #[raises_on(comm)]
    fn MPI_Comm_create_group(
        process: &Process, comm: MPI_Comm, group: MPI_Group, tag: Tag, newcomm: Var<MPI_Comm>,
    ) {
        newcomm.set_or_null(create::create_group(process, &comm, &group, tag)?);
        Ok(())
    }
);

mpi!(
    /// Creates a communicator of `group` without a parent communicator.
    #[fortran(mpi_comm_create_from_group_)]
    #[raises_on(errhandler)]
    fn MPI_Comm_create_from_group(
        process: &Process, group: MPI_Group, stringtag: InText, info: Hints,
        errhandler: MPI_Errhandler, newcomm: Var<MPI_Comm>,
    ) {
        let made = create::from_group(process, &group, &stringtag, info.as_deref(), errhandler)?;
        newcomm.set_or_null(made);
        Ok(())
    }
);

mpi!(
    /// Creates an intercommunicator between the groups of two communicators (MPI-5.0 §7.6.2).
    #[fortran(mpi_intercomm_create_)]
    #[raises_on(local_comm)]
    fn MPI_Intercomm_create(
        process: &Process, local_comm: MPI_Comm, local_leader: Int, peer_comm: Late<MPI_Comm>,
        remote_leader: Int, tag: Tag, newintercomm: Var<MPI_Comm>,
    ) {
        let (local, peer) = (&local_comm, peer_comm);
        newintercomm.set(intercomm::create(
            process,
            local,
            local_leader,
            peer,
            remote_leader,
            tag,
        )?);
        Ok(())
    }
);

mpi!(
    /// Creates an intercommunicator between two groups.
    #[fortran(mpi_intercomm_create_from_groups_)]
    #[raises_on(errhandler)]
    fn MPI_Intercomm_create_from_groups(
        process: &Process, local_group: MPI_Group, local_leader: Int,
        remote_group: Late<MPI_Group>, remote_leader: Int, stringtag: InText, info: Hints,
        errhandler: MPI_Errhandler, newintercomm: Var<MPI_Comm>,
    ) {
        let (local, remote) = (&*local_group, remote_group);
        let sides = Sides { local, local_leader, remote, remote_leader };
        let info = info.as_deref();
        let made = intercomm::from_groups(process, sides, &stringtag, info, errhandler)?;
        newintercomm.set(made);
        Ok(())
    }
);

mpi!(
    /// Merges both groups of `intercomm` into one communicator.
    #[fortran(mpi_intercomm_merge_)]
    #[raises_on(intercomm)]
    fn MPI_Intercomm_merge(
        process: &Process, intercomm: MPI_Comm, high: Logical, newintracomm: Var<MPI_Comm>,
    ) {
        newintracomm.set(intercomm::merge(process, &intercomm, high)?);
        Ok(())
    }
);

mpi!(
    /// Frees `comm` (MPI-5.0 §7.4.3).
    #[fortran(mpi_comm_free_)]
    #[raises_on(comm)]
    fn MPI_Comm_free(process: &Process, comm: Var<MPI_Comm>) {
        create::free(process, comm.key())?;
        comm.set_null();
        Ok(())
    }
);

mpi!(
    /// Frees `comm` when all that is under way there has ended, at all members (MPI-5.0 §11.10.4).
    #[fortran(mpi_comm_disconnect_)]
    #[raises_on(comm)]
    fn MPI_Comm_disconnect(process: &Process, comm: Var<MPI_Comm>) {
        disconnect::disconnect(process, comm.key())?;
        comm.set_null();
        Ok(())
    }
);

mpi!(
    /// Whether `comm` is an intercommunicator (MPI-5.0 §7.6.1).
    #[fortran(mpi_comm_test_inter_)]
    #[raises_on(comm)]
    fn MPI_Comm_test_inter(process: &Process, comm: MPI_Comm, flag: OutFlag) {
        flag.set(comm.is_inter());
        Ok(())
    }
);

mpi!(
    /// The remote group of an intercommunicator.
    #[fortran(mpi_comm_remote_group_)]
    #[raises_on(comm)]
    fn MPI_Comm_remote_group(process: &Process, comm: MPI_Comm, group: Var<MPI_Group>) {
        group.set(process.keep_group(comm.remote()?.clone())?);
        Ok(())
    }
);

mpi!(
    /// The size of the remote group of an intercommunicator.
    #[fortran(mpi_comm_remote_size_)]
    #[raises_on(comm)]
    fn MPI_Comm_remote_size(process: &Process, comm: MPI_Comm, size: OutInt) {
        size.set(comm.remote()?.size());
        Ok(())
    }
);

mpi!(
    /// The group of `comm` (MPI-5.0 §7.3.2).
    #[fortran(mpi_comm_group_)]
    #[raises_on(comm)]
    fn MPI_Comm_group(process: &Process, comm: MPI_Comm, group: Var<MPI_Group>) {
        group.set(process.keep_group(comm.group.clone())?);
        Ok(())
    }
);

mpi!(
    /// Sets the name of `comm` (MPI-5.0 §7.8).
    #[fortran(mpi_comm_set_name_)]
    #[raises_on(comm)]
    fn MPI_Comm_set_name(process: &Process, comm: MPI_Comm, comm_name: InText) {
        *comm.name.lock() = env::name_of(comm_name);
        Ok(())
    }
);

mpi!(
    /// The name of `comm`.
    #[fortran(mpi_comm_get_name_)]
    #[raises_on(comm)]
    fn MPI_Comm_get_name(
        process: &Process, comm: OrNull<MPI_Comm>, comm_name: OutText, resultlen: OutInt,
    ) {
        let name = comm.map_or(b"MPI_COMM_NULL".to_vec(), |comm| comm.name.lock().clone());
        resultlen.set(comm_name.set(&name, env::MAX_OBJECT_NAME));
        Ok(())
    }
);

mpi!(
    /// Sets hints on `comm` (MPI-5.0 §7.4.4).
    #[fortran(mpi_comm_set_info_)]
    #[raises_on(comm)]
    fn MPI_Comm_set_info(process: &Process, comm: MPI_Comm, info: Hints) {
        comm.set_info(info.as_deref());
        Ok(())
    }
);

mpi!(
    /// The hints of `comm`, in a new info that the caller frees.
    #[fortran(mpi_comm_get_info_)]
    #[raises_on(comm)]
    fn MPI_Comm_get_info(process: &Process, comm: MPI_Comm, info_used: Var<MPI_Info>) {
        info_used.set(process.keep_info(comm.info())?);
        Ok(())
    }
);

mpi!(
    /// The intercommunicator with the parents, or MPI_COMM_NULL (MPI-5.0 §11.8.2).
    #[fortran(mpi_comm_get_parent_)]
    fn MPI_Comm_get_parent(process: &Process, parent: Var<MPI_Comm>) {
        parent.set_or_null(spawn::parent(process));
        Ok(())
    }
);
