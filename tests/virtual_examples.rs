//! One schedule, two runs: examples with failures have the same results, the same survivors and the
//! same lives in real and in virtual time.

use support::{Outcome, Program, Run};

/// An example, how it is run, and which lines of what it says are of one result.
struct Case {
    name: &'static str,
    ranks: usize,
    options: &'static [&'static str],
    words: &'static str,
    lines: Lines,
}

/// What is compared of the standard output.
enum Lines {
    /// All lines, in any order.
    All,
    /// The last line: before, each rank tells what it has done, which is chance in real time.
    Last,
    /// What the last line says after a word: what comes before depends on how far a rank was when
    /// it heard of a failure, also in real time.
    After(&'static str),
    /// All but those of times.
    Timeless,
}

const REBUILD: &str = "--mode=rebuild";

const CASES: &[Case] = &[
    Case { name: "hello", ranks: 7, options: &[], words: "", lines: Lines::All },
    Case { name: "ring", ranks: 7, options: &[], words: "100", lines: Lines::All },
    Case { name: "heat", ranks: 7, options: &[], words: "50", lines: Lines::All },
    Case { name: "pi", ranks: 7, options: &[], words: "10000", lines: Lines::All },
    Case { name: "send_dup", ranks: 3, options: &[REBUILD], words: "100", lines: Lines::All },
    Case { name: "failure_map", ranks: 5, options: &[REBUILD], words: "", lines: Lines::All },
    Case { name: "jump", ranks: 4, options: &[REBUILD], words: "", lines: Lines::All },
    Case {
        name: "rebuild",
        ranks: 6,
        options: &[REBUILD],
        words: "100 2@31 0@74",
        lines: Lines::All,
    },
    Case {
        name: "rebuild",
        ranks: 6,
        options: &[REBUILD, "--kill=4@before:MPI_Allreduce:3", "--kill=1@inside:MPI_Sendrecv:5"],
        words: "100",
        lines: Lines::All,
    },
    Case {
        name: "abft",
        ranks: 16,
        options: &[REBUILD],
        words: "--kill 5@7 --kill 6@8 --kill 15@9",
        lines: Lines::After("steps"),
    },
    Case {
        name: "pcg",
        ranks: 9,
        options: &[REBUILD, "--kill=3@MPI_Allreduce:50"],
        words: "--order 2000 --scheme rs --checkpoint-ranks 1 --every 20",
        lines: Lines::Timeless,
    },
    Case {
        name: "pcg",
        ranks: 8,
        options: &[REBUILD, "--kill=0@before:MPI_Allreduce:33", "--kill=2@after:MPI_Allreduce:70"],
        words: "--order 2000 --scheme xor --every 20",
        lines: Lines::Timeless,
    },
    Case {
        name: "master_worker",
        ranks: 7,
        options: &["--mode=shrink"],
        words: "--kill 0+3@50",
        lines: Lines::Last,
    },
    Case {
        name: "master_worker",
        ranks: 7,
        options: &["--mode=blank", "--msg=cont", "--kill=0@after:MPI_Send:40"],
        words: "--work 1",
        lines: Lines::Last,
    },
    Case {
        name: "ulfm",
        ranks: 7,
        options: &["--mode=ulfm"],
        words: "3:2 0:5",
        lines: Lines::Last,
    },
];

/// The same in Fortran.
const IN_FORTRAN: &[Case] = &[
    Case { name: "hello", ranks: 7, options: &[], words: "", lines: Lines::All },
    Case { name: "ring", ranks: 7, options: &[], words: "100", lines: Lines::All },
    Case { name: "heat", ranks: 7, options: &[], words: "50", lines: Lines::All },
    Case { name: "pi", ranks: 7, options: &[], words: "10000", lines: Lines::All },
    Case { name: "send_dup", ranks: 3, options: &[REBUILD], words: "100", lines: Lines::All },
    Case { name: "failure_map", ranks: 5, options: &[REBUILD], words: "", lines: Lines::All },
    Case {
        name: "abft",
        ranks: 16,
        options: &[REBUILD],
        words: "--kill 5@7 --kill 6@8 --kill 15@9",
        lines: Lines::After("steps"),
    },
    Case {
        name: "pcg",
        ranks: 9,
        options: &[REBUILD, "--kill=3@MPI_Allreduce:50"],
        words: "--order 2000 --scheme rs --checkpoint-ranks 1 --every 20",
        lines: Lines::Timeless,
    },
    Case {
        name: "ulfm",
        ranks: 7,
        options: &["--mode=ulfm"],
        words: "3:2 0:5",
        lines: Lines::Last,
    },
];

/// What a run has ended with: its status, its results, and which lives of which ranks ended how.
fn end(seen: &Outcome, lines: &Lines) -> (Option<i32>, Vec<String>, Vec<String>) {
    let mut results: Vec<String> = seen.stdout.lines().map(str::to_string).collect();
    match lines {
        Lines::All => {}
        Lines::Last => results = results.pop().into_iter().collect(),
        Lines::After(word) => {
            let last = results.pop().unwrap_or_default();
            results = last.split_once(word).map(|(_, rest)| rest.to_string()).into_iter().collect();
        }
        Lines::Timeless => results.retain(|line| !line.starts_with("time")),
    }
    results.sort_unstable();
    // Who died, and of what; when that was differs.
    let deaths = seen.stderr.lines().filter(|line| line.starts_with("ftrun: rank "));
    let deaths = deaths.filter_map(|line| line.split_once(" after "));
    let mut deaths: Vec<String> = deaths.map(|(death, _)| death.to_string()).collect();
    deaths.sort_unstable();
    (seen.status, results, deaths)
}

#[test]
fn one_schedule_has_one_result_in_real_and_in_virtual_time() {
    let flags = ["-O2", "-Wall", "-Werror", "-lm"];
    for case in CASES {
        let source = support::c(&format!("c_examples/{}.c", case.name));
        agrees(case, &source.flags(&flags).build());
    }
}

#[test]
fn programs_in_fortran_have_one_result_in_real_and_in_virtual_time() {
    // It makes the modules that some of them use.
    let mpifort = support::tool("mpifort").display().to_string();
    for case in IN_FORTRAN {
        let source = support::fortran(&format!("fortran_examples/{}.f90", case.name));
        let source = source.compiler(&mpifort);
        agrees(case, &source.flags(&["-O2", "-Wall"]).build());
    }
}

fn agrees(case: &Case, program: &Program) {
    let outcome = |kind: &[&str]| -> Outcome {
        let run: Run = support::run(program).ranks(case.ranks);
        let run = case.options.iter().chain(kind).fold(run, |run, option| run.option(option));
        run.args(case.words.split_whitespace()).outcome()
    };
    let seen = outcome(&[]);
    let real = end(&seen, &case.lines);
    assert!(real.0 == Some(0) && !real.1.is_empty(), "{}: {seen}", case.name);
    let dies = !["hello", "ring", "heat", "pi"].contains(&case.name);
    assert_eq!(!real.2.is_empty(), dies, "{}: {seen}", case.name);
    for machine in ["bluegene-l", "k"] {
        let machine = format!("--machine={machine}");
        let seen = outcome(&["--virtual", &machine, "--network=packets"]);
        assert_eq!(end(&seen, &case.lines), real, "{} {machine}: {seen}", case.name);
    }
}
