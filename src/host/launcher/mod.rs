//! Another launcher that has started this process as one of several: it knows which of them this
//! is, and passes on what they publish, as a notice board does that all can reach. `mpiexec.hydra`
//! and Slurm's `pmi2` speak PMI-1 ([`pmi`]), `prterun` and Slurm's `pmix` are reached by PMIx
//! ([`pmix`]).

mod apart;
mod pmi;
mod pmix;
mod symbols;

pub use apart::{ftrun, start_apart};

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

/// The launcher that has started this process together with others, if there is one: or why it
/// cannot be asked.
pub fn found() -> Option<Result<Box<dyn Launcher>, String>> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    if let Some(way) = pmi::Way::of(variable) {
        return Some(pmi::Pmi::open(way).map(|it| Box::new(it) as Box<dyn Launcher>));
    }
    if variable("PMIX_NAMESPACE").is_some() && variable("PMIX_RANK").is_some() {
        return Some(pmix::Pmix::open().map(|it| Box::new(it) as Box<dyn Launcher>));
    }
    None
}
