//! The names of all MPI calls, as the headers of this library list them.

use std::sync::LazyLock;

/// The headers with which programs are compiled.
const HEADERS: [&str; 3] = [
    include_str!("../../../include/mpi.h"),
    include_str!("../../../include/mpi-ext.h"),
    include_str!("../../../include/ftck.h"),
];

/// The functions whose calls are counted: those that return an error code.
static CALLS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let lines = HEADERS.into_iter().flat_map(str::lines);
    let names = lines.filter_map(|line| line.strip_prefix("int ")?.split_once('('));
    names
        .map(|(name, _)| name.trim())
        .filter(|name| name.starts_with("MPI") || name.starts_with("FTCK"))
        .collect()
});

pub(crate) fn is_known(name: &str) -> bool {
    CALLS.contains(&name)
}

/// The call nearest to a mistyped name, if one is near.
pub(crate) fn nearest(name: &str) -> Option<&'static str> {
    let same = CALLS.iter().copied().find(|call| call.eq_ignore_ascii_case(name));
    same.or_else(|| ftmpi_cli::nearest(name, CALLS.iter().copied()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_known_by_the_names_of_the_standard() {
        for name in ["MPI_Init", "MPI_Send", "MPI_Send_c", "MPIX_Comm_agree", "FTCK_Restore"] {
            assert!(is_known(name), "{name}");
        }
        for name in ["MPI_Wtime", "PMPI_Send", "MPI_COMM_WORLD", "MPI_send"] {
            assert!(!is_known(name), "{name}");
        }
        assert_eq!(nearest("MPI_send"), Some("MPI_Send"));
        assert_eq!(nearest("MPI_Alreduce"), Some("MPI_Allreduce"));
        assert_eq!(nearest("MPI_Xyzzy"), None);
    }
}
