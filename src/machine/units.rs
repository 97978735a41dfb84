//! Parses quantities as people write them: times, shares and lists of numbers. Time is in
//! picoseconds.

/// A point in virtual time or a span of it, in picoseconds: half a year fits.
pub type Picos = u64;

pub const NANO: Picos = 1_000;
pub const SECOND: Picos = 1_000_000_000_000;

/// The value of each unit in picoseconds.
const UNITS: [(&str, f64); 8] = [
    ("ps", 1.0),
    ("ns", 1e3),
    ("us", 1e6),
    ("ms", 1e9),
    ("s", 1e12),
    ("min", 60e12),
    ("h", 3600e12),
    ("d", 86_400e12),
];

/// Where virtual time ends, after 106 days: what is added to an earlier time does not overflow.
pub const END: Picos = Picos::MAX >> 1;

/// Reads a span of time, such as 5ms or 10min.
pub fn time(text: &str) -> Result<Picos, String> {
    let no = || format!("`{text}` is not a time: use 20ns, 250ms, 1.5s, 10min, 2h or 3d");
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or_else(no)?;
    let (number, unit) = text.split_at(end);
    let (_, worth) = UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(no)?;
    let number: f64 = number.parse().map_err(|_| no())?;
    let picos = number * worth;
    if picos >= END as f64 {
        return Err(format!("`{text}` is more than the 106 days that virtual time has"));
    }
    Ok(picos.round() as Picos)
}

/// A cost in nanoseconds, possibly with a fraction. At most a second, so that virtual time does not
/// overflow soon.
pub fn picos_of(nanos: f64) -> Result<Picos, String> {
    match (0.0..=1e9).contains(&nanos) {
        true => Ok((nanos * 1e3).round() as Picos),
        false => Err(format!("{nanos:e}: use 0 to 1e9 nanoseconds")),
    }
}

/// Writes a time in the largest unit of which it is a whole number.
pub fn shown(time: Picos) -> String {
    let whole = UNITS.iter().rev().find(|(_, worth)| time.is_multiple_of(*worth as Picos));
    let (name, worth) = whole.expect("every time is a whole number of picoseconds");
    format!("{}{name}", time / *worth as Picos)
}

/// Reads numbers with commas between them, such as 34,34,36; `x` may stand for the comma.
pub fn numbers(text: &str) -> Result<Vec<u32>, String> {
    let no = || format!("`{text}` is not a list of numbers: use 34,34,36");
    text.split([',', 'x']).map(|part| part.trim().parse().map_err(|_| no())).collect()
}

/// Reads `0.1%`: the share, between 0 and 1; or a plain count.
pub fn amount(text: &str) -> Result<Amount, String> {
    let no = || format!("`{text}` is not an amount: use 100 or 0.1%");
    match text.trim().strip_suffix('%') {
        Some(percent) => {
            let percent: f64 = percent.trim().parse().map_err(|_| no())?;
            let is_share = (0.0..=100.0).contains(&percent);
            is_share.then_some(Amount::Share(percent / 100.0)).ok_or_else(no)
        }
        None => text.trim().parse().map(Amount::Count).map_err(|_| no()),
    }
}

/// A number or share of a set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    Count(usize),
    Share(f64),
}

impl Amount {
    /// As a count of members, at most all of them.
    pub fn of(self, members: usize) -> usize {
        match self {
            Amount::Count(count) => count.min(members),
            Amount::Share(share) => (share * members as f64).round() as usize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_they_are_read() {
        for text in ["20ns", "1500us", "250ms", "10min", "2h", "3d", "7ps"] {
            let picos = time(text).unwrap();
            assert_eq!(time(&shown(picos)).unwrap(), picos, "{text}");
        }
        assert_eq!(shown(time("1.5s").unwrap()), "1500ms");
        assert_eq!(time("0.5ns"), Ok(500));
    }

    #[test]
    fn what_is_no_quantity_is_said_with_the_cure() {
        assert!(time("5").unwrap_err().contains("use 20ns"));
        assert!(time("5 weeks").unwrap_err().contains("is not a time"));
        assert!(time("9999d").unwrap_err().contains("106 days"));
        assert!(amount("101%").unwrap_err().contains("use 100 or 0.1%"));
        assert!(numbers("3,,4").unwrap_err().contains("use 34,34,36"));
    }

    #[test]
    fn an_amount_is_a_count_or_a_share_of_a_crowd() {
        assert_eq!(amount("0.1%").unwrap().of(100_000), 100);
        assert_eq!(amount("7").unwrap().of(5), 5);
    }
}
