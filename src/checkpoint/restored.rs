//! What all members know of a checkpoint to be restored, before any of its data are back.

use super::code::Maker;
use super::extent::{DOUBLES, EXACT, KINDS};
use super::layout::Repair;
use super::ledger::{Account, Choice, Seat};
use super::scheme::Scheme;
use super::shape::Shape;
use super::slot::{Orphan, Slot, code_of};
use crate::base::Member;
use crate::fault::enumerate;
use crate::mpi::comm::group::Group;
use crate::mpi::error::{Failure, Result};
use crate::mpi::error_codes::DATA_LOST;
use std::sync::Arc;

/// What all members know of a checkpoint that is being restored.
pub(super) struct Common {
    /// The scheme of its codes.
    pub(super) scheme: Scheme,
    pub(super) shape: Shape,
    pub(super) choice: Choice,
    /// The member that has the data of each place from now on, and the rank that makes its codes.
    pub(super) members: Arc<[Option<Member>]>,
    pub(super) ranks: Vec<i32>,
    /// The first place whose rank has registered other data, and that rank.
    pub(super) misfit: Option<(usize, usize)>,
    /// The places whose data cannot be computed.
    pub(super) unsolved: Vec<usize>,
}

impl Common {
    pub(super) fn of(
        scheme: Scheme, shape: Shape, choice: Choice, accounts: &[Account], group: &Group,
    ) -> Common {
        let sits = |seat: &Seat| match *seat {
            Seat::Holder(rank) | Seat::Heir(rank) => Some(rank),
            Seat::Guardian(_) => None,
        };
        let mut seated = choice.seats.iter().map(sits).enumerate();
        let misfit = seated.find_map(|(place, rank)| {
            (shape.heads.extents[place] != accounts[rank?].extent).then_some((place, rank?))
        });
        let member = |seat: &Seat| match seat {
            Seat::Guardian(_) => None,
            seat => group.member(seat.rank()),
        };
        let members = choice.seats.iter().map(member).collect();
        let ranks = choice.seats.iter().map(|seat| seat.rank() as i32).collect();
        let unsolved = unsolved(&scheme, &shape, &choice.repairs);
        Common { scheme, shape, choice, members, ranks, misfit, unsolved }
    }

    /// Fails, at all members alike, if the sums have no solution for the lost data.
    pub(super) fn must_be_solved(&self) -> Result {
        match &self.unsolved[..] {
            [] => Ok(()),
            places => Err(lost(&self.scheme, self.choice.version, &self.shape.heads.ranks, places)),
        }
    }

    /// The data of a place without a rank; `None` if the place kept only codes.
    pub(super) fn orphan(&self, slot: Slot) -> Option<Orphan> {
        let place = slot.place()?;
        let (rank, extent) = (self.shape.heads.ranks[place], self.shape.heads.extents[place]);
        (extent.bytes != [0; KINDS]).then_some(Orphan { rank, extent, data: slot.data })
    }

    /// Notes in a slot which checkpoint it has.
    pub(super) fn name(&self, slot: &mut Slot) {
        slot.heads = self.shape.heads.clone();
        slot.layout = Some(self.shape.layout.clone());
    }
}

/// What computes lost data of a stripe, and the codes that it needs.
pub(super) fn maker(
    scheme: &Scheme, shape: &Shape, kind: usize, repair: &Repair, lost: usize,
) -> Option<(Maker, Vec<usize>)> {
    let data = shape.layout.stripes[repair.stripe].data.len();
    Maker::of_data(code_of(scheme.code, kind), lost, data, scheme.spares, repair)
}

/// The places whose data cannot be computed, because sums with these weights have no solution.
fn unsolved(scheme: &Scheme, shape: &Shape, repairs: &[Repair]) -> Vec<usize> {
    let kinds = if shape.has_doubles { &[EXACT, DOUBLES][..] } else { &[EXACT] };
    let mut places = Vec::new();
    for repair in repairs {
        for lost in &repair.lost {
            let has_maker = |kind: &usize| maker(scheme, shape, *kind, repair, *lost).is_some();
            if !kinds.iter().all(has_maker) {
                places.push(shape.layout.stripes[repair.stripe].data[*lost].0);
            }
        }
    }
    places.sort_unstable();
    places.dedup();
    places
}

#[cold]
pub(super) fn lost(scheme: &Scheme, version: i64, ranks: &[i32], places: &[usize]) -> Failure {
    let noun = if places.len() == 1 { "rank" } else { "ranks" };
    let ranks: Vec<usize> = places.iter().map(|place| ranks[*place] as usize).collect();
    DATA_LOST.because(format!(
        "checkpoint {version} cannot be restored: the data of {noun} {} is lost, because more \
         ranks failed than scheme {scheme} tolerates",
        enumerate(&ranks)
    ))
}
