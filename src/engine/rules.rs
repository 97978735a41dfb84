//! How a job takes failures: what was asked for, or what the program shows that it can do.

use crate::host::job::{CommMode, Personality};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The rules of one job, the same for all of its ranks.
#[derive(Debug, Default)]
pub struct Rules {
    given: OnceLock<Personality>,
    /// Some rank hears of errors on a communicator, and goes on.
    is_heard: AtomicBool,
}

impl Rules {
    /// What was asked for, or what the program's references show. To be told before ranks live.
    pub fn give(&self, personality: Personality) {
        self.given.get_or_init(|| personality);
    }

    /// A rank has set an error handler that does not end the job: it means to survive errors.
    pub fn hear(&self) {
        if !self.is_heard.load(Ordering::Relaxed) {
            self.is_heard.store(true, Ordering::Release);
        }
    }

    /// How a failure is taken now. Once one was survived, this changes no more.
    #[inline]
    pub fn personality(&self) -> Personality {
        match self.given.get() {
            Some(given) => *given,
            None if self.is_heard.load(Ordering::Acquire) => Personality::Ft(Default::default()),
            None => Personality::End,
        }
    }

    /// Whether calls return the news of a death where nobody has chosen an error handler: whoever
    /// asks for a mode of FT-MPI looks at what calls return.
    pub fn returns_deaths(&self) -> bool {
        match self.given.get() {
            Some(Personality::Ft(modes)) => modes.comm != CommMode::Abort,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::job::Modes;

    #[test]
    fn a_program_that_shows_nothing_ends_with_the_first_failure() {
        let rules = Rules::default();
        assert_eq!(rules.personality(), Personality::End);
        rules.hear();
        assert_eq!(rules.personality(), Personality::Ft(Modes::default()));
        assert!(!rules.returns_deaths(), "where it has set no handler, errors are fatal");
    }

    #[test]
    fn what_was_asked_for_counts_more_than_what_is_shown() {
        let rules = Rules::default();
        rules.give(Personality::Ulfm);
        rules.hear();
        assert_eq!(rules.personality(), Personality::Ulfm);
        let rules = Rules::default();
        rules.give(Personality::Ft(Modes::default()));
        assert!(rules.returns_deaths());
    }
}
