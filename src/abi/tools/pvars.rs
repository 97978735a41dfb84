//! Performance variables (MPI-5.0 §15.3.7).

use crate::abi::kinds::tools::*;
use crate::abi::kinds::*;
use crate::mpi::tools::pvars::{PVARS, pvar};
use crate::mpi::tools::variables;

const BIND_NO_OBJECT: c_int = 1;

mpi!(
    /// How many performance variables there are.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_pvar_get_num(process: &Process, num_pvar: ToolInt) {
        process.tools.must_be_open()?;
        num_pvar.there()?.set(PVARS.len() as c_int);
        Ok(())
    }
);

mpi!(
    /// Describes a performance variable.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_pvar_get_info(
        process: &Process, pvar_index: Int, name: TextRoom, name_len: ToolInt, verbosity: ToolInt,
        var_class: ToolInt, datatype: ToolDatatype, enumtype: ToolEnum, desc: TextRoom,
        desc_len: ToolInt, bind: ToolInt, readonly: ToolInt, continuous: ToolInt, atomic: ToolInt,
    ) {
        process.tools.must_be_open()?;
        let variable = pvar(pvar_index)?;
        name.set(name_len, variable.name);
        verbosity.set(variable.verbosity);
        var_class.set(variable.class as c_int);
        datatype.set(variable.value_type.datatype());
        enumtype.set(0);
        desc.set(desc_len, variable.description);
        bind.set(BIND_NO_OBJECT);
        readonly.set(variable.is_readonly().into());
        continuous.set(variable.is_continuous().into());
        atomic.set((!variable.is_readonly()).into());
        Ok(())
    }
);

mpi!(
    /// The index of a performance variable, by its name and class.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_pvar_get_index(
        process: &Process, name: ToolName, var_class: Int, pvar_index: ToolInt,
    ) {
        process.tools.must_be_open()?;
        let (name, place) = (name?, pvar_index.there()?);
        let index = variables::index_of(
            PVARS,
            |known| known.name.as_bytes() == name && known.class as c_int == var_class,
            name,
        )?;
        place.set(index);
        Ok(())
    }
);

mpi!(
    /// Creates a session, in which variables are started and stopped apart from others.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_pvar_session_create(process: &Process, session: ToolSession) {
        process.tools.must_be_open()?;
        session.there()?.set(variables::create_session(process)?);
        Ok(())
    }
);

mpi!(
    /// Frees a session with its handles.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_pvar_session_free(process: &Process, session: ToolSession) {
        process.tools.must_be_open()?;
        let place = session.there()?;
        variables::free_session(process, place.value())?;
        place.set(0);
        Ok(())
    }
);

mpi!(
    /// Allocates a handle of a performance variable in a session.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_pvar_handle_alloc(
        process: &Process, session: PvarSession, pvar_index: Int, obj_handle: ValueRoom,
        handle: ToolPvar, count: ToolInt,
    ) {
        process.tools.must_be_open()?;
        let place = handle.there()?;
        let (made, length) = variables::allocate_pvar(process, session, pvar_index)?;
        place.set(made);
        count.set(length);
        Ok(())
    }
);

mpi!(
    /// Frees a handle of a performance variable.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_pvar_handle_free(process: &Process, session: PvarSession, handle: ToolPvar) {
        process.tools.must_be_open()?;
        let place = handle.there()?;
        variables::free_pvar(process, session, place.value())?;
        place.set(0);
        Ok(())
    }
);

mpi!(
    /// Starts a variable, or all of the session.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_pvar_start(process: &Process, session: PvarSession, handle: PvarHandle) {
        variables::run(process, session, handle, true)
    }
);

mpi!(
    /// Stops a variable, or all of the session.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_pvar_stop(process: &Process, session: PvarSession, handle: PvarHandle) {
        variables::run(process, session, handle, false)
    }
);

mpi!(
    /// Reads a performance variable.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_pvar_read(
        process: &Process, session: PvarSession, handle: PvarHandle, buf: ValueRoom,
    ) {
        buf.put(0, &variables::read_pvar(process, session, handle)?)
    }
);

mpi!(
    /// Writes a performance variable.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_pvar_write(
        process: &Process, session: PvarSession, handle: PvarHandle, buf: GivenValue,
    ) {
        process.tools.must_be_open()?;
        let buf = buf.there()?;
        let value = |variable: &crate::mpi::tools::pvars::Pvar| buf.read(variable.value_type);
        variables::write_pvar(process, session, handle, value)
    }
);

mpi!(
    /// Lets a variable begin anew, or all of the session that can.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_pvar_reset(process: &Process, session: PvarSession, handle: PvarHandle) {
        variables::reset(process, session, handle)
    }
);

mpi!(
    /// Reads a variable and lets it begin anew.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_pvar_readreset(
        process: &Process, session: PvarSession, handle: PvarHandle, buf: ValueRoom,
    ) {
        buf.put(0, &variables::read_and_reset(process, session, handle)?)
    }
);
