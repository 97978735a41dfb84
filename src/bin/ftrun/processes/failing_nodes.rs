//! `--machine` where ranks are processes, or share them: `ftrun` lets nodes fail, gives ranks other
//! ones, and tells each process where its ranks sit.

use super::work::{Work, tell};
use ftmpi_fault::Event;
use ftmpi_machine::berths::Relocation;
use ftmpi_machine::placement::Use;
use ftmpi_machine::schedule::When;
use ftmpi_wireup::{Berth, Told};
use std::time::Instant;

impl Work {
    /// Where the ranks in these seats sit, if they do on a simulated machine.
    pub(super) fn berths_of(&self, seats: impl Iterator<Item = usize>) -> Vec<Berth> {
        let Some(machine) = &self.machine else { return Vec::new() };
        let berth = |seat| Berth {
            seat,
            node: machine.node_name_of(seat),
            rack: machine.berths.rack_of(seat) as u32,
        };
        seats.map(berth).collect()
    }

    /// The node of a rank that has failed fails with it: which one that is.
    pub(super) fn lose_node_of(&mut self, seat: usize) -> Option<usize> {
        let berths = &mut self.machine.as_mut()?.berths;
        let node = berths.node_of(seat);
        berths.fail(node);
        Some(node)
    }

    /// Finds a node for a rank that begins again.
    pub(super) fn relocate(&mut self, seat: usize) -> Option<Relocation> {
        let machine = self.machine.as_mut()?;
        let relocation = machine.berths.reseat(seat)?;
        let words = relocation.words(seat, &machine.node_name_of(seat));
        self.tell_user(&format!("ftrun: {words}"));
        for step in &relocation.moves {
            let moved = step.rank as usize;
            let berths = self.berths_of(std::iter::once(moved));
            if let Some(process) = self.carrier_mut(moved) {
                tell(process, &Told::Sit(berths));
            }
        }
        self.show_places();
        Some(relocation)
    }

    /// Lets the nodes fail whose time has come.
    pub(super) fn fail_nodes(&mut self, now: Instant) {
        let age = now.saturating_duration_since(self.started);
        while let Some(machine) = &mut self.machine
            && let Some((at, node)) = machine.next_failure(age)
        {
            match machine.berths.node(node) {
                Use::Rank(rank) => {
                    let when = When::Time { after: at, is_outside: false };
                    let name = machine.berths.name_of(node);
                    self.strike(rank as usize, None, format!("node {name} at {when}"));
                }
                Use::Spare => {
                    machine.berths.fail(node);
                    self.note(Event::LostSpare(node));
                    self.show_places();
                }
                Use::Failed(_) | Use::Dead => {}
            }
        }
    }

    /// Those who look at the job see where the ranks sit now.
    fn show_places(&mut self) {
        if let (Some(watch), Some(machine)) = (&mut self.watch, &self.machine) {
            watch.place(&machine.berths);
            watch.set_scene();
        }
    }
}
