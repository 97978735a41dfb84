//! What a rank keeps: its registered data, two copies of them, and codes of others' data.

use super::disk::{Disk, stamp};
use super::extent::Heads;
use super::ledger::{Account, Entry};
use super::leeway::Leeway;
use super::pace::Pace;
use super::scheme::Scheme;
use super::slot::{Items, Orphan, Slot, extent};
use std::sync::Arc;

/// All that a rank keeps.
#[derive(Default)]
pub(super) struct Memory {
    /// The handle of the communicator whose members keep each other's data.
    pub(super) comm: usize,
    pub(super) items: Items,
    pub(super) slots: [Slot; 2],
    pub(super) seen: u64,
    pub(super) is_new: bool,
    /// Whether a checkpoint is under way during the computation.
    pub(super) is_busy: bool,
    /// How often checkpoints are due.
    pub(super) pace: Pace,
    /// How long the last writing to disk took, in seconds.
    pub(super) writing: f64,
    /// The node that the program says this rank is on.
    pub(super) node: Option<u32>,
    /// Decimal digits that the last restoration lost.
    pub(super) digits: i32,
    pub(super) orphans: Vec<Orphan>,
    /// The last answer to how many more ranks may die.
    pub(super) leeway: Option<Arc<Leeway>>,
    /// The second level, if there is one.
    pub(super) disk: Option<Disk>,
}

impl Memory {
    /// What this rank, now at this place of `size`, reports to the others.
    pub(super) fn account(
        &mut self, scheme: &Scheme, place: usize, size: usize, version: i64,
    ) -> Account {
        let look = |disk: &mut Disk| disk.look(place, size, scheme);
        let written = self.disk.as_mut().map(look).unwrap_or_default();
        let damage = self.disk.as_ref().map(|disk| disk.damage.each_ref().map(Option::is_some));
        let on_disk = written.iter().flatten().map(|written| written.generation.serial);
        self.seen = self.seen.max(on_disk.max().unwrap_or(0));
        Account {
            entries: [self.slots[0].entry, self.slots[1].entry],
            seen: self.seen,
            is_new: self.is_new,
            extent: extent(&self.items, scheme.code),
            digest: scheme.digest(),
            version,
            interval: self.pace.interval,
            node: self.node,
            written,
            is_damaged: damage.unwrap_or_default(),
            stamp: self.disk.as_ref().map_or(0, |_| stamp()),
            every: self.disk.as_ref().map_or(0, |disk| disk.every),
        }
    }

    /// What is known about the members that took a checkpoint, if this rank has data of it.
    pub(super) fn heads(&self, serial: u64) -> Option<Arc<Heads>> {
        let is_it =
            |slot: &&Slot| slot.entry.is_some_and(|one| one.serial == serial && one.has_data);
        self.slots.iter().find(is_it).map(|slot| slot.heads.clone())
    }

    /// The last committed checkpoint.
    pub(super) fn last(&self) -> Option<(&Slot, &Entry)> {
        let filled = self.slots.iter().filter_map(|slot| Some((slot, slot.entry.as_ref()?)));
        filled.filter(|(_, entry)| entry.is_committed).max_by_key(|(_, entry)| entry.serial)
    }
}
