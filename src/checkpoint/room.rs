//! Memory for restored data, and a measure of their accuracy.

use super::extent::{DOUBLES, Extent};
use super::slot::{Data, Stretch, is_finite, stretches};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Restored data: of the rank's own place, or of one that no rank has any more.
pub(super) struct Room {
    pub(super) place: usize,
    pub(super) extent: Extent,
    pub(super) data: Arc<Data>,
    /// For each stretch of doubles, the largest magnitude of the parts of its sums.
    pub(super) sizes: Mutex<Vec<f64>>,
}

/// The least accurate of the restored sums.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Worst {
    /// Decimal digits lost.
    pub(super) digits: i32,
    /// The place and the registered number of the item.
    pub(super) place: usize,
    pub(super) id: i32,
}

impl Room {
    pub(super) fn doubles(&self) -> Vec<Stretch> {
        let all = stretches(&self.data, &self.extent).into_iter();
        all.filter(|stretch| stretch.kind == DOUBLES).collect()
    }

    /// The ends of the stretches, counted in doubles, within `bytes` bytes from `start` on. The
    /// directory must be restored already.
    pub(super) fn ends(&self, start: usize, bytes: usize) -> Vec<usize> {
        let end = |stretch: Stretch| stretch.bytes.end.saturating_sub(start).min(bytes) / 8;
        self.doubles().into_iter().map(end).collect()
    }

    /// Notes the magnitudes of the parts of sums.
    pub(super) fn note(&self, largest: &[f64]) {
        let mut sizes = self.sizes.lock();
        let length = sizes.len().max(largest.len());
        sizes.resize(length, 0.0);
        sizes.iter_mut().zip(largest).for_each(|(size, other)| *size = size.max(*other));
    }

    /// Computes the loss of digits of each item: the error of a sum is the rounding error of its
    /// largest parts. Items whose numbers were all zero are set to zero.
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
