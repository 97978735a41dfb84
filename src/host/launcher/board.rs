//! What a launcher offers: who this process is, and a notice board that all processes can reach.

/// A launcher, as one of its processes sees it.
pub trait Launcher {
    /// What it knows of this process.
    fn position(&mut self) -> Result<Position, String>;

    /// Publishes a word without white space.
    fn publish(&mut self, key: &str, word: &str) -> Result<(), String>;

    /// Waits until all processes have come here. What they have published is then known to all.
    fn fence(&mut self) -> Result<(), String>;

    /// What the process of this rank has published.
    fn find(&mut self, rank: usize, key: &str) -> Result<String, String>;

    /// What tells from another thread which ranks have published nothing by this name, if the
    /// launcher can say so: some of them, if they are many.
    fn absent(&self, _key: &str) -> Option<Absent> {
        None
    }

    /// Takes leave: the end of this process does not concern the launcher's protocol any more.
    fn part(&mut self);
}

/// Tells which ranks are absent.
pub type Absent = Box<dyn Fn() -> Vec<usize> + Send>;

/// Which of how many processes this is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    pub rank: usize,
    /// The host of each rank, by its number.
    pub hosts: Vec<usize>,
}

/// The number of each host, in the order in which ranks name them.
pub(super) fn numbered(names: Vec<String>) -> Vec<usize> {
    let mut known: Vec<String> = Vec::new();
    let number = |name: String| {
        known.iter().rposition(|one| *one == name).unwrap_or_else(|| {
            known.push(name);
            known.len() - 1
        })
    };
    names.into_iter().map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_numbered_as_they_come() {
        let names = ["b", "a", "b", "c", "a"].map(str::to_string).to_vec();
        assert_eq!(numbered(names), [0, 1, 0, 2, 1]);
    }
}
