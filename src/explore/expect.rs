//! What is expected of every run, as the reference shows it.

use std::collections::BTreeMap;

/// What the output has to be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Expect {
    /// Anything: only the exit status counts.
    #[default]
    Status,
    /// That of the reference.
    Same,
    /// Its lines in any order.
    Sorted,
    /// Its lines in any order, each any number of times: a replacement may repeat some.
    Set,
    /// This text.
    Text(String),
    /// A command judges it, and says in its exit status.
    Command(String),
}

/// What a run must show.
#[derive(Clone, Debug)]
pub struct Expected {
    /// The exit statuses of success.
    pub statuses: Vec<i32>,
    pub expect: Expect,
    pub tolerance: f64,
    /// Only lines with this text count; all if it is empty.
    pub only: String,
    /// What the reference has written.
    pub output: String,
    /// What the ranks of the reference leave behind, by kind; `None`: leaks do not matter.
    pub leftovers: Option<BTreeMap<String, usize>>,
}
