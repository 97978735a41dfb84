//! Goes through a command line, word by word.

use std::ffi::OsString;

/// Reads words; `find` knows the options: what one does, and how many words follow it. One that may
/// have a value, only behind `=`, is listed twice, once with `=` at the end.
pub struct Reader<W, F> {
    words: W,
    dashes: Dashes,
    find: F,
}

/// How many dashes options have. A dash alone is always a plain word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dashes {
    OneOrTwo,
    /// Words with one dash are plain: they may be negative numbers, or meant for somebody else.
    Two,
}

/// What comes next on a command line.
#[derive(Debug, PartialEq, Eq)]
pub enum Item<D> {
    Option {
        /// As it was written, with its dashes.
        dashed: String,
        does: D,
        /// Those that follow it, or the one behind `=`.
        values: Vec<OsString>,
    },
    /// A word that is not an option.
    Word(OsString),
    /// `--`: what follows is not for this program.
    End,
}

/// What is wrong with an option.
#[derive(Debug, PartialEq, Eq)]
pub enum Complaint<D> {
    Unknown {
        dashed: String,
    },
    /// It has a value behind `=`, and takes none.
    TakesNone {
        dashed: String,
    },
    /// There are too few words behind it.
    Lacks {
        dashed: String,
        does: D,
    },
}

impl<W: Iterator<Item = OsString>, D, F: Fn(&str) -> Option<(D, usize)>> Reader<W, F> {
    pub fn new(words: W, dashes: Dashes, find: F) -> Reader<W, F> {
        Reader { words, dashes, find }
    }

    /// The next item; none at the end.
    pub fn item(&mut self) -> Result<Option<Item<D>>, Complaint<D>> {
        let Some(word) = self.words.next() else { return Ok(None) };
        let text = word.to_string_lossy().into_owned();
        if text == "--" {
            return Ok(Some(Item::End));
        }
        let one = text.strip_prefix('-').filter(|_| self.dashes == Dashes::OneOrTwo);
        let whole = text.strip_prefix("--").or(one).filter(|whole| !whole.is_empty());
        let Some(whole) = whole else { return Ok(Some(Item::Word(word))) };
        let dashes = text.len() - whole.len();
        let (name, given) = match whole.split_once('=') {
            Some((name, value)) => (name, Some(OsString::from(value))),
            None => (whole, None),
        };
        let dashed = text[..dashes + name.len()].to_string();
        let with_value = given.as_ref().and_then(|_| (self.find)(&format!("{name}=")));
        let Some((does, count)) = with_value.or_else(|| (self.find)(name)) else {
            return Err(Complaint::Unknown { dashed });
        };
        let mut values: Vec<OsString> = given.into_iter().collect();
        if values.len() > count {
            return Err(Complaint::TakesNone { dashed });
        }
        while values.len() < count {
            match self.words.next() {
                Some(value) => values.push(value),
                None => return Err(Complaint::Lacks { dashed, does }),
            }
        }
        Ok(Some(Item::Option { dashed, does, values }))
    }

    /// The next word, whatever it is.
    pub fn word(&mut self) -> Option<OsString> {
        self.words.next()
    }

    /// All that is left, whatever it is.
    pub fn rest(&mut self) -> Vec<OsString> {
        self.words.by_ref().collect()
    }
}

impl<D> Complaint<D> {
    /// The complaint in words; `known` are the names of options, among which a mistyped one may
    /// have a neighbour.
    pub fn words<'a>(&self, known: impl Iterator<Item = &'a str>) -> String {
        match self {
            Complaint::Unknown { dashed } => unknown(dashed, known),
            Complaint::TakesNone { dashed } => format!("{dashed} takes no value"),
            Complaint::Lacks { dashed, .. } => match near(dashed, known) {
                Some(near) => format!("{dashed} needs a value after it; did you mean {near}?"),
                None => format!("{dashed} needs a value after it"),
            },
        }
    }
}

/// The complaint about an option that is not among `known`.
pub(crate) fn unknown<'a>(dashed: &str, known: impl Iterator<Item = &'a str>) -> String {
    match near(dashed, known) {
        Some(near) => format!("there is no option {dashed}; did you mean {near}?"),
        None => format!("there is no option {dashed}; --help lists the options"),
    }
}

/// The option among `known` that `dashed` is a misspelling of, with as many dashes.
fn near<'a>(dashed: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let name = dashed.trim_start_matches('-');
    let near = crate::nearest(name, known).filter(|near| *near != name)?;
    Some(format!("{}{near}", &dashed[..dashed.len() - name.len()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(name: &str) -> Option<(char, usize)> {
        match name {
            "q" | "quiet" => Some(('q', 0)),
            "np" => Some(('n', 1)),
            "mca" => Some(('m', 2)),
            "more" => Some(('o', 0)),
            "more=" => Some(('o', 1)),
            _ => None,
        }
    }

    fn items(line: &str) -> Result<Vec<Item<char>>, Complaint<char>> {
        read(line, Dashes::OneOrTwo)
    }

    fn read(line: &str, dashes: Dashes) -> Result<Vec<Item<char>>, Complaint<char>> {
        let mut reader = Reader::new(line.split_whitespace().map(OsString::from), dashes, find);
        let mut items = Vec::new();
        while let Some(item) = reader.item()? {
            let is_end = item == Item::End;
            items.push(item);
            if is_end {
                items.extend(reader.rest().into_iter().map(Item::Word));
            }
        }
        Ok(items)
    }

    fn option(dashed: &str, does: char, values: &[&str]) -> Item<char> {
        let values = values.iter().map(OsString::from).collect();
        Item::Option { dashed: dashed.to_string(), does, values }
    }

    #[test]
    fn options_have_one_dash_or_two_and_values_behind_a_space_or_an_equals_sign() {
        let word = |word: &str| Item::Word(OsString::from(word));
        let read = items("-np 3 --np=4 --quiet ./x --mca a b -- -q").unwrap();
        let expected = [
            option("-np", 'n', &["3"]),
            option("--np", 'n', &["4"]),
            option("--quiet", 'q', &[]),
            word("./x"),
            option("--mca", 'm', &["a", "b"]),
            Item::End,
            word("-q"),
        ];
        assert_eq!(read, expected);
    }

    #[test]
    fn an_option_may_have_a_value_only_behind_an_equals_sign() {
        let word = Item::Word(OsString::from("3"));
        let expected = [option("--more", 'o', &["3"]), option("--more", 'o', &[]), word];
        assert_eq!(items("--more=3 --more 3").unwrap(), expected);
    }

    #[test]
    fn words_with_one_dash_are_plain_where_options_have_two() {
        let word = |word: &str| Item::Word(OsString::from(word));
        let expected = [word("-5"), word("-q"), option("--quiet", 'q', &[]), word("-")];
        assert_eq!(read("-5 -q --quiet -", Dashes::Two).unwrap(), expected);
        assert_eq!(items("-").unwrap(), [word("-")]);
    }

    #[test]
    fn what_is_wrong_with_an_option_is_told_by_its_name() {
        let words = |line| items(line).unwrap_err().words(["np", "quiet", "mca"].into_iter());
        assert_eq!(words("--quite"), "there is no option --quite; did you mean --quiet?");
        assert_eq!(
            words("-frobnicate=3"),
            "there is no option -frobnicate; --help lists the options"
        );
        assert_eq!(words("-q=1"), "-q takes no value");
        assert_eq!(words("--mca btl"), "--mca needs a value after it");
    }
}
