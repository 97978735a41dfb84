//! Numbers as people write them on a command line.

use std::time::Duration;

/// A size in bytes: digits and perhaps `K`, `M`, `G` or `T` (powers of 1024; `KB`, `KiB` too).
pub fn size(text: &str) -> Option<usize> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let unit = unit.to_ascii_uppercase();
    let shift = match unit.strip_suffix("IB").or(unit.strip_suffix('B')).unwrap_or(&unit) {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return None,
    };
    number.parse::<usize>().ok()?.checked_mul(1 << shift)
}

/// A time in seconds, with an optional fraction; more than 0.
pub fn seconds(text: &str) -> Option<Duration> {
    let time = Duration::try_from_secs_f64(text.parse().ok()?).ok()?;
    (!time.is_zero()).then_some(time)
}

/// A count. One that overflows becomes the largest: a limit of the machine will refuse it.
pub fn count(text: &str) -> Option<usize> {
    let all_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    all_digits.then(|| text.parse().unwrap_or(usize::MAX))
}

/// A number with a point, perhaps. Infinity and NaN are none.
pub fn finite(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

/// A size, written for people.
pub fn spelled(bytes: usize) -> String {
    let units = [(40, "T"), (30, "G"), (20, "M"), (10, "K")];
    let unit = units.iter().find(|(shift, _)| bytes >> shift << shift == bytes && bytes != 0);
    unit.map_or_else(|| bytes.to_string(), |(shift, name)| format!("{}{name}", bytes >> shift))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(size("4096"), Some(4096));
        assert_eq!(size("64k"), Some(64 << 10));
        assert_eq!(size("8M"), Some(8 << 20));
        assert_eq!(size("2GiB"), Some(2 << 30));
        assert_eq!(size("1TB"), Some(1 << 40));
        for wrong in ["", "M", "-1", "1.5G", "8X", "99999999999T"] {
            assert_eq!(size(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_size_is_spelled_as_it_is_read() {
        for text in ["4097", "64K", "8M", "3G", "1T", "0"] {
            assert_eq!(spelled(size(text).unwrap()), text);
        }
    }

    #[test]
    fn a_time_is_more_than_nothing() {
        assert_eq!(seconds("1.5"), Some(Duration::from_millis(1500)));
        for wrong in ["0", "-1", "nan", "inf", "soon", ""] {
            assert_eq!(seconds(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_count_that_overflows_is_the_largest() {
        assert_eq!(count("120"), Some(120));
        assert_eq!(count("99999999999999999999999"), Some(usize::MAX));
        for wrong in ["", "-3", "+3", "two", "4.0", "0x10"] {
            assert_eq!(count(wrong), None, "{wrong}");
        }
    }
}
