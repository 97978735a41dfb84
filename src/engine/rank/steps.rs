//! Steps of calls, for deaths ordered in the middle of a call: a step is a message sent, or a wait
//! begun. Without such an order they cost nothing.

use crate::engine::Engine;
use crate::engine::rank::operation::Died;
use std::sync::Arc;

/// Somebody who counts steps.
pub trait Steps: Send + Sync {
    /// The calling thread has made a step; whether the rank ends here.
    fn step(&self) -> bool;
}

impl Engine {
    /// From now on `steps` is told of every step. Whoever counts has
    /// [`crate::engine::World::be_careful`] say so before.
    pub fn count_steps(&self, steps: Arc<dyn Steps>) {
        self.steps.get_or_init(|| steps);
        self.pulse.count();
    }

    /// The calling thread has made a step of its call.
    #[inline]
    pub fn step(&self) -> Result<(), Died> {
        if self.pulse.is_counted() { self.count_step() } else { Ok(()) }
    }

    #[cold]
    fn count_step(&self) -> Result<(), Died> {
        if self.steps.get().is_some_and(|steps| steps.step()) {
            self.pulse.stop();
            return Err(Died);
        }
        Ok(())
    }
}
