//! By which rules a job lives with failures.

/// What becomes of the others when a rank has died.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rules {
    /// As MPI's own standard leaves it: operations that need the dead fail.
    #[default]
    Standard,
    /// FT-MPI's: the living recover together.
    Ft(Modes),
}

/// The modes of FT-MPI's rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modes {
    pub comm: CommMode,
    pub msg: MsgMode,
}

/// What a recovery makes of the dead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommMode {
    /// There is none: the job ends.
    Abort,
    Blank,
    Shrink,
    Rebuild,
}

/// What becomes of messages between the living.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MsgMode {
    /// All are lost with the first death.
    Noop,
    /// They go on.
    Cont,
}

impl Rules {
    /// FT-MPI's modes, if those are the rules.
    #[inline]
    pub fn modes(self) -> Option<Modes> {
        match self {
            Rules::Standard => None,
            Rules::Ft(modes) => Some(modes),
        }
    }
}
