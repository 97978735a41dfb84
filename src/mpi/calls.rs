//! What every call does first and last: it notices whether its rank is to die or to let others run,
//! holds signals back whose handlers might jump out of it, and tells tools what has happened.

use crate::host::{sched, signals};
use crate::mpi::error::{Failure, Result};
use crate::mpi::process::Process;

impl Process {
    /// Called at every door: fails when this rank is to die; true when its calls are counted, or
    /// what it does between them is measured.
    #[inline]
    pub fn notice(&self) -> Result<bool> {
        if self.pulse.is_calm() { Ok(false) } else { self.look_at_pulse() }
    }

    /// A call begins: as [`Process::notice`]. Until [`Process::ends_call`], signals wait that might
    /// make the thread jump out of it.
    #[inline]
    pub fn begins_call(&self) -> Result<bool> {
        if self.pulse.is_calm() {
            return Ok(false);
        }
        if self.pulse.holds_signals() {
            signals::enter_call();
        }
        if self.pulse.takes_turns() {
            sched::enter_call();
        }
        self.look_at_pulse()
    }

    /// A call ends for which there [is more to do](Process::has_more_at_end). Handlers run here.
    pub fn ends_call(&self) {
        if self.pulse.holds_signals() {
            signals::leave_call();
        }
        if self.pulse.takes_turns() {
            sched::leave_call();
        }
    }

    /// Whether there is more to do at the end of a call.
    #[inline]
    pub fn has_more_at_end(&self) -> bool {
        self.pulse.has_more_at_end()
    }

    #[cold]
    fn look_at_pulse(&self) -> Result<bool> {
        if self.pulse.takes_call_for_room() {
            sched::yield_now();
        }
        if self.pulse.takes_turns() {
            sched::pass_door();
            if let Some(network) = self.world.network() {
                network.await_move(self.me.seat, || self.pulse.is_stopping());
            }
        }
        let is_counted = self.pulse.is_counted() || sched::is_computing_measured();
        if self.pulse.is_stopping() { Err(Failure::died()) } else { Ok(is_counted) }
    }

    /// Whether what this rank does is counted: for its planned death, or for a trace.
    #[inline]
    pub fn is_counted(&self) -> bool {
        self.pulse.is_counted()
    }

    /// Whether tools are to hear of something.
    #[inline]
    pub fn has_events(&self) -> bool {
        self.pulse.has_announced()
    }
}
