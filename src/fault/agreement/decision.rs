//! What is decided, and what members hold on to until then.

use super::value::Value;
use std::sync::Arc;

/// What was agreed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Combined over all members that are neither dead nor gone.
    pub value: Value,
    /// Who died, in the order in which it was noticed.
    pub dead: Vec<usize>,
    /// Who left in peace before he contributed.
    pub left: Vec<usize>,
}

impl Decision {
    /// Which of `size` members took part.
    pub fn present(&self, size: usize) -> Vec<bool> {
        let mut present = vec![true; size];
        self.dead.iter().chain(&self.left).for_each(|&who| present[who] = false);
        present
    }

    /// Whether all contributors had acknowledged the death of everybody who is dead. `deaths` are
    /// the members' deaths in the common order of notices, as far as the caller knows it; he has
    /// contributed, so he knows at least what all have acknowledged.
    pub fn is_acknowledged(&self, deaths: &[usize]) -> bool {
        let count = deaths.len().min(self.value.acknowledged as usize);
        self.dead.len() <= count && self.dead.iter().all(|who| deaths[..count].contains(who))
    }
}

/// A proposal that a member holds on to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lock {
    /// Whether he knows it to be decided.
    pub is_decided: bool,
    pub proposal: Arc<Decision>,
}
