//! Data as other machines read them: the representation `external32` (MPI-5.0 §14.5.2), which is
//! big endian, IEEE, and has one size for each basic type. Pure.
//!
//! C's `long` and wide characters are smaller outside than here. The low bytes go out; a value that
//! would not come back from them is an error, which names it, and nothing is packed.

use crate::mpi::datatype::signature::Signature;
use crate::mpi::datatype::{Element, Pair};
use crate::mpi::error::{Class, Failure, Result};
use std::convert::Infallible;

/// One number of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Nothing,
    /// So many bytes, turned round.
    Turned(usize),
    /// The processor's extended format in 16 bytes; outside, IEEE's quad.
    Extended,
    /// A wide character: 4 bytes here, 2 outside.
    Wide,
    /// A `long`: 8 bytes here, 4 outside.
    Long,
    UnsignedLong,
}

impl Unit {
    fn native(self) -> usize {
        match self {
            Unit::Nothing => 0,
            Unit::Turned(bytes) => bytes,
            Unit::Extended => 16,
            Unit::Wide => 4,
            Unit::Long | Unit::UnsignedLong => 8,
        }
    }

    fn external(self) -> usize {
        match self {
            Unit::Wide => 2,
            Unit::Long | Unit::UnsignedLong => 4,
            _ => self.native(),
        }
    }
}

/// What an element consists of.
fn units(element: Element) -> [Unit; 2] {
    use Unit::{Extended, Long, Nothing, Turned, UnsignedLong, Wide};
    match element {
        Element::Long => [Long, Nothing],
        Element::UnsignedLong => [UnsignedLong, Nothing],
        Element::Pair(Pair::LongInt) => [Long, Turned(4)],
        Element::Text(4) => [Wide, Nothing],
        Element::Float(16) => [Extended, Nothing],
        Element::Complex(32) => [Extended, Extended],
        Element::Complex(bytes) => [Turned(bytes / 2), Turned(bytes / 2)],
        Element::ComplexQuad => [Turned(16), Turned(16)],
        Element::Quad => [Turned(16), Nothing],
        Element::Signed(bytes)
        | Element::Unsigned(bytes)
        | Element::Float(bytes)
        | Element::Logical(bytes)
        | Element::Text(bytes) => [Turned(bytes), Nothing],
        Element::Byte | Element::Char => [Turned(1), Nothing],
        Element::Mixed => [Nothing, Nothing],
        Element::Pair(Pair::LongDoubleInt) => [Extended, Turned(4)],
        Element::Pair(pair) => {
            [Turned(pair.value_bytes() as usize), Turned(pair.index_bytes() as usize)]
        }
    }
}

/// The bytes of one element outside and here; a pair has the bytes of both numbers.
pub fn lengths(element: Element) -> (usize, usize) {
    let sum = |length: fn(Unit) -> usize| units(element).iter().map(|unit| length(*unit)).sum();
    (sum(Unit::external), sum(Unit::native))
}

/// Bytes of one item outside.
pub fn size(signature: &Signature) -> i64 {
    let mut bytes: i64 = 0;
    if signature.element != Element::Mixed {
        let [first, second] = units(signature.element);
        let basic = Signature::basic(signature.element).elements;
        let each = (first.external() + second.external()) as i64;
        return (signature.elements / basic).saturating_mul(each);
    }
    signature.for_each(&mut |element, count| {
        let each: usize = units(element).iter().map(|unit| unit.external()).sum();
        bytes = bytes.saturating_add((count as i64).saturating_mul(each as i64));
    });
    bytes
}

/// Items in a row, as they go out.
pub fn encode(signature: &Signature, items: i64, native: &[u8]) -> Result<Vec<u8>> {
    convert(signature, items, native, Unit::native, |unit, from, out| {
        match unit {
            Unit::Nothing => {}
            Unit::Turned(_) => out.extend(from.iter().rev()),
            Unit::Extended => out.extend(quad_of(array(from)).to_be_bytes()),
            Unit::Wide => {
                let wide = u32::from_ne_bytes(array(from));
                out.extend(u16::try_from(wide).map_err(|_| too_large(wide, unit))?.to_be_bytes());
            }
            Unit::Long => {
                let long = i64::from_ne_bytes(array(from));
                out.extend(i32::try_from(long).map_err(|_| too_large(long, unit))?.to_be_bytes());
            }
            Unit::UnsignedLong => {
                let long = u64::from_ne_bytes(array(from));
                out.extend(u32::try_from(long).map_err(|_| too_large(long, unit))?.to_be_bytes());
            }
        }
        Ok(())
    })
}

/// Items in a row that have come in.
pub fn decode(signature: &Signature, items: i64, external: &[u8]) -> Vec<u8> {
    let Ok(native) = convert(signature, items, external, Unit::external, |unit, from, out| {
        match unit {
            Unit::Nothing => {}
            Unit::Turned(_) => out.extend(from.iter().rev()),
            Unit::Extended => out.extend(extended_of(u128::from_be_bytes(array(from)))),
            Unit::Wide => out.extend(u32::from(u16::from_be_bytes(array(from))).to_ne_bytes()),
            Unit::Long => out.extend(i64::from(i32::from_be_bytes(array(from))).to_ne_bytes()),
            Unit::UnsignedLong => {
                out.extend(u64::from(u32::from_be_bytes(array(from))).to_ne_bytes());
            }
        }
        Ok::<(), Infallible>(())
    });
    native
}

#[cold]
fn too_large(value: impl std::fmt::Display, unit: Unit) -> Failure {
    let name = match unit {
        Unit::Wide => "MPI_WCHAR",
        Unit::UnsignedLong => "MPI_UNSIGNED_LONG",
        _ => "MPI_LONG",
    };
    let bytes = unit.external();
    let words = format!("the value {value} does not fit the {bytes} bytes of external32's {name}");
    Class::CONVERSION.because(words)
}

fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().expect("a unit has its length")
}

fn convert<E>(
    signature: &Signature, items: i64, from: &[u8], length: fn(Unit) -> usize,
    mut put: impl FnMut(Unit, &[u8], &mut Vec<u8>) -> std::result::Result<(), E>,
) -> std::result::Result<Vec<u8>, E> {
    let mut out = Vec::with_capacity(from.len());
    let (mut rest, mut news) = (from, Ok(()));
    signature.repeat(items).for_each(&mut |element, count| {
        let units = units(element);
        let each: usize = units.iter().map(|unit| length(*unit)).sum();
        let (run, behind) = rest.split_at(count * each);
        rest = behind;
        match units {
            _ if news.is_err() => {}
            [Unit::Turned(1), Unit::Nothing] => out.extend_from_slice(run),
            [Unit::Turned(2), Unit::Nothing] => turn::<2>(run, &mut out),
            [Unit::Turned(4), Unit::Nothing | Unit::Turned(4)] => turn::<4>(run, &mut out),
            [Unit::Turned(8), Unit::Nothing | Unit::Turned(8)] => turn::<8>(run, &mut out),
            [first, second] => {
                news = run.chunks_exact(each.max(1)).try_for_each(|element| {
                    let (a, b) = element.split_at(length(first));
                    put(first, a, &mut out)?;
                    put(second, b, &mut out)
                });
            }
        }
    });
    news.map(|()| out)
}

/// Numbers of one size, each turned round.
fn turn<const N: usize>(run: &[u8], out: &mut Vec<u8>) {
    for number in run.chunks_exact(N) {
        let mut number: [u8; N] = array(number);
        number.reverse();
        out.extend_from_slice(&number);
    }
}

/// How many bits the quad's fraction has more than the extended format's.
const FINER: u32 = 49;
const FRACTION: u64 = (1 << 63) - 1;

/// IEEE's quad of the same value as the extended number.
fn quad_of(extended: [u8; 16]) -> u128 {
    let mantissa = u64::from_le_bytes(array(&extended[..8]));
    let top = u16::from_le_bytes(array(&extended[8..10]));
    let (sign, mut exponent) = (top >> 15, top & 0x7fff);
    if exponent == 0 && mantissa > FRACTION {
        exponent = 1;
    }
    u128::from(sign) << 127 | u128::from(exponent) << 112 | u128::from(mantissa & FRACTION) << FINER
}

/// The extended number nearest to the quad, ties to even.
fn extended_of(quad: u128) -> [u8; 16] {
    let sign = (quad >> 127) as u16;
    let mut exponent = (quad >> 112) as u16 & 0x7fff;
    let fraction = quad & ((1 << 112) - 1);
    let mut mantissa = (fraction >> FINER) as u64;
    let rest = fraction & ((1 << FINER) - 1);
    let half = 1 << (FINER - 1);
    if exponent == 0x7fff {
        // A NaN stays one even if what made it one was in the bits that are lost.
        mantissa |= u64::from(fraction != 0) << 62 | 1 << 63;
    } else {
        mantissa |= u64::from(exponent != 0) << 63;
        if rest > half || rest == half && mantissa & 1 == 1 {
            let (next, is_over) = mantissa.overflowing_add(1);
            mantissa = if is_over { 1 << 63 } else { next };
            exponent += u16::from(is_over);
        }
        if exponent == 0 && mantissa > FRACTION {
            exponent = 1;
        }
    }
    let mut extended = [0; 16];
    extended[..8].copy_from_slice(&mantissa.to_le_bytes());
    extended[8..10].copy_from_slice(&(sign << 15 | exponent).to_le_bytes());
    extended
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    fn extended(top: u16, mantissa: u64) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&mantissa.to_le_bytes());
        bytes[8..10].copy_from_slice(&top.to_le_bytes());
        bytes
    }

    #[test]
    fn long_doubles_become_quads_and_come_back() {
        // 1, -2, infinity, the smallest there is, 1 + 2^-63.
        assert_eq!(quad_of(extended(0x3fff, 1 << 63)), 0x3fff << 112);
        assert_eq!(quad_of(extended(0xc000, 1 << 63)), 0xc000 << 112);
        assert_eq!(quad_of(extended(0x7fff, 1 << 63)), 0x7fff << 112);
        assert_eq!(quad_of(extended(0, 1)), 1 << 49);
        assert_eq!(quad_of(extended(0x3fff, 1 << 63 | 1)), 0x3fff << 112 | 1 << 49);
        let mut random = Random::new(5);
        for _ in 0..10_000 {
            let top = random.bits() as u16;
            let is_normal = top & 0x7fff != 0;
            let mantissa = random.bits() & FRACTION | u64::from(is_normal) << 63;
            let number = extended(top, mantissa);
            if top & 0x7fff != 0x7fff {
                assert_eq!(extended_of(quad_of(number)), number, "{top:x} {mantissa:x}");
            }
        }
    }

    #[test]
    fn what_is_finer_than_a_long_double_is_rounded() {
        let one = 0x3fff << 112;
        assert_eq!(extended_of(one | 1 << 48), extended(0x3fff, 1 << 63), "a tie goes to even");
        assert_eq!(extended_of(one | 1 << 48 | 1), extended(0x3fff, 1 << 63 | 1));
        assert_eq!(extended_of(one | ((1 << 112) - 1)), extended(0x4000, 1 << 63), "to 2");
        let greatest = 0x7ffe << 112 | ((1 << 112) - 1);
        assert_eq!(extended_of(greatest), extended(0x7fff, 1 << 63), "too great: infinity");
        let nan = extended_of(0x7fff << 112 | 1);
        assert_eq!(nan, extended(0x7fff, 3 << 62));
    }

    #[test]
    fn every_kind_of_element_goes_out_and_comes_back() {
        let pairs = [Pair::ShortInt, Pair::DoubleInt, Pair::IntInt, Pair::DoubleDouble];
        let plain = [
            Element::Signed(1),
            Element::Signed(2),
            Element::Unsigned(4),
            Element::Float(8),
            Element::Signed(16),
            Element::Complex(8),
            Element::Complex(16),
            Element::Logical(4),
            Element::Text(1),
            Element::Byte,
            Element::Quad,
            Element::ComplexQuad,
        ];
        let all = plain.into_iter().chain(pairs.map(Element::Pair));
        let parts: Vec<Signature> = all.map(Signature::basic).collect();
        let mixed: Vec<(i64, &Signature)> = parts.iter().map(|part| (3, part)).collect();
        let mixed = Signature::list(&mixed);
        let native: Vec<u8> = (0..2 * mixed.size).map(|n| (n * 7 + n / 250) as u8).collect();
        let external = encode(&mixed, 2, &native).expect("all fit");
        assert_eq!(external.len() as i64, 2 * size(&mixed));
        assert_eq!(decode(&mixed, 2, &external), native);
        assert_eq!(external[..3], native[..3]);
        assert_eq!(external[3..5], [native[4], native[3]]);
    }

    #[test]
    fn wide_characters_are_two_bytes_outside() {
        let wide = Signature::basic(Element::Text(4)).repeat(2);
        let native: Vec<u8> = [0x41_u32, 0x20ac].iter().flat_map(|c| c.to_ne_bytes()).collect();
        assert_eq!(encode(&wide, 1, &native), Ok(vec![0, 0x41, 0x20, 0xac]));
        let class = encode(&wide, 1, &[0, 0, 1, 0, 0, 0, 0, 0]).unwrap_err().error().unwrap().class;
        assert_eq!(class, Class::CONVERSION);
        assert_eq!(decode(&wide, 1, &[0, 0x41, 0x20, 0xac]), native);
        assert_eq!(size(&wide), 4);
    }

    #[test]
    fn longs_are_four_bytes_outside_and_keep_their_sign() {
        let sent = |element, values: &[i64]| {
            let native: Vec<u8> = values.iter().flat_map(|value| value.to_ne_bytes()).collect();
            let signature = Signature::basic(element);
            let external = encode(&signature, values.len() as i64, &native)?;
            assert_eq!(decode(&signature, values.len() as i64, &external), native, "{values:?}");
            Result::Ok(external)
        };
        let (least, most) = (i64::from(i32::MIN), i64::from(i32::MAX));
        assert_eq!(sent(Element::Long, &[1, -2]), Ok(vec![0, 0, 0, 1, 0xff, 0xff, 0xff, 0xfe]));
        assert_eq!(sent(Element::Long, &[least, most]).map(|it| it.len()), Ok(8));
        assert_eq!(sent(Element::UnsignedLong, &[0xffff_ffff]), Ok(vec![0xff; 4]));
        for (element, value) in [
            (Element::Long, most + 1),
            (Element::Long, least - 1),
            (Element::UnsignedLong, 1 << 32),
            (Element::UnsignedLong, -1),
        ] {
            let failure = sent(element, &[7, value]).expect_err("it has more bits");
            assert_eq!(failure.error().map(|error| error.class), Some(Class::CONVERSION));
        }
        let pair = Signature::basic(Element::Pair(Pair::LongInt));
        let native: Vec<u8> =
            [(-3i64).to_ne_bytes().to_vec(), 5i32.to_ne_bytes().to_vec()].concat();
        let external = encode(&pair, 1, &native).expect("it fits");
        assert_eq!(external, [0xff, 0xff, 0xff, 0xfd, 0, 0, 0, 5]);
        assert_eq!((decode(&pair, 1, &external), size(&pair)), (native, 8));
    }
}
