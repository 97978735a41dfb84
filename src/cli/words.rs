//! A command line whose options are asked for by name, wherever they stand.

use crate::numbers::finite;
use crate::reader::{self, Complaint, Dashes, Item, Reader};
use std::ffi::OsString;
use std::fmt::Display;
use std::str::FromStr;

/// The words that have not been read yet.
pub struct Words {
    plain: Vec<String>,
    options: Vec<Given>,
    /// The options that were asked for: others do not exist here.
    known: Vec<String>,
}

/// An option, and its value if it takes one.
struct Given {
    name: String,
    value: Option<String>,
}

impl Words {
    /// Splits a command line; the options in `alone` have no value, all others take one.
    pub fn split(words: impl Iterator<Item = String>, alone: &[&str]) -> Result<Words, String> {
        let known = alone.iter().map(ToString::to_string).collect();
        let mut split = Words { plain: Vec::new(), options: Vec::new(), known };
        let values = |name: &str| Some(((), usize::from(!alone.contains(&name))));
        let mut reader = Reader::new(words.map(OsString::from), Dashes::Two, values);
        let complaint = |complaint: Complaint<()>| complaint.words(alone.iter().copied());
        while let Some(item) = reader.item().map_err(complaint)? {
            match item {
                Item::Word(word) => split.plain.push(text(word)),
                Item::End => split.plain.extend(reader.rest().into_iter().map(text)),
                Item::Option { dashed, values, .. } => split.options.push(Given {
                    name: dashed.trim_start_matches('-').to_string(),
                    value: values.into_iter().next().map(text),
                }),
            }
        }
        Ok(split)
    }

    /// The next word that is not an option.
    pub fn word(&mut self) -> Option<String> {
        (!self.plain.is_empty()).then(|| self.plain.remove(0))
    }

    /// Whether an option without a value was given.
    pub fn has(&mut self, name: &str) -> bool {
        let before = self.options.len();
        self.options.retain(|option| option.name != name);
        self.options.len() < before
    }

    /// Whether an option has this value; then it counts as read.
    pub fn is(&mut self, name: &str, value: &str) -> bool {
        let last = self.options.iter().rfind(|option| option.name == name);
        let is_it = last.is_some_and(|option| option.value.as_deref() == Some(value));
        is_it && self.text(name).is_some()
    }

    /// The value of an option; the last one counts.
    pub fn text(&mut self, name: &str) -> Option<String> {
        self.all(name).pop()
    }

    /// All values of an option.
    pub fn all(&mut self, name: &str) -> Vec<String> {
        if !self.known.iter().any(|known| known == name) {
            self.known.push(name.to_string());
        }
        let taken = self.options.extract_if(.., |option| option.name == name);
        taken.filter_map(|option| option.value).collect()
    }

    /// The number that an option gives.
    pub fn number<T: FromStr + Display>(&mut self, name: &str, usual: T) -> Result<T, String> {
        match self.text(name) {
            None => Ok(usual),
            Some(text) => number(name, &text, &usual.to_string()),
        }
    }

    /// The number that an option gives, if it is present.
    pub fn given<T: FromStr + Display>(
        &mut self, name: &str, such_as: T,
    ) -> Result<Option<T>, String> {
        self.text(name).map(|text| number(name, &text, &such_as.to_string())).transpose()
    }

    /// The number that an option gives, if it is present: more than 0.
    pub fn positive(&mut self, name: &str, such_as: f64) -> Result<Option<f64>, String> {
        let given = self.given(name, such_as)?;
        match given {
            Some(given) if given <= 0.0 => {
                Err(format!("--{name} {given}: use more than 0, such as --{name} {such_as}"))
            }
            _ => Ok(given),
        }
    }

    /// Reports words that were not read.
    pub fn done(mut self) -> Result<(), String> {
        if let Some(option) = self.options.first() {
            let known = self.known.iter().map(String::as_str);
            return Err(reader::unknown(&format!("--{}", option.name), known));
        }
        match self.word() {
            Some(word) => Err(format!("unexpected `{word}`; --help shows what is expected")),
            None => Ok(()),
        }
    }
}

fn text(word: OsString) -> String {
    word.to_string_lossy().into_owned()
}

fn number<T: FromStr>(name: &str, text: &str, such_as: &str) -> Result<T, String> {
    let plain = text.replace('_', "");
    let number = finite(&plain).and_then(|_| plain.parse().ok());
    number.ok_or_else(|| format!("--{name} {text}: use a number, such as --{name} {such_as}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str) -> Result<Words, String> {
        Words::split(line.split_whitespace().map(str::to_string), &["json"])
    }

    #[test]
    fn options_may_be_anywhere_and_all_must_be_known() {
        let mut words = split("max --nodes 1_000 --json --kill=5% --kill 3 x").unwrap();
        assert_eq!(words.word().as_deref(), Some("max"));
        assert!(words.has("json") && !words.has("json"));
        assert_eq!(words.number("nodes", 5), Ok(1000));
        assert_eq!(words.number("seed", 7), Ok(7));
        assert_eq!(words.all("kill"), vec!["5%", "3"]);
        assert!(words.done().unwrap_err().contains("unexpected `x`"));
        assert!(split("--nodes").err().unwrap().contains("--nodes needs a value"));
        let mut asked = split("--node 1").unwrap();
        assert_eq!(asked.number("nodes", 7), Ok(7));
        let said = asked.done().unwrap_err();
        assert_eq!(said, "there is no option --node; did you mean --nodes?");
        let said = split("--nodes many").unwrap().number("nodes", 5).unwrap_err();
        assert_eq!(said, "--nodes many: use a number, such as --nodes 5");
        for text in ["nan", "inf", "-inf", "1e999"] {
            let said = split(&format!("--source {text}")).unwrap().number("source", 0.5);
            assert_eq!(said, Err(format!("--source {text}: use a number, such as --source 0.5")));
        }
        for text in ["0", "-3", "-0.0", "nan"] {
            let said = split(&format!("--mttf {text}")).unwrap().positive("mttf", 5.0);
            assert!(said.clone().unwrap_err().ends_with("such as --mttf 5"), "{said:?}");
        }
        let mut passed_on = split("run ./app.so -5 -v - -- --json").unwrap();
        let words: Vec<String> = std::iter::from_fn(|| passed_on.word()).collect();
        assert_eq!(words, ["run", "./app.so", "-5", "-v", "-", "--json"]);
        assert_eq!(split("--mttf 3").unwrap().positive("mttf", 5.0), Ok(Some(3.0)));
        assert_eq!(split("").unwrap().positive("mttf", 5.0), Ok(None));
    }
}
