//! Reads the command lines of all programs: options with their values, and plain words.
//!
//! [`Reader`] goes through the words in order, for programs that have a table of options and stop
//! at the first plain word, as the launcher does. [`Words`] sorts all of them first, for programs
//! that ask for each option by name. The compiler wrappers do not come here: they pass a compiler's
//! words on.

#![forbid(unsafe_code)]

mod near;
pub mod numbers;
mod reader;
mod words;

pub use near::nearest;
pub use reader::{Complaint, Dashes, Item, Reader};
pub use words::Words;
