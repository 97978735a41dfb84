//! Diskless checkpoints, declared in `include/ftck.h`.

use crate::abi::kinds::*;
use crate::checkpoint;
use std::ffi::c_int;

/// What FTCK_Restore says where there is nothing to restore: FTCK_NONE.
const NONE: c_int = -1;

fn told(count: Option<usize>) -> c_int {
    count.map_or(-1, |count| count.try_into().unwrap_or(c_int::MAX))
}

mpi!(
    /// Makes what keeps checkpoints of the members of `comm`.
    #[fortran(ftck_create_)]
    #[raises_on(comm)]
    fn FTCK_Create(process: &Process, comm: MPI_Comm, scheme: InText, ck: Var<FTCK>) {
        ck.set(checkpoint::create(process, &comm, &scheme)?);
        Ok(())
    }
);

mpi!(
    /// Says what is to be kept.
    #[large(FTCK_Register_c)]
    #[fortran(ftck_register_)]
    fn FTCK_Register(
        process: &Process, ck: FTCK, id: Int, buf: OutBuf, count: Count, datatype: MPI_Datatype,
    ) {
        checkpoint::register(&ck, id, buf, count, &datatype)
    }
);

mpi!(
    /// Says what is to be kept no more.
    #[fortran(ftck_unregister_)]
    fn FTCK_Unregister(process: &Process, ck: FTCK, id: Int) {
        checkpoint::unregister(&ck, id)
    }
);

mpi!(
    /// Keeps what is registered.
    #[fortran(ftck_checkpoint_)]
    fn FTCK_Checkpoint(process: &Process, ck: FTCK, version: Size) {
        checkpoint::take(process, &ck, version)
    }
);

mpi!(
    /// Starts to keep what is registered, which may change when this returns.
    #[fortran(ftck_icheckpoint_)]
    fn FTCK_Icheckpoint(process: &Process, ck: FTCK, version: Size, request: Var<MPI_Request>) {
        request.set(checkpoint::start(process, &ck, version)?);
        Ok(())
    }
);

mpi!(
    /// Puts back what was kept, with what the others have of those who have lost it.
    #[fortran(ftck_restore_)]
    fn FTCK_Restore(process: &Process, ck: FTCK, version: OutInt) {
        let restored = checkpoint::restore(process, &ck)?;
        version.set(restored.map_or(NONE, |version| version as c_int));
        Ok(())
    }
);

mpi!(
    /// How safe the last checkpoint is.
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
    /// How safe it is for each rank.
    #[fortran(ftck_tolerances_)]
    fn FTCK_Tolerances(process: &Process, ck: FTCK, maxranks: Size, failures: OutInts) {
        let each = checkpoint::tolerances(process, &ck);
        let each: Vec<c_int> = each.into_iter().map(told).collect();
        failures.put_most(&each, maxranks)
    }
);

mpi!(
    /// Whose data came into the care of this rank.
    #[fortran(ftck_orphans_)]
    fn FTCK_Orphans(process: &Process, ck: FTCK, maxranks: Size, ranks: OutInts, count: OutInt) {
        let orphans = checkpoint::orphans(&ck);
        ranks.put_most(&orphans, maxranks)?;
        count.set(told(Some(orphans.len())));
        Ok(())
    }
);

mpi!(
    /// Some of those data.
    #[large(FTCK_Adopt_c)]
    #[fortran(ftck_adopt_)]
    fn FTCK_Adopt(
        process: &Process, ck: FTCK, rank: Int, id: Int, buf: OutBuf, count: Count,
        datatype: MPI_Datatype,
    ) {
        checkpoint::adopt(process, &ck, (rank, id), buf, count, &datatype)
    }
);

mpi!(
    /// Goes on among the members of `comm`.
    #[fortran(ftck_set_comm_)]
    #[raises_on(comm)]
    fn FTCK_Set_comm(process: &Process, ck: FTCK, comm: MPI_Comm) {
        checkpoint::move_to(process, &ck, &comm)
    }
);

mpi!(
    /// Keeps some checkpoints in files, too.
    #[fortran(ftck_set_disk_)]
    fn FTCK_Set_disk(process: &Process, ck: FTCK, directory: InText, every: Size) {
        checkpoint::keep_on_disk(&ck, &directory, every as u64)
    }
);

mpi!(
    /// Says where this rank is: no two of a node are in one group.
    #[fortran(ftck_set_node_)]
    fn FTCK_Set_node(process: &Process, ck: FTCK, node: Size) {
        checkpoint::sit_on(&ck, node as u32)
    }
);

mpi!(
    /// Says how far apart failures are.
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
    /// Forgets all that is kept.
    #[fortran(ftck_free_)]
    fn FTCK_Free(process: &Process, ck: Var<FTCK>) {
        checkpoint::find(process, ck.key(), "ck")?;
        checkpoint::free(process, ck.key());
        ck.set_null();
        Ok(())
    }
);
