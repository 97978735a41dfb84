//! A command that is to be spawned, and its info keys (MPI-5.0 §11.8.4): `host`, `arch`, `wdir`,
//! `path`, `file`, `soft` and `mpi_initial_errhandler`. Other keys have no effect.

use crate::engine::shared::rules::InitialErrhandler;
use crate::mpi::env;
use crate::mpi::error::{Class, Result};
use crate::mpi::handle_table::Held;
use crate::mpi::info::Info;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// One program to start.
pub struct Command {
    pub name: Vec<u8>,
    pub arguments: Vec<Vec<u8>>,
    pub most: i32,
    pub info: Option<Held<Info>>,
}

/// What its info says.
pub(super) struct Hints {
    /// Where the ranks start, and where else the program is looked for.
    pub(super) directory: Option<Vec<u8>>,
    pub(super) path: Option<Vec<u8>>,
    /// The numbers of ranks that will do, in ascending order.
    pub(super) counts: Vec<usize>,
    /// What hears of errors at first.
    pub(super) errhandler: Option<InitialErrhandler>,
}

impl Hints {
    /// Those of `command`. Fails if this machine is not meant.
    pub(super) fn of(command: &Command) -> Result<Hints> {
        let given = |key: &str| {
            let value = command.info.as_ref().map(|info| info.value(key.as_bytes())).transpose();
            value.map(Option::flatten)
        };
        // What is said in the info itself counts more.
        let more = given("file")?.map_or(Ok(BTreeMap::new()), |file| read(&file))?;
        let value = |key: &str| -> Result<Option<Vec<u8>>> {
            Ok(given(key)?.or_else(|| more.get(key.as_bytes()).cloned()))
        };
        if let Some(host) = value("host")?
            && !env::is_here(&host)
        {
            return Err(Class::SPAWN.because(format!("host {} is not this one", shown(&host))));
        }
        if let Some(arch) = value("arch")?
            && arch != std::env::consts::ARCH.as_bytes()
        {
            let (arch, own) = (shown(&arch), std::env::consts::ARCH);
            return Err(Class::SPAWN.because(format!("arch is {arch}, and this host is {own}")));
        }
        let errhandler = value("mpi_initial_errhandler")?.map(|name| {
            InitialErrhandler::named(&shown(&name)).ok_or_else(|| {
                let (name, choices) = (shown(&name), InitialErrhandler::choices());
                Class::ARG.because(format!("mpi_initial_errhandler is {name}: one of {choices}"))
            })
        });
        Ok(Hints {
            directory: value("wdir")?,
            path: value("path")?,
            counts: counts(command.most, value("soft")?)?,
            errhandler: errhandler.transpose()?,
        })
    }
}

fn shown(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

/// More keys, in a file: `key = value`, one a line; what follows a `#` is a comment.
fn read(file: &[u8]) -> Result<BTreeMap<Vec<u8>, Vec<u8>>> {
    let no = |why: String| Class::SPAWN.because(format!("the info's file {}: {why}", shown(file)));
    let text = std::fs::read_to_string(Path::new(OsStr::from_bytes(file)));
    let text = text.map_err(|error| no(error.to_string()))?;
    parse(&text).map_err(|line| no(format!("`{line}` is not `key = value`")))
}

fn parse(text: &str) -> std::result::Result<BTreeMap<Vec<u8>, Vec<u8>>, String> {
    let mut pairs = BTreeMap::new();
    for line in text.lines() {
        let line = line.split_once('#').map_or(line, |(line, _)| line).trim();
        if line.is_empty() {
            continue;
        }
        let (key, value) = line.split_once('=').ok_or_else(|| line.to_string())?;
        pairs.insert(key.trim().as_bytes().to_vec(), value.trim().as_bytes().to_vec());
    }
    Ok(pairs)
}

/// The numbers of `soft` up to `most`; or `most` alone.
fn counts(most: i32, soft: Option<Vec<u8>>) -> Result<Vec<usize>> {
    let most =
        usize::try_from(most).map_err(|_| Class::ARG.because(format!("maxprocs is {most}")))?;
    let Some(soft) = soft else { return Ok(vec![most]) };
    let text = shown(&soft);
    let counts = numbers(&text).ok_or_else(|| {
        let words = format!("soft is `{text}`; it lists numbers or first:last:step");
        Class::ARG.because(words)
    })?;
    Ok(counts.into_iter().filter(|count| *count <= most).collect())
}

fn numbers(text: &str) -> Option<BTreeSet<usize>> {
    let number = |part: &str| part.trim().parse::<i64>().ok();
    let mut all = BTreeSet::new();
    for part in text.split(',') {
        let numbers: Option<Vec<i64>> = part.split(':').map(number).collect();
        let (first, last, step) = match numbers.as_deref() {
            Some([only]) => (*only, *only, 1),
            Some([first, last]) => (*first, *last, 1),
            Some([first, last, step]) if *step != 0 => (*first, *last, *step),
            _ => return None,
        };
        // As many as a job may ever have, whatever is written.
        let count = ((last.saturating_sub(first)) / step).clamp(-1, i64::from(i32::MAX)) + 1;
        let within = (0..count).map(|index| first + index * step);
        all.extend(within.filter_map(|it| usize::try_from(it).ok()));
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn soft_lists_numbers_and_ranges() {
        let listed = |text| numbers(text).map(|all| all.into_iter().collect::<Vec<_>>());
        assert_eq!(listed("4,1"), Some(vec![1, 4]));
        assert_eq!(listed("0:8:4, 5:6"), Some(vec![0, 4, 5, 6, 8]));
        assert_eq!(listed("6:2:-2"), Some(vec![2, 4, 6]));
        assert_eq!(listed("3:1"), Some(vec![]));
        assert!(listed("1:2:0").is_none() && listed("few").is_none());
    }

    #[test]
    fn a_file_has_a_key_and_a_value_a_line() {
        let pairs = parse("# where\nwdir = /tmp\n\nsoft=1:3 # few\n").expect("it is well formed");
        assert_eq!(pairs.get(&b"wdir"[..]), Some(&b"/tmp".to_vec()));
        assert_eq!(pairs.get(&b"soft"[..]), Some(&b"1:3".to_vec()));
        assert_eq!(parse("wdir /tmp"), Err("wdir /tmp".to_string()));
    }
}
