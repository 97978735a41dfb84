//! The tools interface (MPI-5.0 §15.3): initialization and enumerations here, the rest in files of
//! their own. Only C has it; its calls may be made at any time, and no error handler hears of their
//! errors.

mod categories;
mod cvars;
pub(super) mod delivery;
mod events;
mod pvars;

use crate::abi::kinds::tools::*;
use crate::abi::kinds::*;
use crate::mpi::thread::THREAD_MULTIPLE;
use crate::mpi::tools::{errors, events as registered, value, variables};

mpi!(
    /// Initializes the tools interface; each call needs its MPI_T_finalize.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_init_thread(process: &Process, required: Int, provided: ToolInt) {
        provided.set(THREAD_MULTIPLE);
        process.tools.initialize();
        Ok(())
    }
);

mpi!(
    /// Finalizes the tools interface.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_finalize(process: &Process) {
        variables::finalize(process)?;
        registered::listen_to_nothing(process);
        Ok(())
    }
);

mpi!(
    /// The name of an enumeration, and how many items it has.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_enum_get_info(
        process: &Process, enumtype: EnumHandle, num: ToolInt, name: TextRoom, name_len: ToolInt,
    ) {
        process.tools.must_be_open()?;
        let enumeration = value::enumeration(enumtype)?;
        num.set(enumeration.items.len() as c_int);
        name.set(name_len, enumeration.name);
        Ok(())
    }
);

mpi!(
    /// The number and the name of an item of an enumeration.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_enum_get_item(
        process: &Process, enumtype: EnumHandle, indx: Int, value: ToolInt, name: TextRoom,
        name_len: ToolInt,
    ) {
        process.tools.must_be_open()?;
        let enumeration = value::enumeration(enumtype)?;
        let item = usize::try_from(indx).ok().and_then(|index| enumeration.items.get(index));
        let item = item.ok_or_else(|| {
            errors::INVALID_INDEX.because(format!("indx is {indx}, which is no item"))
        })?;
        value.set(indx);
        name.set(name_len, item);
        Ok(())
    }
);
