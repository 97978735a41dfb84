//! How a job takes failures: as requested, or as the program shows that it can.

pub use crate::fault::view::mode_of;
pub use crate::launch::{
    CollMode, CommMode, InitialErrhandler, Modes, MsgMode, RecoveryMode, Rules,
};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Where the rules of one job come from; they are the same for all of its ranks.
#[derive(Default)]
pub struct Charter {
    given: OnceLock<Rules>,
    errhandler: OnceLock<InitialErrhandler>,
    /// Some rank hears of errors on a communicator, and goes on.
    is_heard: AtomicBool,
    /// The rules have modes.
    has_modes: AtomicBool,
    /// Is told of the rules whenever they change.
    listener: OnceLock<Box<dyn Fn(Rules) + Send + Sync>>,
}

impl Charter {
    /// What was asked for, or what the program's references show. To be told before ranks live.
    pub fn give(&self, rules: Rules) {
        self.given.get_or_init(|| rules);
        self.settle();
    }

    /// `listener` is told of the rules whenever they change.
    pub fn tell(&self, listener: impl Fn(Rules) + Send + Sync + 'static) {
        self.listener.get_or_init(|| Box::new(listener));
    }

    fn settle(&self) {
        let rules = self.rules();
        self.has_modes.store(rules.modes().is_some(), Ordering::Release);
        if let Some(listener) = self.listener.get() {
            listener(rules);
        }
    }

    /// The error handler that the first communicators start with. To be told before ranks live.
    pub fn start_with(&self, errhandler: InitialErrhandler) {
        self.errhandler.get_or_init(|| errhandler);
        if errhandler == InitialErrhandler::Return {
            self.hear();
        }
    }

    /// That handler, if the program has chosen it.
    pub fn errhandler(&self) -> Option<InitialErrhandler> {
        self.errhandler.get().copied()
    }

    /// A rank has set an error handler that does not end the job: it means to survive errors.
    pub fn hear(&self) {
        if !self.is_heard.load(Ordering::Relaxed) {
            self.is_heard.store(true, Ordering::Release);
            self.settle();
        }
    }

    /// Whether failures are taken by the modes of FT-MPI, found by one look.
    #[inline(always)]
    pub fn has_modes(&self) -> bool {
        self.has_modes.load(Ordering::Acquire)
    }

    /// How a failure is taken now. Once one was survived, this changes no more.
    #[inline]
    pub fn rules(&self) -> Rules {
        match self.given.get() {
            Some(given) => *given,
            None if self.is_heard.load(Ordering::Acquire) => Rules::Ft(Default::default()),
            None => Rules::End,
        }
    }

    /// Whether calls return the news of a death where nobody has chosen an error handler: whoever
    /// asks for a mode of FT-MPI looks at what calls return.
    pub fn returns_deaths(&self) -> bool {
        match self.given.get() {
            Some(Rules::Ft(modes)) => modes.comm != CommMode::Abort,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_shows_nothing_ends_with_the_first_failure() {
        let rules = Charter::default();
        assert_eq!(rules.rules(), Rules::End);
        rules.hear();
        assert_eq!(rules.rules(), Rules::Ft(Modes::default()));
        assert!(!rules.returns_deaths(), "where it has set no handler, errors are fatal");
    }

    #[test]
    fn what_was_asked_for_counts_more_than_what_is_shown() {
        let rules = Charter::default();
        rules.give(Rules::Ulfm);
        rules.hear();
        assert_eq!(rules.rules(), Rules::Ulfm);
        let rules = Charter::default();
        rules.give(Rules::Ft(Modes::default()));
        assert!(rules.returns_deaths());
    }
}
