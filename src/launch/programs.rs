//! The programs of a job, when there are several (MPI-5.0 §11.9.5): who runs what.
//!
//! Words of a command line are any bytes but null. In the job they are escaped, as in a URL.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// One program, and the ranks that run it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    pub ranks: usize,
    pub file: PathBuf,
    /// Its arguments, its own name first.
    pub arguments: Vec<OsString>,
    /// Where its ranks start, if not where the job does.
    pub directory: Option<PathBuf>,
    /// Variables that its ranks have besides those of the job: `NAME=VALUE`.
    pub variables: Vec<OsString>,
}

/// Which of several programs the rank in this seat runs, if they have so many ranks each; without
/// any, and beyond them, it is the first one.
pub fn number(ranks: impl Iterator<Item = usize>, seat: usize) -> usize {
    let mut end = 0;
    let mut ends = ranks.map(|ranks| {
        end += ranks;
        end
    });
    ends.position(|end| seat < end).unwrap_or(0)
}

impl Program {
    pub(crate) fn encode(&self) -> String {
        let mut words = vec![self.ranks.to_string(), escape(self.file.as_os_str())];
        let marked = |mark: &str, word: &OsStr| format!("{mark}{}", escape(word));
        words.extend(self.directory.iter().map(|it| marked("d", it.as_os_str())));
        words.extend(self.variables.iter().map(|it| marked("v", it)));
        words.extend(self.arguments.iter().map(|it| marked("a", it)));
        words.join(" ")
    }

    pub(crate) fn decode(text: &str) -> Option<Program> {
        let mut words = text.split(' ');
        let ranks = words.next()?.parse().ok()?;
        let file = plain(words.next()?)?.into();
        let mut program = Program { ranks, file, ..Program::default() };
        for word in words {
            let (mark, word) = word.split_at_checked(1)?;
            let word = plain(word)?;
            match mark {
                "d" => program.directory = Some(word.into()),
                "v" => program.variables.push(word),
                "a" => program.arguments.push(word),
                _ => return None,
            }
        }
        Some(program)
    }
}

fn escape(word: &OsStr) -> String {
    let mut text = String::new();
    for &byte in word.as_bytes() {
        match byte.is_ascii_graphic() && byte != b'%' {
            true => text.push(char::from(byte)),
            false => text.push_str(&format!("%{byte:02x}")),
        }
    }
    text
}

fn plain(text: &str) -> Option<OsString> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut parts = text.split('%');
    bytes.extend(parts.next()?.as_bytes());
    for part in parts {
        let (number, rest) = part.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(number, 16).ok()?);
        bytes.extend(rest.as_bytes());
    }
    Some(OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_run_programs_in_order() {
        let numbers = |ranks: &[usize]| {
            let of = |seat| number(ranks.iter().copied(), seat);
            (0..5).map(of).collect::<Vec<_>>()
        };
        assert_eq!(numbers(&[1, 3, 1]), [0, 1, 1, 1, 2]);
        assert_eq!(numbers(&[]), [0; 5]);
    }

    #[test]
    fn a_program_with_unusual_words_survives_the_job() {
        let words = ["./b", "", "two words", "100%", "line\nbreak", "größe", "--x=y"];
        let program = Program {
            ranks: 3,
            file: "/a b/c".into(),
            arguments: words.map(OsString::from).to_vec(),
            directory: Some("/tmp/%".into()),
            variables: vec!["A=1 2".into(), OsString::from_vec(vec![b'B', b'=', 0xff])],
        };
        assert_eq!(Program::decode(&program.encode()), Some(program));
        assert_eq!(Program::decode("3 /a xq"), None);
        assert_eq!(Program::decode("3 /a a%zz"), None);
    }
}
