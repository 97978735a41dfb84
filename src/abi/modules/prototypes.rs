//! Reads the names of parameters from prototypes of `mpi.h`.

/// The name of a parameter: `counts` for `const int counts[]`.
pub(super) fn name_of(param: &str) -> &str {
    let named = param.split('[').next().unwrap_or(param);
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let start = named.rfind(|c| !is_name(c)).map_or(0, |last| last + 1);
    &named[start..]
}
