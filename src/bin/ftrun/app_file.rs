//! App files: one program a line, with its options and arguments, as after `ftrun` itself.

use crate::shared::refusal::Refusal;
use std::ffi::{OsStr, OsString};

/// The words of each line of the file. Empty lines do not count, nor does what follows `#`.
pub(crate) fn read(file: &OsStr) -> Result<Vec<Vec<OsString>>, Refusal> {
    let shown = file.to_string_lossy();
    let text = std::fs::read_to_string(file)
        .map_err(|error| Refusal::usage(format!("cannot read --app {shown}: {error}")))?;
    let mut all = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let place = || format!("{shown}:{}", index + 1);
        let words = split(line).map_err(|why| Refusal::usage(format!("{}: {why}", place())))?;
        if !words.is_empty() {
            all.push(words);
        }
    }
    if all.is_empty() {
        return Err(Refusal::usage(format!("--app {shown} names no program")));
    }
    Ok(all)
}

/// Splits at blanks, as a shell does: quotes and backslashes keep words together.
fn split(line: &str) -> Result<Vec<OsString>, &'static str> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            ('#', None) if word.is_none() => break,
            ('\\', None | Some('"')) => match letters.next() {
                Some(next) => word.get_or_insert_default().push(next),
                None => return Err("the line ends with a backslash"),
            },
            (_, Some(end)) if letter == end => quote = None,
            ('"' | '\'', None) => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (_, None) if letter.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    if quote.is_some() {
        return Err("a quote is not closed");
    }
    words.extend(word);
    Ok(words.into_iter().map(OsString::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_split_as_a_shell_does() {
        let words = split(r#"-np 2 ./a "two words" 'a"b' x\ y a#b "" # the rest"#);
        let expected = ["-np", "2", "./a", "two words", "a\"b", "x y", "a#b", ""];
        assert_eq!(words, Ok(expected.map(OsString::from).to_vec()));
        assert_eq!(split("  # nothing"), Ok(Vec::new()));
        assert!(split("'a").is_err() && split("a\\").is_err());
    }
}
