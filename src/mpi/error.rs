//! What can go wrong inside an MPI call, in the standard's classes (MPI-5.0 §9.4).

use crate::engine::shared::rules::Rules;
use crate::mpi::reaction::Hearer;
use std::borrow::Cow;

macro_rules! classes {
    ($($name:ident = $value:literal, $words:literal;)*) => {
        /// An error class: one of the standard's, or one that the program added.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct Class(pub i32);

        impl Class {
            $(pub const $name: Class = Class($value);)*
            /// The standard's classes with their names and what they mean.
            pub const ALL: &[(Class, &'static str, &'static str)] =
                &[$((Class::$name, concat!("MPI_ERR_", stringify!($name)), $words)),*];
        }
    };
}

classes! {
    BUFFER = 1, "invalid buffer pointer, or no buffer attached";
    COUNT = 2, "invalid count";
    TYPE = 3, "invalid datatype";
    TAG = 4, "invalid tag";
    COMM = 5, "invalid communicator";
    RANK = 6, "invalid rank";
    REQUEST = 7, "invalid request";
    ROOT = 8, "invalid root";
    GROUP = 9, "invalid group";
    OP = 10, "invalid operation";
    TOPOLOGY = 11, "invalid topology";
    DIMS = 12, "invalid dimensions";
    ARG = 13, "invalid argument";
    UNKNOWN = 14, "unknown error";
    TRUNCATE = 15, "message longer than the receive buffer";
    OTHER = 16, "other error";
    INTERN = 17, "internal error of the MPI library";
    PENDING = 18, "the operation is neither complete nor failed";
    IN_STATUS = 19, "the error codes are in the statuses";
    ACCESS = 20, "permission denied";
    AMODE = 21, "invalid access mode";
    ASSERT = 22, "invalid assertion";
    BAD_FILE = 23, "invalid file name";
    BASE = 24, "invalid base address";
    CONVERSION = 25, "an error in a data conversion function";
    DISP = 26, "invalid displacement";
    DUP_DATAREP = 27, "data representation already defined";
    FILE_EXISTS = 28, "the file exists";
    FILE_IN_USE = 29, "the file is in use";
    FILE = 30, "invalid file handle";
    INFO_KEY = 31, "info key too long or empty";
    INFO_NOKEY = 32, "no such info key";
    INFO_VALUE = 33, "info value too long";
    INFO = 34, "invalid info object";
    IO = 35, "input or output error";
    KEYVAL = 36, "invalid attribute key";
    LOCKTYPE = 37, "invalid lock type";
    NAME = 38, "name not published";
    NO_MEM = 39, "out of memory";
    NOT_SAME = 40, "collective argument not the same on all processes";
    NO_SPACE = 41, "not enough space on the device";
    NO_SUCH_FILE = 42, "no such file";
    PORT = 43, "invalid port name";
    QUOTA = 44, "quota exceeded";
    READ_ONLY = 45, "read-only file or file system";
    RMA_ATTACH = 46, "memory cannot be attached";
    RMA_CONFLICT = 47, "conflicting accesses to a window";
    RMA_RANGE = 48, "target memory is not part of the window";
    RMA_SHARED = 49, "memory cannot be shared";
    RMA_SYNC = 50, "wrong synchronization of one-sided calls";
    SERVICE = 51, "invalid service name";
    SIZE = 52, "invalid size";
    SPAWN = 53, "cannot spawn processes";
    UNSUPPORTED_DATAREP = 54, "unsupported data representation";
    UNSUPPORTED_OPERATION = 55, "unsupported operation";
    WIN = 56, "invalid window";
    RMA_FLAVOR = 57, "wrong flavor of window";
    PROC_ABORTED = 58, "a peer process has ended";
    VALUE_TOO_LARGE = 59, "the value does not fit its type";
    SESSION = 60, "invalid session";
    ERRHANDLER = 61, "invalid error handler";
    ABI = 62, "invalid ABI information";
    PROC_FAILED = 75, "a process has failed that the operation needs";
    PROC_FAILED_PENDING = 76, "a process has failed that might have sent; the receive goes on";
    REVOKED = 77, "the communicator is revoked";
}

impl Class {
    /// The class with a sentence about this very failure: which argument, its value, what is right.
    #[cold]
    pub fn because(self, detail: impl Into<Cow<'static, str>>) -> Failure {
        Error::new(self, detail).into()
    }
}

/// Whether an error of this class is a process failure.
pub fn is_failure(class: Class) -> bool {
    let all = [Class::PROC_ABORTED, Class::PROC_FAILED, Class::PROC_FAILED_PENDING, Class::REVOKED];
    all.contains(&class)
}

/// Bad news for the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub class: Class,
    /// What was wrong, in words; the door adds the name of the call.
    pub detail: Cow<'static, str>,
    /// Whose error handler is to hear it, where the arguments do not say.
    pub on: Option<Hearer>,
    /// Whether a process failure caused it, whatever the class.
    pub is_of_a_death: bool,
    /// What an error handler is told, where the class only points to the statuses.
    pub cause: Option<Class>,
}

impl Error {
    pub fn new(class: Class, detail: impl Into<Cow<'static, str>>) -> Error {
        let is_of_a_death = is_failure(class);
        Error { class, detail: detail.into(), on: None, is_of_a_death, cause: None }
    }
}

/// Why a call did not succeed: one word, so that what most calls return stays in a register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure(Box<Cause>);

const _: () = assert!(size_of::<Result>() == size_of::<usize>(), "no news are no memory");

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The caller hears about it through an error handler.
    Error(Error),
    /// The calling rank itself is dead: it must not return to its program.
    Died,
    /// No failure at all: the call succeeded and returns this code, which no handler hears of.
    Told(i32),
}

impl Failure {
    /// The calling rank itself is dead.
    #[cold]
    pub fn died() -> Failure {
        Failure(Box::new(Cause::Died))
    }

    /// The call succeeds and returns this code.
    #[cold]
    pub fn told(code: i32) -> Failure {
        Failure(Box::new(Cause::Told(code)))
    }

    pub fn is_death(&self) -> bool {
        *self.0 == Cause::Died
    }

    /// What the caller is to hear, if anything.
    pub fn error(&self) -> Option<&Error> {
        if let Cause::Error(error) = &*self.0 { Some(error) } else { None }
    }

    pub fn cause(self) -> Cause {
        *self.0
    }

    /// Directs this failure to the error handler of `hearer`.
    pub(super) fn heard_by(mut self, hearer: Hearer) -> Failure {
        if let Cause::Error(error) = &mut *self.0 {
            error.on = Some(hearer);
        }
        self
    }
}

impl From<Error> for Failure {
    #[cold]
    fn from(error: Error) -> Failure {
        Failure(Box::new(Cause::Error(error)))
    }
}

/// Whether the calling rank has died of it.
pub fn is_death<T>(outcome: &Result<T>) -> bool {
    outcome.as_ref().is_err_and(Failure::is_death)
}

pub type Result<T = ()> = std::result::Result<T, Failure>;
/// What the program gets to hear instead of `class`. Inside, a death is PROC_ABORTED.
pub fn told(rules: Rules, class: Class) -> Class {
    match rules {
        Rules::Ft(_) if is_failure(class) => Class::OTHER,
        Rules::Ulfm if class == Class::PROC_ABORTED => Class::PROC_FAILED,
        _ => class,
    }
}
