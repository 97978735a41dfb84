//! Work on stripes: what each makes of what all have shown, whoever has died or gone on meanwhile.

use super::{At, Slot, Sum, World};
use crate::checkpoint::layout::{Layout, Share};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A part of a stripe to be worked on.
#[derive(Clone, Copy)]
pub(super) struct Todo {
    pub(super) share: Share,
    /// For which of its keepers, or of its data that are lost.
    pub(super) index: usize,
    pub(super) is_code: bool,
}

/// What a rank works in: what all have shown, and of which checkpoint.
#[derive(Clone, Default)]
pub(super) struct Work {
    pub(super) todo: Vec<Todo>,
    pub(super) serial: u64,
    pub(super) call: usize,
    /// Whether data come straight from the programs.
    pub(super) copies: bool,
    /// By ranks.
    pub(super) slots: Vec<Option<Slot>>,
    /// Who sits at each place.
    pub(super) ranks: Vec<usize>,
    pub(super) layout: Option<Rc<Layout>>,
    pub(super) repairs: BTreeMap<usize, Vec<usize>>,
}

impl World {
    /// One piece of work; then there is none. False: somebody's memory is missing.
    pub(super) fn work(&mut self, who: usize) -> bool {
        let Some(todo) = self.own(who).work.todo.pop() else {
            let at = self.own(who).at;
            self.end_work(who);
            match at {
                At::Decodes => self.own(who).at = At::Decoded,
                At::Works => self.own(who).at = At::Worked,
                _ => {}
            }
            return true;
        };
        let work = std::mem::take(&mut self.own(who).work);
        let done = if todo.is_code { self.encode(&work, todo) } else { self.decode(&work, todo) };
        match done {
            Some(()) => self.own(who).work = work,
            None => self.end_work(who),
        }
        done.is_some()
    }

    /// Makes a part of a code, of what the programs have if that is to be copied on the way.
    fn encode(&mut self, work: &Work, todo: Todo) -> Option<()> {
        let Share { stripe, part, .. } = todo.share;
        let layout = work.layout.clone().expect("work has a layout");
        let mut sum = Sum::new();
        for (place, chunk) in &layout.stripes[stripe].data {
            let slot = work.slots[work.ranks[*place]].as_ref()?;
            if work.copies {
                let data = self.registered(work, *place)?;
                slot.data.borrow_mut().insert((*chunk, part), data);
            }
            sum.push(slot.data.borrow().get(&(*chunk, part)).copied().unwrap_or_default());
        }
        let keeper = layout.stripes[stripe].keepers[todo.index];
        let slot = work.slots[work.ranks[keeper]].as_ref()?;
        slot.codes.borrow_mut().insert((stripe, part), sum);
        Some(())
    }

    /// What a program has registered, if its memory is there: who is not in the call any more has
    /// other data by now.
    fn registered(&mut self, work: &Work, rank: usize) -> Option<u64> {
        let is_there = self.ranks.get(rank)?.as_ref()?.at != At::Failed && work.call == self.call;
        match is_there {
            true => Some(self.truth[&work.serial][rank]),
            false => Some(self.random.bits()),
        }
    }

    /// Makes a part of what is lost.
    fn decode(&mut self, work: &Work, todo: Todo) -> Option<()> {
        let Share { stripe, part, .. } = todo.share;
        let layout = work.layout.clone().expect("work has a layout");
        let (place, chunk) = layout.stripes[stripe].data[todo.index];
        let mut back = None;
        for code in &work.repairs[&stripe] {
            let keeper = work.ranks[layout.stripes[stripe].keepers[*code]];
            let sum = work.slots[keeper].as_ref()?.codes.borrow().get(&(stripe, part)).cloned();
            let sum = sum.expect("the plan says that it is there");
            let data = layout.stripes[stripe].data.iter();
            let data = data.map(|(member, _)| self.truth[&work.serial][*member]);
            assert_eq!(sum, data.collect::<Sum>(), "a mixture of moments");
            back = Some(sum[todo.index]);
        }
        let rank = self.ranks[work.ranks[place]].as_ref()?;
        let room = rank.rooms.get(&place)?;
        room.borrow_mut().insert((chunk, part), back.expect("there are as many codes"));
        Some(())
    }
}
