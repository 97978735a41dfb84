//! What a process, one of several, answers when `ftrun` asks what its ranks do.

use super::glance;
use crate::base::Member;
use crate::host::life;
use crate::job::standstill;
use crate::mpi::process::Process;
use crate::transport::Processes;
use crate::watch::OUTSIDE;
use crate::wireup::{Asks, Glance};

/// What the living ranks of this process show. `me` is its rank, if it has one.
pub(in crate::job) fn glances(
    processes: &Processes, me: Member, asks: Asks,
) -> Vec<(Member, Glance)> {
    let of = |process: Option<&Process>| match process {
        Some(process) => glance::of(process, asks),
        // It has not called MPI.
        None => Glance { kind: OUTSIDE, ..Glance::default() },
    };
    if !processes.are_shared() {
        return vec![(me, of(standstill::rank()))];
    }
    let living = processes.seats().filter_map(life::living);
    let each = living.map(|rank| {
        let member = Member { seat: rank.seat, incarnation: rank.incarnation };
        (member, of(rank.attached::<Process>()))
    });
    each.collect()
}

/// What a rank of this process does, in words.
pub(in crate::job) fn words(processes: &Processes, member: Member) -> String {
    let Member { seat, incarnation } = member;
    let living = life::living(seat).filter(|rank| rank.incarnation == incarnation);
    let process = match processes.are_shared() {
        true => living.as_ref().and_then(|rank| rank.attached::<Process>()),
        false => standstill::rank(),
    };
    process.map_or_else(|| "has not called MPI".to_string(), glance::describe)
}

/// What a rank of this process shows as it leaves MPI.
pub(in crate::job) fn farewell(member: Member) -> Option<Glance> {
    let alone = standstill::rank().filter(|process| process.me == member);
    if let Some(process) = alone {
        return Some(glance::last(process));
    }
    let living = life::living(member.seat).filter(|rank| rank.incarnation == member.incarnation);
    living?.attached::<Process>().map(glance::last)
}
