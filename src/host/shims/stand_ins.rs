//! The table of all shims.

use super::{
    Entry, alloc, backtraces, dl, environ, files, formats, getopt, jumps, keys, messages, openmp,
    processes, random, replayed, settling, stdio, strings, tables, tag, time, variadic,
};
use crate::host::{life, replay, signals};
use crate::launch::Job;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

/// Reads from the job what this room must know, before the first rank lives.
pub(in crate::host) fn prepare(job: &Job) {
    tag::TAG_OUTPUT.store(job.tag_output, Ordering::Relaxed);
    environ::prepare();
    dl::find_stand_ins_by(function);
    jumps::watch();
}

/// The function that private images call under the name of libc's `name`.
pub(in crate::host) fn function(name: &str) -> Option<*const ()> {
    struct Table(Vec<Entry>);
    // SAFETY: the table holds addresses of functions, which are never written to.
    unsafe impl Send for Table {}
    // SAFETY: as above.
    unsafe impl Sync for Table {}
    static TABLE: OnceLock<Table> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        variadic::connect();
        Table(entries())
    });
    if let Some((_, own)) = replayed::TABLE.iter().find(|entry| entry.0 == name) {
        return replay::is_wanted().then_some(*own);
    }
    let index = table.0.binary_search_by_key(&name, |entry| entry.0).ok()?;
    Some(table.0[index].1)
}

/// What the files of this room and its neighbours stand in for, in the order of the names.
fn entries() -> Vec<Entry> {
    let rooms = [
        alloc::TABLE,
        backtraces::TABLE,
        dl::TABLE,
        environ::TABLE,
        files::TABLE,
        formats::TABLE,
        getopt::TABLE,
        jumps::TABLE,
        keys::TABLE,
        messages::TABLE,
        openmp::TABLE,
        processes::TABLE,
        random::TABLE,
        settling::TABLE,
        stdio::TABLE,
        strings::TABLE,
        tables::TABLE,
        time::TABLE,
        variadic::TABLE,
    ];
    let others = signals::tables().chain([life::EXIT_SHIMS, life::EXITS_SHIMS]);
    let mut entries = rooms.into_iter().chain(others).flatten().copied().collect::<Vec<_>>();
    entries.sort_unstable_by_key(|entry| entry.0);
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_once() {
        assert!(function("malloc").is_some());
        assert!(function("printf").is_some());
        assert!(function("getopt_long").is_some());
        assert_eq!(function("memcpy"), None);
        assert_eq!(function(""), None);
        let all = entries();
        let twice = all.windows(2).find(|pair| pair[0].0 == pair[1].0);
        assert_eq!(twice, None);
    }
}
