//! What tables of shims are made of, and what shims say when they fail.

/// One line of the table of shims.
pub(in crate::host) type Entry = (&'static str, *const ());
