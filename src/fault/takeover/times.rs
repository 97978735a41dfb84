//! The times of a takeover. The shorter they are, the sooner another host goes on; and the sooner
//! one that is only slow is taken to be lost.

use crate::lease::{GRACE, TERM};
use std::time::Duration;

/// How long an agent hears nothing until it asks others whether they do.
pub(super) const SUSPICION: Duration = Duration::from_millis(1400);

/// How old the loyalty of enough agents may be when a lease is prolonged.
pub(super) const BACKING: Duration = Duration::from_millis(500);

/// How long after its voters were last loyal to others a new coordinator gives up hosts that have
/// not voted for it: their leases are over.
pub const SUCCESSION: Duration = BACKING.saturating_add(TERM).saturating_add(GRACE);

/// From when on it would vote for another one that has heard nothing for longer.
pub(super) const DOUBT: Duration = Duration::from_millis(1200);

/// How an agent waits until it asks.
pub(super) struct Wait {
    /// Others may notice a little later.
    pub(super) pause: Duration,
    /// It waits longer by this for each host before it in the view: the lowest one stands first.
    pub(super) stagger: Duration,
}

/// Where nothing is heard: beats tell agents of that at different times.
pub(super) const SILENT: Wait =
    Wait { pause: Duration::from_millis(50), stagger: Duration::from_millis(100) };

/// Where the connection has ended: all see that within milliseconds.
pub(super) const CLOSED: Wait =
    Wait { pause: Duration::from_millis(20), stagger: Duration::from_millis(40) };

/// How long until an agent asks in another epoch, and until others may that it lets pass.
pub(super) const RETRY: Duration = Duration::from_millis(300);

/// For how long it asks again who has refused, as who has not noticed yet does: less than others
/// let it pass.
pub(super) const INSISTENCE: Duration = Duration::from_millis(240);

/// How long one that has enough votes waits for the others, at least: they may be held up, as on a
/// busy machine. That costs nothing but what is to be decided meanwhile: hosts that have not voted
/// are given up [`SUCCESSION`] after the voters were loyal to others.
pub(super) const COUNTING: Duration = Duration::from_millis(350);

/// It waits until the coordinator has been silent for so long, if that is later: leases last long
/// enough that the next coordinator can prolong them.
pub(super) const COUNTED: Duration = Duration::from_millis(1900);

/// How long a voter waits for a word from the one that it has voted for.
pub(super) const PATIENCE: Duration = Duration::from_millis(900);
