//! Type signatures (MPI-5.0 §5.1): the sequence of basic types in a datatype, without their places.
//!
//! They serve to count the elements of a message and to pack for other machines; `base::layout`
//! knows where the bytes are.

use crate::mpi::datatype::{Element, Pair};
use std::sync::Arc;

/// The basic elements of one item.
#[derive(Clone, Debug)]
pub struct Signature {
    /// Bytes of data.
    pub size: i64,
    /// Basic elements; a pair has two.
    pub elements: i64,
    /// What all of them are; [`Element::Mixed`] when they differ, or when there are none.
    pub element: Element,
    /// Equal for types with equal sequences of elements, however they were constructed.
    pub digest: Digest,
    node: Node,
}

/// What there is in a sequence of basic elements, however it is put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest {
    /// How many there are.
    pub elements: u64,
    /// The code of all of them; [`Digest::MIXED`] when they differ, 0 when there are none.
    pub code: u8,
    /// A polynomial in [`BASE`] whose coefficients are their codes, and the power for one more.
    hash: u64,
    power: u64,
}

const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

impl Digest {
    /// No element has this code.
    pub const MIXED: u8 = 127;
    const NOTHING: Digest = Digest { elements: 0, code: 0, hash: 0, power: 1 };

    const fn one(element: Element) -> Digest {
        let code = code(element);
        Digest { elements: 1, code, hash: code as u64, power: BASE }
    }

    fn of(element: Element) -> Digest {
        use Element::{Float, Pair as Both, Signed};
        let Both(pair) = element else { return Digest::one(element) };
        let (value, index) = match pair {
            Pair::FloatInt => (Float(4), Signed(4)),
            Pair::DoubleInt => (Float(8), Signed(4)),
            Pair::LongInt => (Signed(8), Signed(4)),
            Pair::ShortInt => (Signed(2), Signed(4)),
            Pair::IntInt => (Signed(4), Signed(4)),
            Pair::LongDoubleInt => (Float(16), Signed(4)),
            Pair::RealReal => (Float(4), Float(4)),
            Pair::DoubleDouble => (Float(8), Float(8)),
        };
        Digest::one(value).and(Digest::one(index))
    }

    /// This, and the other after it.
    fn and(self, other: Digest) -> Digest {
        let code = match (self.code, other.code) {
            (one, 0) => one,
            (0, other) => other,
            (one, other) if one == other => one,
            _ => Digest::MIXED,
        };
        Digest {
            elements: self.elements.saturating_add(other.elements),
            code,
            hash: self.hash.wrapping_mul(other.power).wrapping_add(other.hash),
            power: self.power.wrapping_mul(other.power),
        }
    }

    /// This sequence, repeated `count` times.
    pub fn times(self, mut count: u64) -> Digest {
        let (mut all, mut twice) = (Digest::NOTHING, self);
        while count > 0 {
            if count & 1 == 1 {
                all = all.and(twice);
            }
            twice = twice.and(twice);
            count >>= 1;
        }
        all
    }

    /// What tells it from others: how many elements there are, or what they are if they differ.
    pub fn content(self) -> u64 {
        if self.code == Digest::MIXED { self.hash } else { self.elements }
    }
}

/// A number for what an element is; 0 for what is none.
pub const fn code(element: Element) -> u8 {
    use Element::{
        Byte, Char, Complex, ComplexQuad, Float, Logical, Long, Mixed, Quad, Signed, Text,
        Unsigned, UnsignedLong,
    };
    let (class, bytes) = match element {
        Signed(n) => (1, n),
        Long => (1, 8),
        Unsigned(n) => (2, n),
        UnsignedLong => (2, 8),
        Float(n) => (3, n),
        Complex(n) => (4, n),
        Logical(n) => (5, n),
        Text(n) => (6, n),
        Char => (6, 1),
        Quad => (7, 16),
        ComplexQuad => (8, 32),
        Byte => (9, 1),
        Element::Pair(_) | Mixed => return 0,
    };
    class << 3 | bytes.trailing_zeros() as u8
}

/// Bytes of an element with this code.
pub const fn bytes_of_code(code: u8) -> u64 {
    1 << (code & 7)
}

#[derive(Clone, Debug)]
enum Node {
    Basic,
    Repeat { count: i64, of: Arc<Signature> },
    List(Arc<[Signature]>),
}

impl Signature {
    pub fn basic(element: Element) -> Signature {
        let elements = if let Element::Pair(_) = element { 2 } else { 1 };
        let (size, digest) = (size_of_element(element), Digest::of(element));
        Signature { size, elements, element, digest, node: Node::Basic }
    }

    /// This signature, repeated `count` times. The bytes fit into 63 bits: the layout, made first,
    /// has checked that.
    pub fn repeat(&self, count: i64) -> Signature {
        if count == 1 {
            return self.clone();
        }
        let (count, of) = match &self.node {
            Node::Repeat { count: inner, of } => (count.saturating_mul(*inner), of.clone()),
            _ => (count, Arc::new(self.clone())),
        };
        let size = of.size.saturating_mul(count);
        let elements = of.elements.saturating_mul(count);
        let element = if elements == 0 { Element::Mixed } else { of.element };
        let digest = of.digest.times(count.try_into().unwrap_or(0));
        Signature { size, elements, element, digest, node: Node::Repeat { count, of } }
    }

    /// The parts in order, each repeated by its count.
    pub fn list(parts: &[(i64, &Signature)]) -> Signature {
        let filled = |(count, of): &&(i64, &Signature)| *count > 0 && of.elements > 0;
        let filled: Vec<&(i64, &Signature)> = parts.iter().filter(filled).collect();
        let size = filled.iter().map(|(count, of)| count * of.size).sum();
        let elements = filled.iter().map(|(count, of)| count * of.elements).sum();
        let element = filled.first().map_or(Element::Mixed, |(_, of)| of.element);
        if element != Element::Mixed && filled.iter().all(|(_, of)| of.element == element) {
            let basic = Signature::basic(element);
            return basic.repeat(elements / basic.elements);
        }
        if let [(count, of)] = filled[..] {
            return of.repeat(*count);
        }
        let all: Arc<[Signature]> = filled.iter().map(|(count, of)| of.repeat(*count)).collect();
        let digest = all.iter().fold(Digest::NOTHING, |before, part| before.and(part.digest));
        Signature { size, elements, element: Element::Mixed, digest, node: Node::List(all) }
    }

    /// How many basic elements the first `bytes` of items in a row hold; `None` when the last of
    /// them is not whole (MPI-5.0 §5.1.11).
    pub fn elements_in(&self, bytes: i64) -> Option<i64> {
        if self.size == 0 {
            return (bytes == 0).then_some(0);
        }
        let (items, rest) = (bytes / self.size, bytes % self.size);
        Some(items.checked_mul(self.elements)? + self.within(rest)?)
    }

    fn within(&self, bytes: i64) -> Option<i64> {
        if bytes == 0 {
            return Some(0);
        }
        match &self.node {
            Node::Repeat { of, .. } => of.elements_in(bytes),
            Node::Basic => match self.element {
                Element::Pair(pair) if bytes == pair.value_bytes() => Some(1),
                _ => None,
            },
            Node::List(parts) => {
                let (mut left, mut elements) = (bytes, 0);
                for part in parts.iter() {
                    if left < part.size {
                        return Some(elements + part.within(left)?);
                    }
                    left -= part.size;
                    elements += part.elements;
                }
                Some(elements)
            }
        }
    }

    /// How many bytes the first `elements` basic elements of items in a row take; `None` when
    /// items have none, or no 63 bits count the bytes.
    pub fn bytes_of(&self, elements: i64) -> Option<i64> {
        if elements == 0 {
            return Some(0);
        }
        let items = elements.checked_div(self.elements)?;
        let rest = elements % self.elements;
        items.checked_mul(self.size)?.checked_add(self.size_of_first(rest)?)
    }

    fn size_of_first(&self, elements: i64) -> Option<i64> {
        if elements == 0 {
            return Some(0);
        }
        match &self.node {
            Node::Repeat { of, .. } => of.bytes_of(elements),
            Node::Basic => match self.element {
                Element::Pair(pair) => Some(pair.value_bytes()),
                _ => None,
            },
            Node::List(parts) => {
                let (mut left, mut bytes) = (elements, 0);
                for part in parts.iter() {
                    if left < part.elements {
                        return Some(bytes + part.size_of_first(left)?);
                    }
                    left -= part.elements;
                    bytes += part.size;
                }
                Some(bytes)
            }
        }
    }

    /// Calls `see` with the elements of one item, run by run: what, and how many.
    pub fn for_each(&self, see: &mut impl FnMut(Element, usize)) {
        match &self.node {
            Node::Basic => see(self.element, 1),
            Node::Repeat { count, of } => match of.node {
                Node::Basic => see(of.element, *count as usize),
                _ => (0..*count).for_each(|_| of.for_each(see)),
            },
            Node::List(parts) => parts.iter().for_each(|part| part.for_each(see)),
        }
    }
}

/// Bytes of data in one element.
fn size_of_element(element: Element) -> i64 {
    use Element::{
        Byte, Char, Complex, ComplexQuad, Float, Logical, Long, Mixed, Quad, Signed, Text,
        Unsigned, UnsignedLong,
    };
    match element {
        Byte | Char => 1,
        Long | UnsignedLong => 8,
        Quad => 16,
        ComplexQuad => 32,
        Signed(n) | Unsigned(n) | Float(n) | Complex(n) | Logical(n) | Text(n) => n as i64,
        Element::Pair(pair) => pair.value_bytes() + pair.index_bytes(),
        Mixed => 0,
    }
}

impl Pair {
    /// Bytes of the value, which comes first.
    pub fn value_bytes(self) -> i64 {
        match self {
            Pair::ShortInt => 2,
            Pair::FloatInt | Pair::IntInt | Pair::RealReal => 4,
            Pair::DoubleInt | Pair::LongInt | Pair::DoubleDouble => 8,
            Pair::LongDoubleInt => 16,
        }
    }

    /// Bytes of the index.
    pub fn index_bytes(self) -> i64 {
        if self == Pair::DoubleDouble { 8 } else { 4 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    /// A signature and the same as a plain list of sizes.
    fn random_signature(random: &mut Random, depth: u32) -> (Signature, Vec<i64>) {
        if depth == 0 {
            let element = match random.below(4) {
                0 => Element::Signed(4),
                1 => Element::Float(8),
                2 => Element::Pair(Pair::ShortInt),
                _ => Element::Byte,
            };
            let sizes = match element {
                Element::Pair(_) => vec![2, 4],
                element => vec![size_of_element(element)],
            };
            return (Signature::basic(element), sizes);
        }
        let (first, sizes) = random_signature(random, depth - 1);
        if random.chance(50) {
            let count = random.below(4) as i64;
            return (first.repeat(count), sizes.repeat(count as usize));
        }
        let (second, others) = random_signature(random, depth - 1);
        let (a, b) = (random.below(3) as i64, random.below(3) as i64);
        let list = [sizes.repeat(a as usize), others.repeat(b as usize)].concat();
        (Signature::list(&[(a, &first), (b, &second)]), list)
    }

    #[test]
    fn elements_are_counted_as_in_a_plain_list() {
        for seed in 0..3000 {
            let mut random = Random::new(seed);
            let depth = random.below(5) as u32;
            let (signature, sizes) = random_signature(&mut random, depth);
            let mut plain = Digest::NOTHING;
            signature.for_each(&mut |element, count| {
                (0..count).for_each(|_| plain = plain.and(Digest::of(element)));
            });
            assert_eq!(signature.digest, plain, "seed {seed}");
            let size: i64 = sizes.iter().sum();
            assert_eq!((signature.size, signature.elements), (size, sizes.len() as i64), "{seed}");
            let mut seen = 0;
            signature
                .for_each(&mut |element, count| seen += count as i64 * size_of_element(element));
            assert_eq!(seen, size, "seed {seed}");
            if size == 0 {
                continue;
            }
            let ends = sizes.iter().cycle().take(3 * sizes.len()).scan(0, |end, size| {
                *end += size;
                Some(*end)
            });
            let mut ends: Vec<i64> = ends.collect();
            ends.insert(0, 0);
            for bytes in 0..=3 * size {
                let expected = ends.iter().position(|end| *end == bytes).map(|n| n as i64);
                assert_eq!(signature.elements_in(bytes), expected, "seed {seed}, {bytes} bytes");
            }
            for (elements, end) in ends.iter().enumerate() {
                assert_eq!(signature.bytes_of(elements as i64), Some(*end), "seed {seed}");
            }
        }
    }
}
