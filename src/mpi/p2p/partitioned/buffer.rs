//! The buffer of a partitioned message.

use crate::host::memory::Region;
use crate::mpi::error::{Class, Result};

/// The buffer of a partitioned message.
pub struct Buffer {
    pub data: Region,
    pub partitions: usize,
}

/// How many elements `partitions` of `count` elements have together.
pub fn elements(partitions: i64, count: i64) -> Result<i64> {
    partitions.checked_mul(count).ok_or_else(|| {
        let words =
            format!("{partitions} partitions of {count} elements are more than there can be");
        Class::COUNT.because(words)
    })
}
