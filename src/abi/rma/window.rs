//! Windows: creation, memory, names, hints, groups (MPI-5.0 §12.2, §7.8).

use crate::abi::kinds::*;
use crate::mpi::env;
use crate::mpi::rma::create::{self, Request};
use crate::mpi::rma::{dynamic, hints};

mpi!(
    /// Creates a window over memory of the program (MPI-5.0 §12.2.1).
    #[large(MPI_Win_create_c)]
    #[fortran(mpi_win_create_)]
    #[raises_on(comm)]
    fn MPI_Win_create(
        process: &Process, base: Room, size: Aint, disp_unit: Unit, info: Hints, comm: MPI_Comm,
        win: Var<MPI_Win>,
    ) {
        let request = Request { size, disp_unit, info: info.as_deref() };
        win.set(create::create(process, &comm, base, request)?);
        Ok(())
    }
);

mpi!(
    /// Creates a window over memory that it allocates (MPI-5.0 §12.2.2).
    #[large(MPI_Win_allocate_c)]
    #[fortran(mpi_win_allocate_)]
    #[raises_on(comm)]
    fn MPI_Win_allocate(
        process: &Process, size: Aint, disp_unit: Unit, info: Hints, comm: MPI_Comm,
        baseptr: OutPointer, win: Var<MPI_Win>,
    ) {
        let request = Request { size, disp_unit, info: info.as_deref() };
        let (made, address) = create::allocate(process, &comm, request)?;
        baseptr.set(address);
        win.set(made);
        Ok(())
    }
);

mpi!(
    /// Creates a window over memory that its members share (MPI-5.0 §12.2.3).
    #[large(MPI_Win_allocate_shared_c)]
    #[fortran(mpi_win_allocate_shared_)]
    #[raises_on(comm)]
    fn MPI_Win_allocate_shared(
        process: &Process, size: Aint, disp_unit: Unit, info: Hints, comm: MPI_Comm,
        baseptr: OutPointer, win: Var<MPI_Win>,
    ) {
        let request = Request { size, disp_unit, info: info.as_deref() };
        let (made, address) = create::allocate_shared(process, &comm, request)?;
        baseptr.set(address);
        win.set(made);
        Ok(())
    }
);

mpi!(
    /// Where the memory of a member is.
    #[large(MPI_Win_shared_query_c)]
    #[fortran(mpi_win_shared_query_)]
    #[raises_on(win)]
    fn MPI_Win_shared_query(
        process: &Process, win: MPI_Win, rank: Int, size: OutAint64, disp_unit: OutUnit,
        baseptr: OutPointer,
    ) {
        let segment = dynamic::query(process, &win, rank)?;
        size.set(segment.memory.bytes() as i64);
        disp_unit.set(segment.unit);
        baseptr.set(segment.address());
        Ok(())
    }
);

mpi!(
    /// Creates a window to which memory is attached later (MPI-5.0 §12.2.4).
    #[fortran(mpi_win_create_dynamic_)]
    #[raises_on(comm)]
    fn MPI_Win_create_dynamic(process: &Process, info: Hints, comm: MPI_Comm, win: Var<MPI_Win>) {
        win.set(create::create_dynamic(process, &comm, info.as_deref())?);
        Ok(())
    }
);

mpi!(
    /// Attaches memory to a dynamic window.
    #[fortran(mpi_win_attach_)]
    #[raises_on(win)]
    fn MPI_Win_attach(process: &Process, win: MPI_Win, base: Room, size: Aint) {
        dynamic::attach(process, &win, base, size)
    }
);

mpi!(
    /// Detaches memory from a dynamic window.
    #[fortran(mpi_win_detach_)]
    #[raises_on(win)]
    fn MPI_Win_detach(process: &Process, win: MPI_Win, base: Location) {
        dynamic::detach(process, &win, base)
    }
);

mpi!(
    /// Frees `win` (MPI-5.0 §12.2.5).
    #[fortran(mpi_win_free_)]
    #[raises_on(win)]
    fn MPI_Win_free(process: &Process, win: Var<MPI_Win>) {
        create::free(process, win.key())?;
        win.set_null();
        Ok(())
    }
);

mpi!(
    /// The group of the members of `win` (MPI-5.0 §12.2.6).
    #[fortran(mpi_win_get_group_)]
    #[raises_on(win)]
    fn MPI_Win_get_group(process: &Process, win: MPI_Win, group: Var<MPI_Group>) {
        group.set(process.keep_group(win.comm.group.clone())?);
        Ok(())
    }
);

mpi!(
    /// Sets hints on `win` (MPI-5.0 §12.2.7).
    #[fortran(mpi_win_set_info_)]
    #[raises_on(win)]
    fn MPI_Win_set_info(process: &Process, win: MPI_Win, info: Hints) {
        hints::set(&win.hints, info.as_deref())
    }
);

mpi!(
    /// The hints of `win`, in a new info that the caller frees.
    #[fortran(mpi_win_get_info_)]
    #[raises_on(win)]
    fn MPI_Win_get_info(process: &Process, win: MPI_Win, info_used: Var<MPI_Info>) {
        info_used.set(process.keep_info(win.hints.duplicate())?);
        Ok(())
    }
);

mpi!(
    /// Sets the name of `win` (MPI-5.0 §7.8).
    #[fortran(mpi_win_set_name_)]
    #[raises_on(win)]
    fn MPI_Win_set_name(process: &Process, win: MPI_Win, win_name: InText) {
        *win.name.lock() = env::name_of(win_name);
        Ok(())
    }
);

mpi!(
    /// The name of `win`.
    #[fortran(mpi_win_get_name_)]
    #[raises_on(win)]
    fn MPI_Win_get_name(
        process: &Process, win: OrNull<MPI_Win>, win_name: OutText, resultlen: OutInt,
    ) {
        let name = win.map_or(b"MPI_WIN_NULL".to_vec(), |win| win.name.lock().clone());
        resultlen.set(win_name.set(&name, env::MAX_OBJECT_NAME));
        Ok(())
    }
);
