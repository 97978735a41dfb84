//! What happens to messages on their way.

use super::units::Picos;

/// Something happens to a message, which has the name with which it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Happening {
    pub at: Picos,
    pub message: usize,
    pub what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The next one between its two nodes may leave.
    HasLeft,
    Arrives,
}
