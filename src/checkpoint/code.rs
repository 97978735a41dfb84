//! Codes of data, and data out of codes, piece by piece: one pass, whatever the length.
//!
//! Pieces of a stripe come one after the other; what is made of them grows in place. Only Reed and
//! Solomon's code needs all pieces at once, and keeps them until the last has come.

use super::layout::Repair;
use super::scheme::Code;
use super::weights::{self, Solution};
use reed_solomon_simd::{ReedSolomonDecoder, ReedSolomonEncoder};

/// A piece is so many bytes long, or a multiple: what the codes work on at a time.
pub const GRAIN: usize = 64;

/// What is added to a code, or to data that come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Of the stripe's data with this index.
    Data(usize),
    /// Of the stripe's code with this index.
    Code(usize),
}

/// Makes one code of a stripe, or one of its lost data.
pub enum Maker {
    /// The exclusive or of what comes.
    Xor,
    /// Sums of doubles, each part times its factor.
    Sum { data: Vec<f64>, codes: Vec<f64> },
    /// The code with this index.
    Encode { index: usize, data: usize, spares: usize, pieces: Vec<Vec<u8>> },
    /// The data with this index.
    Decode { index: usize, data: usize, spares: usize, pieces: Vec<(Part, Vec<u8>)> },
}

impl Maker {
    /// For the code with this index of a stripe with so many data and codes.
    pub fn of_code(code: Code, index: usize, data: usize, spares: usize) -> Maker {
        match code {
            Code::Xor => Maker::Xor,
            // The first code of one loss is the exclusive or, which is faster than a field.
            Code::Solomon if spares == 1 => Maker::Xor,
            Code::Solomon => Maker::Encode { index, data, spares, pieces: Vec::new() },
            Code::Sum => Maker::Sum { data: vec![1.0; data], codes: Vec::new() },
            Code::Weighted => {
                let data = weights::gaussian(spares, data).swap_remove(index);
                Maker::Sum { data, codes: Vec::new() }
            }
        }
    }

    /// For the lost data with this index, and which codes it needs; `None` where the equations
    /// have no solution.
    pub fn of_data(
        code: Code, index: usize, data: usize, spares: usize, repair: &Repair,
    ) -> Option<(Maker, Vec<usize>)> {
        let first = || repair.codes[..repair.lost.len()].to_vec();
        if code == Code::Xor || code == Code::Solomon && spares == 1 {
            return Some((Maker::Xor, first()));
        }
        if code == Code::Solomon {
            return Some((Maker::Decode { index, data, spares, pieces: Vec::new() }, first()));
        }
        let (weights, solution) = solved(code, data, spares, repair)?;
        let place = repair.lost.iter().position(|lost| *lost == index).expect("it is lost");
        let mut codes = vec![0.0; spares];
        for (row, factor) in solution.rows.iter().zip(&solution.inverse[place]) {
            codes[*row] = *factor;
        }
        let less = |at: usize| -(0..spares).map(|row| codes[row] * weights[row][at]).sum::<f64>();
        let data = (0..data).map(less).collect();
        Some((Maker::Sum { data, codes }, solution.rows))
    }

    /// Whether the first part may as well be put where the result is to be.
    pub fn begins_with_a_copy(&self) -> bool {
        matches!(self, Maker::Xor)
    }

    /// Adds one part to `made`, which is as long as the piece; `is_first`: whatever is in there is
    /// overwritten.
    pub fn add(&mut self, part: Part, piece: &[u8], made: &mut [u8], is_first: bool) {
        match self {
            Maker::Xor if is_first => made.copy_from_slice(piece),
            Maker::Xor => made.iter_mut().zip(piece).for_each(|(byte, other)| *byte ^= other),
            Maker::Sum { data, codes } => {
                let factor = match part {
                    Part::Data(index) => data[index],
                    Part::Code(index) => codes[index],
                };
                add_doubles(piece, factor, made, is_first);
            }
            Maker::Encode { pieces, .. } => {
                if is_first {
                    pieces.clear();
                }
                pieces.push(piece.to_vec());
            }
            Maker::Decode { pieces, .. } => {
                if is_first {
                    pieces.clear();
                }
                pieces.push((part, piece.to_vec()));
            }
        }
    }

    /// All parts are there: what is made of them is in `made`.
    pub fn end(&mut self, made: &mut [u8]) {
        match self {
            Maker::Xor | Maker::Sum { .. } => {}
            Maker::Encode { index, data, spares, pieces } => {
                let mut encoder = ReedSolomonEncoder::new(*data, *spares, made.len())
                    .expect("a stripe has fewer parts than the field has numbers");
                for piece in pieces.iter() {
                    encoder.add_original_shard(piece).expect("pieces are of one length");
                }
                let codes = encoder.encode().expect("all pieces are there");
                made.copy_from_slice(codes.recovery(*index).expect("it is one of the codes"));
            }
            Maker::Decode { index, data, spares, pieces } => {
                let mut decoder = ReedSolomonDecoder::new(*data, *spares, made.len())
                    .expect("a stripe has fewer parts than the field has numbers");
                for (part, piece) in pieces.iter() {
                    match part {
                        Part::Data(at) => decoder.add_original_shard(*at, piece),
                        Part::Code(at) => decoder.add_recovery_shard(*at, piece),
                    }
                    .expect("each part comes once, and all are of one length");
                }
                let found = decoder.decode().expect("as many parts as there are data");
                made.copy_from_slice(found.restored_original(*index).expect("it is lost"));
            }
        }
    }
}

/// How much errors may grow where the data of `repair` come back; 1 where they are bit-exact, and
/// without end where they do not come back at all.
pub fn condition(code: Code, data: usize, spares: usize, repair: &Repair) -> f64 {
    if code.is_exact() {
        return 1.0;
    }
    solved(code, data, spares, repair).map_or(f64::INFINITY, |(_, solution)| solution.condition)
}

fn solved(
    code: Code, data: usize, spares: usize, repair: &Repair,
) -> Option<(Vec<Vec<f64>>, Solution)> {
    let weights = match code {
        Code::Weighted => weights::gaussian(spares, data),
        _ => vec![vec![1.0; data]; spares],
    };
    let solution = weights::solve(&weights, &repair.lost, &repair.codes)?;
    Some((weights, solution))
}

fn add_doubles(piece: &[u8], factor: f64, made: &mut [u8], is_first: bool) {
    let (numbers, _) = piece.as_chunks::<8>();
    let (sums, _) = made.as_chunks_mut::<8>();
    for (sum, number) in sums.iter_mut().zip(numbers) {
        let before = if is_first { 0.0 } else { f64::from_ne_bytes(*sum) };
        *sum = (before + factor * f64::from_ne_bytes(*number)).to_ne_bytes();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    /// Codes of `data`, all of one length.
    fn encoded(code: Code, data: &[Vec<u8>], spares: usize) -> Vec<Vec<u8>> {
        let make = |index| {
            let mut maker = Maker::of_code(code, index, data.len(), spares);
            let mut made = vec![7; data[0].len()];
            for (at, piece) in data.iter().enumerate() {
                maker.add(Part::Data(at), piece, &mut made, at == 0);
            }
            maker.end(&mut made);
            made
        };
        (0..spares).map(make).collect()
    }

    /// The data with this index out of what is there.
    fn decoded(
        code: Code, data: &[Vec<u8>], codes: &[Vec<u8>], repair: &Repair, index: usize,
    ) -> Vec<u8> {
        let (mut maker, rows) =
            Maker::of_data(code, index, data.len(), codes.len(), repair).expect("a solution");
        let mut made = vec![9; data[0].len()];
        let there = (0..data.len()).filter(|at| !repair.lost.contains(at));
        let parts = there.map(|at| (Part::Data(at), &data[at]));
        let parts = parts.chain(rows.iter().map(|row| (Part::Code(*row), &codes[*row])));
        for (number, (part, piece)) in parts.enumerate() {
            maker.add(part, piece, &mut made, number == 0);
        }
        maker.end(&mut made);
        made
    }

    fn bytes(random: &mut Random, count: usize) -> Vec<u8> {
        (0..count).map(|_| random.bits() as u8).collect()
    }

    fn doubles(random: &mut Random, count: usize) -> Vec<u8> {
        let number = |random: &mut Random| (random.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
        (0..count / 8).flat_map(|_| number(random).to_ne_bytes()).collect()
    }

    fn numbers(bytes: &[u8]) -> impl Iterator<Item = f64> {
        bytes.as_chunks::<8>().0.iter().map(|bytes| f64::from_ne_bytes(*bytes))
    }

    /// Every way to lose up to `spares` data, with every set of codes that is just large enough.
    fn every_repair(data: usize, spares: usize) -> Vec<Repair> {
        let chosen = |pattern: u32, of: usize| -> Vec<usize> {
            (0..of).filter(|at| pattern >> at & 1 == 1).collect()
        };
        let mut all = Vec::new();
        for lost in (1..1 << data).map(|pattern| chosen(pattern, data)) {
            for codes in (1..1 << spares).map(|pattern| chosen(pattern, spares)) {
                if codes.len() >= lost.len() {
                    all.push(Repair { stripe: 0, lost: lost.clone(), codes });
                }
            }
        }
        all
    }

    #[test]
    fn exact_codes_give_back_every_bit_of_every_lost_set() {
        let mut random = Random::new(1);
        for (code, most) in [(Code::Xor, 1), (Code::Solomon, 4)] {
            for (members, spares) in (1..=6).flat_map(|m| (1..=most).map(move |s| (m, s))) {
                let data: Vec<Vec<u8>> =
                    (0..members).map(|_| bytes(&mut random, 2 * GRAIN)).collect();
                let codes = encoded(code, &data, spares);
                for repair in every_repair(members, spares) {
                    for lost in &repair.lost {
                        let back = decoded(code, &data, &codes, &repair, *lost);
                        assert_eq!(back, data[*lost], "{code:?} {members}+{spares} {repair:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn sums_give_back_numbers_within_the_digits_that_their_condition_says() {
        let mut random = Random::new(2);
        for (code, most) in [(Code::Sum, 1), (Code::Weighted, 4)] {
            for (members, spares) in (1..=6).flat_map(|m| (1..=most).map(move |s| (m, s))) {
                let data: Vec<Vec<u8>> =
                    (0..members).map(|_| doubles(&mut random, 4 * GRAIN)).collect();
                let codes = encoded(code, &data, spares);
                for repair in every_repair(members, spares) {
                    let condition = condition(code, members, spares, &repair);
                    let allowed = 4.0 * f64::EPSILON * condition;
                    for lost in &repair.lost {
                        let back = decoded(code, &data, &codes, &repair, *lost);
                        for (back, was) in numbers(&back).zip(numbers(&data[*lost])) {
                            let error = (back - was).abs();
                            assert!(error <= allowed, "{code:?} {repair:?}: {error} of {allowed}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn codes_made_piece_by_piece_are_those_of_the_whole() {
        let mut random = Random::new(4);
        for (code, spares) in [(Code::Xor, 1), (Code::Solomon, 3), (Code::Weighted, 2)] {
            let data: Vec<Vec<u8>> = (0..5).map(|_| doubles(&mut random, 6 * GRAIN)).collect();
            let whole = encoded(code, &data, spares);
            for start in (0..6 * GRAIN).step_by(2 * GRAIN) {
                let piece = start..start + 2 * GRAIN;
                let pieces: Vec<Vec<u8>> =
                    data.iter().map(|data| data[piece.clone()].to_vec()).collect();
                for (code, whole) in encoded(code, &pieces, spares).iter().zip(&whole) {
                    assert_eq!(code[..], whole[piece.clone()]);
                }
            }
        }
    }

    #[test]
    fn large_stripes_give_back_what_chance_takes() {
        let mut random = Random::new(3);
        for round in 0..40 {
            let (members, spares) = (2 + random.below(200) as usize, 1 + random.below(6) as usize);
            let data: Vec<Vec<u8>> = (0..members).map(|_| bytes(&mut random, GRAIN)).collect();
            let codes = encoded(Code::Solomon, &data, spares);
            let mut lost: Vec<usize> =
                (0..spares).map(|_| random.below(members as u64) as usize).collect();
            lost.sort_unstable();
            lost.dedup();
            let repair = Repair { stripe: 0, codes: (0..spares).collect(), lost };
            for at in &repair.lost {
                let back = decoded(Code::Solomon, &data, &codes, &repair, *at);
                assert_eq!(back, data[*at], "round {round}: {members}+{spares}");
            }
        }
    }
}
