//! Decisions, and the locks that members hold until then.

use super::value::Value;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The outcome of an agreement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// Combined over all members that are neither dead nor have left.
    pub value: Value,
    /// The dead members, in the order of notices.
    pub dead: Vec<usize>,
    /// The members that left before contributing.
    pub left: Vec<usize>,
}

impl Decision {
    /// For each of `size` members, whether it took part.
    pub fn present(&self, size: usize) -> Vec<bool> {
        let mut present = vec![true; size];
        self.dead.iter().chain(&self.left).for_each(|&who| present[who] = false);
        present
    }

    /// Whether all contributors had acknowledged the deaths of all dead members. `deaths` are the
    /// members' deaths in the common order of notices, as far as the caller knows it. The caller
    /// has contributed, so it knows at least what all have acknowledged.
    pub fn is_acknowledged(&self, deaths: &[usize]) -> bool {
        let count = deaths.len().min(self.value.acknowledged as usize);
        self.dead.len() <= count && self.dead.iter().all(|who| deaths[..count].contains(who))
    }
}

/// A proposal that a member has locked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lock {
    /// Whether the member knows that it is decided.
    pub is_decided: bool,
    pub proposal: Arc<Decision>,
}
