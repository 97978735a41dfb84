//! Compiles small programs with the wrappers and runs them: a rank is killed, the others go on.

use super::finding::{Finding, State};
use crate::compiled::{Compiled, Source, complaint};

/// A language: its wrapper, the program, and how bad it is if it does not work.
struct Trial {
    subject: &'static str,
    source: Source,
    otherwise: State,
    cure: &'static str,
}

const TRIALS: [Trial; 2] = [
    Trial {
        subject: "C",
        source: Source { wrapper: "mpicc", file: "trial.c", text: include_str!("trial.c") },
        otherwise: State::Bad,
        cure: "install gcc and the headers of libc",
    },
    Trial {
        subject: "Fortran",
        source: Source { wrapper: "mpifort", file: "trial.f90", text: include_str!("trial.f90") },
        otherwise: State::Lacking,
        cure: "install gfortran to compile Fortran",
    },
];

/// What the programs print once a rank of four has died.
const SURVIVED: &str = "3 went on";

pub(super) fn findings() -> Vec<Finding> {
    TRIALS.iter().map(finding).collect()
}

fn finding(trial: &Trial) -> Finding {
    match attempt(trial) {
        Ok(()) => {
            let wrapper = trial.source.wrapper;
            let words = format!("{wrapper} works: 4 ranks ran, 1 was killed, 3 went on");
            Finding::new(State::Good, trial.subject, words)
        }
        Err(words) => Finding::new(trial.otherwise, trial.subject, words),
    }
}

fn attempt(trial: &Trial) -> Result<(), String> {
    let program = Compiled::new(&trial.source, &[]);
    let program = program.map_err(|why| format!("{why}; {}", trial.cure))?;
    let options = ["-np", "4", "--mode", "ulfm", "--timeout", "60", "--kill"];
    let output = program.run(&[&options[..], &["1@before:MPI_Barrier"]].concat(), &[])?;
    let survived = String::from_utf8_lossy(&output.stdout).contains(SURVIVED);
    match output.status.success() && survived {
        true => Ok(()),
        false => Err(format!("the program does not survive: {}", complaint(&output))),
    }
}
