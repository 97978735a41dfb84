//! What members tell each other says first for which call it is, so that no member takes another's
//! words for what they are not. Where they are in several processes, all members hear of it when
//! they have called different things.

use super::claim::{self, Claim, Kind};
use crate::engine::Call;
use crate::mpi::error::{Class, Result};
use crate::mpi::lane::Lane;

/// The bytes in front of what a member says: what it has called.
pub(super) const HEAD: usize = 16;

/// All members say something, and hear what all have said, in the order of their ranks; or all
/// fail. For members that share no memory.
pub async fn hear_all(lane: &Lane<'_>, mine: &[u8]) -> Result<Vec<Vec<u8>>> {
    let all = lane.hear_all(&[&head(call_of(lane)), mine].concat()).await?;
    let all = all.iter().map(|said| read(said)).collect::<Option<Vec<_>>>();
    let all = all.ok_or_else(|| Class::INTERN.because("a process has not said what it calls"))?;
    let (calls, words): (Vec<Call>, Vec<Vec<u8>>) = all.into_iter().unzip();
    let comm = lane.called().map_or(lane.comm(), |called| called.comm);
    claim::compare_all(comm, &calls)?;
    Ok(words)
}

/// What all members say first in this turn, where they share memory: calls have been compared.
pub(super) fn head_of_turn(lane: &Lane<'_>) -> [u8; HEAD] {
    let (turn, round) = lane.number();
    head(Call { amount: u64::from(round) << 32 | u64::from(turn), ..call_of(lane) })
}

fn call_of(lane: &Lane<'_>) -> Call {
    lane.called().map_or(Claim::of(Kind::Checkpoint).call(), |called| called.call)
}

fn head(call: Call) -> [u8; HEAD] {
    let mut bytes = [0; HEAD];
    bytes[..8].copy_from_slice(&call.what.to_ne_bytes());
    bytes[8..].copy_from_slice(&call.amount.to_ne_bytes());
    bytes
}

fn read(said: &[u8]) -> Option<(Call, Vec<u8>)> {
    let (what, rest) = said.split_first_chunk()?;
    let (amount, words) = rest.split_first_chunk()?;
    let call = Call { what: u64::from_ne_bytes(*what), amount: u64::from_ne_bytes(*amount) };
    Some((call, words.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_read_as_it_was_said_and_what_is_too_short_is_not() {
        let call = Call { what: 7 << 40 | 3, amount: u64::MAX };
        let said = [&head(call)[..], b"words"].concat();
        assert_eq!(read(&said), Some((call, b"words".to_vec())));
        assert_eq!(read(&said[..HEAD]), Some((call, Vec::new())));
        (0..HEAD).for_each(|bytes| assert_eq!(read(&said[..bytes]), None));
    }
}
