//! How many more ranks may die before data are lost.

use super::slot::Slot;
use crate::base::Member;
use crate::base::sync::alike::Alike;
use crate::mpi::process::Process;
use std::sync::Arc;

/// Of each place of a checkpoint, how many more of those whose data its own are coded with may be
/// lost, as long as nobody else dies.
pub(super) struct Leeway {
    pub(super) each: Vec<Option<usize>>,
    /// Of any place; `None`, where data are lost, is the least.
    pub(super) least: Option<usize>,
    /// What it follows from.
    _of: (Arc<[Option<Member>]>, Arc<[bool]>),
}

/// Those of a job, by who has the data, who has no codes, and how many have died: all who ask get
/// one result.
#[derive(Default)]
struct Leeways(Alike<(usize, usize, usize), Leeway>);

impl Leeway {
    /// That of what is in a slot.
    pub(super) fn of(process: &'static Process, slot: &Slot) -> Arc<Leeway> {
        let world = process.world;
        let (members, without_codes) = (&slot.members, &slot.without_codes);
        // As long as it is held, so are they, and no others have their addresses.
        let key = (members.as_ptr().addr(), without_codes.as_ptr().addr(), world.epoch());
        world.tenant::<Leeways>().0.of(key, || {
            let is_gone = |member: &Option<_>| member.is_none_or(|member| world.is_dead(member));
            let gone: Vec<bool> = members.iter().map(is_gone).collect();
            let layout = slot.layout.as_ref().expect("a checkpoint was taken by it");
            let each = layout.tolerance(&gone, without_codes);
            let least = each.iter().min().copied().flatten();
            Leeway { each, least, _of: (members.clone(), without_codes.clone()) }
        })
    }
}
