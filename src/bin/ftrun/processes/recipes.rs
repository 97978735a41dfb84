//! What spawned ranks run, by seat: for their first lives, and for those that replace them.

use ftmpi_fault::{Founding, Recipe};
use std::collections::BTreeMap;

pub(crate) type Recipes = BTreeMap<usize, Spawned>;

/// What a rank runs that is spawned, as which rank of how many.
pub(crate) struct Spawned {
    pub(crate) recipe: Recipe,
    pub(crate) rank: usize,
    pub(crate) size: usize,
    /// The incarnation with which its world began.
    pub(crate) first: u32,
}

/// Keeps what the ranks of a world run that is spawned.
pub(crate) fn keep(recipes: &mut Recipes, founding: &Founding) {
    let (size, first) = (founding.seats.len(), founding.first);
    let of_ranks = founding.members().zip(founding.appnums()).enumerate();
    recipes.extend(of_ranks.map(|(rank, (member, appnum))| {
        let recipe = founding.recipes[appnum].clone();
        (member.seat, Spawned { recipe, rank, size, first })
    }));
}
