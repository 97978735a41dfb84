//! Probes and matched probes: messages that are matched before they are received (MPI-5.0 §3.8.1,
//! §3.8.2).

use crate::abi::kinds::*;
use crate::mpi::p2p::{self, matched_message};

mpi!(
    /// Waits for the message that a receive would match, and describes it (MPI-5.0 §3.8.1).
    #[fortran(mpi_probe_)]
    #[raises_on(comm)]
    fn MPI_Probe(process: &Process, source: Rank, tag: AnyTag, comm: MPI_Comm, status: OutStatus) {
        status.end(p2p::probe(process, &comm, source, tag)?)
    }
);

mpi!(
    /// Whether a receive would match a message now.
    #[fortran(mpi_iprobe_)]
    #[raises_on(comm)]
    fn MPI_Iprobe(
        process: &Process, source: Rank, tag: AnyTag, comm: MPI_Comm, flag: OutFlag,
        status: OutStatus,
    ) {
        let seen = p2p::iprobe(process, &comm, source, tag)?;
        flag.set(seen.is_some());
        status.end_if(seen)
    }
);

mpi!(
    /// Waits for the message that a receive would match, and takes it out (MPI-5.0 §3.8.2).
    #[fortran(mpi_mprobe_)]
    #[raises_on(comm)]
    fn MPI_Mprobe(
        process: &Process, source: Rank, tag: AnyTag, comm: MPI_Comm, message: Var<MPI_Message>,
        status: OutStatus,
    ) {
        let found = p2p::mprobe(process, &comm, source, tag)?;
        let (key, seen) = matched_message::keep(process, &comm, found)?;
        message.set(key);
        status.end(seen)
    }
);

mpi!(
    /// Takes out the message that a receive would match now, if there is one.
    #[fortran(mpi_improbe_)]
    #[raises_on(comm)]
    fn MPI_Improbe(
        process: &Process, source: Rank, tag: AnyTag, comm: MPI_Comm, flag: OutFlag,
        message: Var<MPI_Message>, status: OutStatus,
    ) {
        let found = p2p::improbe(process, &comm, source, tag)?;
        let kept = found.map(|found| matched_message::keep(process, &comm, found)).transpose()?;
        flag.set(kept.is_some());
        message.set_if(kept.as_ref().map(|(key, _)| *key));
        status.end_if(kept.map(|(_, seen)| seen))
    }
);

mpi!(
    /// Receives a matched message (MPI-5.0 §3.8.3).
    #[large(MPI_Mrecv_c)]
    #[fortran(mpi_mrecv_)]
    fn MPI_Mrecv(
        process: &Process, buf: OutBuf, count: Count, datatype: MPI_Datatype,
        message: Var<MPI_Message>, status: OutStatus,
    ) {
        let into = datatype.region(buf, count)?;
        let received = matched_message::mrecv(process, message.key(), &into)?;
        message.set_null();
        status.end(received)
    }
);

mpi!(
    /// Starts receiving a matched message.
    #[large(MPI_Imrecv_c)]
    #[fortran(mpi_imrecv_)]
    fn MPI_Imrecv(
        process: &Process, buf: OutBuf, count: Count, datatype: MPI_Datatype,
        message: Var<MPI_Message>, request: Var<MPI_Request>,
    ) {
        let into = datatype.region(buf, count)?;
        request.set(matched_message::imrecv(process, message.key(), &into)?);
        message.set_null();
        Ok(())
    }
);
