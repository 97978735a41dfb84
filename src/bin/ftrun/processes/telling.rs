//! What all ranks are told. Where the job has several hosts, it is told to their agents, in one
//! order, so that each of these can go on with the job.

use super::work::{Work, tell};
use ftmpi_wireup::takeover::Entry;
use ftmpi_wireup::{self as wireup, Told, Whereabouts};

impl Work {
    /// All others can reach this process there.
    pub(super) fn introduce(&mut self, seat: usize, at: &Whereabouts) {
        if let Some(cluster) = self.starter.cluster() {
            return cluster.tell_all(&Entry::Met { seat, at: at.clone() });
        }
        for (other, life) in self.carriers_by_seat() {
            if let Some(way) = life.connection.as_ref()
                && other != seat
            {
                way.tell(&Told::Met { seat, at: at.clone() });
            }
        }
    }

    /// Whoever may take over has to know how the ranks have ended so far.
    pub(super) fn write_record(&mut self) {
        if let Some(cluster) = self.starter.cluster() {
            cluster.tell_all(&Entry::Record(wireup::encode(&self.record)));
        }
    }

    /// Tells all ranks.
    pub(super) fn tell_all(&mut self, entry: Entry, told: &Told) {
        match self.starter.cluster() {
            Some(cluster) => cluster.tell_all(&entry),
            None => self.carriers().for_each(|life| tell(life, told)),
        }
    }
}
