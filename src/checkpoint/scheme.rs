//! How checkpoints are protected, as programs write it: `rs:2`, `weighted:5,dedicated`,
//! `xor,groups=4`.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The size of a group that spreads codes over its members, unless the program chooses.
const GROUP: usize = 16;

/// How codes are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Code {
    /// Exclusive or: bit-exact, one loss.
    Xor,
    /// Reed-Solomon over GF(2^16): bit-exact, any number of losses.
    Solomon,
    /// The sum of doubles.
    Sum,
    /// Sums of doubles with Gaussian random weights (Chen and Dongarra 2005).
    Weighted,
}

impl Code {
    /// Whether data are restored bit-exactly.
    pub fn is_exact(self) -> bool {
        matches!(self, Code::Xor | Code::Solomon)
    }
}

/// Which members keep what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Keeping {
    /// In groups; each member keeps codes of the others' data.
    Spread,
    /// In groups, each with members that keep codes only: the last ranks.
    Dedicated,
    /// The second half of the members keeps copies of the first half's data.
    Mirror,
    /// Each member keeps a copy of its left neighbour's data.
    Ring,
    /// Two members keep copies of each other's data.
    Pair,
}

/// A scheme: how codes are computed, and where they are kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scheme {
    pub code: Code,
    pub keeping: Keeping,
    /// The number of codes of the same data.
    pub spares: usize,
    /// The number of groups; `None`: chosen by size.
    groups: Option<usize>,
}

impl Scheme {
    /// Parses a scheme, or returns what is wrong with it.
    pub fn parse(text: &str) -> Result<Scheme, String> {
        let mut words = text.split(',').map(str::trim);
        let head = words.next().unwrap_or_default().to_ascii_lowercase();
        let (name, spares) = match head.split_once(':') {
            None => (head.as_str(), None),
            Some((name, spares)) => (name, Some(number(spares, "the number of codes")?)),
        };
        let (code, keeping, most) = match name {
            "xor" => (Code::Xor, Keeping::Spread, 1),
            "rs" | "reed-solomon" => (Code::Solomon, Keeping::Spread, usize::MAX),
            "sum" | "checksum" => (Code::Sum, Keeping::Spread, 1),
            "weighted" => (Code::Weighted, Keeping::Spread, usize::MAX),
            "mirror" => (Code::Xor, Keeping::Mirror, 1),
            "ring" => (Code::Xor, Keeping::Ring, 1),
            "pair" => (Code::Xor, Keeping::Pair, 1),
            _ => {
                return Err(format!(
                    "scheme \"{name}\" is unknown; use xor, rs, sum, weighted, mirror, ring or pair"
                ));
            }
        };
        let spares = spares.unwrap_or(1);
        if spares > most {
            return Err(format!("scheme \"{name}\" has one code, not {spares}"));
        }
        let mut scheme = Scheme { code, keeping, spares, groups: None };
        for word in words {
            let has_groups = matches!(keeping, Keeping::Spread | Keeping::Dedicated);
            match word.split_once('=') {
                None if word == "spread" && has_groups => scheme.keeping = Keeping::Spread,
                None if word == "dedicated" && has_groups => scheme.keeping = Keeping::Dedicated,
                Some(("groups", count)) if has_groups => {
                    scheme.groups = Some(number(count, "the number of groups")?);
                }
                _ => return Err(format!("scheme \"{name}\" has no option \"{word}\"")),
            }
        }
        Ok(scheme)
    }

    /// The number of groups for `members`: at least `least`, unless the program chooses.
    pub(super) fn groups(&self, members: usize, least: usize) -> usize {
        match self.keeping {
            Keeping::Dedicated => self.groups.unwrap_or(1),
            // Groups have at most the usual size, and enough members for their codes.
            _ => {
                let suit = members.div_ceil(GROUP.max(2 * self.spares));
                self.groups.unwrap_or(suit.min(members / (self.spares + 1)).max(least))
            }
        }
    }

    /// A hash that differs for different schemes.
    pub(super) fn digest(&self) -> u64 {
        let parts = [
            self.code as u64,
            self.keeping as u64,
            self.spares as u64,
            self.groups.map_or(0, |groups| groups as u64),
        ];
        parts.iter().fold(1, |digest: u64, part| digest.wrapping_mul(0x100_0000_01b3) ^ part)
    }
}

fn number(text: &str, what: &str) -> Result<usize, String> {
    match text.trim().parse() {
        Ok(number @ 1..=255) => Ok(number),
        _ => Err(format!("{what} is \"{text}\"; it must be from 1 to 255")),
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match (self.keeping, self.code) {
            (Keeping::Mirror, _) => "mirror",
            (Keeping::Ring, _) => "ring",
            (Keeping::Pair, _) => "pair",
            (_, Code::Xor) => "xor",
            (_, Code::Solomon) => "rs",
            (_, Code::Sum) => "sum",
            (_, Code::Weighted) => "weighted",
        };
        write!(out, "{name}")?;
        if matches!(self.code, Code::Solomon | Code::Weighted) {
            write!(out, ":{}", self.spares)?;
        }
        if self.keeping == Keeping::Dedicated {
            write!(out, ",dedicated")?;
        }
        self.groups.map_or(Ok(()), |groups| write!(out, ",groups={groups}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scheme_reads_as_it_is_written() {
        for text in
            ["xor", "rs:3", "sum,groups=2", "weighted:5,dedicated", "mirror", "ring", "pair"]
        {
            let scheme = Scheme::parse(text).expect("a scheme");
            assert_eq!(scheme.to_string(), text);
        }
        let both = ["rs", "reed-solomon:1, spread"].map(|text| Scheme::parse(text).expect("one"));
        assert_eq!(both[0], both[1]);
    }

    #[test]
    fn what_is_no_scheme_is_refused_with_the_reason() {
        let cases = [
            ("", "is unknown"),
            ("raid", "is unknown"),
            ("xor:2", "one code, not 2"),
            ("rs:0", "from 1 to 255"),
            ("rs:two", "from 1 to 255"),
            ("ring,dedicated", "no option"),
            ("rs,groups=x", "from 1 to 255"),
            ("rs,colour=red", "no option"),
        ];
        for (text, reason) in cases {
            let said = Scheme::parse(text).expect_err("no scheme");
            assert!(said.contains(reason), "{text}: {said}");
        }
    }

    #[test]
    fn schemes_that_differ_have_different_digests() {
        let texts = [
            "xor",
            "rs",
            "rs:2",
            "sum",
            "weighted",
            "mirror",
            "ring",
            "pair",
            "xor,dedicated",
            "xor,groups=2",
        ];
        let digests: std::collections::BTreeSet<u64> =
            texts.iter().map(|text| Scheme::parse(text).expect("a scheme").digest()).collect();
        assert_eq!(digests.len(), texts.len());
    }
}
