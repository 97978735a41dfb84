//! What members in other processes keep: they tell where it is, and it is read from there. Nobody
//! writes into the memory of another process: each member makes its own codes and restores its own
//! data.

use super::extent::KINDS;
use super::slot::{Codes, Data};
use crate::base::sync::sheet::Sheet;
use crate::host::memory::Span;
use crate::mpi::datatype::Address;
use crate::transport::Showing;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Where the memory is that a rank shows.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Away {
    from: Showing,
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
    /// Where other processes find what this one shows: the data and the codes of these places.
    pub(super) fn of<'a>(shown: impl Iterator<Item = (usize, &'a Data, &'a Codes)>) -> Away {
        let here = |sheet: &Sheet| Place { address: sheet.address(), bytes: sheet.len() };
        let holding = |(place, data, codes): (usize, &Data, &Codes)| Holding {
            place,
            data: data.each_ref().map(here),
            codes: codes
                .each_ref()
                .map(|codes| codes.iter().map(|(stripe, code)| (*stripe, here(code))).collect()),
        };
        Away { from: Showing::own(), holdings: shown.map(holding).collect() }
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
        let mut bytes = vec![0; range.len()];
        let theirs = Address(place.address + range.start).span(bytes.len());
        self.from.fetch(&theirs.into(), &Span::of_mut(&mut bytes).into()).ok()?;
        Some(bytes)
    }
}
