//! What spawned ranks run, by seat: for their first lives, and for those that replace them.

use super::seats::Other;
use ftmpi_fault::{Founding, Recipe};
use ftmpi_launch::Program;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

pub(crate) type Recipes = BTreeMap<usize, Spawned>;

/// What a rank runs that is spawned, as which rank of how many.
pub(crate) struct Spawned {
    recipe: Recipe,
    rank: usize,
    size: usize,
    /// The incarnation with which its world began.
    pub(crate) first: u32,
}

impl Spawned {
    /// What starts it, once `furnish` has given it the variables of the job, and those of so many
    /// ranks.
    pub(crate) fn other(&self, furnish: impl FnOnce(&mut Command, usize)) -> Other {
        let mut command = Command::new(word(&self.recipe.file));
        if let Some((name, words)) = self.recipe.words.split_first() {
            command.arg0(word(name)).args(words.iter().map(|it| word(it)));
        }
        if let Some(directory) = &self.recipe.directory {
            command.current_dir(word(directory));
        }
        furnish(&mut command, self.size);
        Other { command, rank: self.rank, first: self.first, program: self.program() }
    }

    /// What it runs, for a process in which the library runs ranks.
    fn program(&self) -> Program {
        Program {
            ranks: self.size,
            file: word(&self.recipe.file).into(),
            arguments: self.recipe.words.iter().map(|it| word(it).to_owned()).collect(),
            directory: self.recipe.directory.as_ref().map(|it| word(it).into()),
            variables: Vec::new(),
        }
    }
}

fn word(bytes: &[u8]) -> &OsStr {
    OsStr::from_bytes(bytes)
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
