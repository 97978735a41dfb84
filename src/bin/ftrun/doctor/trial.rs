//! Compiles small programs with the wrappers and runs them: a rank is killed, the others go on.
//! Programs in Python only say hello.

use super::finding::{Finding, State, first_line};
use crate::compiled::{Compiled, Source, complaint};
use crate::shared::place;
use std::process::{Command, Stdio};

/// A language: its wrapper, the program, and how bad it is if it does not work.
struct Trial {
    subject: &'static str,
    source: Source,
    flags: &'static [&'static str],
    /// What has to be there; empty: the wrapper finds it or says that it does not.
    compiler: &'static str,
    otherwise: State,
    cure: &'static str,
}

const TRIALS: [Trial; 3] = [
    Trial {
        subject: "C",
        source: Source { wrapper: "mpicc", file: "trial.c", text: include_str!("trial.c") },
        flags: &[],
        compiler: "",
        otherwise: State::Bad,
        cure: "install gcc and the headers of libc",
    },
    Trial {
        subject: "clang",
        source: Source { wrapper: "mpicc", file: "trial.c", text: include_str!("trial.c") },
        flags: &["-cc=clang"],
        compiler: "clang",
        otherwise: State::Lacking,
        cure: "install clang to compile with it (`mpicc -cc=clang`)",
    },
    Trial {
        subject: "Fortran",
        source: Source { wrapper: "mpifort", file: "trial.f90", text: include_str!("trial.f90") },
        flags: &[],
        compiler: "",
        otherwise: State::Lacking,
        cure: "install gfortran to compile Fortran",
    },
];

/// What the programs print once a rank of four has died.
const SURVIVED: &str = "3 went on";

/// A program in Python, and what it needs.
struct Script {
    subject: &'static str,
    /// Tells the version of what it needs.
    question: &'static str,
    text: &'static str,
    without: &'static str,
    cure: &'static str,
}

const SCRIPTS: [Script; 2] = [
    Script {
        subject: "python3",
        question: "import sys; print('Python', sys.version.split()[0])",
        text: include_str!("trial_ctypes.py"),
        without: "not found: install it to run programs in Python",
        cure: "see docs/PYTHON.md",
    },
    Script {
        subject: "mpi4py",
        question: "import importlib.metadata as m; print(m.version('mpi4py'))",
        text: include_str!("trial_mpi4py.py"),
        without: "not found: programs in Python need it; compile it with \
                  `MPICC=mpicc pip install --no-binary mpi4py mpi4py` (docs/PYTHON.md)",
        cure: "it may belong to another MPI: compile it again with \
               `MPICC=mpicc pip install --force-reinstall --no-binary mpi4py mpi4py`",
    },
];

/// What they print.
const HELLO: &str = "4 ranks say hello";

pub(super) fn findings() -> Vec<Finding> {
    TRIALS.iter().map(finding).chain(SCRIPTS.iter().map(spoken)).collect()
}

fn spoken(script: &Script) -> Finding {
    let Some(version) = first_line("python3", &["-c", script.question]) else {
        return Finding::new(State::Lacking, script.subject, script.without);
    };
    match say_hello(script) {
        Ok(()) => Finding::new(State::Good, script.subject, format!("{version} works: {HELLO}")),
        Err(why) => {
            let words = format!("{version} does not say hello: {why}; {}", script.cure);
            Finding::new(State::Lacking, script.subject, words)
        }
    }
}

fn say_hello(script: &Script) -> Result<(), String> {
    let launcher = place::own_directory().map_err(|refusal| refusal.sentence)?.join("ftrun");
    let mut job = Command::new(launcher);
    job.args(["-np", "4", "--quiet", "--timeout", "60", "python3", "-c", script.text]);
    let output = job.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    match output.status.success() && String::from_utf8_lossy(&output.stdout).contains(HELLO) {
        true => Ok(()),
        // An exception is told last.
        false => Err(last_complaint(&output.stderr).unwrap_or_else(|| complaint(&output))),
    }
}

/// The last line that Python, and not the end of the job, has written.
fn last_complaint(stderr: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(stderr);
    let line = text.lines().rfind(|line| line.contains("Error: ") && !line.starts_with("ftrun:"));
    line.map(|line| line.trim().to_string())
}

fn finding(trial: &Trial) -> Finding {
    let compiler = trial.compiler;
    if !compiler.is_empty() && first_line(compiler, &["--version"]).is_none() {
        return Finding::new(State::Lacking, trial.subject, format!("not found: {}", trial.cure));
    }
    match attempt(trial) {
        Ok(()) => {
            let words = [&[trial.source.wrapper], trial.flags].concat().join(" ");
            let words = format!("{words} works: 4 ranks ran, 1 was killed, 3 went on");
            Finding::new(State::Good, trial.subject, words)
        }
        Err(words) => Finding::new(trial.otherwise, trial.subject, words),
    }
}

fn attempt(trial: &Trial) -> Result<(), String> {
    let program = Compiled::new(&trial.source, trial.flags);
    let program = program.map_err(|why| format!("{why}; {}", trial.cure))?;
    let options = ["-np", "4", "--mode", "ulfm", "--timeout", "60", "--kill"];
    let output = program.run(&[&options[..], &["1@before:MPI_Barrier"]].concat(), &[])?;
    let survived = String::from_utf8_lossy(&output.stdout).contains(SURVIVED);
    match output.status.success() && survived {
        true => Ok(()),
        false => Err(format!("the program does not survive: {}", complaint(&output))),
    }
}
