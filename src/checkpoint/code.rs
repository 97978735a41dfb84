//! Erasure codes: computes codes from data, and lost data from codes, piece by piece, in one pass
//! of any length.
//!
//! The pieces of a stripe come one after the other, and all codes grow in place together, so each
//! piece is read while it is in the caches. Only Reed-Solomon needs all pieces first: its encoder
//! keeps them until the last one has come.

use super::field::{self, Factors, Multiplier};
use super::layout::{GRAIN, Repair};
use super::scheme::Code;
use super::weights::{self, Weights};
use crate::base::sync::sheet::Writing;
use reed_solomon_simd::ReedSolomonEncoder;
use std::sync::{Arc, Once};

/// Prepares what codes of this kind need, so that the first checkpoint takes no longer than others:
/// the tables of the field take some milliseconds, once.
pub fn prepare(code: Code, spares: usize) {
    static TABLES: Once = Once::new();
    // Schemes of sums use Reed-Solomon, too: for data that are not doubles.
    if spares < 2 || code == Code::Xor {
        return;
    }
    TABLES.call_once(|| {
        let piece = [0; GRAIN];
        let mut encoder = ReedSolomonEncoder::new(2, 2, GRAIN).expect("a small one can be made");
        for _ in 0..2 {
            encoder.add_original_shard(piece).expect("there are two");
        }
        drop(encoder.encode().expect("all pieces are there"));
    });
}

/// What is added to a code, or to restored data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The stripe's data with this index.
    Data(usize),
    /// The stripe's code with this index.
    Code(usize),
}

/// Makes the codes of a stripe.
pub enum Encoder {
    /// The exclusive or of all data.
    Xor,
    /// Sums of doubles, each part times its weight in the row of the code.
    Sums { weights: Arc<Weights>, wanted: Vec<usize> },
    /// Reed-Solomon codes; `wanted` has their indices.
    Solomon { wanted: Vec<usize>, data: usize, spares: usize, encoder: Option<ReedSolomonEncoder> },
}

impl Encoder {
    /// An encoder for the codes with the indices `wanted`, in a stripe of `data` data and `spares`
    /// codes.
    pub fn of(code: Code, data: usize, spares: usize, wanted: Vec<usize>) -> Encoder {
        match code {
            Code::Xor => Encoder::Xor,
            // A single code can be the exclusive or, which is faster than arithmetic in a field.
            Code::Solomon if spares == 1 => Encoder::Xor,
            Code::Solomon => Encoder::Solomon { wanted, data, spares, encoder: None },
            Code::Sum | Code::Weighted => {
                Encoder::Sums { weights: weights_of(code, spares, data), wanted }
            }
        }
    }

    /// The best length of pieces, so that the working set stays in the caches.
    pub fn piece(&self) -> usize {
        match self {
            Encoder::Xor => 1 << 17,
            Encoder::Sums { wanted, .. } => (1 << 17) / wanted.len().next_power_of_two().min(8),
            Encoder::Solomon { .. } => 1 << 14,
        }
    }

    /// Adds the stripe's data number `index` to the codes: `made` has one buffer for each wanted
    /// code, as long as the piece. Data come in order; the first overwrite the buffers.
    pub fn add(&mut self, index: usize, piece: &[u8], made: &mut [Writing<'_>]) {
        match self {
            Encoder::Xor => {
                for made in made {
                    match index {
                        0 => made.copy_from_slice(piece),
                        _ => add_bits(piece, made),
                    }
                }
            }
            Encoder::Sums { weights, wanted } => {
                for (row, made) in wanted.iter().zip(made) {
                    add_doubles(piece, weights[*row][index], made, index == 0);
                }
            }
            Encoder::Solomon { data, spares, encoder, .. } => {
                if index == 0 {
                    begin_encoding(encoder, *data, *spares, piece.len());
                }
                let encoder = encoder.as_mut().expect("the first part has begun it");
                encoder.add_original_shard(piece).expect("pieces are of one length");
            }
        }
    }

    /// Finishes the codes, after all data were added.
    pub fn end(&mut self, made: &mut [Writing<'_>]) {
        let Encoder::Solomon { wanted, encoder, .. } = self else { return };
        let encoder = encoder.as_mut().expect("a stripe has parts");
        let codes = encoder.encode().expect("all pieces are there");
        for (index, made) in wanted.iter().zip(made) {
            made.copy_from_slice(codes.recovery(*index).expect("it is one of the codes"));
        }
    }
}

/// Computes one of a stripe's lost data.
pub enum Maker {
    /// The exclusive or of all parts.
    Xor,
    /// Sums of doubles, each part times its factor.
    Sum { data: Vec<f64>, codes: Vec<f64>, sizes: Option<Sizes> },
    /// Sums over the field, each part times its factor.
    Field { factors: Factors, multiplier: Multiplier },
}

impl Maker {
    /// The maker of lost data number `index`, and the codes that it needs; `None` if the equations
    /// have no solution.
    pub fn of_data(
        code: Code, index: usize, data: usize, spares: usize, repair: &Repair,
    ) -> Option<(Maker, Vec<usize>)> {
        let first = || repair.codes[..repair.lost.len()].to_vec();
        if code == Code::Xor || code == Code::Solomon && spares == 1 {
            return Some((Maker::Xor, first()));
        }
        if code == Code::Solomon {
            let factors = field::factors(data, spares, &repair.lost, &repair.codes, index);
            return Some((Maker::Field { factors, multiplier: Multiplier::new() }, first()));
        }
        let weights = weights_of(code, spares, data);
        let solution = weights::solve(&weights, &repair.lost, &repair.codes)?;
        let place = repair.lost.iter().position(|lost| *lost == index).expect("it is lost");
        let mut codes = vec![0.0; spares];
        for (row, factor) in solution.rows.iter().zip(&solution.inverse[place]) {
            codes[*row] = *factor;
        }
        let less = |at: usize| -(0..spares).map(|row| codes[row] * weights[row][at]).sum::<f64>();
        let data = (0..data).map(less).collect();
        Some((Maker::Sum { data, codes, sizes: None }, solution.rows))
    }

    /// Measures sums, separately for each stretch of the result; `stretches` has their ends,
    /// counted in doubles.
    pub fn measure(&mut self, stretches: &[usize]) {
        if let Maker::Sum { sizes, .. } = self {
            let (ends, largest) = (stretches.to_vec(), vec![0.0; stretches.len()]);
            *sizes = Some(Sizes { ends, largest, at: 0, done: 0, now: Vec::new() });
        }
    }

    /// For each stretch, the largest sum of the magnitudes of parts. A result may be wrong by the
    /// rounding error of a double of that size.
    pub fn largest(&self) -> &[f64] {
        match self {
            Maker::Sum { sizes: Some(sizes), .. } => &sizes.largest,
            _ => &[],
        }
    }

    /// Adds one part to `made`, which is as long as the piece. If `is_first`, the contents of
    /// `made` are overwritten.
    pub fn add(&mut self, part: Part, piece: &[u8], made: &mut [u8], is_first: bool) {
        match self {
            Maker::Xor if is_first => made.copy_from_slice(piece),
            Maker::Xor => add_bits(piece, made),
            Maker::Sum { data, codes, sizes } => {
                let factor = match part {
                    Part::Data(index) => data[index],
                    Part::Code(index) => codes[index],
                };
                add_doubles(piece, factor, made, is_first);
                if let Some(sizes) = sizes {
                    sizes.add(piece, factor, is_first);
                }
            }
            Maker::Field { factors, multiplier } => {
                let factor = match part {
                    Part::Data(index) => factors.data[index],
                    Part::Code(index) => factors.codes[index],
                };
                multiplier.add(factor, piece, made, is_first);
            }
        }
    }

    /// All parts have been added.
    pub fn end(&mut self) {
        if let Maker::Sum { sizes: Some(sizes), .. } = self {
            sizes.end();
        }
    }
}

fn weights_of(code: Code, spares: usize, data: usize) -> Arc<Weights> {
    match code {
        Code::Weighted => weights::gaussian(spares, data),
        _ => Arc::new(vec![vec![1.0; data]; spares]),
    }
}

/// The magnitudes of the parts of sums, by stretches.
pub struct Sizes {
    ends: Vec<usize>,
    largest: Vec<f64>,
    /// The current stretch, and the number of doubles before this piece.
    at: usize,
    done: usize,
    /// The magnitudes in this piece.
    now: Vec<f64>,
}

impl Sizes {
    fn add(&mut self, piece: &[u8], factor: f64, is_first: bool) {
        let (numbers, _) = piece.as_chunks::<8>();
        if is_first {
            self.now.clear();
            self.now.resize(numbers.len(), 0.0);
        }
        for (size, number) in self.now.iter_mut().zip(numbers) {
            *size += (factor * f64::from_ne_bytes(*number)).abs();
        }
    }

    fn end(&mut self) {
        for (number, size) in (self.done..).zip(&self.now) {
            while self.ends.get(self.at).is_some_and(|end| *end <= number) {
                self.at += 1;
            }
            if let Some(largest) = self.largest.get_mut(self.at) {
                *largest = largest.max(*size);
            }
        }
        self.done += self.now.len();
    }
}

/// Prepares one encoder for all pieces, since its working memory is as large as all of them
/// together.
fn begin_encoding(
    encoder: &mut Option<ReedSolomonEncoder>, data: usize, spares: usize, bytes: usize,
) {
    const FEW: &str = "a stripe has fewer parts than the field has numbers";
    match encoder {
        Some(encoder) => encoder.reset(data, spares, bytes).expect(FEW),
        None => *encoder = Some(ReedSolomonEncoder::new(data, spares, bytes).expect(FEW)),
    }
}

fn add_bits(piece: &[u8], made: &mut [u8]) {
    made.iter_mut().zip(piece).for_each(|(byte, other)| *byte ^= other);
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
    use crate::base::sync::sheet::Sheet;

    /// Codes of `data`, all of one length.
    fn encoded(code: Code, data: &[Vec<u8>], spares: usize) -> Vec<Vec<u8>> {
        some_encoded(code, data, spares, (0..spares).collect())
    }

    /// The wanted codes of `data`.
    fn some_encoded(
        code: Code, data: &[Vec<u8>], spares: usize, wanted: Vec<usize>,
    ) -> Vec<Vec<u8>> {
        let bytes = data[0].len();
        let sheets: Vec<Sheet> = wanted.iter().map(|_| Sheet::from(vec![7; bytes])).collect();
        let mut encoder = Encoder::of(code, data.len(), spares, wanted);
        let mut made: Vec<Writing<'_>> = sheets.iter().map(|one| one.write(0..bytes)).collect();
        for (at, piece) in data.iter().enumerate() {
            encoder.add(at, piece, &mut made);
        }
        encoder.end(&mut made);
        made.iter().map(|made| made.to_vec()).collect()
    }

    /// The data with this index, computed from the rest.
    fn decoded(
        code: Code, data: &[Vec<u8>], codes: &[Vec<u8>], repair: &Repair, index: usize,
    ) -> Vec<u8> {
        measured(code, data, codes, repair, index).0
    }

    /// The data with this index, and the magnitude of the summed numbers.
    fn measured(
        code: Code, data: &[Vec<u8>], codes: &[Vec<u8>], repair: &Repair, index: usize,
    ) -> (Vec<u8>, f64) {
        let (mut maker, rows) =
            Maker::of_data(code, index, data.len(), codes.len(), repair).expect("a solution");
        maker.measure(&[data[0].len() / 8]);
        let mut made = vec![9; data[0].len()];
        let there = (0..data.len()).filter(|at| !repair.lost.contains(at));
        let parts = there.map(|at| (Part::Data(at), &data[at]));
        let parts = parts.chain(rows.iter().map(|row| (Part::Code(*row), &codes[*row])));
        for (number, (part, piece)) in parts.enumerate() {
            maker.add(part, piece, &mut made, number == 0);
        }
        maker.end();
        let largest = maker.largest().first().copied().unwrap_or(0.0);
        (made, largest)
    }

    fn bytes(random: &mut Random, count: usize) -> Vec<u8> {
        (0..count).map(|_| random.bits() as u8).collect()
    }

    fn doubles(random: &mut Random, count: usize) -> Vec<u8> {
        // Of very different magnitudes, so that much cancels.
        let number = |random: &mut Random| {
            let size = 10_f64.powi(random.below(9) as i32);
            size * ((random.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0)
        };
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
    fn sums_give_back_numbers_within_what_the_size_of_their_parts_allows() {
        let mut random = Random::new(2);
        for (code, most) in [(Code::Sum, 1), (Code::Weighted, 4)] {
            for (members, spares) in (1..=6).flat_map(|m| (1..=most).map(move |s| (m, s))) {
                let data: Vec<Vec<u8>> =
                    (0..members).map(|_| doubles(&mut random, 4 * GRAIN)).collect();
                let codes = encoded(code, &data, spares);
                for repair in every_repair(members, spares) {
                    for lost in &repair.lost {
                        let (back, largest) = measured(code, &data, &codes, &repair, *lost);
                        let allowed = 4.0 * f64::EPSILON * largest;
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
    fn sums_are_measured_stretch_by_stretch_whatever_the_pieces() {
        let doubles = |numbers: &[f64]| -> Vec<u8> {
            numbers.iter().flat_map(|number| number.to_ne_bytes()).collect()
        };
        let repair = Repair { stripe: 0, lost: vec![1], codes: vec![0] };
        let (mut maker, _) = Maker::of_data(Code::Sum, 1, 2, 1, &repair).expect("a solution");
        maker.measure(&[1, 1, 5]);
        let (data, code) = ([3.0, -1.0, 2.0, 0.0, 1e17, 9.0], [4.0, 0.0, -5.0, 0.0, 1e17, 9.0]);
        for piece in [0..2, 2..6] {
            let mut made = vec![0; 8 * piece.len()];
            maker.add(Part::Data(0), &doubles(&data[piece.clone()]), &mut made, true);
            maker.add(Part::Code(0), &doubles(&code[piece]), &mut made, false);
            maker.end();
        }
        assert_eq!(maker.largest(), [7.0, 0.0, 2e17], "the last number is in no stretch");
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
    fn some_of_the_codes_are_the_same_as_all_of_them() {
        let mut random = Random::new(8);
        for code in [Code::Solomon, Code::Weighted] {
            let data: Vec<Vec<u8>> = (0..5).map(|_| doubles(&mut random, 2 * GRAIN)).collect();
            let all = encoded(code, &data, 4);
            let some = some_encoded(code, &data, 4, vec![1, 3]);
            assert_eq!(some, [all[1].clone(), all[3].clone()], "{code:?}");
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
