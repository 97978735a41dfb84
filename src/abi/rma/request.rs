//! Accesses that return a request (MPI-5.0 §12.3.5). They are complete at this end when they
//! return; but what is loaded in virtual time is on its way.

use crate::abi::kinds::*;
use crate::mpi::p2p::request_table::DONE;
use crate::mpi::rma::accumulate::{self, Items};
use crate::mpi::rma::target::Spot;
use crate::mpi::rma::transfer;

mpi!(
    /// MPI_Put with a request.
    #[large(MPI_Rput_c)]
    #[fortran(mpi_rput_)]
    #[raises_on(win)]
    fn MPI_Rput(
        process: &Process, origin_addr: InBuf, origin_count: Count, origin_datatype: MPI_Datatype,
        target_rank: Int, target_disp: Aint, target_count: Count, target_datatype: MPI_Datatype,
        win: MPI_Win, request: Var<MPI_Request>,
    ) {
        let origin = origin_datatype.region(origin_addr, origin_count)?;
        let (rank, disp, count) = (target_rank, target_disp, target_count);
        let spot = Spot { rank, disp, count, datatype: &target_datatype };
        spot.must_be_passive(&win)?;
        transfer::put(process, &win, &origin, &spot)?;
        request.set(DONE);
        Ok(())
    }
);

mpi!(
    /// MPI_Get with a request.
    #[large(MPI_Rget_c)]
    #[fortran(mpi_rget_)]
    #[raises_on(win)]
    fn MPI_Rget(
        process: &Process, origin_addr: OutBuf, origin_count: Count, origin_datatype: MPI_Datatype,
        target_rank: Int, target_disp: Aint, target_count: Count, target_datatype: MPI_Datatype,
        win: MPI_Win, request: Var<MPI_Request>,
    ) {
        let origin = origin_datatype.region(origin_addr, origin_count)?;
        let (rank, disp, count) = (target_rank, target_disp, target_count);
        let spot = Spot { rank, disp, count, datatype: &target_datatype };
        spot.must_be_passive(&win)?;
        transfer::get(process, &win, &origin, &spot)?;
        request.set(transfer::request(process, &win, rank)?);
        Ok(())
    }
);

mpi!(
    /// MPI_Accumulate with a request.
    #[large(MPI_Raccumulate_c)]
    #[fortran(mpi_raccumulate_)]
    #[raises_on(win)]
    fn MPI_Raccumulate(
        process: &Process, origin_addr: InBuf, origin_count: Count, origin_datatype: MPI_Datatype,
        target_rank: Int, target_disp: Aint, target_count: Count, target_datatype: MPI_Datatype,
        op: MPI_Op, win: MPI_Win, request: Var<MPI_Request>,
    ) {
        let (buf, count) = (origin_addr, origin_count);
        let origin = Items { buf, count, datatype: &origin_datatype };
        let (rank, disp, count) = (target_rank, target_disp, target_count);
        let spot = Spot { rank, disp, count, datatype: &target_datatype };
        spot.must_be_passive(&win)?;
        accumulate::accumulate(process, &win, origin, &spot, &op)?;
        request.set(DONE);
        Ok(())
    }
);

mpi!(
    /// MPI_Get_accumulate with a request.
    #[large(MPI_Rget_accumulate_c)]
    #[fortran(mpi_rget_accumulate_)]
    #[raises_on(win)]
    fn MPI_Rget_accumulate(
        process: &Process, origin_addr: InBuf, origin_count: Count,
        origin_datatype: Late<MPI_Datatype>, result_addr: OutBuf, result_count: Count,
        result_datatype: MPI_Datatype, target_rank: Int, target_disp: Aint, target_count: Count,
        target_datatype: MPI_Datatype, op: MPI_Op, win: MPI_Win, request: Var<MPI_Request>,
    ) {
        let origin = op.needs_origin().then_some(origin_datatype).transpose()?;
        let (buf, count) = (origin_addr, origin_count);
        let origin = origin.as_deref().map(|datatype| Items { buf, count, datatype });
        let (buf, count) = (result_addr, result_count);
        let result = Items { buf, count, datatype: &result_datatype };
        let (rank, disp, count) = (target_rank, target_disp, target_count);
        let spot = Spot { rank, disp, count, datatype: &target_datatype };
        spot.must_be_passive(&win)?;
        accumulate::fetch(process, &win, origin, result, &spot, &op)?;
        request.set(transfer::request(process, &win, rank)?);
        Ok(())
    }
);
