//! Info objects (MPI-5.0 §10).

use crate::abi::kinds::*;
use crate::mpi::hardware;
use crate::mpi::info::{self, Info};

mpi!(
    /// Creates an empty info.
    #[fortran(mpi_info_create_)]
    #[season(Always)]
    fn MPI_Info_create(process: &Process, info: Var<MPI_Info>) {
        info.set(process.keep_info(Info::default())?);
        Ok(())
    }
);

mpi!(
    /// Creates an info with the contents of MPI_INFO_ENV.
    #[season(Always)]
    fn MPI_Info_create_env(process: &Process, argc: Int, argv: InArgv, info: Var<MPI_Info>) {
        info.set(process.keep_info(process.environment())?);
        Ok(())
    }
);

fortran!(
    /// Fortran's MPI_Info_create_env, which has no argument list.
    #[season(Always)]
    #[name(MPI_Info_create_env)]
    fn mpi_info_create_env_(process: &Process, info: Var<MPI_Info>) {
        info.set(process.keep_info(process.environment())?);
        Ok(())
    }
);

mpi!(
    /// Sets the value of a key.
    #[fortran(mpi_info_set_)]
    #[season(Always)]
    fn MPI_Info_set(process: &Process, info: MPI_Info, key: InfoText, value: InfoText) {
        process.may_change(&info)?;
        info.set(&key, &value)
    }
);

mpi!(
    /// Deletes a key.
    #[fortran(mpi_info_delete_)]
    #[season(Always)]
    fn MPI_Info_delete(process: &Process, info: MPI_Info, key: InfoText) {
        process.may_change(&info)?;
        info.delete(&key)
    }
);

mpi!(
    /// The value of a key, cut to fit, and the buffer length that all of it needs (MPI-5.0 §10).
    #[fortran(mpi_info_get_string_)]
    #[season(Always)]
    fn MPI_Info_get_string(
        process: &Process, info: MPI_Info, key: InfoText, buflen: InOutInt, value: InfoValue,
        flag: OutFlag,
    ) {
        value.give(info.value(&key)?, buflen, flag)
    }
);

mpi!(
    /// The value of a key, cut to fit (deprecated).
    #[fortran(mpi_info_get_)]
    #[season(Always)]
    fn MPI_Info_get(
        process: &Process, info: MPI_Info, key: InfoText, valuelen: Size, value: OutText,
        flag: OutFlag,
    ) {
        let found = info.value(&key)?;
        flag.set(found.is_some());
        value.set_if(found.as_deref(), valuelen);
        Ok(())
    }
);

mpi!(
    /// The length of the value of a key (deprecated).
    #[fortran(mpi_info_get_valuelen_)]
    #[season(Always)]
    fn MPI_Info_get_valuelen(
        process: &Process, info: MPI_Info, key: InfoText, valuelen: OutInt, flag: OutFlag,
    ) {
        let found = info.value(&key)?;
        flag.set(found.is_some());
        valuelen.set_if(found.map(|value| value.len() as i32));
        Ok(())
    }
);

mpi!(
    /// The number of keys.
    #[fortran(mpi_info_get_nkeys_)]
    #[season(Always)]
    fn MPI_Info_get_nkeys(process: &Process, info: MPI_Info, nkeys: OutInt) {
        nkeys.set(info.len() as i32);
        Ok(())
    }
);

mpi!(
    /// The key at an index, from 0.
    #[fortran(mpi_info_get_nthkey_)]
    #[season(Always)]
    fn MPI_Info_get_nthkey(process: &Process, info: MPI_Info, n: Int, key: OutText) {
        key.set(&info.key(n)?, info::MAX_KEY + 1);
        Ok(())
    }
);

mpi!(
    /// A copy of `info`.
    #[fortran(mpi_info_dup_)]
    #[season(Always)]
    fn MPI_Info_dup(process: &Process, info: MPI_Info, newinfo: Var<MPI_Info>) {
        newinfo.set(process.keep_info(info.duplicate())?);
        Ok(())
    }
);

mpi!(
    /// The hardware resource types, and whether the caller is bound to one instance of each.
    #[fortran(mpi_get_hw_resource_info_)]
    #[season(Always)]
    fn MPI_Get_hw_resource_info(process: &Process, hw_info: Var<MPI_Info>) {
        hw_info.set(process.keep_info(hardware::resources()?)?);
        Ok(())
    }
);

mpi!(
    /// Frees `info`.
    #[fortran(mpi_info_free_)]
    #[season(Always)]
    fn MPI_Info_free(process: &Process, info: Var<MPI_Info>) {
        process.free_info(info.key())?;
        info.set_null();
        Ok(())
    }
);
