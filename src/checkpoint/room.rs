//! Memory for data that are restored, and how accurate they are.

use super::extent::{DOUBLES, Extent};
use super::slot::{Data, Stretch, is_finite, stretches};
use parking_lot::Mutex;
use std::sync::Arc;

/// Data that come back: those of a rank's own place, or of one where nobody is any more.
pub(super) struct Room {
    pub(super) place: usize,
    pub(super) extent: Extent,
    pub(super) data: Arc<Data>,
    /// How large, of each stretch of doubles, the parts of sums were at most.
    pub(super) sizes: Mutex<Vec<f64>>,
}

/// The worst of the sums that came back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Worst {
    /// Decimal digits that are lost.
    pub(super) digits: i32,
    /// Whose item it is.
    pub(super) place: usize,
    pub(super) id: i32,
}

impl Room {
    pub(super) fn doubles(&self) -> Vec<Stretch> {
        let all = stretches(&self.data, &self.extent).into_iter();
        all.filter(|stretch| stretch.kind == DOUBLES).collect()
    }

    /// Where stretches end, counted in doubles, in so many bytes from `start` on. What tells has
    /// come back before.
    pub(super) fn ends(&self, start: usize, bytes: usize) -> Vec<usize> {
        let end = |stretch: Stretch| stretch.bytes.end.saturating_sub(start).min(bytes) / 8;
        self.doubles().into_iter().map(end).collect()
    }

    /// Keeps how large the parts of sums were.
    pub(super) fn note(&self, largest: &[f64]) {
        let mut sizes = self.sizes.lock();
        let length = sizes.len().max(largest.len());
        sizes.resize(length, 0.0);
        sizes.iter_mut().zip(largest).for_each(|(size, other)| *size = size.max(*other));
    }

    /// How many digits of each item are lost: a sum is wrong by what a double does not resolve of
    /// its parts. Where all numbers were zero, they are.
    pub(super) fn judge(&self) -> Worst {
        let mut worst = Worst { place: self.place, ..Worst::default() };
        for (stretch, size) in self.doubles().into_iter().zip(self.sizes.lock().iter()) {
            let mut bytes = self.data[DOUBLES].write(stretch.bytes);
            let digits = if stretch.norm == 0.0 {
                bytes.fill(0);
                0
            } else if !is_finite(&bytes) {
                i32::MAX
            } else {
                (size / stretch.norm).log10().ceil().max(0.0) as i32
            };
            if digits > worst.digits {
                (worst.digits, worst.id) = (digits, stretch.id);
            }
        }
        worst
    }
}
