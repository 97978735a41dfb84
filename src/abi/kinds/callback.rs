//! Kinds that are functions of the program's.

use crate::abi::kinds::{Fortran, Kind, NoLength};
use crate::mpi::callback::Callback;
use crate::mpi::error::{Class, Result};
use crate::mpi::process::Process;
use std::ffi::c_void;

macro_rules! callbacks {
    ($($(#[doc = $doc:literal])* $name:ident = $c:literal, $may_be_null:literal;)*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Copy)]
        pub(in crate::abi) struct $name(Callback);

        impl Kind for $name {
            const C: &'static str = $c;
            type Raw = *const c_void;
            type Checked = Callback;
            fn from_c(raw: *const c_void) -> Self {
                Self(Callback { code: raw.expose_provenance(), is_fortran: false })
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
            unsafe fn enter(wire: *const c_void, _: NoLength) -> Self {
                Self(Callback { code: wire.expose_provenance(), is_fortran: true })
            }
        }
    )*};
}

callbacks! {
    /// Hears of a communicator's errors.
    CommErrhandlerFunction = "MPI_Comm_errhandler_function *", false;
    /// Copies an attribute of a communicator; null is MPI_COMM_NULL_COPY_FN.
    CommCopyFunction = "MPI_Comm_copy_attr_function *", true;
    /// Deletes an attribute of a communicator; null is MPI_COMM_NULL_DELETE_FN.
    CommDeleteFunction = "MPI_Comm_delete_attr_function *", true;
    /// Copies an attribute of a datatype.
    TypeCopyFunction = "MPI_Type_copy_attr_function *", true;
    /// Deletes an attribute of a datatype.
    TypeDeleteFunction = "MPI_Type_delete_attr_function *", true;
    /// The same under the names of MPI-1.
    CopyFunction = "MPI_Copy_function *", true;
    DeleteFunction = "MPI_Delete_function *", true;
    /// Combines two arrays of values.
    UserFunction32 = "MPI_User_function *", false;
    /// The same with a large count.
    UserFunction64 = "MPI_User_function_c *", false;
}
