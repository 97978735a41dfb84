//! Waits for what members in other processes do in memory that they share.

use crate::engine::Engine;
use crate::engine::rank::awaited::{MeetingWait, Watched, wants};
use crate::engine::rank::operation::{Died, Mishap};

/// Something that members in other processes bring about.
pub trait Prospect {
    fn has_happened(&self) -> bool;
    /// Whoever brings it about is to wake this process.
    fn call(&self);
    /// The place of a member that is missing; and whether it is only to leave earlier operations.
    fn missing(&self) -> (Option<usize>, bool);
}

impl Engine {
    /// Makes progress until it has happened, or until a death or the like makes that hopeless.
    pub fn wait_afar(
        &self, wait: &MeetingWait<'_>, prospect: &dyn Prospect,
    ) -> Result<Option<Mishap>, Died> {
        self.step()?;
        let shared = self.outside.filter(|outside| outside.are_shared());
        let _watcher = shared.map(|outside| outside.watch(self.port.bell()));
        let mut state = self.state.lock();
        loop {
            self.progress(&mut state)?;
            self.drive(&mut state)?;
            if prospect.has_happened() {
                self.leave(&mut state)?;
                return Ok(None);
            }
            if !self.is_calm()
                && let Some(mishap) = self.object(&mut state, wait)
            {
                return Ok(Some(mishap));
            }
            if !self.copy_next(&mut state)? {
                let (missing, is_ahead) = prospect.missing();
                let want = wants(wait.envelope, is_ahead, missing.into_iter().collect())[0];
                let is_so = || prospect.has_happened();
                let call = || prospect.call();
                self.wait_for_news_or(&mut state, None, Some(Watched::Peer(want)), is_so, call);
            }
        }
    }
}
