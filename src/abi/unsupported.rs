//! Calls that are not implemented yet: each fails with MPI_ERR_UNSUPPORTED_OPERATION.
//!
//! A line gives the call, its Fortran form if it has one, and its parameters. `_` stands for each
//! parameter but the communicator whose error handler is called. This list may only get shorter.

unsupported!(
    /// Errors are raised on the communicator.
    Comm:
);

/// The listed calls that have a Fortran form.
#[cfg(test)]
pub(super) fn in_fortran() -> Vec<&'static str> {
    let text = include_str!("unsupported.rs");
    let calls = text.lines().map(str::trim).filter(|line| line.starts_with("MPI_"));
    let calls = calls.filter(|line| !line.contains(" [] "));
    calls.filter_map(|line| line.split_whitespace().next()).collect()
}

#[cfg(test)]
mod tests {
    use crate::abi::header;

    /// The number of refused calls when this list last became shorter.
    const REFUSED: usize = 2;

    #[test]
    fn every_refused_call_is_in_the_header_and_the_list_gets_shorter() {
        let all = super::Comm;
        for (name, args) in all {
            let (_, params) = header::prototype(name);
            assert_eq!(params.len(), args.len(), "{name}: parameters");
            let comm = args.iter().position(|arg| *arg == "comm");
            let takes_comm = comm.map(|index| params[index].starts_with("MPI_Comm "));
            assert_ne!(takes_comm, Some(false), "{name}: where its communicator is");
            println!("refused: {name}");
        }
        println!("{} calls are refused", all.len());
        assert_eq!(all.len(), REFUSED, "what is built leaves the list, and the number follows");
    }
}
