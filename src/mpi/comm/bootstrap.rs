//! Bootstrap of communicator creation: messages among processes that have no communicator yet.
//!
//! All members name the same group and purpose, and hash both to 62 bits. These are the context id
//! and the tag, so that the members find each other. Context ids of communicators are counted, and
//! stay below [`CONTEXTS`].

use crate::engine::CONTEXTS;
use crate::mpi::coll;
use crate::mpi::comm::Comm;
use crate::mpi::comm::group::Group;
use crate::mpi::error::{Class, Result};
use crate::mpi::failure::abroad;
use crate::mpi::lane::Lane;
use crate::mpi::process::Process;
use crate::mpi::run::{self, Way};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// The longest string tag, with C's null byte (MPI_MAX_STRINGTAG_LEN).
const MAX_STRINGTAG: usize = 1024;

/// The members of a group that exchange messages for one purpose.
pub(in crate::mpi) struct Circle<'a> {
    process: &'a Process,
    pub(in crate::mpi) comm: Comm,
    tag: i32,
    /// Whether the end of another communicator is theirs.
    has_parent: bool,
}

impl<'a> Circle<'a> {
    /// The circle of `group`, of which the caller is a member.
    pub(in crate::mpi) fn new(
        process: &'a Process, group: Arc<Group>, purpose: &impl Hash,
    ) -> Circle<'a> {
        let mut hasher = DefaultHasher::new();
        purpose.hash(&mut hasher);
        group.members().for_each(|member| (member.seat, member.incarnation).hash(&mut hasher));
        let hash = hasher.finish();
        let context = CONTEXTS | (hash as u32 & (CONTEXTS - 1));
        let tag = (hash >> 33) as i32;
        Circle { process, comm: Comm::new(0, context, group, "a group"), tag, has_parent: false }
    }

    /// The circle of `group` on a context that was just drawn for it alone.
    pub(in crate::mpi) fn on(process: &'a Process, context: u32, group: Arc<Group>) -> Circle<'a> {
        Circle { process, comm: Comm::new(0, context, group, "a group"), tag: 0, has_parent: false }
    }

    /// The circle of members of `parent`: when that is revoked, they give up.
    pub(in crate::mpi) fn within(mut self, parent: &Comm) -> Circle<'a> {
        self.process.engine.relate(self.comm.context(), parent.context());
        self.has_parent = true;
        self
    }

    pub(in crate::mpi) fn process(&self) -> &'a Process {
        self.process
    }

    pub(in crate::mpi) fn lane(&self) -> Lane<'_> {
        Lane::new(self.process, &self.comm, self.tag, Way::Blocking)
    }

    /// Passes `outcome` on. After an error, no member in another world waits here.
    fn told<T>(&self, outcome: Result<T>) -> Result<T> {
        if outcome.as_ref().is_err_and(|failure| !failure.is_death()) {
            abroad::give_up(self.process, self.comm.context(), &self.comm.group);
        }
        outcome
    }

    /// Runs what its members do together.
    pub(in crate::mpi) fn run<T>(
        &self, act: impl AsyncFnOnce(&Lane<'_>) -> Result<T>,
    ) -> Result<T> {
        let lane = self.lane();
        self.told(run::block(act(&lane)))
    }
}

impl Drop for Circle<'_> {
    fn drop(&mut self) {
        if self.has_parent {
            self.process.engine.part(self.comm.context());
        }
        abroad::is_through(self.process, self.comm.context(), &self.comm.group);
    }
}

/// The last step of a creation, after the members have exchanged all that their communicator
/// needs: either all of them get it, or none does. It has a context of its own, so that it is found
/// without a message.
pub(in crate::mpi) struct Seal<'a>(Circle<'a>);

impl<'a> Seal<'a> {
    /// That of all of `group`.
    pub(in crate::mpi) fn new(process: &'a Process, context: u32, group: Arc<Group>) -> Seal<'a> {
        Seal(Circle::on(process, context, group))
    }

    /// Makes the caller give up when `parent` is revoked.
    pub(in crate::mpi) fn within(self, parent: &Comm) -> Seal<'a> {
        Seal(self.0.within(parent))
    }

    /// Waits until all members have arrived, or one has given up.
    pub(in crate::mpi) fn close(self) -> Result {
        self.0.run(async |lane| coll::close(lane).await)
    }

    /// The caller could not do its part, so no member gets the communicator.
    pub(in crate::mpi) fn give_up(self) {
        coll::give_up(&self.0.lane());
    }
}

/// Fails for a string tag that is too long.
pub(in crate::mpi) fn check_stringtag(stringtag: &[u8]) -> Result {
    if stringtag.len() < MAX_STRINGTAG {
        return Ok(());
    }
    let words = format!(
        "stringtag has {} bytes; MPI_MAX_STRINGTAG_LEN is {MAX_STRINGTAG}, with a null byte",
        stringtag.len()
    );
    Err(Class::ARG.because(words))
}
