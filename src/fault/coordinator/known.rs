//! Answers that a coordinator has from the one before it.

use crate::agreement::Decision;
use crate::agreements::Key;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the last coordinator has told some, and may not have told all.
#[derive(Default)]
pub(super) struct Known {
    /// With the number of the agreement that it has led to, if it has.
    pub(super) decided: BTreeMap<Key, (Arc<Decision>, Option<u64>)>,
    pub(super) heard: BTreeMap<Key, Option<Vec<Vec<u8>>>>,
}
