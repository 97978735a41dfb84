//! The codes of the tools interface (MPI-5.0 §15.3.10). They are error classes, and no error
//! handler hears of them.

use crate::mpi::error::Class;

pub const NOT_INITIALIZED: Class = Class(1003);
pub const INVALID: Class = Class(1006);
pub const INVALID_INDEX: Class = Class(1007);
pub const INVALID_SESSION: Class = Class(1009);
pub const INVALID_HANDLE: Class = Class(1010);
pub const INVALID_NAME: Class = Class(1011);
pub const OUT_OF_HANDLES: Class = Class(1012);
pub const OUT_OF_SESSIONS: Class = Class(1013);
pub const CVAR_SET_NOT_NOW: Class = Class(1014);
pub const CVAR_SET_NEVER: Class = Class(1015);
pub const PVAR_NO_WRITE: Class = Class(1016);
pub const PVAR_NO_STARTSTOP: Class = Class(1017);
