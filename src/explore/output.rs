//! Compares the output of a run with that of the reference: line by line, numbers within a
//! tolerance.

/// What does not matter about lines of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Everything matters.
    Exact,
    /// Their order.
    Any,
    /// Their order, and how often each comes.
    Set,
}

/// The first difference, in words; `None` if the outputs agree.
pub(crate) fn difference(
    expected: &str, seen: &str, order: Order, tolerance: f64,
) -> Option<String> {
    let lines = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(|line| line.trim_end().to_string()).collect();
        if order != Order::Exact {
            lines.sort_unstable();
        }
        if order == Order::Set {
            lines.dedup();
        }
        lines
    };
    let (expected, seen) = (lines(expected), lines(seen));
    for place in 0..expected.len().max(seen.len()) {
        let why = match (expected.get(place), seen.get(place)) {
            (Some(wanted), Some(line)) if agree(wanted, line, tolerance) => continue,
            (Some(wanted), Some(line)) => format!("`{line}` instead of `{wanted}`"),
            (Some(wanted), None) => format!("`{wanted}` is missing"),
            (None, Some(line)) => format!("`{line}` is too much"),
            (None, None) => return None,
        };
        return Some(why);
    }
    None
}

fn agree(wanted: &str, line: &str, tolerance: f64) -> bool {
    if wanted == line {
        return true;
    }
    let (wanted, line) = (words(wanted), words(line));
    wanted.len() == line.len()
        && wanted.iter().zip(&line).all(|(wanted, word)| {
            wanted == word
                || match (wanted.parse::<f64>(), word.parse::<f64>()) {
                    (Ok(wanted), Ok(number)) => {
                        (wanted - number).abs() <= tolerance * wanted.abs().max(number.abs())
                    }
                    _ => false,
                }
        })
}

/// Words and numbers; marks that are neither stand alone.
fn words(line: &str) -> Vec<&str> {
    let is_of_word = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '+' | '_');
    let mut words = Vec::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let end = match is_of_word(first) {
            true => rest.find(|c| !is_of_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        if !first.is_whitespace() {
            words.push(&rest[..end]);
        }
        rest = &rest[end..];
    }
    words
}

/// The text with every number replaced: what two findings of one cause have in common.
pub(crate) fn without_numbers(text: &str) -> String {
    let mut plain = String::new();
    for c in text.chars() {
        match c {
            '0'..='9' if plain.ends_with('#') => {}
            '0'..='9' => plain.push('#'),
            '.' if plain.ends_with('#') => {}
            c => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_agree_within_the_tolerance_and_words_exactly() {
        let same = |a, b, tolerance| difference(a, b, Order::Exact, tolerance).is_none();
        assert!(same("residual 1.000e-3, done", "residual 1.001e-3, done", 0.01));
        assert!(!same("residual 1.000e-3, done", "residual 1.001e-3, done", 1e-6));
        assert!(!same("residual 1", "residuum 1", 0.5));
        assert!(same("a\nb\n", "a  \nb", 0.0));
        assert_eq!(difference("b\na", "a\nb", Order::Any, 0.0), None);
        assert!(difference("a\nb", "a\nb\na", Order::Any, 0.0).is_some());
        assert_eq!(difference("a\nb", "a\nb\na", Order::Set, 0.0), None);
    }

    #[test]
    fn the_first_difference_is_told() {
        let told = |a, b| difference(a, b, Order::Exact, 0.0).expect("they differ");
        assert_eq!(told("a\nsum 3", "a\nsum 4"), "`sum 4` instead of `sum 3`");
        assert_eq!(told("a\nb", "a"), "`b` is missing");
        assert_eq!(told("a", "a\nb"), "`b` is too much");
    }

    #[test]
    fn sentences_of_one_cause_are_equal_without_numbers() {
        assert_eq!(without_numbers("sum 4.25 at 17"), "sum # at #");
    }
}
