//! In which order a rank has made its communicators, in this generation of the world and in the one
//! before (see `lineage`).

/// The contexts of the communicators that were made in this generation of the world, in order, as
/// far as they are known; and of those that they take the places of.
#[derive(Default)]
pub struct Lineage {
    pub(super) made: Vec<Option<u32>>,
    pub(super) before: Vec<Option<u32>>,
}

impl Lineage {
    /// A generation is over. What was not made again in it may be in the next.
    pub(in crate::mpi) fn turn_over(&mut self) {
        let made = std::mem::take(&mut self.made);
        self.before.resize(self.before.len().max(made.len()), None);
        for (before, made) in self.before.iter_mut().zip(made) {
            *before = made.or(*before);
        }
    }
}
