//! Protocols of failure, as pure machines: no clock, no wire, no thread.
//!
//! What to send goes out as a value; messages and deaths come in as arguments. So the same code
//! runs in one process, between hosts, and in the simulation beside it.

#![forbid(unsafe_code)]

pub mod agreement;
pub mod agreements;
pub mod chronicle;
pub mod coordinator;
pub mod deadlock_detector;
pub mod deadlock_report;
mod exchange;
pub mod lease;
pub mod ledger;
pub mod loans;
pub mod messages;
pub mod ports;
pub mod record;
pub mod recovery;
pub mod report_line;
pub mod revocation;
pub mod rules;
#[cfg(test)]
mod schedules;
pub mod severed;
#[cfg(test)]
mod sim;
pub mod state;
pub mod takeover;
pub mod timeline;
pub mod view;

pub use agreement::{Agreement, Decision, Message, Outbox, Value};
pub use agreements::{Agreements, Key, News, Party, Purpose, Summons, Surroundings};
pub use chronicle::{Chronicle, Cure, Death, Event, Fact, Incident};
pub use coordinator::Coordinator;
pub use coordinator::resume::led_on;
pub use deadlock_detector::{DeadlockDetector, Sight};
pub use deadlock_report::{DeadlockReport, enumerate};
pub use lease::{Lease, Leases};
pub use ledger::Ledger;
pub use loans::{Founding, Loans, Recipe, Spawn};
pub use messages::{Ask, Notice, Order, Report, Welcome};
pub use ports::Ports;
pub use record::{Annals, Loss, Record};
pub use recovery::{Recovery, Step};
pub use revocation::Revocations;
pub use severed::{GivenUp, Resident, Severed};
pub use state::{CommState, RankState};
pub use takeover::{HostView, Move, Reign, SUCCESSION, Standby, Vote, Won};
pub use view::{Mode, Slot, View};
