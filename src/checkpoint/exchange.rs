//! Moves pieces of stripes to where codes, or lost data, are made of them: step by step, so that
//! what is under way stays in the caches, whatever the length.
//!
//! All go through their stripes in the same order and send what is due in a step before they
//! receive, so nobody waits for ever; a death ends the lane.

use super::code::{Maker, Part};
use crate::host::memory::Span;
use crate::mpi::error::Result;
use crate::mpi::lane::Lane;

/// Bytes of each part that travel in one step: what is made of them stays in the caches.
pub(super) const STEP: usize = 1 << 16;
/// The same where data come back: each step has to find out anew what is lost.
pub(super) const LONG_STEP: usize = 1 << 20;

/// A part of a stripe that goes to `to`.
pub(super) struct Give<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) to: i32,
}

/// What is made here of parts from elsewhere, in this order.
pub(super) struct Take {
    pub(super) maker: Maker,
    pub(super) parts: Vec<(Part, i32)>,
    pub(super) made: Vec<u8>,
}

/// Sends what is to be given, and makes what is to be made.
pub(super) async fn exchange(
    lane: &Lane<'_>, gives: &[Give<'_>], takes: &mut [Take], step: usize,
) -> Result {
    let longest = gives.iter().map(|give| give.bytes.len());
    let longest = longest.chain(takes.iter().map(|take| take.made.len())).max().unwrap_or(0);
    let mut room = vec![0; step.min(longest)];
    for start in (0..longest).step_by(step) {
        let due = gives.iter().filter(|give| start < give.bytes.len());
        let mut sends = Vec::with_capacity(gives.len());
        for give in due {
            let end = give.bytes.len().min(start + step);
            let piece = Span::of(&give.bytes[start..end]);
            sends.push(lane.start_send(give.to, &piece.into())?);
        }
        for take in takes.iter_mut().filter(|take| start < take.made.len()) {
            let end = take.made.len().min(start + step);
            let made = &mut take.made[start..end];
            for (index, (part, from)) in take.parts.iter().enumerate() {
                if index == 0 && take.maker.begins_with_a_copy() {
                    lane.recv(*from, &Span::of_mut(made).into()).await?;
                    continue;
                }
                let piece = &mut room[..made.len()];
                lane.recv(*from, &Span::of_mut(piece).into()).await?;
                take.maker.add(*part, piece, made, index == 0);
            }
            take.maker.end(made);
        }
        lane.all(sends).await?;
    }
    Ok(())
}
