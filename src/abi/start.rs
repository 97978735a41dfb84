//! Where a program starts: the library takes `__libc_start_main` over and brings ranks to life.
//!
//! Without a job in the environment (see [`crate::host::job`]) the program runs as it is: a world
//! of one.
