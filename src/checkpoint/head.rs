//! The head of a checkpoint file, like the sender's address on a parcel: which checkpoint it
//! belongs to, which place it holds, and how long each of its regions is.
//!
//! It also describes the members that share stripes with its place: if the file of one of them is
//! lost, its head is restored from here.

use super::extent::{Extent, KINDS};
use super::ledger::Generation;
use super::scheme::Scheme;
use super::shape::Shape;
use serde::{Deserialize, Serialize};

/// The beginning of every file; the last byte is the version of the format.
const MAGIC: u64 = u64::from_le_bytes(*b"FTCK\x00\x00\x00\x02");
/// Words of the fixed part, of a note and of a region of codes.
const FIXED: usize = 10;
const NOTE: usize = 6;
const REGION: usize = 3;
pub(super) const FIXED_BYTES: usize = 8 * FIXED;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Head {
    pub(super) generation: Generation,
    pub(super) place: usize,
    /// The scheme of the codes.
    pub(super) scheme: Scheme,
    /// Whether the layout depends on nodes.
    pub(super) has_nodes: bool,
    /// Notes on this place, and on those that share stripes with it.
    pub(super) notes: Vec<Note>,
    /// The codes that this place keeps.
    pub(super) codes: Vec<Region>,
}

/// What the files of other places tell about a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Note {
    pub(super) place: usize,
    /// The rank that it had.
    pub(super) rank: i32,
    pub(super) node: u32,
    pub(super) extent: Extent,
}

/// A part of a file with a checksum of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Region {
    pub(super) kind: usize,
    /// The stripe of a code; `None` for data.
    pub(super) stripe: Option<usize>,
    pub(super) bytes: usize,
}

impl Head {
    pub(super) fn of(generation: Generation, scheme: &Scheme, shape: &Shape, place: usize) -> Head {
        let heads = &shape.heads;
        let note = |place: usize| Note {
            place,
            rank: heads.ranks[place],
            node: heads.nodes.get(place).copied().unwrap_or(0),
            extent: heads.extents[place],
        };
        Head {
            generation,
            place,
            scheme: scheme.clone(),
            has_nodes: !heads.nodes.is_empty(),
            notes: shape.layout.mates(place).into_iter().map(note).collect(),
            codes: codes(shape, place),
        }
    }

    fn extent(&self) -> Extent {
        let own = self.notes.iter().find(|note| note.place == self.place);
        own.expect("a head is of its own place as well").extent
    }

    /// The regions between the head and the trailer: data, then codes.
    pub(super) fn regions(&self) -> impl Iterator<Item = Region> {
        let bytes = self.extent().bytes.into_iter().enumerate();
        let data = bytes.map(|(kind, bytes)| Region { kind, stripe: None, bytes: bytes as usize });
        data.chain(self.codes.iter().copied())
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let Generation { serial, stamp, version, members } = self.generation;
        let text = self.scheme.to_string();
        let mut words = vec![
            MAGIC,
            serial,
            stamp,
            version as u64,
            u64::from(members),
            self.place as u64,
            u64::from(self.has_nodes),
            text.len() as u64,
            self.notes.len() as u64,
            self.codes.len() as u64,
        ];
        let mut padded = text.into_bytes();
        padded.resize(padded.len().next_multiple_of(8), 0);
        words.extend(words_of(&padded));
        for Note { place, rank, node, extent } in &self.notes {
            let Extent { bytes, digest } = extent;
            let rank = i64::from(*rank) as u64;
            words.extend([*place as u64, rank, u64::from(*node), bytes[0], bytes[1], *digest]);
        }
        for Region { kind, stripe, bytes } in &self.codes {
            let stripe = stripe.expect("codes are of stripes");
            words.extend([*kind as u64, stripe as u64, *bytes as u64]);
        }
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.extend(checksum(0, &bytes).to_le_bytes());
        bytes
    }

    /// The length of the head that begins with these bytes, if it is a head.
    pub(super) fn length(fixed: &[u8; FIXED_BYTES]) -> Option<u64> {
        let words = words_of(fixed);
        if words[0] != MAGIC {
            return None;
        }
        let parts = [words[7].div_ceil(8).checked_mul(8), times(words[8], NOTE)];
        let parts = parts.into_iter().chain([times(words[9], REGION)]);
        let fixed = Some(FIXED_BYTES as u64 + 8);
        parts.fold(fixed, |sum, part| sum?.checked_add(part?))
    }

    /// Parses a head; `None` if the bytes are incomplete or damaged.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Head> {
        let (body, sum) = bytes.split_last_chunk::<8>()?;
        if u64::from_le_bytes(*sum) != checksum(0, body) {
            return None;
        }
        let words = words_of(body);
        let (fixed, rest) = words.split_at_checked(FIXED)?;
        let [text, notes, codes] = [fixed[7], fixed[8], fixed[9]].map(|count| count as usize);
        let (_, rest) = rest.split_at_checked(text.div_ceil(8))?;
        let text = body.get(FIXED_BYTES..FIXED_BYTES + text)?;
        let (notes, codes) =
            (rest.get(..notes * NOTE)?, rest.get(notes * NOTE..)?.get(..codes * REGION)?);
        let note = |words: &[u64]| Note {
            place: words[0] as usize,
            rank: words[1] as i32,
            node: words[2] as u32,
            extent: Extent { bytes: [words[3], words[4]], digest: words[5] },
        };
        let region = |words: &[u64]| Region {
            kind: words[0] as usize,
            stripe: Some(words[1] as usize),
            bytes: words[2] as usize,
        };
        let head = Head {
            generation: Generation {
                serial: fixed[1],
                stamp: fixed[2],
                version: fixed[3] as i64,
                members: fixed[4] as u32,
            },
            place: fixed[5] as usize,
            scheme: Scheme::parse(str::from_utf8(text).ok()?).ok()?,
            has_nodes: fixed[6] != 0,
            notes: notes.chunks_exact(NOTE).map(note).collect(),
            codes: codes.chunks_exact(REGION).map(region).collect(),
        };
        let members = fixed[4] as usize;
        let is_sound = head.notes.iter().any(|note| note.place == head.place)
            && head.notes.iter().all(|note| note.place < members)
            && head.codes.iter().all(|code| code.kind < KINDS);
        is_sound.then_some(head)
    }
}

/// The codes that a place keeps.
pub(super) fn codes(shape: &Shape, place: usize) -> Vec<Region> {
    let region = |(kind, stripe): (usize, usize)| Region {
        kind,
        stripe: Some(stripe),
        bytes: shape.unit(kind, stripe),
    };
    let stripes = |kind: usize| shape.layout.kept_by(place).map(move |stripe| (kind, stripe));
    (0..KINDS).flat_map(stripes).map(region).collect()
}

fn times(count: u64, words: usize) -> Option<u64> {
    count.checked_mul(8 * words as u64)
}

fn words_of(bytes: &[u8]) -> Vec<u64> {
    bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect()
}

/// Differs for any change of a single word. It takes four words at a time, to keep up with memory.
pub(super) fn checksum(seed: u64, bytes: &[u8]) -> u64 {
    const PRIME: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |sum: u64, word: u64| (sum ^ word).wrapping_mul(PRIME).rotate_left(29);
    let (blocks, rest) = bytes.as_chunks::<32>();
    let mut lanes = [seed, !seed, seed.rotate_left(32), PRIME];
    for block in blocks {
        for (lane, word) in lanes.iter_mut().zip(block.as_chunks::<8>().0) {
            *lane = mix(*lane, u64::from_le_bytes(*word));
        }
    }
    let sum = lanes.into_iter().fold(bytes.len() as u64, mix);
    rest.iter().fold(sum, |sum, byte| mix(sum, u64::from(*byte)))
}
