//! Names of signals.

/// The signal's name, as `kill -l` knows it.
pub fn signal_name(number: i32) -> String {
    match signal_abbreviation(number) {
        Some(name) => format!("SIG{name}"),
        None => format!("signal {number}"),
    }
}

/// Its name without the letters in front; `None` for what has no name.
pub fn signal_abbreviation(number: i32) -> Option<&'static str> {
    const NAMES: [&str; 32] = [
        "0", "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV",
        "USR2", "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU",
        "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
    ];
    NAMES.get(number as usize).copied()
}
