//! Kinds for callbacks: functions of the program.

use crate::abi::kinds::{Form, Fortran, Kind, NoLength};
use crate::mpi::callback::{Callback, Language};
use crate::mpi::error::{Class, Result};
use crate::mpi::process::Process;
use std::ffi::c_void;

const FORTRAN: Language = Language::Fortran;
const OLD: Language = Language::OldFortran;

macro_rules! callbacks {
    ($(
        $(#[doc = $doc:literal])*
        $name:ident = $c:literal, $may_be_null:literal, $fortran:expr;
    )*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Copy)]
        pub(in crate::abi) struct $name(Callback);

        impl Kind for $name {
            const C: &'static str = $c;
            type Raw = *const c_void;
            type Checked = Callback;
            fn from_c(raw: *const c_void) -> Self {
                Self(Callback { code: raw.expose_provenance(), language: Language::C })
            }
            fn check(self, _: &'static Process, name: &'static str) -> Result<Callback> {
                if self.0.code == 0 && !$may_be_null {
                    return Err(Class::ARG.because(format!("{name} is a null pointer")));
                }
                Ok(self.0)
            }
        }

        impl Fortran for $name {
            type Wire = *const c_void;
            type Length = NoLength;
            const FORM: Form = Form::procedure($c);
            unsafe fn enter(wire: *const c_void, _: NoLength) -> Self {
                Self(Callback { code: wire.expose_provenance(), language: $fortran })
            }
        }
    )*};
}

callbacks! {
    /// Handles a communicator's errors.
    CommErrhandlerFunction = "MPI_Comm_errhandler_function *", false, FORTRAN;
    /// Handles a file's errors.
    FileErrhandlerFunction = "MPI_File_errhandler_function *", false, FORTRAN;
    /// Handles a window's errors.
    WinErrhandlerFunction = "MPI_Win_errhandler_function *", false, FORTRAN;
    /// Handles a session's errors.
    SessionErrhandlerFunction = "MPI_Session_errhandler_function *", false, FORTRAN;
    /// Copies an attribute of a communicator; null is MPI_COMM_NULL_COPY_FN.
    CommCopyFunction = "MPI_Comm_copy_attr_function *", true, FORTRAN;
    /// Deletes an attribute of a communicator; null is MPI_COMM_NULL_DELETE_FN.
    CommDeleteFunction = "MPI_Comm_delete_attr_function *", true, FORTRAN;
    /// Copies an attribute of a datatype.
    TypeCopyFunction = "MPI_Type_copy_attr_function *", true, FORTRAN;
    /// Deletes an attribute of a datatype.
    TypeDeleteFunction = "MPI_Type_delete_attr_function *", true, FORTRAN;
    /// Copies an attribute of a window, which never happens.
    WinCopyFunction = "MPI_Win_copy_attr_function *", true, FORTRAN;
    /// Deletes an attribute of a window.
    WinDeleteFunction = "MPI_Win_delete_attr_function *", true, FORTRAN;
    /// MPI-1's functions that copy and delete attributes.
    CopyFunction = "MPI_Copy_function *", true, OLD;
    DeleteFunction = "MPI_Delete_function *", true, OLD;
    /// Sets the status of a generalized request.
    QueryFunction = "MPI_Grequest_query_function *", false, FORTRAN;
    /// Frees the state of a generalized request.
    FreeFunction = "MPI_Grequest_free_function *", false, FORTRAN;
    /// Cancels the work of a generalized request.
    CancelFunction = "MPI_Grequest_cancel_function *", false, FORTRAN;
    /// Converts data of a file; null is MPI_CONVERSION_FN_NULL.
    ConversionFunction32 = "MPI_Datarep_conversion_function *", true, FORTRAN;
    /// Converts data of a file, with a large count.
    ConversionFunction64 = "MPI_Datarep_conversion_function_c *", true, FORTRAN;
    /// Tells how far items are apart in a file.
    ExtentFunction = "MPI_Datarep_extent_function *", false, FORTRAN;
    /// Combines two arrays of values.
    UserFunction32 = "MPI_User_function *", false, FORTRAN;
    /// Combines two arrays of values, with a large count.
    UserFunction64 = "MPI_User_function_c *", false, FORTRAN;
}

impl UserFunction32 {
    pub(in crate::abi) const IS_LARGE: bool = false;
}

impl UserFunction64 {
    pub(in crate::abi) const IS_LARGE: bool = true;
}
