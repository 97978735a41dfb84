//! The calls by which a program lets an error handler hear of an error (MPI-5.0 §9.3).

use crate::abi::door::{Season, enter};
use crate::abi::kinds::{
    Fortran, Ierror, Int, Kind, MPI_Comm, MPI_File, MPI_Session, MPI_Win, OrNull,
};
use crate::abi::scope::Scope;
use crate::abi::{current, handlers};
use std::ffi::{c_int, c_void};

/// The handler of MPI_FILE_NULL can be called, too.
type FileOrNull = OrNull<MPI_File>;

/// MPI_Comm_call_errhandler and its kin: calls the handler of an object with `code`. An ordinary
/// `fn` of C: neither the call nor its handler is an error.
fn call_errhandler<H: Kind + Into<Scope>>(
    name: &'static str, object: H, what: &'static str, code: c_int,
) -> c_int {
    let scope: Scope = object.into();
    let known =
        enter(name, Season::Inside, || scope, |process| object.check(process, what).map(drop));
    if known != 0 {
        return known;
    }
    handlers::tell(current::process(), name, scope, code);
    0
}

/// Generates the entry points of [`call_errhandler`], one for each type of object.
macro_rules! call_errhandlers {
    ($(
        $kind:ident $what:ident: $c:ident, $pmpi:ident, $fortran:ident, $pfortran:ident;
    )*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $c($what: *mut c_void, errorcode: c_int) -> c_int {
            call_errhandler(stringify!($c), $kind::from_c($what), stringify!($what), errorcode)
        }

        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $pmpi($what: *mut c_void, errorcode: c_int) -> c_int {
            call_errhandler(stringify!($c), $kind::from_c($what), stringify!($what), errorcode)
        }

        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $fortran(
            $what: *const c_int, errorcode: *const c_int, ierror: Ierror,
        ) {
            // SAFETY: the caller is Fortran, which passes scalars by reference.
            let object = unsafe { $kind::enter($what, ()) };
            // SAFETY: the caller is Fortran, which passes scalars by reference.
            let code = unsafe { Int::enter(errorcode, ()) };
            ierror.set(call_errhandler(stringify!($c), object, stringify!($what), code.value()));
        }

        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $pfortran(
            $what: *const c_int, errorcode: *const c_int, ierror: Ierror,
        ) {
            // SAFETY: the arguments are our caller's, which is Fortran.
            unsafe { $fortran($what, errorcode, ierror) }
        }

        const _: () = {
            #[unsafe(export_name = concat!(stringify!($fortran), "f08_"))]
            unsafe extern "C-unwind" fn modern(
                $what: *const c_int, errorcode: *const c_int, ierror: Ierror,
            ) {
                // SAFETY: the arguments are our caller's, which is Fortran.
                unsafe { $fortran($what, errorcode, ierror) }
            }

            #[unsafe(export_name = concat!(stringify!($pfortran), "f08_"))]
            unsafe extern "C-unwind" fn pmodern(
                $what: *const c_int, errorcode: *const c_int, ierror: Ierror,
            ) {
                // SAFETY: the arguments are our caller's, which is Fortran.
                unsafe { $fortran($what, errorcode, ierror) }
            }
        };

        modules_door!(small, $c, $fortran, [], [$what: $kind, errorcode: Int]);
    )*

    #[cfg(test)]
    #[test]
    fn the_calls_that_call_handlers_match_the_header() {
        $(crate::abi::header::expect("int", stringify!($c), &[$kind::C, Int::C]);)*
    }};
}

call_errhandlers! {
    MPI_Comm comm: MPI_Comm_call_errhandler, PMPI_Comm_call_errhandler,
        mpi_comm_call_errhandler_, pmpi_comm_call_errhandler_;
    FileOrNull fh: MPI_File_call_errhandler, PMPI_File_call_errhandler,
        mpi_file_call_errhandler_, pmpi_file_call_errhandler_;
    MPI_Win win: MPI_Win_call_errhandler, PMPI_Win_call_errhandler,
        mpi_win_call_errhandler_, pmpi_win_call_errhandler_;
    MPI_Session session: MPI_Session_call_errhandler, PMPI_Session_call_errhandler,
        mpi_session_call_errhandler_, pmpi_session_call_errhandler_;
}
