//! Sessions (MPI-5.0 §11.3), their buffers (§3.6) and error handlers (§9.3).

use crate::abi::kinds::*;
use crate::mpi::handle_table::{Held, Sort};
use crate::mpi::p2p::outcome::Pending;
use crate::mpi::{errhandler, session};

mpi!(
    /// Creates a session.
    #[fortran(mpi_session_init_)]
    #[raises_on(errhandler)]
    #[season(Always)]
    fn MPI_Session_init(
        process: &Process, info: Hints, errhandler: MPI_Errhandler, session: Var<MPI_Session>,
    ) {
        session.set(session::open(process, info.as_deref(), errhandler)?);
        Ok(())
    }
);

mpi!(
    /// Finalizes a session.
    #[fortran(mpi_session_finalize_)]
    #[raises_on(session)]
    fn MPI_Session_finalize(process: &Process, session: Var<MPI_Session>) {
        session::close(process, session.key())?;
        session.set_null();
        Ok(())
    }
);

mpi!(
    /// The hints of a session.
    #[fortran(mpi_session_get_info_)]
    #[raises_on(session)]
    fn MPI_Session_get_info(process: &Process, session: MPI_Session, info_used: Var<MPI_Info>) {
        info_used.set(process.keep_info(session.info())?);
        Ok(())
    }
);

mpi!(
    /// The number of process sets.
    #[fortran(mpi_session_get_num_psets_)]
    #[raises_on(session)]
    fn MPI_Session_get_num_psets(
        process: &Process, session: MPI_Session, info: Hints, npset_names: OutInt,
    ) {
        npset_names.set(session::count_psets());
        Ok(())
    }
);

mpi!(
    /// The name of a process set, cut to fit, and the buffer length that all of it needs.
    #[fortran(mpi_session_get_nth_pset_)]
    #[raises_on(session)]
    fn MPI_Session_get_nth_pset(
        process: &Process, session: MPI_Session, info: Hints, n: Int, pset_len: InOutInt,
        pset_name: InfoValue,
    ) {
        pset_name.put(session::pset(n)?.as_bytes(), pset_len)
    }
);

mpi!(
    /// Describes a process set.
    #[fortran(mpi_session_get_pset_info_)]
    #[raises_on(session)]
    fn MPI_Session_get_pset_info(
        process: &Process, session: MPI_Session, pset_name: InText, info: Var<MPI_Info>,
    ) {
        info.set(process.keep_info(session::pset_info(process, &pset_name)?)?);
        Ok(())
    }
);

mpi!(
    /// The group of a process set, or MPI_GROUP_NULL if there is no such set.
    #[fortran(mpi_group_from_session_pset_)]
    #[raises_on(session)]
    fn MPI_Group_from_session_pset(
        process: &Process, session: MPI_Session, pset_name: InText, newgroup: Var<MPI_Group>,
    ) {
        let group = session.group(process, &pset_name);
        newgroup.set_or_null(group.map(|group| process.keep_group(group.into())).transpose()?);
        Ok(())
    }
);

mpi!(
    /// Attaches a buffer to a session.
    #[large(MPI_Session_attach_buffer_c)]
    #[fortran(mpi_session_attach_buffer_)]
    #[raises_on(session)]
    fn MPI_Session_attach_buffer(
        process: &Process, session: MPI_Session, buffer: Room, size: Count,
    ) {
        session.buffer.attach(&process.engine, buffer, size)
    }
);

mpi!(
    /// Detaches the buffer of a session once all its messages have been delivered.
    #[large(MPI_Session_detach_buffer_c)]
    #[fortran(mpi_session_detach_buffer_)]
    #[raises_on(session)]
    fn MPI_Session_detach_buffer(
        process: &Process, session: MPI_Session, buffer_addr: OutAddress, size: OutCount,
    ) {
        let (address, bytes) = session.buffer.detach(&process.engine)?;
        buffer_addr.set(address);
        size.set(bytes);
        Ok(())
    }
);

mpi!(
    /// Waits until all messages in the buffer of a session have been delivered.
    #[fortran(mpi_session_flush_buffer_)]
    #[raises_on(session)]
    fn MPI_Session_flush_buffer(process: &Process, session: MPI_Session) {
        session.buffer.flush(&process.engine)
    }
);

mpi!(
    /// Starts waiting until all messages in the buffer of a session have been delivered.
    #[fortran(mpi_session_iflush_buffer_)]
    #[raises_on(session)]
    fn MPI_Session_iflush_buffer(
        process: &Process, session: MPI_Session, request: Var<MPI_Request>,
    ) {
        let flush = session.buffer.iflush(&process.engine);
        let pending = flush.map_or(Pending::Nothing, Pending::Op);
        request.set(process.requests.keep(&Held::Ever(process.self_comm()), pending)?);
        Ok(())
    }
);

mpi!(
    /// Creates an error handler for sessions (MPI-5.0 §9.3.4).
    #[fortran(mpi_session_create_errhandler_)]
    #[season(Always)]
    fn MPI_Session_create_errhandler(
        process: &Process, session_errhandler_fn: SessionErrhandlerFunction,
        errhandler: Var<MPI_Errhandler>,
    ) {
        errhandler.set(errhandler::create(
            &process.errhandlers,
            Sort::Session,
            session_errhandler_fn,
        )?);
        Ok(())
    }
);

mpi!(
    /// Sets the error handler of a session.
    #[fortran(mpi_session_set_errhandler_)]
    #[raises_on(session)]
    fn MPI_Session_set_errhandler(
        process: &Process, session: MPI_Session, errhandler: MPI_Errhandler,
    ) {
        session.errhandler.set(errhandler)
    }
);

mpi!(
    /// The error handler of a session.
    #[fortran(mpi_session_get_errhandler_)]
    #[raises_on(session)]
    fn MPI_Session_get_errhandler(
        process: &Process, session: MPI_Session, errhandler: Var<MPI_Errhandler>,
    ) {
        errhandler.set(session.errhandler.hold(&process.errhandlers)?);
        Ok(())
    }
);
