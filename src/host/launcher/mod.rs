//! Another launcher that has started this process as one of several: it knows which of them this
//! is, and passes on what they publish, as a notice board does that all can reach. `mpiexec.hydra`
//! and Slurm's `pmi2` speak PMI-1 ([`pmi`]), `prterun` and Slurm's `pmix` are reached by PMIx
//! ([`pmix`]).

mod apart;
mod board;
mod pmi;
mod pmix;
mod symbols;

pub use apart::{ftrun, start_apart};
pub use board::{Absent, Launcher, Position};

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
