//! What the failure of a rank means to its job.

use crate::{CommMode, Modes, OnFailure, Rules};

/// How the job goes on after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sequel {
    /// It ends.
    End,
    /// The rank is started again at once.
    Restart,
    /// The others go on; these words say how.
    GoOn(&'static str),
}

impl Sequel {
    /// What follows from a failure. `has_left`: the rank had finalized MPI.
    pub fn of(rules: Rules, on_failure: OnFailure, has_left: bool) -> Sequel {
        Sequel::GoOn(match rules {
            Rules::End | Rules::Ft(Modes { comm: CommMode::Abort, .. }) => return Sequel::End,
            Rules::Standard if on_failure == OnFailure::Restart => return Sequel::Restart,
            Rules::Standard => "the others continue",
            _ if has_left => "it had finalized MPI; the others continue",
            Rules::Ulfm => "mode ulfm: the others continue",
            Rules::Ft(modes) => match modes.comm {
                CommMode::Blank => "mode blank: its rank stays empty after the recovery",
                CommMode::Shrink => "mode shrink: the recovery renumbers the others",
                _ => "mode rebuild: it will be restarted in the recovery",
            },
        })
    }
}

/// The final message of a job of which no rank is left.
pub fn all_have_failed(ranks: usize) -> String {
    match ranks {
        1 => "the only rank has failed, and no rank is left".to_string(),
        size => format!("all {size} ranks have failed, and no rank is left"),
    }
}
