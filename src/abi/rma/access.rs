//! Accesses to the memory of others (MPI-5.0 §12.3).

use crate::abi::kinds::*;
use crate::abi::rma::fast_path;
use crate::mpi::rma::accumulate::{self, Items, Swap};
use crate::mpi::rma::target::Spot;
use crate::mpi::rma::transfer;

mpi!(
    /// Copies to the target (MPI-5.0 §12.3.1).
    #[large(MPI_Put_c)]
    #[fortran(mpi_put_)]
    #[raises_on(win)]
    #[at_once(fast_path::put)]
    fn MPI_Put(
        process: &Process, origin_addr: InBuf, origin_count: Count, origin_datatype: MPI_Datatype,
        target_rank: Int, target_disp: Aint, target_count: Count, target_datatype: MPI_Datatype,
        win: MPI_Win,
    ) {
        let origin = origin_datatype.region(origin_addr, origin_count)?;
        let (rank, disp, count) = (target_rank, target_disp, target_count);
        let spot = Spot { rank, disp, count, datatype: &target_datatype };
        transfer::put(process, &win, &origin, &spot)
    }
);

mpi!(
    /// Copies from the target (MPI-5.0 §12.3.2).
    #[large(MPI_Get_c)]
    #[fortran(mpi_get_)]
    #[raises_on(win)]
    #[at_once(fast_path::get)]
    fn MPI_Get(
        process: &Process, origin_addr: OutBuf, origin_count: Count, origin_datatype: MPI_Datatype,
        target_rank: Int, target_disp: Aint, target_count: Count, target_datatype: MPI_Datatype,
        win: MPI_Win,
    ) {
        let origin = origin_datatype.region(origin_addr, origin_count)?;
        let (rank, disp, count) = (target_rank, target_disp, target_count);
        let spot = Spot { rank, disp, count, datatype: &target_datatype };
        transfer::get(process, &win, &origin, &spot)
    }
);

mpi!(
    /// Combines the target with the origin (MPI-5.0 §12.3.4).
    #[large(MPI_Accumulate_c)]
    #[fortran(mpi_accumulate_)]
    #[raises_on(win)]
    #[at_once(fast_path::accumulate)]
    fn MPI_Accumulate(
        process: &Process, origin_addr: InBuf, origin_count: Count, origin_datatype: MPI_Datatype,
        target_rank: Int, target_disp: Aint, target_count: Count, target_datatype: MPI_Datatype,
        op: MPI_Op, win: MPI_Win,
    ) {
        let (buf, count) = (origin_addr, origin_count);
        let origin = Items { buf, count, datatype: &origin_datatype };
        let (rank, disp, count) = (target_rank, target_disp, target_count);
        let spot = Spot { rank, disp, count, datatype: &target_datatype };
        accumulate::accumulate(process, &win, origin, &spot, &op)
    }
);

mpi!(
    /// Combines the target with the origin, and fetches what was there.
    #[large(MPI_Get_accumulate_c)]
    #[fortran(mpi_get_accumulate_)]
    #[raises_on(win)]
    #[at_once(fast_path::fetch_and_accumulate)]
    fn MPI_Get_accumulate(
        process: &Process, origin_addr: InBuf, origin_count: Count,
        origin_datatype: Late<MPI_Datatype>, result_addr: OutBuf, result_count: Count,
        result_datatype: MPI_Datatype, target_rank: Int, target_disp: Aint, target_count: Count,
        target_datatype: MPI_Datatype, op: MPI_Op, win: MPI_Win,
    ) {
        let origin = op.needs_origin().then_some(origin_datatype).transpose()?;
        let (buf, count) = (origin_addr, origin_count);
        let origin = origin.as_deref().map(|datatype| Items { buf, count, datatype });
        let (buf, count) = (result_addr, result_count);
        let result = Items { buf, count, datatype: &result_datatype };
        let (rank, disp, count) = (target_rank, target_disp, target_count);
        let spot = Spot { rank, disp, count, datatype: &target_datatype };
        accumulate::fetch(process, &win, origin, result, &spot, &op)
    }
);

mpi!(
    /// Combines one element with the origin, and fetches what was there.
    #[fortran(mpi_fetch_and_op_)]
    #[raises_on(win)]
    #[at_once(fast_path::fetch_and_op)]
    fn MPI_Fetch_and_op(
        process: &Process, origin_addr: InBuf, result_addr: OutBuf, datatype: MPI_Datatype,
        target_rank: Int, target_disp: Aint, op: MPI_Op, win: MPI_Win,
    ) {
        accumulate::must_be_predefined(&datatype)?;
        let (buf, count, datatype) = (origin_addr, 1, &*datatype);
        let origin = op.needs_origin().then_some(Items { buf, count, datatype });
        let result = Items { buf: result_addr, count, datatype };
        let spot = Spot { rank: target_rank, disp: target_disp, count, datatype };
        accumulate::fetch(process, &win, origin, result, &spot, &op)
    }
);

mpi!(
    /// Replaces one element if it equals another, and fetches what was there.
    #[fortran(mpi_compare_and_swap_)]
    #[raises_on(win)]
    #[at_once(fast_path::compare_and_swap)]
    fn MPI_Compare_and_swap(
        process: &Process, origin_addr: InBuf, compare_addr: InBuf, result_addr: OutBuf,
        datatype: MPI_Datatype, target_rank: Int, target_disp: Aint, win: MPI_Win,
    ) {
        let swap = Swap { origin: origin_addr, compare: compare_addr, result: result_addr };
        let spot = Spot { rank: target_rank, disp: target_disp, count: 1, datatype: &datatype };
        accumulate::compare_and_swap(process, &win, swap, &spot)
    }
);
