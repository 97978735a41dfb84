//! IEEE halves: Fortran's REAL(2). A single holds each of them, and rounds as if it were none in
//! between: it has more than twice the bits.

use super::number::Number;
use std::cmp::Ordering;

/// A half as it lies in memory.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub(super) struct Half(pub(super) u16);

impl Half {
    fn single(self) -> f32 {
        let sign = u32::from(self.0 & 0x8000) << 16;
        let (exponent, fraction) = (u32::from(self.0 >> 10) & 0x1f, u32::from(self.0) & 0x3ff);
        let magnitude = match exponent {
            // Subnormal: so many parts of 2^24.
            0 => (fraction as f32 / 16_777_216.0).to_bits(),
            0x1f => 0x7f80_0000 | fraction << 13,
            _ => (exponent + 112) << 23 | fraction << 13,
        };
        f32::from_bits(sign | magnitude)
    }

    /// The nearest half; of two, the even one.
    fn nearest(single: f32) -> Half {
        let bits = single.to_bits();
        let (sign, magnitude) = ((bits >> 16) as u16 & 0x8000, bits & 0x7fff_ffff);
        let half = match magnitude {
            // No number: one that is quiet, with what fits of its payload.
            0x7f80_0001.. => 0x7e00 | (magnitude >> 13) as u16 & 0x3ff,
            // 65520 and more is nearer to what would be 65536.
            0x477f_f000.. => 0x7c00,
            // At least the smallest normal half, 2^-14.
            0x3880_0000.. => {
                let (kept, rest) = ((magnitude - (112 << 23)) >> 13, magnitude & 0x1fff);
                rounded(kept, rest, 0x1000)
            }
            // Parts of 2^24, at least half a part.
            0x3300_0000.. => {
                let shift = 126 - (magnitude >> 23);
                let fraction = magnitude & 0x7f_ffff | 0x80_0000;
                rounded(fraction >> shift, fraction & ((1 << shift) - 1), 1 << (shift - 1))
            }
            _ => 0,
        };
        Half(sign | half)
    }
}

fn rounded(kept: u32, rest: u32, half: u32) -> u16 {
    let is_up = rest > half || rest == half && kept & 1 == 1;
    (kept + u32::from(is_up)) as u16
}

impl Number for Half {
    fn plus(self, other: Half) -> Half {
        Half::nearest(self.single() + other.single())
    }
    fn minus(self, other: Half) -> Half {
        Half::nearest(self.single() - other.single())
    }
    fn times(self, other: Half) -> Half {
        Half::nearest(self.single() * other.single())
    }
}

impl PartialEq for Half {
    fn eq(&self, other: &Half) -> bool {
        self.single() == other.single()
    }
}

impl PartialOrd for Half {
    fn partial_cmp(&self, other: &Half) -> Option<Ordering> {
        self.single().partial_cmp(&other.single())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_survives_a_single() {
        for bits in 0..=u16::MAX {
            let half = Half(bits);
            let back = Half::nearest(half.single());
            if half.single().is_nan() {
                assert!(back.single().is_nan(), "{bits:#x}");
            } else {
                assert_eq!(back.0, bits, "{bits:#x}");
            }
        }
    }

    #[test]
    fn a_single_between_two_halves_goes_to_the_nearer_and_a_middle_to_the_even() {
        let step = if cfg!(miri) { 997 } else { 1 };
        for bits in (0..0x7bff_u16).step_by(step) {
            let (low, high) = (Half(bits).single(), Half(bits + 1).single());
            let middle = low + (high - low) / 2.0;
            let even = bits + (bits & 1);
            assert_eq!(Half::nearest(middle).0, even, "{bits:#x}");
            assert_eq!(Half::nearest(middle.next_down()).0, bits, "{bits:#x}");
            assert_eq!(Half::nearest(middle.next_up()).0, bits + 1, "{bits:#x}");
            assert_eq!(Half::nearest(-middle).0, even | 0x8000, "{bits:#x}");
        }
        assert_eq!(Half::nearest(65520.0).0, 0x7c00);
        assert_eq!(Half::nearest(65519.0).0, 0x7bff);
        assert_eq!(Half::nearest(f32::INFINITY).0, 0x7c00);
    }
}
