//! Python programs: each rank has an interpreter of its own, in one process.
//!
//! They need no mpi4py here; `./test-programs.sh mpi4py` runs its tests.

use std::path::{Path, PathBuf};
use support::{Outcome, Run};

fn script() -> PathBuf {
    support::root().join("tests/programs/ranks.py")
}

/// The interpreters of this machine: the usual one, and Debian's, of which ranks cannot have
/// copies.
fn interpreters() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|place| place.join("python3"));
    let mut found: Vec<PathBuf> = on_path.filter(|file| file.is_file()).take(1).collect();
    found.extend([PathBuf::from("/usr/bin/python3")].into_iter().filter(|file| file.is_file()));
    found.dedup();
    if found.is_empty() {
        eprintln!("not tested: there is no python3 here (Debian: apt-get install python3)");
    }
    found
}

/// Ranks of the script, or `None` where the interpreter is refused with what has to be installed.
fn ranks(interpreter: &Path, count: usize) -> Option<Run> {
    let probe = support::launch(interpreter).ranks(1).args(["-c", "pass"]).outcome();
    if probe.status == Some(126) {
        assert!(probe.stderr.contains("apt-get install libpython3"), "{probe}");
        eprintln!("not tested: {}", probe.stderr.trim());
        return None;
    }
    assert_eq!(probe.status, Some(0), "{probe}");
    Some(support::launch(interpreter).ranks(count).args([script()]))
}

/// The lines of all ranks; those with a number in `again` are replacements.
fn lines(seen: &Outcome, size: usize, more: &str, again: &[usize]) {
    for rank in 0..size {
        let code = if again.contains(&rank) { 2001 } else { 0 };
        let start = format!("rank {rank} of {size}: ranks.py {more} ");
        let line = seen.stdout.lines().find(|line| line.starts_with(&start));
        assert!(line.is_some_and(|line| line.ends_with(&format!(" {code}"))), "{start}: {seen}");
    }
}

#[test]
fn ranks_of_python_have_modules_and_threads_of_their_own() {
    for interpreter in interpreters() {
        for form in ["thread", "fiber"] {
            let Some(run) = ranks(&interpreter, 6) else { continue };
            let seen = run.env("FTMPI_RANKS", form).args(["a b", "c"]).succeeds();
            lines(&seen, 6, "['a b', 'c']", &[]);
        }
    }
}

#[test]
fn a_rank_of_python_that_dies_is_started_again() {
    for interpreter in interpreters() {
        for form in ["thread", "fiber"] {
            let Some(run) = ranks(&interpreter, 4) else { continue };
            let run = run.env("FTMPI_RANKS", form).args(["2"]);
            lines(&run.option("--mode").option("rebuild").succeeds(), 4, "['2']", &[2]);
        }
    }
}

#[test]
fn a_rank_of_python_may_die_while_it_waits_for_its_interpreters_lock() {
    let held = support::c("tests/programs/held.c").library("held");
    let script = support::root().join("tests/programs/interpreter_lock.py");
    for interpreter in interpreters().iter().filter(|it| ranks(it, 1).is_some()) {
        for (form, more) in [("thread", ""), ("fiber", ""), ("fiber", "call"), ("fiber", "sleep")] {
            let sign = support::fresh_directory("python_lock").join("waits");
            let words = [script.as_os_str(), held.path().as_os_str(), sign.as_os_str()];
            let run = support::launch(interpreter).ranks(3).env("FTMPI_RANKS", form);
            // In a traced call the library asks the interpreter for the line.
            let run = run.option("--mode").option("rebuild").option("--trace").option("/dev/null");
            let seen = run.args(words).args([more]).succeeds();
            assert_eq!(seen.sorted_lines(), ["rank 0: 3", "rank 1: 3", "rank 2: 3"], "{more}");
        }
    }
}

#[test]
fn exceptions_and_statuses_of_python_are_those_of_its_rank() {
    for interpreter in interpreters() {
        let Some(run) = ranks(&interpreter, 2) else { continue };
        run.clone().args(["exit"]).fails_with(3);
        let seen = run.args(["raise"]).fails_with(1);
        assert!(seen.stderr.contains("ValueError: on purpose"), "{seen}");
    }
}

#[test]
fn a_script_runs_by_the_interpreter_in_its_first_line() {
    if interpreters().first().and_then(|first| ranks(first, 1)).is_none() {
        return;
    }
    let place = support::fresh_directory("python_script").join("ranks.py");
    std::fs::copy(script(), &place).unwrap();
    support::command("chmod").args(["+x"]).args([&place]).succeeds();
    lines(&support::launch(&place).ranks(3).args(["x"]).succeeds(), 3, "['x']", &[]);
    // Not Python: no interpreter of which ranks can have copies.
    std::fs::write(&place, "#!/bin/sh\necho yes\n").unwrap();
    let seen = support::launch(&place).ranks(3).succeeds();
    assert_eq!(seen.stdout, "yes\nyes\nyes\n", "{seen}");
}

#[test]
fn a_script_may_spawn_itself_by_its_name() {
    let spawn = support::root().join("tests/programs/spawn.py");
    for interpreter in interpreters().iter().filter(|it| ranks(it, 1).is_some()) {
        // The script's first line finds the interpreter that runs this job.
        let path =
            std::env::join_paths([interpreter.parent().unwrap(), Path::new("/bin")]).unwrap();
        let run = support::launch(&spawn).ranks(1).option("--universe").option("3");
        let seen = run.env("PATH", path).succeeds();
        assert_eq!(
            seen.sorted_lines(),
            ["['a child'] meets 1", "['a child'] meets 1", "[] meets 2"]
        );
    }
}

#[test]
fn python_finds_the_module_of_this_library_whatever_starts_it() {
    if interpreters().is_empty() {
        return;
    }
    // What it needs of mpi4py.
    let modules = support::fresh_directory("python_modules");
    std::fs::create_dir(modules.join("mpi4py")).expect("a directory of its own");
    let text = "class rc: pass\n";
    std::fs::write(modules.join("mpi4py/__init__.py"), text).expect("there is room");
    const TRY: &str = "import ftmpi; print(ftmpi.is_replacement)";
    let by_shell = format!("python3 -c '{TRY}'");
    for words in [["python3", "-c", TRY], ["sh", "-c", &by_shell]] {
        let run = support::launch(Path::new(words[0])).env("FTMPI_RANKS", "").ranks(2);
        let run = run.env("PYTHONPATH", &modules).args(&words[1..]).option("--processes");
        let seen = run.succeeds();
        assert_eq!(seen.stdout, "False\nFalse\n", "{words:?}: {seen}");
    }
}
