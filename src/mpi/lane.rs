//! Messages of collective operations: blocking, apart from those of the program, and over as soon
//! as any member of the communicator has died, because the others will not go through with it.

use crate::base::slab::Key;
use crate::engine::{Letter, Mode, Outcome, Roster, Watch};
use crate::host::memory::Region;
use crate::mpi::comm::Comm;
use crate::mpi::error::Result;
use crate::mpi::process::Process;
use crate::mpi::pt2pt::{envelope, news};
use crate::transport::Envelope;
use std::sync::Arc;

/// One collective operation's way to send and receive.
pub struct Lane<'a> {
    process: &'a Process,
    comm: &'a Comm,
    roster: Arc<dyn Roster>,
    tag: i32,
}

impl<'a> Lane<'a> {
    /// A lane for one operation. Tags keep phases apart that could be mistaken for each other.
    pub fn new(process: &'a Process, comm: &'a Comm, tag: i32) -> Lane<'a> {
        Lane { process, comm, roster: comm.everyone(), tag }
    }

    /// Sends `data` to the member with rank `to`; it may be overwritten afterwards.
    pub fn send(&self, to: i32, data: impl Into<Region>) -> Result {
        match self.start_send(to, data.into())? {
            Some(op) => news(&self.process.engine.wait(op)?),
            None => Ok(()),
        }
    }

    /// Receives from the member with rank `from`; says how many bytes came.
    pub fn recv(&self, from: i32, into: impl Into<Region>) -> Result<usize> {
        let watch = self.watch(from);
        received(&self.process.engine.receive(self.pattern(from), &watch, &into.into())?)
    }

    /// Sends and receives at the same time.
    pub fn exchange(
        &self, to: i32, data: impl Into<Region>, from: i32, into: impl Into<Region>,
    ) -> Result<usize> {
        let recv = self.start_recv(from, into.into())?;
        let sent = match self.start_send(to, data.into())? {
            // Both ends are waited for, whatever becomes of them: their memory is the caller's.
            Some(op) => news(&self.process.engine.wait(op)?),
            None => Ok(()),
        };
        let outcome = self.process.engine.wait(recv)?;
        sent?;
        received(&outcome)
    }

    fn start_send(&self, to: i32, data: Region) -> Result<Option<Key>> {
        let envelope = envelope(2 * self.comm.context() + 1, self.comm.rank, self.tag);
        let everyone = Some(&self.roster);
        let letter = Letter { envelope, to: self.comm.member(to), rank: to, everyone };
        Ok(self.process.engine.send(letter, &data, Mode::Standard)?)
    }

    fn start_recv(&self, from: i32, into: Region) -> Result<Key> {
        Ok(self.process.engine.start_receive(self.pattern(from), self.watch(from), into)?)
    }

    fn pattern(&self, from: i32) -> Envelope {
        envelope(2 * self.comm.context() + 1, from, self.tag)
    }

    fn watch(&self, rank: i32) -> Watch {
        let (member, roster) = (self.comm.member(rank), self.roster.clone());
        Watch::Everyone { rank, member, roster }
    }
}

fn received(outcome: &Outcome) -> Result<usize> {
    news(outcome)?;
    Ok(outcome.bytes)
}
