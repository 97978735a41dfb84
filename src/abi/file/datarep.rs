//! Data representations of the program's own (MPI-5.0 §14.5.3).

use super::*;
use crate::abi::predefined::conversion;
use crate::mpi::file::settings;

mpi!(
    /// Registers a data representation.
    #[fortran(mpi_register_datarep_)]
    #[raises_on(datarep)]
    fn MPI_Register_datarep(
        process: &Process, datarep: FileText, read_conversion_fn: ConversionFunction,
        write_conversion_fn: ConversionFunction, dtype_file_extent_fn: ExtentFunction,
        extra_state: ExtraState,
    ) {
        let conversions = [read_conversion_fn, write_conversion_fn].map(conversion);
        let functions = [conversions[0], conversions[1], dtype_file_extent_fn];
        settings::register(process, datarep, functions, extra_state, false)
    }
);

mpi!(
    /// Registers a data representation whose functions take large counts.
    #[twin_of(mpi_register_datarep_)]
    #[raises_on(datarep)]
    fn MPI_Register_datarep_c(
        process: &Process, datarep: FileText, read_conversion_fn: ConversionFunction,
        write_conversion_fn: ConversionFunction, dtype_file_extent_fn: ExtentFunction,
        extra_state: ExtraState,
    ) {
        let conversions = [read_conversion_fn, write_conversion_fn].map(conversion);
        let functions = [conversions[0], conversions[1], dtype_file_extent_fn];
        settings::register(process, datarep, functions, extra_state, true)
    }
);
