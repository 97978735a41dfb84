//! The words of a command line: options with `--`, and the subjects before them.

use crate::output;
use std::fmt::Display;
use std::process::ExitCode;
use std::str::FromStr;

/// A whole program called `name`: shows its page of help, or prints what `run` makes of the command
/// line, or reports what is wrong with that. The exit status is 2 if the words are wrong, and 1 if
/// the result cannot be written.
pub fn program(
    name: &str, page: &str, run: impl FnOnce(Vec<String>) -> Result<String, String>,
) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.is_empty() || arguments.iter().any(|word| word == "--help" || word == "-h") {
        return written(name, page);
    }
    match run(arguments) {
        Ok(text) => written(name, &text),
        Err(why) => {
            output::remark(name, &why);
            ExitCode::from(2)
        }
    }
}

fn written(name: &str, text: &str) -> ExitCode {
    match output::print(text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            output::remark(name, &why);
            ExitCode::FAILURE
        }
    }
}

/// The words that have not been read yet.
pub struct Words {
    plain: Vec<String>,
    options: Vec<(String, Option<String>)>,
}

impl Words {
    /// Splits a command line; the options in `alone` have no value, all others take one, after a
    /// space or after `=`.
    pub fn split(words: impl Iterator<Item = String>, alone: &[&str]) -> Result<Words, String> {
        let mut split = Words { plain: Vec::new(), options: Vec::new() };
        let mut words = words;
        while let Some(word) = words.next() {
            let Some(option) = word.strip_prefix("--") else {
                split.plain.push(word);
                continue;
            };
            let (name, value) = match option.split_once('=') {
                Some((name, value)) => (name, Some(value.to_string())),
                None if alone.contains(&option) => (option, None),
                None => (option, words.next()),
            };
            if value.is_none() && !alone.contains(&name) {
                return Err(format!("--{name} wants a value"));
            }
            split.options.push((name.to_string(), value));
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
        self.options.retain(|(option, _)| option != name);
        self.options.len() < before
    }

    /// Whether an option has this value; then it counts as read.
    pub fn is(&mut self, name: &str, value: &str) -> bool {
        let last = self.options.iter().rfind(|(option, _)| option == name);
        let is_it = last.is_some_and(|(_, said)| said.as_deref() == Some(value));
        is_it && self.text(name).is_some()
    }

    /// The value of an option; the last one counts.
    pub fn text(&mut self, name: &str) -> Option<String> {
        self.all(name).pop()
    }

    /// All values of an option.
    pub fn all(&mut self, name: &str) -> Vec<String> {
        let is_it = |(option, _): &(String, Option<String>)| option == name;
        let values = self.options.iter().filter(|option| is_it(option));
        let values = values.filter_map(|(_, value)| value.clone()).collect();
        self.options.retain(|option| !is_it(option));
        values
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
                Err(format!("--{name} {given}: say more than 0, such as --{name} {such_as}"))
            }
            _ => Ok(given),
        }
    }

    /// Reports words that were not read.
    pub fn done(mut self) -> Result<(), String> {
        if let Some((name, _)) = self.options.first() {
            return Err(format!("there is no --{name} here: see --help"));
        }
        match self.word() {
            Some(word) => Err(format!("`{word}` is too much: see --help")),
            None => Ok(()),
        }
    }
}

/// Reads a number. Rejects infinity and NaN, though they can be parsed.
pub fn finite(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

fn number<T: FromStr>(name: &str, text: &str, such_as: &str) -> Result<T, String> {
    let plain = text.replace('_', "");
    let number = finite(&plain).and_then(|_| plain.parse().ok());
    number.ok_or_else(|| format!("--{name} {text}: say a number, such as --{name} {such_as}"))
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
        assert!(words.done().unwrap_err().contains("`x` is too much"));
        assert!(split("--nodes").err().unwrap().contains("--nodes wants a value"));
        assert!(split("--node 1").unwrap().done().unwrap_err().contains("no --node here"));
        let said = split("--nodes many").unwrap().number("nodes", 5).unwrap_err();
        assert_eq!(said, "--nodes many: say a number, such as --nodes 5");
        for text in ["nan", "inf", "-inf", "1e999"] {
            let said = split(&format!("--source {text}")).unwrap().number("source", 0.5);
            assert_eq!(said, Err(format!("--source {text}: say a number, such as --source 0.5")));
        }
        for text in ["0", "-3", "-0.0", "nan"] {
            let said = split(&format!("--mttf {text}")).unwrap().positive("mttf", 5.0);
            assert!(said.clone().unwrap_err().ends_with("such as --mttf 5"), "{said:?}");
        }
        assert_eq!(split("--mttf 3").unwrap().positive("mttf", 5.0), Ok(Some(3.0)));
        assert_eq!(split("").unwrap().positive("mttf", 5.0), Ok(None));
    }
}
