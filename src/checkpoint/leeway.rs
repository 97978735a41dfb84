//! How many more ranks may die before data are lost.

use super::slot::Slot;
use crate::base::Member;
use crate::base::sync::alike::Alike;
use crate::mpi::process::Process;
use std::sync::Arc;

/// For each place of a checkpoint, how many more of the members that share codes with it may be
/// lost, as long as no other dies.
pub(super) struct Leeway {
    pub(super) each: Vec<Option<usize>>,
    /// The least of all places; `None` if data are lost.
    pub(super) least: Option<usize>,
    /// Keeps alive what it was computed from.
    _of: (Arc<[Option<Member>]>, Arc<[bool]>),
}

/// The results in a job, by the members, the members without codes, and the number of deaths, so
/// that it is computed once for all ranks.
#[derive(Default)]
struct Leeways(Alike<(usize, usize, usize), Leeway>);

impl Leeway {
    /// The leeway of the checkpoint in a slot.
    pub(super) fn of(process: &'static Process, slot: &Slot) -> Arc<Leeway> {
        let world = process.world;
        let (members, without_codes) = (&slot.members, &slot.without_codes);
        // The result holds both, so their addresses are not reused as long as it exists.
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
