//! What the system says about files, in the standard's error classes (MPI-5.0 §14.7).

use crate::mpi::error::{Class, Failure};
use std::io::Error;

/// The failure for the system's error number, about `what`.
#[cold]
pub fn failure(number: i32, what: &str) -> Failure {
    class(number).because(format!("{what}: {}", Error::from_raw_os_error(number)))
}

/// The failure for an error of the system, about `what`.
#[cold]
pub fn because(error: &Error, what: &str) -> Failure {
    failure(number(error), what)
}

/// The number of an error of the system.
pub fn number(error: &Error) -> i32 {
    error.raw_os_error().unwrap_or(libc::EIO)
}

fn class(number: i32) -> Class {
    match number {
        libc::ENOENT => Class::NO_SUCH_FILE,
        libc::EEXIST => Class::FILE_EXISTS,
        libc::EACCES | libc::EPERM => Class::ACCESS,
        libc::EROFS => Class::READ_ONLY,
        libc::ENOSPC => Class::NO_SPACE,
        libc::EDQUOT => Class::QUOTA,
        libc::ETXTBSY | libc::EBUSY => Class::FILE_IN_USE,
        libc::ENAMETOOLONG | libc::ENOTDIR | libc::EISDIR | libc::ELOOP | libc::EINVAL => {
            Class::BAD_FILE
        }
        libc::ENOMEM => Class::NO_MEM,
        _ => Class::IO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_and_a_used_up_quota_have_classes_of_their_own() {
        assert_eq!(class(libc::ENOSPC), Class::NO_SPACE);
        assert_eq!(class(libc::EDQUOT), Class::QUOTA);
        assert_eq!(class(libc::EFBIG), Class::IO);
    }
}
