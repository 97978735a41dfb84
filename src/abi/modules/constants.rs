//! The constants of the Fortran modules: those of `mpif.h`, and their types in `mpi_f08`.

const MPIF: &str = include_str!("../../../include/mpif.h");

/// Sections of `mpif.h` that define handles.
const HANDLES: [(&str, &str); 13] = [
    ("! Operations", "MPI_Op"),
    ("! Communicators", "MPI_Comm"),
    ("! Recovery", "MPI_Comm"),
    ("! Groups", "MPI_Group"),
    ("! Windows", "MPI_Win"),
    ("! Files", "MPI_File"),
    ("! Sessions", "MPI_Session"),
    ("! Messages", "MPI_Message"),
    ("! Infos", "MPI_Info"),
    ("! Error handlers", "MPI_Errhandler"),
    ("! Requests", "MPI_Request"),
    ("! Datatypes", "MPI_Datatype"),
    ("! Types of default kinds", "MPI_Datatype"),
];

/// The lines of `mpif.h` from its kinds on, without its functions, which have interfaces.
fn lines() -> impl Iterator<Item = &'static str> {
    let start = MPIF.find("! If the compiler complains").expect("mpif.h opens so");
    let end = MPIF.find("! Functions that return").expect("the functions come last");
    let end_of_values = MPIF.find("! Functions that are passed").expect("and these after them");
    MPIF[start..end].lines().chain(MPIF[end_of_values..].lines())
}

/// The constants for `mpi`, unchanged.
pub(super) fn old() -> String {
    let mut text = String::new();
    for line in lines() {
        push(&mut text, line);
    }
    text
}

/// The constants for `mpi_f08`, where handles and statuses have types and functions have
/// interfaces.
pub(super) fn modern() -> String {
    let mut text = String::new();
    let mut handle = None;
    for line in lines().take_while(|line| !line.starts_with("! Functions that are passed")) {
        if line.starts_with('!') {
            let section = HANDLES.iter().find(|(title, _)| line.starts_with(title));
            // A title may have a second line.
            if section.is_some() || handle.is_none() || !line.starts_with("! REAL") {
                handle = section.map(|(_, handle)| *handle);
            }
        }
        push(&mut text, &modern_line(line, handle));
    }
    text
}

fn modern_line(line: &str, handle: Option<&str>) -> String {
    let is_own = line.contains(":: FTMPI_") && !line.contains("CHECK_RECOVER");
    if let Some(handle) = handle.filter(|_| !is_own)
        && let Some((name, value)) =
            line.split_once(":: ").and_then(|(_, rest)| rest.split_once('='))
    {
        return format!("      TYPE({handle}), PARAMETER :: {name}={handle}({value})");
    }
    match line.trim() {
        "INTEGER MPI_STATUS_IGNORE(MPI_STATUS_SIZE)" => {
            "      TYPE(MPI_Status) MPI_STATUS_IGNORE".to_string()
        }
        "INTEGER MPI_STATUSES_IGNORE(MPI_STATUS_SIZE,1)" => {
            "      TYPE(MPI_Status) MPI_STATUSES_IGNORE(1)".to_string()
        }
        "! What this form of Fortran support can do: buffers are contiguous" => {
            "! What this form of Fortran support can do".to_string()
        }
        _ => {
            let is_ability = line.contains(":: MPI_SUBARRAYS") || line.contains(":: MPI_ASYNC");
            if is_ability { line.replace(".FALSE.", ".TRUE.") } else { line.to_string() }
        }
    }
}

/// Adds a line of `mpif.h` with a module's indentation.
fn push(text: &mut String, line: &str) {
    let line = line.trim_start();
    text.push_str(&if line.is_empty() { "\n".to_string() } else { format!("  {line}\n") });
}
