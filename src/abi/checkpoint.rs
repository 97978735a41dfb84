//! Diskless checkpoints, declared in `include/ftck.h`.

use crate::abi::kinds::*;
use crate::checkpoint;
use std::ffi::c_int;

/// FTCK_NONE: FTCK_Restore found nothing to restore.
const NONE: c_int = -1;

fn told(count: Option<usize>) -> c_int {
    count.map_or(-1, |count| count.try_into().unwrap_or(c_int::MAX))
}

mpi!(
    /// Creates a checkpoint object for the members of `comm`.
    #[fortran(ftck_create_)]
    #[raises_on(comm)]
    fn FTCK_Create(process: &Process, comm: MPI_Comm, scheme: InText, ck: Var<FTCK>) {
        ck.set(checkpoint::create(process, &comm, &scheme)?);
        Ok(())
    }
);

mpi!(
    /// Registers data to be saved.
    #[large(FTCK_Register_c)]
    #[fortran(ftck_register_)]
    fn FTCK_Register(
        process: &Process, ck: FTCK, id: Int, buf: OutBuf, count: Count, datatype: MPI_Datatype,
    ) {
        checkpoint::register(&ck, id, buf, count, &datatype)
    }
);

mpi!(
    /// Removes data from what is saved.
    #[fortran(ftck_unregister_)]
    fn FTCK_Unregister(process: &Process, ck: FTCK, id: Int) {
        checkpoint::unregister(&ck, id)
    }
);

mpi!(
    /// Saves the registered data.
    #[fortran(ftck_checkpoint_)]
    fn FTCK_Checkpoint(process: &Process, ck: FTCK, version: Size) {
        checkpoint::take(process, &ck, version)
    }
);

mpi!(
    /// Starts saving the registered data, which the program may change when this returns.
    #[fortran(ftck_icheckpoint_)]
    fn FTCK_Icheckpoint(process: &Process, ck: FTCK, version: Size, request: Var<MPI_Request>) {
        request.set(checkpoint::start(process, &ck, version)?);
        Ok(())
    }
);

mpi!(
    /// Restores the saved data; survivors rebuild the data of ranks that lost theirs.
    #[fortran(ftck_restore_)]
    fn FTCK_Restore(process: &Process, ck: FTCK, version: OutInt) {
        let restored = checkpoint::restore(process, &ck)?;
        version.set(restored.map_or(NONE, |version| version as c_int));
        Ok(())
    }
);

mpi!(
    /// The last checkpoint: its version, how many failures it survives, how many digits it may
    /// lose.
    #[fortran(ftck_status_)]
    fn FTCK_Status(process: &Process, ck: FTCK, version: OutInt, failures: OutInt, digits: OutInt) {
        let safety = checkpoint::safety(process, &ck);
        version.set(safety.as_ref().map_or(NONE, |safety| safety.version as c_int));
        failures.set(safety.as_ref().map_or(0, |safety| told(safety.failures)));
        digits.set(safety.map_or(0, |safety| safety.digits));
        Ok(())
    }
);

mpi!(
    /// How many failures each rank's data survives.
    #[fortran(ftck_tolerances_)]
    fn FTCK_Tolerances(process: &Process, ck: FTCK, maxranks: Size, failures: OutInts) {
        let each = checkpoint::tolerances(process, &ck);
        let each: Vec<c_int> = each.into_iter().map(told).collect();
        failures.put_most(&each, maxranks)
    }
);

mpi!(
    /// The ranks whose data this rank has inherited.
    #[fortran(ftck_orphans_)]
    fn FTCK_Orphans(process: &Process, ck: FTCK, maxranks: Size, ranks: OutInts, count: OutInt) {
        let orphans = checkpoint::orphans(&ck);
        ranks.put_most(&orphans, maxranks)?;
        count.set(told(Some(orphans.len())));
        Ok(())
    }
);

mpi!(
    /// Copies out some of the inherited data.
    #[large(FTCK_Adopt_c)]
    #[fortran(ftck_adopt_)]
    fn FTCK_Adopt(
        process: &Process, ck: FTCK, rank: Int, id: Int, buf: OutBuf, count: Count,
        datatype: MPI_Datatype,
    ) {
        checkpoint::adopt(process, &ck, rank, id, buf, count, &datatype)
    }
);

mpi!(
    /// Continues with the members of `comm`.
    #[fortran(ftck_set_comm_)]
    #[raises_on(comm)]
    fn FTCK_Set_comm(process: &Process, ck: FTCK, comm: MPI_Comm) {
        checkpoint::move_to(process, &ck, &comm)
    }
);

mpi!(
    /// Also writes some checkpoints to files.
    #[fortran(ftck_set_disk_)]
    fn FTCK_Set_disk(process: &Process, ck: FTCK, directory: InText, every: Size) {
        checkpoint::keep_on_disk(&ck, &directory, every as u64)
    }
);

mpi!(
    /// Sets the node of this rank: no two ranks of a node are put into one group.
    #[fortran(ftck_set_node_)]
    fn FTCK_Set_node(process: &Process, ck: FTCK, node: Size) {
        checkpoint::sit_on(&ck, node as u32)
    }
);

mpi!(
    /// Sets the expected time between failures.
    #[fortran(ftck_set_mttf_)]
    fn FTCK_Set_mttf(process: &Process, ck: FTCK, mttf: InText) {
        checkpoint::expect_failures(&ck, &mttf)
    }
);

mpi!(
    /// Whether a checkpoint is due before the next iteration.
    #[fortran(ftck_due_)]
    fn FTCK_Due(process: &Process, ck: FTCK, flag: OutFlag) {
        flag.set(checkpoint::is_due(process, &ck)?);
        Ok(())
    }
);

mpi!(
    /// Frees the object and everything saved in it.
    #[fortran(ftck_free_)]
    fn FTCK_Free(process: &Process, ck: Var<FTCK>) {
        checkpoint::find(process, ck.key(), "ck")?;
        checkpoint::free(process, ck.key());
        ck.set_null();
        Ok(())
    }
);
