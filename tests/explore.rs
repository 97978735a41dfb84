//! `ftrun explore` finds planted mistakes, and nothing in their mended twins.
//!
//! A few of the set are tried in each run of the tests, and their findings replayed 20 times. The
//! whole set is tried by `cargo test --release --test explore -- --ignored the_whole_set`.
//! `FTMPI_MINUTES` limits each example.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use support::{Outcome, Run};

/// What holds for the programs of one family.
const REBUILT: &[&str] = &["--mode", "rebuild", "--expect", "set"];
const SHRUNK: &[&str] = &["--mode", "ulfm"];
const RACES: &[&str] = &["--expect", "same"];

/// The programs, each with the sort of finding that its mistake is, and with how many failures it
/// takes at most.
const PLANTED: &[(&str, &[&str], &str, usize)] = &[
    ("counter_lost.c", REBUILT, "", 1),
    ("code_ignored.c", REBUILT, "", 2),
    ("root_lives.c", REBUILT, "", 1),
    ("recovers_once.c", REBUILT, "exit status", 2),
    ("recovers_twice.c", REBUILT, "", 1),
    ("half_checkpoint.c", REBUILT, "", 1),
    ("freed_early.c", REBUILT, "", 2),
    ("handler_talks.c", REBUILT, "deadlock", 1),
    ("neighbour.c", REBUILT, "", 1),
    ("crash.c", REBUILT, "", 1),
    ("counter_lost.F90", REBUILT, "", 1),
    ("no_revoke.c", SHRUNK, "deadlock", 1),
    ("old_rank.c", SHRUNK, "hang", 1),
    ("no_agreement.c", SHRUNK, "", 1),
    ("leak.c", SHRUNK, "leak", 1),
    ("waits_for_dead.c", SHRUNK, "hang", 1),
    ("spins.c", SHRUNK, "hang", 1),
    ("first_after_death.c", SHRUNK, "crash", 1),
    ("first_come.c", RACES, "wrong output", 0),
    ("first_come.F90", RACES, "wrong output", 0),
    ("first_come.py", RACES, "wrong output", 0),
    ("rare_deadlock.c", RACES, "deadlock", 0),
    ("same_tag.c", RACES, "wrong output", 0),
    ("rare_match.c", RACES, "wrong output", 0),
    ("hopes_to_find.c", RACES, "wrong output", 0),
    ("exchange.c", RACES, "wrong output", 0),
    ("first_complete.c", RACES, "wrong output", 0),
    ("first_seen.cpp", RACES, "wrong output", 0),
];

/// The words that start a program: a file, or an interpreter with a script.
fn program(name: &str, is_mended: bool) -> Vec<String> {
    let is_example = support::root().join("c_examples").join(name).exists();
    let place = if is_example { "c_examples" } else { "tests/programs/explore" };
    let file = format!("{place}/{name}");
    let flags: &[&str] = if is_mended { &["-g", "-O1", "-DMENDED"] } else { &["-g", "-O1"] };
    let built = match name.rsplit_once('.').expect("a file has an ending").1 {
        "c" => support::c(&file).flags(flags).build(),
        "cpp" => {
            let mpicxx = support::tool("mpicxx").display().to_string();
            support::c(&file).compiler(&mpicxx).flags(flags).build()
        }
        "F90" => {
            let mpifort = support::tool("mpifort").display().to_string();
            support::fortran(&file).compiler(&mpifort).flags(flags).build()
        }
        _ => {
            let script = support::root().join(file);
            let mut words = vec!["python3".to_string(), script.display().to_string()];
            words.extend(is_mended.then(|| "mended".to_string()));
            return words;
        }
    };
    vec![built.path().display().to_string()]
}

/// An exploration that keeps its state there.
fn exploration(state: &Path, ranks: usize, options: &[&str], program: &[String]) -> Run {
    support::library_directory();
    let run = support::command(support::ftrun()).args(["explore", "--state"]).args([state]);
    run.args(options).args(["-np", &ranks.to_string()]).args(program)
}

fn explored(name: &str, is_mended: bool, options: &[&str]) -> (Outcome, PathBuf) {
    let state = support::fresh_directory("explore").join("state");
    let run = exploration(&state, 3, options, &program(name, is_mended));
    (run.outcome(), state)
}

/// What `finding N:` says of the first finding, and the number of failures that it takes.
fn first(seen: &Outcome) -> (String, usize) {
    let mut lines = seen.stdout.lines().skip_while(|line| !line.starts_with("finding 1: "));
    let kind = lines.next().expect("something is found").trim_start_matches("finding 1: ");
    let takes = lines.next().expect("it takes something");
    let count = match takes {
        _ if takes.contains("no failure") => 0,
        _ if takes.contains("one failure") => 1,
        _ => takes.split(' ').find_map(|word| word.parse().ok()).expect("a number of failures"),
    };
    (kind.to_string(), count)
}

/// The program's mistake is found, shows in all of so many replays, and its mended twin passes.
#[track_caller]
fn is_found(name: &str, replays: usize) {
    let (_, options, kind, failures) =
        PLANTED.iter().find(|(known, ..)| *known == name).expect("it is one of the set");
    let (seen, state) = explored(name, false, options);
    assert_eq!(seen.status, Some(1), "{name}: {seen}");
    eprintln!("{name}: {seen}");
    let (found, takes) = first(&seen);
    assert!(found.contains(kind), "{name}: {seen}");
    assert!(takes <= *failures, "{name} takes fewer failures: {seen}");
    let again = support::command(support::ftrun()).args(["explore", "--replay"]);
    let again = again.args([state.join("1")]).args(["--times", &replays.to_string()]).outcome();
    let all = format!("{replays} of {replays} runs show the finding");
    assert!(again.status == Some(1) && again.stdout.contains(&all), "{name}: {again}");
    let (mended, _) = explored(name, true, options);
    assert_eq!(mended.status, Some(0), "{name}, mended: {mended}");
}

/// Those that are tried in each run of the tests.
macro_rules! are_found {
    ($($test:ident: $name:literal,)*) => {$(
        #[test]
        fn $test() {
            is_found($name, 20);
        }
    )*};
}

are_found!(
    a_recovery_that_expects_no_failure_during_it_is_found: "recovers_once.c",
    communicators_that_repairs_never_free_are_found: "leak.c",
    a_wildcard_that_takes_what_another_receive_waits_for_is_found: "rare_deadlock.c",
    a_replacement_that_forgets_its_steps_is_found: "counter_lost.F90",
    a_rare_order_of_messages_after_a_death_is_found: "first_after_death.c",
    a_rare_order_of_messages_seen_by_a_probe_is_found: "first_seen.cpp",
);

#[test]
#[ignore = "takes some minutes"]
fn the_whole_set_of_planted_mistakes_is_found_and_replays_100_of_100_times() {
    let chosen = std::env::var("FTMPI_PLANTED").unwrap_or_default();
    for (name, ..) in PLANTED.iter().filter(|(name, ..)| name.contains(&chosen)) {
        is_found(name, 100);
    }
}

#[test]
fn a_finding_is_told_with_lines_and_a_command_that_repeats_it() {
    let (seen, state) = explored("first_come.c", false, RACES);
    assert!(seen.stdout.contains("no failure, but the order of messages"), "{seen}");
    let shown = support::command(support::ftrun()).args(["explore", "--show"]).args([&state]);
    let shown = shown.fails_with(1);
    assert!(shown.stdout.contains("finding 1: wrong output"), "{shown}");
    assert!(shown.stdout.contains("first_come.c:"), "a table with lines: {shown}");
    let command = seen.stdout.lines().find(|line| line.trim_start().starts_with("ftrun -np"));
    let words: Vec<&str> = command.expect("a command repeats it").split_whitespace().collect();
    let again = support::command(support::ftrun()).args(&words[1..]);
    let (one, other) = (again.outcome(), again.outcome());
    assert_eq!(one.stdout, other.stdout, "it repeats: {one}");
    assert!(seen.stdout.contains(one.stdout.lines().next().expect("a line")), "{seen}\n{one}");
}

#[test]
fn a_rank_that_computes_for_ever_is_told_with_its_stack() {
    let (seen, _) =
        explored("spins.c", false, &["--mode", "ulfm", "--faults", "1", "--runs", "30"]);
    assert!(seen.stdout.contains("finding 1: hang"), "{seen}");
    let stack = "in the end: computes in ";
    let line = seen.stdout.lines().find(|line| line.contains(stack));
    let line = line.unwrap_or_else(|| panic!("the loop is named: {seen}"));
    assert!(line.contains("(spins.c:") && line.contains(" < main (spins.c:3"), "{line}");
    assert!(seen.stdout.contains("computes without an end"), "{seen}");
    assert!(!seen.stdout.contains("finding 2: "), "one cause: {seen}");
}

#[test]
fn a_run_that_eats_memory_is_ended_and_told_with_its_calls() {
    let eats = "#include <mpi.h>\n#include <stdlib.h>\n#include <string.h>\n\
        int main(int argc, char **argv) {\n    int one = 1, sum;\n    MPI_Init(&argc, &argv);\n\
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);\n\
        if (MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD))\n\
        for (;;) memset(malloc(1 << 20), 1, 1 << 20);\n    return MPI_Finalize();\n}\n";
    let eats = vec![support::c_text("eats", eats).build().path().display().to_string()];
    let state = support::fresh_directory("explore").join("state");
    let options = ["--mode", "ulfm", "--memory", "300M", "--orders", "0", "--runs", "6"];
    let seen = exploration(&state, 2, &options, &eats).fails_with(1);
    assert!(seen.stdout.contains("finding 1: memory\n  takes one failure"), "{seen}");
    let told = ["dies on entering MPI_Init", "MPI_Allreduce (eats.c:8) fails with"];
    assert!(told.iter().all(|words| seen.stdout.contains(words)), "{seen}");
}

#[test]
fn findings_in_python_name_the_lines_of_the_script() {
    let (seen, state) = explored("first_come.py", false, &["--expect", "same", "--orders", "2"]);
    let receive = "rank 0: MPI_Recv (first_come.py:32), its receive 1 from any source, takes";
    assert!(seen.stdout.contains(receive), "{seen}");
    let table = support::command(support::ftrun()).args(["explore", "--show"]).args([&state]);
    let table = table.fails_with(1);
    assert!(table.stdout.contains("first_come.py:23"), "MPI_Init has a line: {table}");
}

#[test]
fn receives_from_any_source_match_in_all_ways_and_in_each_way_once() {
    // Two senders, two messages each: six ways to receive them. Twelve further runs have seeds.
    let (seen, _) = explored("same_tag.c", true, &["--faults", "0"]);
    assert!(seen.stdout.contains("orders (4 differ)"), "two phases of two messages: {seen}");
    let (seen, state) = explored("rare_match.c", false, RACES);
    let command = seen.stdout.lines().find(|line| line.contains("--match 0:1=2"));
    assert!(command.is_some(), "the match is forced: {seen}");
    let again = support::command(support::ftrun()).args(["explore", "--replay"]);
    again.args([state.join("1")]).fails_with(1);
    // The receiving half of an exchange, whose send waits for its receiver.
    let (seen, _) = explored("exchange.c", false, RACES);
    assert!(seen.stdout.contains("--match 0:1=2"), "the match is forced: {seen}");
    let (seen, _) = explored("exchange.c", true, &["--faults", "0"]);
    assert!(seen.stdout.contains("orders (2 differ)"), "each match once: {seen}");
    let wrong = support::command(support::ftrun()).args(["--match", "0:0=1", "-np", "2", "true"]);
    assert!(wrong.fails_with(2).stderr.contains("is not RANK:N=SOURCE"));
}

#[test]
fn what_a_choice_finds_is_forced() {
    let (seen, state) = explored("first_complete.c", false, RACES);
    let found = "rank 0: MPI_Waitany (first_complete.c:18), its choice 1, finds request 1 complete";
    assert!(seen.stdout.contains(found), "{seen}");
    assert!(seen.stdout.contains(" --match 0:choice1=1 "), "{seen}");
    let again = support::command(support::ftrun()).args(["explore", "--replay"]);
    again.args([state.join("1")]).fails_with(1);
    let (seen, _) = explored("first_complete.c", true, &["--faults", "0", "--orders", "5"]);
    assert!(seen.stdout.contains("orders (2 differ)"), "each of two is first: {seen}");
    let (seen, _) = explored("first_seen.cpp", false, RACES);
    assert!(seen.stdout.contains("MPI_Iprobe (first_seen.cpp:"), "{seen}");
    assert!(seen.stdout.contains("finds a message of rank 2"), "{seen}");
}

#[test]
fn an_exploration_that_was_stopped_goes_on() {
    let state = support::fresh_directory("explore").join("state");
    let program = program("leak.c", true);
    let stopped = exploration(&state, 2, &["--mode", "ulfm", "--runs", "40"], &program).succeeds();
    assert!(stopped.stdout.contains("\n40 runs in") || stopped.stdout.starts_with("40 runs in"));
    let count = |seen: &Outcome| -> usize {
        let line = seen.stdout.lines().find(|line| line.contains(" runs in ")).expect("a summary");
        line.split(' ').next().and_then(|word| word.parse().ok()).expect("a number of runs")
    };
    let resume = |state: &Path| {
        let run = support::command(support::ftrun()).args(["explore", "--resume"]).args([state]);
        run.args(["--mode", "ulfm", "-np", "2"]).args(&program).succeeds()
    };
    let (rest, nothing) = (resume(&state), resume(&state));
    assert_eq!(count(&nothing), 1, "all has been tried: {nothing}");
    let whole = support::fresh_directory("explore").join("state");
    let whole = exploration(&whole, 2, &["--mode", "ulfm"], &program).succeeds();
    assert!(count(&rest) < count(&whole), "{rest}\n{whole}");
    let again = support::command(support::ftrun()).args(["explore", "--resume", "/nowhere"]);
    again.args(["-np", "2"]).args(&program).fails_with(2);
}

#[test]
fn an_exploration_that_is_ended_at_any_moment_goes_on_and_shares_its_directory_with_none() {
    let state = support::fresh_directory("explore").join("state");
    let program = program("leak.c", true);
    let words = ["--mode", "ulfm", "-np", "2", "--minutes", "1"];
    let mut running = Command::new(support::ftrun())
        .args(["explore", "--quiet", "--state"])
        .arg(&state)
        .args(words)
        .args(&program)
        .spawn()
        .expect("ftrun starts");
    let until = Instant::now() + Duration::from_secs(60);
    while !state.join("plan").exists() {
        assert!(Instant::now() < until, "what has been tried is saved after ten seconds");
        std::thread::sleep(Duration::from_millis(10));
    }
    for option in ["--state", "--resume"] {
        let other = support::command(support::ftrun()).args(["explore", option]).args([&state]);
        let other = other.args(words).args(&program).fails_with(2);
        assert!(other.stderr.contains("another exploration is using it"), "{other}");
    }
    running.kill().and_then(|()| running.wait()).expect("it is ended");
    let rest = support::command(support::ftrun()).args(["explore", "--resume"]).args([&state]);
    let rest = rest.args(["--mode", "ulfm", "-np", "2"]).args(&program).succeeds();
    assert!(rest.stdout.contains("nothing was found"), "{rest}");
}

#[test]
fn reports_are_written_for_other_tools() {
    let directory = support::fresh_directory("explore");
    let (state, file) = (directory.join("state"), |name: &str| directory.join(name));
    let program = program("leak.c", false);
    let mut options = vec!["--mode".to_string(), "ulfm".into(), "--faults".into(), "1".into()];
    for (option, name) in
        [("--junit", "j.xml"), ("--json", "runs"), ("--lcov", "info"), ("--html", "page.html")]
    {
        options.extend([option.to_string(), file(name).display().to_string()]);
    }
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    exploration(&state, 2, &options, &program).fails_with(1);
    let read = |name: &str| std::fs::read_to_string(file(name)).expect("it is written");
    assert!(read("j.xml").contains("failures=\"1\""), "{}", read("j.xml"));
    assert!(read("info").contains("leak.c\nBRDA:"), "{}", read("info"));
    assert!(read("page.html").contains("class=\"met\""));
    let runs = read("runs");
    let parsed = |line: &str| serde_json::from_str::<serde_json::Value>(line).expect("JSON");
    let lines: Vec<serde_json::Value> = runs.lines().map(parsed).collect();
    assert!(lines.iter().any(|line| line["failure"] == "leak"), "{runs}");
    assert!(lines.iter().any(|line| line["finding"] == 1), "{runs}");
}

#[test]
fn a_program_that_fails_without_failures_is_not_explored() {
    let state = support::fresh_directory("explore").join("state");
    let run = |words: &[String]| exploration(&state, 2, &[], words).outcome();
    let fails = "#include <mpi.h>\nint main(void) { MPI_Init(0, 0); MPI_Finalize(); return 9; }\n";
    let fails = support::c_text("fails", fails).build().path().display().to_string();
    let seen = run(&[fails]);
    assert_eq!(seen.status, Some(3), "{seen}");
    assert!(seen.stderr.contains("the run without failures ends with status 9"), "{seen}");
    assert_eq!(run(&["./no_such_program".to_string()]).status, Some(127));
}

#[test]
fn a_directory_with_other_files_is_left_alone() {
    let state = support::fresh_directory("explore");
    std::fs::write(state.join("precious"), "mine").expect("the directory can be written to");
    let seen = exploration(&state, 2, &[], &program("first_come.c", true)).fails_with(2);
    assert!(seen.stderr.contains("this directory has other files"), "{seen}");
}

#[test]
fn the_manual_page_is_printed() {
    let seen = support::command(support::ftrun()).args(["explore", "--help"]).succeeds();
    assert!(seen.stdout.starts_with("NAME\n    ftrun explore - find the failure"), "{seen}");
}

/// The examples that survive, in C and Fortran: explored for so many minutes each.
fn examples_survive(minutes: &str) {
    for (name, options, words) in [
        ("pcg", "--mode rebuild", "--iterations 12 --order 1000 --scheme rs:2 --every 5"),
        ("master_worker", "--mode rebuild --expect set --lines done", "--tasks 20"),
        ("abft", "--mode rebuild", "--order 48"),
        // Two neighbours that die together take a checkpoint along: it says so with status 4.
        ("rebuild", "--mode rebuild --status 0,4", "20"),
        ("ulfm", "--mode ulfm", ""),
        // It kills a rank itself, whose status is that of the job.
        ("survive", "--on-failure continue --status 0,137", ""),
    ] {
        let flags = ["-g", "-O2"];
        let mpifort = support::tool("mpifort").display().to_string();
        let fortran = support::fortran(&format!("fortran_examples/{name}.f90"));
        let mut built = vec![fortran.compiler(&mpifort).flags(&flags).build()];
        if name != "survive" {
            let c = support::c(&format!("c_examples/{name}.c"));
            built.push(c.flags(&["-g", "-O2", "-lm"]).build());
        }
        for built in built {
            let mut program = vec![built.path().display().to_string()];
            program.extend(words.split_whitespace().map(str::to_string));
            let mut options: Vec<&str> = options.split(' ').collect();
            options.extend(["--minutes", minutes]);
            let state = support::fresh_directory("explore").join("state");
            let seen = exploration(&state, 4, &options, &program).outcome();
            assert_eq!(seen.status, Some(0), "{name}: {seen}");
        }
    }
}

#[test]
fn the_examples_survive_what_a_few_seconds_find() {
    examples_survive("0.05");
}

#[test]
#[ignore = "takes some minutes"]
fn the_examples_survive_two_failures() {
    examples_survive(&std::env::var("FTMPI_MINUTES").unwrap_or("0.5".to_string()));
}
