//! What must be alike on all hosts of a job.

use crate::shared::place;
use crate::shared::refusal::{BROKEN, Refusal};
use std::hash::{DefaultHasher, Hasher};

/// The version of the library, and a number that differs where its bytes do.
pub(super) fn version() -> Result<String, Refusal> {
    let library = place::library()?;
    let bytes = std::fs::read(&library).map_err(|error| {
        Refusal::new(BROKEN, format!("cannot read {}: {error}", library.display()))
    })?;
    let mut hash = DefaultHasher::new();
    hash.write(&bytes);
    Ok(format!("{} (build {:016x})", env!("CARGO_PKG_VERSION"), hash.finish()))
}
