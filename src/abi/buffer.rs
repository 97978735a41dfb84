//! Buffers for buffered sends, attached to the process or to a communicator (MPI-5.0 §3.6).

use crate::abi::kinds::*;
use crate::mpi::handle_table::Held;
use crate::mpi::p2p::outcome::Pending;

mpi!(
    /// Attaches a buffer to the process.
    #[large(MPI_Buffer_attach_c)]
    #[fortran(mpi_buffer_attach_)]
    fn MPI_Buffer_attach(process: &Process, buffer: Room, size: Count) {
        process.buffer.attach(&process.engine, buffer, size)
    }
);

mpi!(
    /// Detaches the process's buffer once all its messages have been delivered.
    #[large(MPI_Buffer_detach_c)]
    #[fortran(mpi_buffer_detach_)]
    fn MPI_Buffer_detach(process: &Process, buffer_addr: OutAddress, size: OutCount) {
        let (address, bytes) = process.buffer.detach(&process.engine)?;
        buffer_addr.set(address);
        size.set(bytes);
        Ok(())
    }
);

mpi!(
    /// Waits until all messages in the process's buffer have been delivered.
    #[fortran(mpi_buffer_flush_)]
    fn MPI_Buffer_flush(process: &Process) {
        process.buffer.flush(&process.engine)
    }
);

mpi!(
    /// Starts waiting until all messages in the process's buffer have been delivered.
    #[fortran(mpi_buffer_iflush_)]
    fn MPI_Buffer_iflush(process: &Process, request: Var<MPI_Request>) {
        let flush = process.buffer.iflush(&process.engine);
        let pending = flush.map_or(Pending::Nothing, Pending::Op);
        request.set(process.requests.keep(&Held::Ever(process.self_comm()), pending)?);
        Ok(())
    }
);

mpi!(
    /// Attaches a buffer to a communicator.
    #[large(MPI_Comm_attach_buffer_c)]
    #[fortran(mpi_comm_attach_buffer_)]
    #[raises_on(comm)]
    fn MPI_Comm_attach_buffer(process: &Process, comm: MPI_Comm, buffer: Room, size: Count) {
        comm.buffer.attach(&process.engine, buffer, size)
    }
);

mpi!(
    /// Detaches the buffer of a communicator once all its messages have been delivered.
    #[large(MPI_Comm_detach_buffer_c)]
    #[fortran(mpi_comm_detach_buffer_)]
    #[raises_on(comm)]
    fn MPI_Comm_detach_buffer(
        process: &Process, comm: MPI_Comm, buffer_addr: OutAddress, size: OutCount,
    ) {
        let (address, bytes) = comm.buffer.detach(&process.engine)?;
        buffer_addr.set(address);
        size.set(bytes);
        Ok(())
    }
);

mpi!(
    /// Waits until all messages in the buffer of a communicator have been delivered.
    #[fortran(mpi_comm_flush_buffer_)]
    #[raises_on(comm)]
    fn MPI_Comm_flush_buffer(process: &Process, comm: MPI_Comm) {
        comm.buffer.flush(&process.engine)
    }
);

mpi!(
    /// Starts waiting until all messages in the buffer of a communicator have been delivered.
    #[fortran(mpi_comm_iflush_buffer_)]
    #[raises_on(comm)]
    fn MPI_Comm_iflush_buffer(process: &Process, comm: MPI_Comm, request: Var<MPI_Request>) {
        let flush = comm.buffer.iflush(&process.engine);
        let pending = flush.map_or(Pending::Nothing, Pending::Op);
        request.set(process.requests.keep(&comm, pending)?);
        Ok(())
    }
);
