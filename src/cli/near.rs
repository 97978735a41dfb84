//! What a mistyped word may have been meant to be.

/// The known name that is nearest to `name`, if one is near.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let measured =
        known.filter(|known| known.len() > 1).map(|known| (distance(name, known), known));
    let (steps, known) = measured.min_by_key(|(steps, _)| *steps)?;
    (steps <= 1 + name.len() / 4).then_some(known)
}

/// The number of letters to change to get from one word to the other.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_name_finds_its_neighbour() {
        let near = |name| nearest(name, ["np", "oversubscribe", "explain"].into_iter());
        assert_eq!(near("oversubscibe"), Some("oversubscribe"));
        assert_eq!(near("explian"), Some("explain"));
        assert_eq!(near("nnp"), Some("np"));
        assert_eq!(near("frobnicate"), None);
    }
}
