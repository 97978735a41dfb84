//! Who looks for what comes from other hosts: a rank that waits and has a core looks itself, as it
//! would else wait for the service thread to be woken; that thread rests as long as a rank looks.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;

/// For how long the service thread rests: for so long nobody looks if the rank begins to compute.
const REST: Duration = Duration::from_millis(1);
/// How often in a row, as long as a rank looks; then it attends to all else, such as hosts that
/// have fallen silent.
const RESTS: u32 = 16;

#[derive(Default)]
pub(in crate::transport) struct Attendance {
    /// How often ranks have looked.
    looks: AtomicU64,
    /// The rank has stopped looking.
    is_left: AtomicBool,
    attendant: OnceLock<Thread>,
}

/// The service thread's part.
pub(in crate::transport) struct Attendant<'a> {
    attendance: &'a Attendance,
    looks: u64,
}

impl Attendance {
    /// A rank looks.
    pub(in crate::transport) fn look(&self) {
        self.looks.fetch_add(1, Ordering::Relaxed);
    }

    /// The rank will not look for a while: the service thread has to.
    pub(in crate::transport) fn leave(&self) {
        if !self.is_left.swap(true, Ordering::SeqCst)
            && let Some(attendant) = self.attendant.get()
        {
            attendant.unpark();
        }
    }

    /// The calling thread attends when no rank does.
    pub(in crate::transport) fn attend(&self) -> Attendant<'_> {
        self.attendant.get_or_init(thread::current);
        Attendant { attendance: self, looks: 0 }
    }
}

impl Attendant<'_> {
    /// Rests for as long as a rank looks and has not left, or for a while; whether it did.
    pub(in crate::transport) fn rests(&mut self) -> bool {
        let count = (0..RESTS).take_while(|_| {
            let may_rest = self.is_attended();
            if may_rest {
                thread::park_timeout(REST);
            }
            may_rest
        });
        count.count() > 0
    }

    /// Whether a rank has looked meanwhile, and has not left.
    fn is_attended(&mut self) -> bool {
        let looks = self.attendance.looks.load(Ordering::Relaxed);
        let has_looked = std::mem::replace(&mut self.looks, looks) != looks;
        !self.attendance.is_left.swap(false, Ordering::SeqCst) && has_looked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_service_thread_rests_while_a_rank_looks_and_until_it_leaves() {
        let attendance = Attendance::default();
        let mut attendant = attendance.attend();
        assert!(!attendant.rests(), "nobody has looked");
        attendance.look();
        assert!(attendant.rests());
        assert!(!attendant.rests(), "nobody has looked since");
        attendance.look();
        attendance.leave();
        assert!(!attendant.rests(), "the rank has left");
    }
}
