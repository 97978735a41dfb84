//! The rules that the machines obey, as a type: tests break one rule at a time to show that the
//! simulation notices. The library knows only [`Sound`]; the rest costs nothing.

/// Which rules hold.
pub trait Rules: Clone {
    /// A coordinator decides only when everybody alive has locked its proposal.
    const CONFIRMS: bool = true;
    /// A coordinator proposes what somebody has locked before it.
    const INHERITS: bool = true;
    /// A coordinator proposes only when everybody alive has reported to it.
    const POLLS_ALL: bool = true;
    /// Who has turned to a new coordinator locks nothing of an old one's.
    const SHUTS_OUT: bool = true;
    /// A coordinator tells its decision to those who report to it later.
    const ANSWERS_LATE: bool = true;
    /// Who has decided answers a proposal with the decision.
    const ANSWERS_PROPOSALS: bool = true;
    /// A member reports anew when its coordinator has died.
    const REPORTS_ANEW: bool = true;
    /// Only those who have taken part in the last round are members.
    const COMMITS_COMPLETE: bool = true;
    /// Lives in a seat are counted upwards.
    const COUNTS_LIVES: bool = true;
    /// Failed respawns are counted for each slot.
    const COUNTS_PER_SLOT: bool = true;
    /// Survivors who die do not count as failed respawns.
    const SPARES_SURVIVORS: bool = true;
    /// A death is recorded once.
    const RECORDS_ONCE: bool = true;
}

/// All rules hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sound;

impl Rules for Sound {}
