//! What an agent starts for the ranks of its host.

use crate::processes::recipes::{self, Recipes};
use crate::processes::seats::Other;
use ftmpi_fault::Notice;
use ftmpi_launch::{SIZE_VARIABLES, number_of_program};
use ftmpi_wireup::hosts::{FOR_UCX, Program, Variable};
use ftmpi_wireup::takeover::Entry;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::Arc;

/// What spawned ranks run.
pub(super) struct Spawning {
    program: Arc<Program>,
    recipes: Recipes,
}

impl Spawning {
    pub(super) fn of(program: Arc<Program>) -> Spawning {
        Spawning { program, recipes: Recipes::new() }
    }

    /// All are told this: perhaps that a world is spawned.
    pub(super) fn hear(&mut self, entry: &Entry) {
        if let Entry::Notice(Notice::Founded(founding)) = entry {
            recipes::keep(&mut self.recipes, founding);
        }
    }

    /// What starts the rank in this seat, if it is spawned.
    pub(super) fn other(&self, seat: usize) -> Option<Other> {
        let spawned = self.recipes.get(&seat)?;
        Some(spawned.other(|command, ranks| {
            furnish(command, &self.program, &[]);
            SIZE_VARIABLES.iter().for_each(|name| _ = command.env(name, ranks.to_string()));
        }))
    }
}

/// What starts the rank in this seat.
pub(super) fn command(program: &Program, seat: usize) -> Command {
    let app = number_of_program(program.apps.iter().map(|app| app.ranks), seat);
    let app = &program.apps[app];
    let mut command = Command::new(word(&app.file));
    let mut words = app.arguments.iter().map(word);
    if let Some(name) = words.next() {
        command.arg0(name);
    }
    command.args(words);
    if let Some(directory) = &app.directory {
        command.current_dir(word(directory));
    }
    furnish(&mut command, program, &app.variables);
    command
}

fn word(bytes: impl AsRef<[u8]>) -> OsString {
    OsStr::from_bytes(bytes.as_ref()).to_os_string()
}

/// Gives a rank the variables of the job, and some of its own.
fn furnish(command: &mut Command, program: &Program, own: &[Variable]) {
    for (name, value) in program.variables.iter().chain(own) {
        match value {
            Some(value) => command.env(word(name), word(value)),
            None => command.env_remove(word(name)),
        };
    }
    for (name, value) in FOR_UCX {
        let is_set = |(known, value): &(Vec<u8>, Option<Vec<u8>>)| {
            known == name.as_bytes() && value.is_some()
        };
        if !program.variables.iter().any(is_set) {
            command.env(name, value);
        }
    }
}
