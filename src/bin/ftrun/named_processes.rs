//! What `--ranks` and `FTMPI_RANKS` say of processes.

use std::ffi::OsStr;

/// What `process` or `process:3` asks for: so many processes, or one for each rank.
pub(crate) fn named(value: &OsStr) -> Option<Option<usize>> {
    let count = value.to_str()?.strip_prefix("process")?;
    match count.strip_prefix(':') {
        Some(count) => count.parse().ok().filter(|count| *count > 0).map(Some),
        None => count.is_empty().then_some(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_processes_follows_a_colon() {
        let named = |text: &str| named(OsStr::new(text));
        assert_eq!([named("process"), named("process:3")], [Some(None), Some(Some(3))]);
        for other in ["", "proc", "processes", "process:", "process:0", "process:x", "thread"] {
            assert_eq!(named(other), None, "{other}");
        }
    }
}
