//! The rules of the state machines, as a type: tests break one rule at a time to show that the
//! simulation notices it. The library uses only [`Sound`], so this costs nothing.

/// Which rules hold.
pub trait Rules: Clone {
    /// A coordinator decides only when all living members have locked its proposal.
    const CONFIRMS: bool = true;
    /// A coordinator proposes what a member has locked before.
    const INHERITS: bool = true;
    /// A coordinator proposes only when all living members have reported to it.
    const POLLS_ALL: bool = true;
    /// A member that has reported to a new coordinator locks no proposal of an old one.
    const SHUTS_OUT: bool = true;
    /// A coordinator tells its decision to members that report later.
    const ANSWERS_LATE: bool = true;
    /// A member that has decided answers a proposal with the decision.
    const ANSWERS_PROPOSALS: bool = true;
    /// A member reports again when its coordinator has died.
    const REPORTS_ANEW: bool = true;
    /// A rebuild commits only views without gaps.
    const COMMITS_COMPLETE: bool = true;
    /// The incarnations in a seat are counted upwards.
    const COUNTS_LIVES: bool = true;
    /// Failed respawns are counted for each slot.
    const COUNTS_PER_SLOT: bool = true;
    /// The deaths of survivors do not count as failed respawns.
    const SPARES_SURVIVORS: bool = true;
    /// A death is recorded once.
    const RECORDS_ONCE: bool = true;
}

/// All rules are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sound;

impl Rules for Sound {}
