//! What agents tell each other when `ftrun` is lost, and what they keep for that: each so much that
//! any of them can coordinate the job.

use crate::{Said, Whereabouts};
use ftmpi_base::Member;
use ftmpi_fault::{Event, HostView, Notice, Report, Vote};
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;
use std::time::{Duration, SystemTime};

/// One of the things that all ranks are told, in one order.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Entry {
    Notice(Notice),
    /// This process can be reached there.
    Met {
        seat: usize,
        at: Whereabouts,
    },
    /// The first rank that failed did so with this exit status.
    Cause(u8),
    /// How the ranks have ended so far, as the coordinator writes it; ranks are not told.
    Record(Vec<u8>),
    /// An event for the report and the timeline, at this age of the job; ranks are not told.
    Chronicle {
        at: Duration,
        event: Event,
    },
}

/// The hosts of a job, as all agents know them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fellows {
    pub hosts: Vec<Fellow>,
    /// The host of each rank.
    pub places: Vec<usize>,
    /// Where output goes once `ftrun` is lost.
    pub output: String,
    /// The age of the job when this was sent.
    pub age: Duration,
    pub report: Option<JobFile>,
    pub trace: Option<JobFile>,
}

/// A file that `ftrun` writes about the job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobFile {
    /// The absolute path.
    pub path: String,
    /// Tells another host whether its file at this path is this one; none for what is no regular
    /// file, and belongs to one host.
    pub inode: Option<u64>,
    /// When it was made, where the file system tells.
    pub born: Option<SystemTime>,
}

/// One of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fellow {
    pub name: String,
    /// Where its agent listens.
    pub addresses: Vec<SocketAddr>,
    pub slots: Option<usize>,
}

/// What an agent tells another one.
#[derive(Debug, Serialize, Deserialize)]
pub enum ToPeer {
    /// Would the agent of this host vote in this epoch? The first words; whoever does not know the
    /// secret is not heard.
    Ask { secret: String, host: usize, epoch: u64 },
    /// It has refused, and may have noticed by now that the coordinator is lost.
    AskAgain,
    /// It is asked for its vote; or, once it has voted, to wait until the others have.
    Stand,
    /// Who has asked coordinates the job from now on; what follows is what `ftrun` says. So many
    /// entries are known there.
    Elected { settled: HostView, known: u64 },
}

/// What the other one answers.
#[derive(Debug, Serialize, Deserialize)]
pub enum OfPeer {
    /// Whether it would vote, and the latest epoch that it knows.
    Would {
        would: bool,
        epoch: u64,
    },
    Voted(Option<Vote>),
}

/// What an agent has kept, for a new coordinator.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Account {
    /// Who has written the last entries, and how many there were before.
    pub epoch: u64,
    pub begun: u64,
    /// How many entries there are, and those that were asked for.
    pub position: u64,
    pub entries: Vec<Entry>,
    pub lives: Vec<LifeAccount>,
    /// What ranks of this host have been told, and others may not have.
    pub told: Vec<Notice>,
    /// What ranks of this host have reported, as far as they still wait.
    pub reports: Vec<(Member, Report)>,
    /// The same of what is no report.
    pub said: Vec<(Member, Said)>,
    /// All contexts that this host knows are below.
    pub context: u64,
}

/// A life on the host of an agent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LifeAccount {
    pub member: Member,
    pub at: Option<Whereabouts>,
    /// It has been welcomed.
    pub is_in: bool,
    pub has_begun: bool,
    pub has_departed: bool,
    /// Whether it has a session open, if it ever had one.
    pub in_session: Option<bool>,
    /// All that it has said has been heard.
    pub is_silent: bool,
    /// With the status as the kernel has it.
    pub ended: Option<i32>,
    pub age_ms: u64,
}
