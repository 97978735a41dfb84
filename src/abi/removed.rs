//! Calls that the standard has removed (MPI-5.0 §16) but old programs still make. Their Fortran
//! forms take distances as INTEGERs.

use crate::abi::kinds::*;
use crate::mpi::datatype::constructors;
use crate::mpi::datatype::envelope::Width;
use crate::mpi::errhandler;
use crate::mpi::error::{Class, Result};
use crate::mpi::handle_table::Sort;

fortran!(
    /// An address as a default integer: its low bits, which suffice for differences.
    #[name(MPI_Address)]
    fn mpi_address_(process: &Process, location: InBuf, address: OutInt) {
        address.set(location.0 as i32);
        Ok(())
    }
);

fortran!(
    /// MPI_Comm_create_errhandler under its MPI-1 name.
    #[season(Always)]
    #[name(MPI_Errhandler_create)]
    fn mpi_errhandler_create_(
        process: &Process, function: CommErrhandlerFunction, errhandler: Var<MPI_Errhandler>,
    ) {
        errhandler.set(errhandler::create(&process.errhandlers, Sort::Comm, function)?);
        Ok(())
    }
);

fortran!(
    /// MPI_Comm_get_errhandler under its MPI-1 name.
    #[raises_on(comm)]
    #[name(MPI_Errhandler_get)]
    fn mpi_errhandler_get_(process: &Process, comm: MPI_Comm, errhandler: Var<MPI_Errhandler>) {
        errhandler.set(comm.errhandler.hold(&process.errhandlers)?);
        Ok(())
    }
);

fortran!(
    /// MPI_Comm_set_errhandler under its MPI-1 name.
    #[raises_on(comm)]
    #[name(MPI_Errhandler_set)]
    fn mpi_errhandler_set_(process: &Process, comm: MPI_Comm, errhandler: MPI_Errhandler) {
        comm.set_errhandler(process, errhandler)
    }
);

/// Declares the C symbol and the profiling twin of a call that is in no header of the standard.
macro_rules! removed {
    (
        $(#[doc = $doc:literal])*
        fn $name:ident($process:ident: &Process, $($param:ident: $kind:ty),* $(,)?) $body:block
    ) => {
        #[allow(non_snake_case)]
        mod $name {
            use super::*;

            fn call($($param: $kind),*) -> c_int {
                $crate::abi::door::enter(stringify!($name), season!(), scope!(), |$process| {
                    $(let $param = <$kind as Kind>::check($param, $process, stringify!($param))?;)*
                    $body
                })
            }

            #[unsafe(export_name = stringify!($name))]
            unsafe extern "C-unwind" fn mpi($($param: <$kind as Kind>::Raw),*) -> c_int {
                call($(<$kind as Kind>::from_c($param)),*)
            }

            #[unsafe(export_name = concat!("P", stringify!($name)))]
            unsafe extern "C-unwind" fn pmpi($($param: <$kind as Kind>::Raw),*) -> c_int {
                call($(<$kind as Kind>::from_c($param)),*)
            }
        }
    };
}

removed!(
    /// MPI_Get_address under its MPI-1 name.
    fn MPI_Address(process: &Process, location: InBuf, address: OutAint64) {
        address.set(location.0 as i64);
        Ok(())
    }
);

removed!(
    /// MPI_Comm_create_errhandler under its MPI-1 name.
    fn MPI_Errhandler_create(
        process: &Process, function: CommErrhandlerFunction, errhandler: Var<MPI_Errhandler>,
    ) {
        errhandler.set(errhandler::create(&process.errhandlers, Sort::Comm, function)?);
        Ok(())
    }
);

removed!(
    /// MPI_Comm_get_errhandler under its MPI-1 name.
    fn MPI_Errhandler_get(process: &Process, comm: MPI_Comm, errhandler: Var<MPI_Errhandler>) {
        errhandler.set(comm.errhandler.hold(&process.errhandlers)?);
        Ok(())
    }
);

removed!(
    /// MPI_Comm_set_errhandler under its MPI-1 name.
    fn MPI_Errhandler_set(process: &Process, comm: MPI_Comm, errhandler: MPI_Errhandler) {
        comm.set_errhandler(process, errhandler)
    }
);

removed!(
    /// MPI_Type_create_hvector under its MPI-1 name.
    fn MPI_Type_hvector(
        process: &Process, count: Count32, blocklength: Size, stride: Distance64,
        oldtype: MPI_Datatype, newtype: Var<MPI_Datatype>,
    ) {
        let made =
            constructors::hvector(process, Width::Small, count, blocklength, stride, &oldtype)?;
        newtype.set(made);
        Ok(())
    }
);

removed!(
    /// MPI_Type_create_hindexed under its MPI-1 name.
    fn MPI_Type_hindexed(
        process: &Process, count: Count32, array_of_blocklengths: Ints,
        array_of_displacements: Aints, oldtype: MPI_Datatype, newtype: Var<MPI_Datatype>,
    ) {
        let lengths = array_of_blocklengths.read(count)?;
        let displacements = array_of_displacements.read(count)?;
        newtype.set(constructors::hindexed(
            process,
            Width::Small,
            &lengths,
            &displacements,
            &oldtype,
        )?);
        Ok(())
    }
);

removed!(
    /// MPI_Type_create_struct under its MPI-1 name.
    fn MPI_Type_struct(
        process: &Process, count: Count32, array_of_blocklengths: Ints,
        array_of_displacements: Aints, array_of_types: Keys<MPI_Datatype>,
        newtype: Var<MPI_Datatype>,
    ) {
        let lengths = array_of_blocklengths.read(count)?;
        let displacements = array_of_displacements.read(count)?;
        let types = constructors::all(process, array_of_types.keys(count)?)?;
        newtype.set(constructors::structure(
            process,
            Width::Small,
            &lengths,
            &displacements,
            &types,
        )?);
        Ok(())
    }
);

removed!(
    /// The extent of a datatype.
    fn MPI_Type_extent(process: &Process, datatype: MPI_Datatype, extent: OutAint64) {
        extent.set(datatype.shape.extent);
        Ok(())
    }
);

removed!(
    /// The lower bound of a datatype.
    fn MPI_Type_lb(process: &Process, datatype: MPI_Datatype, displacement: OutAint64) {
        displacement.set(datatype.shape.lb);
        Ok(())
    }
);

removed!(
    /// The upper bound of a datatype.
    fn MPI_Type_ub(process: &Process, datatype: MPI_Datatype, displacement: OutAint64) {
        displacement.set(datatype.shape.lb + datatype.shape.extent);
        Ok(())
    }
);

/// A distance as an INTEGER; fails if it does not fit.
fn narrow(distance: i64) -> Result<i32> {
    i32::try_from(distance).map_err(|_| {
        let words = format!("the distance is {distance}, which does not fit an INTEGER");
        Class::VALUE_TOO_LARGE.because(words)
    })
}

fortran!(
    /// MPI_Type_create_hvector under its MPI-1 name.
    #[name(MPI_Type_hvector)]
    fn mpi_type_hvector_(
        process: &Process, count: Count, blocklength: Size, stride: Int, oldtype: MPI_Datatype,
        newtype: Var<MPI_Datatype>,
    ) {
        let stride = stride.into();
        let made =
            constructors::hvector(process, Width::Small, count, blocklength, stride, &oldtype)?;
        newtype.set(made);
        Ok(())
    }
);

fortran!(
    /// MPI_Type_create_hindexed under its MPI-1 name.
    #[name(MPI_Type_hindexed)]
    fn mpi_type_hindexed_(
        process: &Process, count: Count, array_of_blocklengths: Ints, array_of_displacements: Ints,
        oldtype: MPI_Datatype, newtype: Var<MPI_Datatype>,
    ) {
        let lengths = array_of_blocklengths.read(count)?;
        let displacements = array_of_displacements.read(count)?;
        newtype.set(constructors::hindexed(
            process,
            Width::Small,
            &lengths,
            &displacements,
            &oldtype,
        )?);
        Ok(())
    }
);

fortran!(
    /// MPI_Type_create_struct under its MPI-1 name.
    #[name(MPI_Type_struct)]
    fn mpi_type_struct_(
        process: &Process, count: Count, array_of_blocklengths: Ints, array_of_displacements: Ints,
        array_of_types: Keys<MPI_Datatype>, newtype: Var<MPI_Datatype>,
    ) {
        let lengths = array_of_blocklengths.read(count)?;
        let displacements = array_of_displacements.read(count)?;
        let types = constructors::all(process, array_of_types.keys(count)?)?;
        newtype.set(constructors::structure(
            process,
            Width::Small,
            &lengths,
            &displacements,
            &types,
        )?);
        Ok(())
    }
);

fortran!(
    /// The extent of a datatype.
    #[name(MPI_Type_extent)]
    fn mpi_type_extent_(process: &Process, datatype: MPI_Datatype, extent: OutInt) {
        extent.set(narrow(datatype.shape.extent)?);
        Ok(())
    }
);

fortran!(
    /// The lower bound of a datatype.
    #[name(MPI_Type_lb)]
    fn mpi_type_lb_(process: &Process, datatype: MPI_Datatype, displacement: OutInt) {
        displacement.set(narrow(datatype.shape.lb)?);
        Ok(())
    }
);

fortran!(
    /// The upper bound of a datatype.
    #[name(MPI_Type_ub)]
    fn mpi_type_ub_(process: &Process, datatype: MPI_Datatype, displacement: OutInt) {
        displacement.set(narrow(datatype.shape.lb + datatype.shape.extent)?);
        Ok(())
    }
);
