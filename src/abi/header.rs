//! Test support: reads prototypes from `mpi.h`, `mpi-ext.h` and `ftck.h`.

const HEADERS: [&str; 3] = [
    include_str!("../../include/mpi.h"),
    include_str!("../../include/mpi-ext.h"),
    include_str!("../../include/ftck.h"),
];

fn lines() -> impl Iterator<Item = &'static str> {
    HEADERS.into_iter().flat_map(str::lines)
}

/// Fails unless `mpi.h` declares `name` and its twin with exactly these types.
pub(super) fn expect(returned: &str, name: &str, kinds: &[&str]) {
    for name in [name.to_string(), format!("P{name}")] {
        let (declared, params) = prototype(&name);
        assert_eq!(declared, returned, "{name}: what mpi.h says it returns, and what Rust does");
        let params: Vec<String> = params.iter().map(|param| type_of(param)).collect();
        assert_eq!(params, kinds, "{name}: mpi.h on the left, Rust on the right");
    }
}

/// The return type of `name` in `mpi.h`, and its parameters as written there.
pub(super) fn prototype(name: &str) -> (&'static str, Vec<&'static str>) {
    let opening = format!(" {name}(");
    let is_comment = |line: &str| line.starts_with('#') || line.starts_with(" *");
    let line = lines().find(|line| !is_comment(line) && line.contains(&opening));
    let line = line.unwrap_or_else(|| panic!("{name} is not in mpi.h"));
    let (returned, rest) = line.split_once(&opening).expect("the line holds the opening");
    let (params, _) = rest.rsplit_once(')').expect("a prototype has a closing bracket");
    let params = match params {
        "void" => Vec::new(),
        params => params.split(',').map(str::trim).collect(),
    };
    (returned, params)
}

/// The names of all declared functions.
pub(super) fn functions() -> Vec<&'static str> {
    let is_prototype = |line: &&str| line.ends_with(");") && !line.starts_with(['#', ' ']);
    let names = lines()
        .filter(is_prototype)
        .filter_map(|line| line.split_once('(')?.0.split([' ', '*']).next_back());
    names.filter(|name| name.starts_with("MPI_") || name.starts_with("MPIX_")).collect()
}

/// A parameter without its name: `const int counts[]` is a `const int[]`.
fn type_of(param: &str) -> String {
    let (named, brackets) = param.split_at(param.find('[').unwrap_or(param.len()));
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    format!("{}{brackets}", named.trim_end_matches(is_name).trim())
}
