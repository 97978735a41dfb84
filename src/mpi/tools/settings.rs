//! The options of the job, as `ftrun` has passed them on. All ranks read the same.

use crate::engine::World;
use crate::launch::Job;
use std::sync::{Arc, OnceLock};

/// The job, once it is known; without `ftrun` it has its defaults.
#[derive(Default)]
pub struct Settings(OnceLock<Job>);

/// The job that `world` carries out.
pub fn keep(world: &World, job: &Job) {
    world.tenant::<Settings>().0.get_or_init(|| job.clone());
}

/// What is asked of the job.
pub(super) fn read<T>(world: &World, read: impl FnOnce(&Job) -> T) -> T {
    let settings: Arc<Settings> = world.tenant();
    read(settings.0.get_or_init(Job::default))
}
