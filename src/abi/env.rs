//! The environment (MPI-5.0 §9): versions, clocks, memory, error classes and codes.

use crate::abi::current;
use crate::abi::kinds::*;
use crate::mpi::env;

mpi!(
    /// The version of the standard.
    #[fortran(mpi_get_version_)]
    #[season(Always)]
    fn MPI_Get_version(process: &Process, version: OutInt, subversion: OutInt) {
        version.set(env::VERSION.0);
        subversion.set(env::VERSION.1);
        Ok(())
    }
);

mpi!(
    /// The version of this library.
    #[fortran(mpi_get_library_version_)]
    #[season(Always)]
    fn MPI_Get_library_version(process: &Process, version: OutText, resultlen: OutInt) {
        let words = env::library_version();
        resultlen.set(version.set(words.as_bytes(), env::MAX_LIBRARY_VERSION));
        Ok(())
    }
);

mpi!(
    /// The name of the machine.
    #[fortran(mpi_get_processor_name_)]
    fn MPI_Get_processor_name(process: &Process, name: OutText, resultlen: OutInt) {
        resultlen.set(name.set(&env::processor_name(process), env::MAX_PROCESSOR_NAME));
        Ok(())
    }
);

plain!(
    /// Seconds since some time in the past; all ranks read one clock.
    #[fortran(mpi_wtime_)]
    fn MPI_Wtime() -> c_double {
        env::time(current::process())
    }
);

plain!(
    /// The resolution of MPI_Wtime.
    #[fortran(mpi_wtick_)]
    fn MPI_Wtick() -> c_double {
        1e-9
    }
);

plain!(
    /// `base` moved by `disp` bytes (MPI-5.0 §5.1.5).
    #[fortran(mpi_aint_add_)]
    fn MPI_Aint_add(base: Aint, disp: Aint) -> i64 {
        base.value().wrapping_add(disp.value())
    }
);

plain!(
    /// The distance from `addr2` to `addr1` in bytes.
    #[fortran(mpi_aint_diff_)]
    fn MPI_Aint_diff(addr1: Aint, addr2: Aint) -> i64 {
        addr1.value().wrapping_sub(addr2.value())
    }
);

plain!(
    /// Controls profiling tools; this library has none, so it does nothing (MPI-5.0 §15.2.4).
    #[fortran(mpi_pcontrol_)]
    fn MPI_Pcontrol(level: ConstInt, rest: Rest) -> c_int {
        0
    }
);

mpi!(
    /// Allocates memory for messages (MPI-5.0 §9.2).
    #[fortran(mpi_alloc_mem_)]
    fn MPI_Alloc_mem(process: &Process, size: AintSize, info: Hints, baseptr: OutPointer) {
        baseptr.allocate(size)
    }
);

mpi!(
    /// Frees memory that MPI_Alloc_mem allocated.
    #[fortran(mpi_free_mem_)]
    fn MPI_Free_mem(process: &Process, base: Allocated) {
        base.free();
        Ok(())
    }
);

mpi!(
    /// The text of an error code.
    #[fortran(mpi_error_string_)]
    #[season(Always)]
    fn MPI_Error_string(process: &Process, errorcode: Int, string: OutText, resultlen: OutInt) {
        let words = env::describe(process, errorcode)?;
        resultlen.set(string.set(&words, env::MAX_ERROR_STRING));
        Ok(())
    }
);

mpi!(
    /// The class of an error code.
    #[fortran(mpi_error_class_)]
    #[season(Always)]
    fn MPI_Error_class(process: &Process, errorcode: Int, errorclass: OutInt) {
        errorclass.set(process.codes.class(errorcode)?);
        Ok(())
    }
);

mpi!(
    /// Adds an error class for the program (MPI-5.0 §9.5).
    #[fortran(mpi_add_error_class_)]
    #[season(Always)]
    fn MPI_Add_error_class(process: &Process, errorclass: OutInt) {
        errorclass.set(process.codes.add_class());
        Ok(())
    }
);

mpi!(
    /// Adds an error code to a class.
    #[fortran(mpi_add_error_code_)]
    #[season(Always)]
    fn MPI_Add_error_code(process: &Process, errorclass: Int, errorcode: OutInt) {
        errorcode.set(process.codes.add_code(errorclass)?);
        Ok(())
    }
);

mpi!(
    /// Sets the text of an error code that the program added.
    #[fortran(mpi_add_error_string_)]
    #[season(Always)]
    fn MPI_Add_error_string(process: &Process, errorcode: Int, string: InText) {
        process.codes.set_words(errorcode, &string)
    }
);

mpi!(
    /// Removes an error class that the program added.
    #[fortran(mpi_remove_error_class_)]
    #[season(Always)]
    fn MPI_Remove_error_class(process: &Process, errorclass: Int) {
        process.codes.remove(errorclass, true)
    }
);

mpi!(
    /// Removes an error code that the program added.
    #[fortran(mpi_remove_error_code_)]
    #[season(Always)]
    fn MPI_Remove_error_code(process: &Process, errorcode: Int) {
        process.codes.remove(errorcode, false)
    }
);

mpi!(
    /// Removes the text of an error code that the program added.
    #[fortran(mpi_remove_error_string_)]
    #[season(Always)]
    fn MPI_Remove_error_string(process: &Process, errorcode: Int) {
        process.codes.remove_words(errorcode)
    }
);
