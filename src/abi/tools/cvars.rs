//! Control variables (MPI-5.0 §15.3.6).

use crate::abi::kinds::tools::*;
use crate::abi::kinds::*;
use crate::mpi::tools::cvars::{CVARS, cvar};
use crate::mpi::tools::value::{Type, handle_of};
use crate::mpi::tools::{errors, variables};

const BIND_NO_OBJECT: c_int = 1;
const BIND_MPI_COMM: c_int = 2;

mpi!(
    /// How many control variables there are.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_cvar_get_num(process: &Process, num_cvar: ToolInt) {
        process.tools.must_be_open()?;
        num_cvar.there()?.set(CVARS.len() as c_int);
        Ok(())
    }
);

mpi!(
    /// Describes a control variable.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_cvar_get_info(
        process: &Process, cvar_index: Int, name: TextRoom, name_len: ToolInt, verbosity: ToolInt,
        datatype: ToolDatatype, enumtype: ToolEnum, desc: TextRoom, desc_len: ToolInt,
        bind: ToolInt, scope: ToolInt,
    ) {
        process.tools.must_be_open()?;
        let variable = cvar(cvar_index)?;
        name.set(name_len, variable.name);
        verbosity.set(variable.verbosity);
        datatype.set(variable.value_type.datatype());
        enumtype.set(variable.enumeration.map_or(0, handle_of));
        desc.set(desc_len, variable.description);
        bind.set(if variable.is_of_comm() { BIND_MPI_COMM } else { BIND_NO_OBJECT });
        scope.set(variable.scope as c_int);
        Ok(())
    }
);

mpi!(
    /// The index of a control variable, by its name.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_cvar_get_index(process: &Process, name: ToolName, cvar_index: ToolInt) {
        process.tools.must_be_open()?;
        let (name, place) = (name?, cvar_index.there()?);
        place.set(variables::index_of(CVARS, |known| known.name.as_bytes() == name, name)?);
        Ok(())
    }
);

mpi!(
    /// Allocates a handle of a control variable.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_cvar_handle_alloc(
        process: &Process, cvar_index: Int, obj_handle: ValueRoom, handle: ToolCvar, count: ToolInt,
    ) {
        process.tools.must_be_open()?;
        let place = handle.there()?;
        let comm = || obj_handle.comm();
        let (made, length) = variables::allocate_cvar(process, cvar_index, comm)?;
        place.set(made);
        count.set(length);
        Ok(())
    }
);

mpi!(
    /// Frees a handle of a control variable.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_cvar_handle_free(process: &Process, handle: ToolCvar) {
        process.tools.must_be_open()?;
        let place = handle.there()?;
        variables::free_cvar(process, place.value())?;
        place.set(0);
        Ok(())
    }
);

mpi!(
    /// Reads a control variable.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_cvar_read(process: &Process, handle: CvarHandle, buf: ValueRoom) {
        let (variable, comm) = variables::cvar_of(process, handle)?;
        buf.put(0, &variable.read(process, comm)?)
    }
);

mpi!(
    /// Writes a control variable.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_cvar_write(process: &Process, handle: CvarHandle, buf: GivenValue) {
        let (variable, comm) = variables::cvar_of(process, handle)?;
        if variable.value_type == Type::Text {
            return Err(errors::CVAR_SET_NEVER.because("texts can only be read"));
        }
        let value = buf.there()?.read(variable.value_type);
        variable.write(process, comm, value)
    }
);
