//! Reed-Solomon codes as sums over GF(2^16), and the equations that restore lost data. That takes a
//! few multiplications for each part, where a decoder for many parts transforms the whole field for
//! each piece.

use crate::base::sync::latest::Latest;
use reed_solomon_simd::ReedSolomonEncoder;
use reed_solomon_simd::engine::tables::{self, ExpLog};
use reed_solomon_simd::engine::{DefaultEngine, Engine, GF_MODULUS, GfElement, utils};
use std::sync::Arc;

/// How many numbers of the field a block of [`BLOCK`] bytes holds: first all low bytes, then all
/// high bytes.
const NUMBERS: usize = 32;
const BLOCK: usize = 64;
/// How many blocks are processed at a time.
const AT_ONCE: usize = 128;

/// For each code, the factor of each of the data.
type Rows = Vec<Vec<GfElement>>;

/// The latest rows, by the number of data and of codes.
static LATEST: Latest<(usize, usize), Rows, 8> = Latest::new();

/// The factor of each remaining part in a lost part.
#[derive(Debug, PartialEq, Eq)]
pub struct Factors {
    pub data: Vec<GfElement>,
    pub codes: Vec<GfElement>,
}

fn rows(data: usize, spares: usize) -> Arc<Rows> {
    LATEST.of((data, spares), || found(data, spares))
}

/// Asks the encoder for the factors, all at once: the n-th of the data is one at the n-th place and
/// zero elsewhere.
fn found(data: usize, spares: usize) -> Rows {
    const FEW: &str = "a stripe has fewer parts than the field has numbers";
    let one = tables::get_exp_log().exp[0].to_le_bytes();
    let low = |place: usize| place / NUMBERS * BLOCK + place % NUMBERS;
    let bytes = data.div_ceil(NUMBERS) * BLOCK;
    let mut encoder = ReedSolomonEncoder::new(data, spares, bytes).expect(FEW);
    for place in 0..data {
        let mut piece = vec![0; bytes];
        (piece[low(place)], piece[low(place) + NUMBERS]) = (one[0], one[1]);
        encoder.add_original_shard(piece).expect("pieces are of one length");
    }
    let codes = encoder.encode().expect("all pieces are there");
    let number = |code: &[u8], place: usize| {
        GfElement::from_le_bytes([code[low(place)], code[low(place) + NUMBERS]])
    };
    codes.recovery_iter().map(|code| (0..data).map(|place| number(code, place)).collect()).collect()
}

fn times(one: GfElement, other: GfElement) -> GfElement {
    let ExpLog { exp, log } = tables::get_exp_log();
    match other {
        0 => 0,
        other => tables::mul(one, log[usize::from(other)], exp, log),
    }
}

/// The multiplicative inverse of `one`, which is not zero.
fn inverse(one: GfElement) -> GfElement {
    let ExpLog { exp, log } = tables::get_exp_log();
    exp[usize::from((GF_MODULUS - log[usize::from(one)]) % GF_MODULUS)]
}

/// The factors of the data `wanted`, one of `lost`, for as many codes as there are losses. A
/// solution exists: every square part of the rows can be inverted.
pub(super) fn factors(
    data: usize, spares: usize, lost: &[usize], codes: &[usize], wanted: usize,
) -> Factors {
    let rows = rows(data, spares);
    let one = tables::get_exp_log().exp[0];
    let count = lost.len();
    // Gauss-Jordan elimination: on the left the factors of lost data in the codes, on the right the
    // inverse.
    let mut lines: Vec<Vec<GfElement>> = Vec::new();
    for (at, code) in codes[..count].iter().enumerate() {
        let mut line: Vec<GfElement> = lost.iter().map(|lost| rows[*code][*lost]).collect();
        line.extend((0..count).map(|other| if other == at { one } else { 0 }));
        lines.push(line);
    }
    for column in 0..count {
        let pivot = (column..count).find(|line| lines[*line][column] != 0);
        lines.swap(column, pivot.expect("any codes give back as many data"));
        let scale = inverse(lines[column][column]);
        lines[column].iter_mut().for_each(|number| *number = times(*number, scale));
        let whole = lines[column].clone();
        for (_, line) in lines.iter_mut().enumerate().filter(|(at, _)| *at != column) {
            let scale = line[column];
            line.iter_mut().zip(&whole).for_each(|(one, other)| *one ^= times(*other, scale));
        }
    }
    let mine = lost.iter().position(|lost| *lost == wanted).expect("it is lost");
    let mut factors = Factors { data: vec![0; data], codes: vec![0; spares] };
    for (code, number) in codes[..count].iter().zip(&lines[mine][count..]) {
        factors.codes[*code] = *number;
        for (factor, row) in factors.data.iter_mut().zip(&rows[*code]) {
            *factor ^= times(*number, *row);
        }
    }
    factors
}

/// Multiplies with the processor's vector instructions, if it has any.
pub struct Multiplier(DefaultEngine);

impl Multiplier {
    pub fn new() -> Multiplier {
        Multiplier(DefaultEngine::new())
    }

    /// Adds `factor` times the piece, in whole blocks, to `made`. If `is_first`, the contents of
    /// `made` are overwritten.
    pub fn add(&self, factor: GfElement, piece: &[u8], made: &mut [u8], is_first: bool) {
        if is_first {
            made.fill(0);
        }
        if factor == 0 {
            return;
        }
        let log = tables::get_exp_log().log[usize::from(factor)];
        let mut room = [[0; BLOCK]; AT_ONCE];
        let (blocks, _) = piece.as_chunks::<BLOCK>();
        let (made, _) = made.as_chunks_mut::<BLOCK>();
        for (blocks, made) in blocks.chunks(AT_ONCE).zip(made.chunks_mut(AT_ONCE)) {
            let room = &mut room[..blocks.len()];
            room.copy_from_slice(blocks);
            self.0.mul(room, log);
            utils::xor(made, room);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_multiplied_by_what_it_is_inverted_by_is_one() {
        let one = tables::get_exp_log().exp[0];
        for number in (1..=u16::MAX).step_by(37) {
            assert_eq!(times(number, inverse(number)), one);
            assert_eq!((times(number, one), times(number, 0)), (number, 0));
        }
    }

    #[test]
    fn one_code_of_one_loss_takes_all_others_alike_and_more_codes_do_not() {
        let factors = |spares: usize, lost: &[usize], codes: &[usize]| {
            super::factors(40, spares, lost, codes, lost[0])
        };
        let one = factors(1, &[7], &[0]);
        assert!(one.codes[0] != 0 && one.data[7] != 0, "itself would come out of itself");
        let two = factors(3, &[7, 39], &[0, 2]);
        assert!(two.codes[1] == 0 && two.codes[0] != 0 && two.codes[2] != 0);
        assert_eq!(two.data[39], 0, "what is lost as well is of no use");
    }
}
