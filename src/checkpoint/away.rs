//! What members in other processes keep: they tell where it is, and it is read from there. Nobody
//! writes into the memory of another process: each member makes its own codes and restores its own
//! data.

use super::extent::KINDS;
use super::stripes::Offer;
use crate::base::sync::sheet::Sheet;
use crate::host::memory::{Span, afar};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::ptr;

/// Where the memory is that a rank shows.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Away {
    pid: i32,
    holdings: Vec<Holding>,
}

/// Where the data and the codes of a place are, by kinds; codes with their stripes.
#[derive(Clone, Serialize, Deserialize)]
struct Holding {
    place: usize,
    data: [Place; KINDS],
    codes: [Vec<(usize, Place)>; KINDS],
}

/// An address, and how many bytes are there.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Place {
    address: usize,
    bytes: usize,
}

impl Away {
    /// Where to find what this process shows.
    pub(super) fn of(offer: &Offer) -> Away {
        let place = |sheet: &Sheet| Place { address: sheet.address(), bytes: sheet.len() };
        let holding = |holding: &super::stripes::Holding| Holding {
            place: holding.place,
            data: holding.data.each_ref().map(place),
            codes: holding
                .codes
                .each_ref()
                .map(|codes| codes.iter().map(|(stripe, code)| (*stripe, place(code))).collect()),
        };
        let pid = std::process::id() as i32;
        Away { pid, holdings: offer.holdings.iter().map(holding).collect() }
    }

    /// Bytes of the data of a place; `None` if they are not there.
    pub(super) fn data(&self, place: usize, kind: usize, range: Range<usize>) -> Option<Vec<u8>> {
        self.fetch(self.holding(place)?.data[kind], range)
    }

    /// Bytes of the code of a stripe, which a place keeps; `None` if they are not there.
    pub(super) fn code(
        &self, place: usize, kind: usize, stripe: usize, range: Range<usize>,
    ) -> Option<Vec<u8>> {
        let mut codes = self.holding(place)?.codes[kind].iter();
        let (_, code) = codes.find(|(number, _)| *number == stripe)?;
        self.fetch(*code, range)
    }

    fn holding(&self, place: usize) -> Option<&Holding> {
        self.holdings.iter().find(|holding| holding.place == place)
    }

    fn fetch(&self, place: Place, range: Range<usize>) -> Option<Vec<u8>> {
        if range.end > place.bytes {
            return None;
        }
        let start = ptr::with_exposed_provenance(place.address + range.start);
        let mut bytes = vec![0; range.len()];
        let theirs = Span::new(start, range.len()).into();
        afar::fetch(self.pid, &theirs, &Span::of_mut(&mut bytes).into()).ok()?;
        Some(bytes)
    }
}
