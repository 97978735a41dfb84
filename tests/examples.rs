//! The examples do what their comments say, in C and in Fortran.

use support::{Outcome, Program, Run};

/// The example in both languages.
fn both(name: &str) -> [Program; 2] {
    both_with(name, &[])
}

/// The same, with more flags for the one in C.
fn both_with(name: &str, flags: &[&str]) -> [Program; 2] {
    let flags = [&["-O2", "-Wall", "-Werror"], flags].concat();
    let c = support::c(&format!("c_examples/{name}.c")).flags(&flags);
    // It makes the modules that some of them use.
    let mpifort = support::tool("mpifort").display().to_string();
    let fortran = support::fortran(&format!("fortran_examples/{name}.f90"));
    let fortran = fortran.compiler(&mpifort).flags(&["-O2", "-Wall"]);
    [c.build(), fortran.build()]
}

const SIZES: [usize; 3] = [1, 7, 120];

#[test]
fn hello_comes_once_from_every_rank_and_its_globals_are_its_own() {
    for program in both("hello") {
        for ranks in SIZES {
            let seen = support::run(&program).ranks(ranks).succeeds();
            let hello = |rank| format!("hello from rank {rank} of {ranks} (greeting 1)");
            let mut expected: Vec<String> = (0..ranks).map(hello).collect();
            expected.sort_unstable();
            assert_eq!(seen.sorted_lines(), expected, "{}", program.path().display());
        }
    }
}

#[test]
fn the_ring_adds_up() {
    for program in both("ring") {
        for ranks in [2, 7, 120] {
            let seen = support::run(&program).ranks(ranks).args(["100"]).succeeds();
            let sum = 100 * ranks * (ranks - 1) / 2;
            let expected = format!("ring of {ranks}, 100 rounds: sum {sum}, expected {sum}\n");
            assert_eq!(seen.stdout, expected);
        }
        support::run(&program).ranks(1).fails_with(2);
    }
}

#[test]
fn heat_is_the_same_for_any_number_of_ranks() {
    for program in both("heat") {
        for ranks in SIZES {
            let seen = support::run(&program).ranks(ranks).args(["50"]).succeeds();
            let expected = format!(
                "heat on {ranks} ranks after 50 steps: 93686.449097, as computed by hand\n"
            );
            assert_eq!(seen.stdout, expected);
        }
    }
}

#[test]
fn pi_is_that_of_the_same_darts_in_processes_of_their_own() {
    let [c, fortran] = both("pi");
    let thrower = "#include <stdio.h>\n#include <stdlib.h>\n\
        int main(int argc, char **argv) { srand(atoi(argv[1])); long hits = 0;\n\
        for (int i = 0; i < 100000; i++) { double x = rand() / (double)RAND_MAX;\n\
        double y = rand() / (double)RAND_MAX; hits += x * x + y * y <= 1; }\n\
        printf(\"%ld\\n\", hits); return 0; }\n";
    let thrower = support::c_text("thrower", thrower).without_mpi().flags(&["-O2"]).build();
    let hits = |rank: usize| -> u64 {
        let seen = support::command(thrower.path()).args([(rank + 1).to_string()]).succeeds();
        seen.stdout.trim().parse().unwrap()
    };
    let hits: Vec<u64> = (0..120).map(hits).collect();
    for ranks in SIZES {
        let all: u64 = hits[..ranks].iter().sum();
        let seen = support::run(&c).ranks(ranks).args(["100000"]).succeeds();
        let expected = format!("{ranks} ranks, 100000 darts each, {all} hits: pi is about ");
        assert!(seen.stdout.starts_with(&expected), "{expected}\n{seen}");

        let first = support::run(&fortran).ranks(ranks).args(["100000"]).succeeds().stdout;
        assert!(first.contains("pi is about 3.1"), "{first}");
        assert_eq!(support::run(&fortran).ranks(ranks).args(["100000"]).succeeds().stdout, first);
    }
}

#[test]
fn a_null_pointer_ends_the_job_with_the_ranks_name_and_signal() {
    for program in both("nullptr") {
        let seen = support::run(&program).ranks(120).args(["5"]).fails_with(139);
        assert_eq!(seen.stdout, "rank 5 of 120 will write through a null pointer\n");
        for part in ["rank 5", "SIGSEGV", "0x0"] {
            assert!(seen.stderr.contains(part), "`{part}`\n{seen}");
        }
    }
}

#[test]
fn a_send_survives_its_receiver() {
    for program in both("send_dup") {
        let run = support::run(&program).ranks(3).option("--mode=rebuild").args(["100"]);
        let seen = run.succeeds();
        assert_eq!(seen.stdout, "rank 1 was restarted: the sum is 4950\n");
    }
}

#[test]
fn the_order_and_the_map_of_failures_are_known() {
    for program in both("failure_map") {
        let run = support::run(&program).ranks(5).option("--mode=rebuild");
        let expected = "failed in this order: 3 1\nhow often each rank: 0 1 0 1 0\n";
        assert_eq!(run.succeeds().stdout, expected);
    }
}

const MODES: [&[&str]; 3] =
    [&["--mode=blank", "--msg=cont"], &["--mode=shrink"], &["--mode=rebuild"]];

/// A run of the master and its workers in a mode.
fn master_worker(program: &Program, ranks: usize, mode: &[&str], words: &str) -> Run {
    let run = support::run(program).ranks(ranks).args(words.split(' '));
    mode.iter().fold(run, |run, option| run.option(option))
}

/// How many deaths ftrun has told of.
fn deaths(seen: &Outcome) -> usize {
    seen.stderr.matches("was killed (SIGKILL)").count()
}

#[test]
fn all_work_is_done_once_whoever_dies_the_master_and_its_deputy_included() {
    let sum = "100 tasks done: pi is about 3.1415926535981";
    for program in both("master_worker") {
        for mode in MODES {
            for (words, dead) in [
                ("--tasks 100", 0),
                ("--kill 3@20", 1),
                ("--kill 0@50", 1),
                ("--kill 0+3@50", 2),
                ("--kill 0@30 --kill 1@60", 2),
                ("--kill 1@0 --kill 0@0", 2),
                ("--kill 6+1@40 --kill 0@99", 3),
                ("--kill 0+1+2+3+4+5@40", 6),
            ] {
                let seen = master_worker(&program, 7, mode, words).succeeds();
                assert_eq!(seen.stdout.lines().last(), Some(sum), "{words}: {seen}");
                assert_eq!(deaths(&seen), dead, "{words}: {seen}");
            }
        }
        let seen = master_worker(&program, 3, &[], "--tasks 3x").fails_with(2);
        assert!(seen.stderr.contains("usage: master_worker [--tasks N]"), "{seen}");
        let seen = master_worker(&program, 3, &[], "--help").succeeds();
        assert!(seen.stdout.starts_with("usage: master_worker [--tasks N]"), "{seen}");
    }
}

#[test]
fn all_work_is_done_once_though_ranks_die_amid_messages_and_recoveries() {
    for program in both("master_worker") {
        for mode in MODES {
            for kills in [
                &["0@inside:MPI_Recv:30"][..],
                &["0@after:MPI_Send:40", "1@before:MPI_Comm_dup"],
                &["0@MPI_Recv:30", "1@recovery:1", "2@recovery:1:2"],
                &["3@inside:MPI_Send:3", "0@inside:MPI_Allgather:2"],
                &["0@inside:MPI_Finalize", "1@MPI_Comm_dup"],
            ] {
                let run = master_worker(&program, 7, mode, "--work 1");
                let kill = |run: Run, kill: &&str| run.option(format!("--kill={kill}"));
                let seen = kills.iter().fold(run, kill).outcome();
                let sum = "100 tasks done: pi is about 3.1415926535981";
                assert_eq!(seen.stdout.lines().last(), Some(sum), "{kills:?}: {seen}");
                assert!(deaths(&seen) > 0, "{kills:?}: {seen}");
            }
        }
    }
}

#[test]
fn a_dead_master_loses_no_results_that_others_know() {
    for program in both("master_worker") {
        let mode = ["--mode=blank", "--msg=cont"];
        let seen = master_worker(&program, 7, &mode, "--kill 0@50").succeeds();
        let mut words = seen.stdout.split(' ');
        assert!(seen.stdout.starts_with("rank 1 leads: "), "{seen}");
        let known: u32 = words.nth(3).and_then(|word| word.parse().ok()).expect("a number");
        assert!((50..=56).contains(&known), "{seen}");
    }
}

#[test]
fn all_work_is_done_once_whoever_dies_by_chance() {
    for program in both("master_worker") {
        for mode in MODES {
            for seed in 1..=5 {
                // Its clock is counted: so many die, and no more, on any machine.
                let run = master_worker(&program, 30, mode, "--tasks 500 --work 2");
                let run = run.option(format!("--seed={seed}")).option("--mttf=30ms");
                let seen = run.succeeds();
                let last = seen.stdout.lines().last();
                assert_eq!(last, Some("500 tasks done: pi is about 3.1415926535901"), "{seen}");
                assert!(deaths(&seen) > 5, "{seen}");
            }
        }
    }
}

#[test]
fn a_handler_jumps_out_of_a_library_that_knows_nothing_of_failures() {
    let program = support::c("c_examples/jump.c").flags(&["-O2", "-Wall", "-Werror"]).build();
    let solved = |seen: &str| seen.rsplit(' ').next().map(str::to_string);
    let seen = support::run(&program).ranks(4).succeeds();
    assert!(seen.stdout.starts_with("solved after 1 jumps: "), "{seen}");
    let whole = support::run(&program).ranks(4).option("--mode=rebuild").succeeds();
    assert_eq!(solved(&seen.stdout), solved(&whole.stdout));
}

#[test]
fn restarted_ranks_compute_what_would_have_been_computed_without_failures() {
    let [c, fortran] = both("rebuild");
    let result = |seen: &str| seen.rsplit(' ').next().map(str::to_string);
    let run = |program: &Program, args: &[&str]| {
        let run = support::run(program).ranks(6).option("--mode=rebuild").args(args);
        run.succeeds().stdout
    };
    let calm = run(&c, &["100"]);
    assert!(calm.starts_with("6 ranks, 0 restarted, 100 steps: "), "{calm}");
    let stormy = run(&c, &["100", "2@31", "0@74", "4@75"]);
    assert!(stormy.starts_with("6 ranks, 3 restarted, 100 steps: "), "{stormy}");
    assert_eq!(result(&calm), result(&stormy));
    let calm = run(&fortran, &["100"]);
    assert_eq!(run(&fortran, &["100", "2", "31"]), calm);
    assert_eq!(run(&fortran, &["100", "0", "57"]), calm, "all begin anew");
}

#[test]
fn work_goes_on_without_the_dead() {
    let mpifort = support::tool("mpifort").display().to_string();
    let source = support::fortran("fortran_examples/survive.f90").compiler(&mpifort);
    let program = source.flags(&["-O2", "-Wall", "-std=f2018"]).build();
    let run = support::run(&program).ranks(7).option("--on-failure").option("continue");
    let seen = run.fails_with(137);
    let expected = "rank 2 is dead; another does its piece\npi is about 3.1415926536\n";
    assert_eq!(seen.stdout, expected);
    support::run(&program).ranks(7).option("--on-failure=end").fails_with(137);
}

#[test]
fn the_ulfm_solver_goes_on_without_the_dead() {
    let c = support::c("c_examples/ulfm.c").flags(&["-O2", "-Wall", "-Werror", "-lm"]).build();
    let mpifort = support::tool("mpifort").display().to_string();
    let fortran = support::fortran("fortran_examples/ulfm.f90").compiler(&mpifort);
    for program in [c, fortran.flags(&["-O2", "-Wall"]).build()] {
        for (ranks, deaths, left) in [
            (1, &[][..], 1),
            (7, &[][..], 7),
            (7, &["3:2", "0:5"][..], 5),
            (7, &["0:1", "1:1", "2:1", "3:1", "4:1", "5:1"][..], 1),
            (20, &["1:1", "19:1", "5:2", "6:3"][..], 16),
        ] {
            let seen = support::run(&program).ranks(ranks).args(deaths).succeeds();
            let expected = format!("{left} of {ranks} ranks have solved it, to 0.000\n");
            assert_eq!(seen.stdout, expected, "{seen}");
        }
    }
}

/// What the last line says of the residual, the iterations or steps, and the failures.
fn last_line(seen: &Outcome) -> (f64, u32, u32) {
    let line = seen.stdout.lines().last().unwrap_or_default();
    let words: Vec<&str> = line.split_whitespace().collect();
    let ["residual", residual, "iterations" | "steps", iterations, "failures", failures] =
        words[..]
    else {
        panic!("{line}: {seen}");
    };
    let number = |word: &str| word.parse().expect("a number");
    (residual.parse().expect("a residual"), number(iterations), number(failures))
}

#[test]
fn conjugate_gradients_survive_by_every_scheme_and_are_the_same_in_both_languages() {
    let problem =
        ["--poisson", "7", "--order", "4100", "--iterations", "200", "--tolerance", "1e-10"];
    let [c, fortran] = both_with("pcg", &["-lm"]);
    let expected = last_line(&support::run(&c).ranks(4).args(problem).succeeds());
    assert!(expected.0 < 1e-9 && expected.1 > 20 && expected.2 == 0, "{expected:?}");
    for (program, is_c) in [(&c, true), (&fortran, false)] {
        let cases: &[(&str, &str, usize, &[&str])] = &[
            ("rs", "2", 6, &["1@33", "3@33"]),
            ("rs:2", "2", 6, &["1@33", "4@30"]),
            ("xor", "1", 5, &["0@33", "3@50"]),
            ("weighted", "2", 6, &["1@33", "2@33"]),
            ("mirror", "4", 8, &["0@33", "2@33"]),
        ];
        for (scheme, keepers, ranks, victims) in cases {
            let kills = victims.iter().flat_map(|victim| ["--kill", victim]);
            let run = support::run(program).ranks(*ranks).option("--mode=rebuild").args(problem);
            let run = run.args(["--scheme", scheme, "--checkpoint-ranks", keepers]);
            let seen = run.args(["--every", "20"]).args(kills).succeeds();
            let (residual, iterations, failures) = last_line(&seen);
            let dead = victims.len() as u32;
            assert_eq!((iterations, failures), (expected.1, dead), "{scheme} {is_c}: {seen}");
            let is_near = (residual / expected.0 - 1.0).abs() < 1e-3;
            assert!(is_near, "{scheme} {is_c}: {residual} and {}", expected.0);
            assert!(*scheme == "weighted" || residual == expected.0, "{scheme}: {seen}");
        }
        let run = support::run(program).ranks(4).option("--mode=rebuild").args(problem);
        let run = run.args(["--scheme", "xor", "--kill", "1@33", "--kill", "2@33"]);
        let seen = run.fails_with(4);
        assert!(seen.stderr.contains("the data of ranks 1-2 is lost"), "{is_c}: {seen}");
    }
}

/// What a terminal shows that has been sent `text`: a carriage return goes to the beginning of the
/// line, and escape [ K removes what is left of it.
fn screen(text: &str) -> Vec<String> {
    let (mut lines, mut column) = (vec![Vec::new()], 0);
    let text = text.replace("\x1b[K", "\x1b");
    for letter in text.chars() {
        let line = lines.last_mut().expect("there is a first line");
        match letter {
            '\r' => column = 0,
            '\x1b' => line.truncate(column),
            '\n' => {
                lines.push(Vec::new());
                column = 0;
            }
            letter => {
                line.resize(line.len().max(column + 1), ' ');
                line[column] = letter;
                column += 1;
            }
        }
    }
    lines.into_iter().map(String::from_iter).collect()
}

#[test]
fn terminals_show_progress_that_mixes_with_nothing_and_files_have_none_of_it() {
    let pcg = "--order 100000 --iterations 300 --scheme rs:2 --every 50 --kill 1@100 --kill 3@200";
    let bag = "--work 10 --kill 3@20 --kill 0+2@60";
    for (name, words, progress, last) in [
        ("pcg", pcg, "iteration ", "residual "),
        ("master_worker", bag, " tasks done, ", "100 tasks done: pi is about 3.1415926535981"),
    ] {
        for program in both_with(name, &["-lm"]) {
            let path = program.path().display();
            let command =
                format!("{} -np 6 --mode rebuild {path} {words}", support::ftrun().display());
            let run = support::command("script").args(["-qec", &command, "/dev/null"]);
            let seen = run.env("SHELL", "/bin/sh").succeeds();
            assert!(seen.stdout.contains(progress), "{seen}");
            let lines = screen(&seen.stdout);
            let shown = lines.join("\n");
            assert!(!shown.contains(progress), "{shown}");
            let deaths = lines.iter().filter(|line| line.starts_with("ftrun: rank "));
            assert!(deaths.clone().count() > 1, "{shown}");
            assert!(deaths.clone().all(|line| line.ends_with(" the recovery")), "{shown}");
            let end = lines.iter().rfind(|line| !line.is_empty());
            assert!(end.is_some_and(|line| line.starts_with(last)), "{shown}");

            let run = support::run(&program).ranks(6).option("--mode=rebuild");
            let seen = run.args(words.split(' ')).succeeds();
            assert!(!seen.stderr.contains('\x1b') && !seen.stdout.contains('\x1b'), "{seen}");
        }
    }
}

#[test]
fn a_product_survives_without_checkpoints_whatever_leaves_some_row_or_column_with_one_gap() {
    for program in both_with("abft", &["-lm"]) {
        for (ranks, words, dead) in [
            (4, "--order 50", 0),
            (4, "--order 50 --panel 4 --kill 0@3 --kill 2@9", 2),
            (6, "--order 50 --panel 4 --kill 1+2@5", 2),
            (12, "--order 100 --panel 5 --kill 11+0+5@5", 3),
            (16, "--kill 0@0", 1),
            (16, "--kill 5@7 --kill 6@8 --kill 15@9", 3),
            (16, "--kill 1@15 --kill 2+9@15", 3),
            (16, "--kill 12+13+14+15@5", 4),
            (16, "--kill 0+1+2+3+4+8+12@5", 7),
        ] {
            let run = support::run(&program).ranks(ranks).option("--mode=rebuild");
            let seen = run.args(words.split(' ')).succeeds();
            let (residual, steps, failures) = last_line(&seen);
            assert!(residual < 1e-12 && steps > 3 && failures == dead, "{words}: {seen}");
        }
        // The corners of a rectangle: whatever row or column has lost anything has lost two.
        let run = support::run(&program).ranks(16).option("--mode=rebuild");
        let seen = run.args(["--kill", "0+2+4+6@5"]).fails_with(4);
        assert!(seen.stderr.contains("lost is what ranks 0 2 4 6 had"), "{seen}");
        assert_eq!(seen.lines_with("residual"), 0, "{seen}");
        let seen = support::run(&program).ranks(5).fails_with(2);
        assert!(seen.stderr.contains("the number of ranks must be that of a grid"), "{seen}");
    }
}

#[test]
fn a_product_survives_deaths_by_chance_or_says_what_is_lost() {
    for program in both_with("abft", &["-lm"]) {
        let mut right = 0;
        for seed in 1..=10 {
            let run =
                support::run(&program).ranks(16).option("--mode=rebuild").args(["--panel", "4"]);
            let seen = run.option(format!("--seed={seed}")).option("--mttf=6ms").outcome();
            let is_lost = seen.status == Some(4) && seen.stderr.contains("lost is what ranks");
            assert!(is_lost || seen.status == Some(0) && last_line(&seen).0 < 1e-12, "{seen}");
            assert!(deaths(&seen) > 0, "{seen}");
            right += usize::from(!is_lost);
        }
        assert!(right > 4, "of ten runs {right} came to their end");
    }
}

/// Kilobytes of memory of the process that has this word in its environment.
fn memory_of(word: &str) -> Option<usize> {
    let is_it = |path: &std::path::Path| {
        let environment = std::fs::read(path.join("environ")).unwrap_or_default();
        environment.windows(word.len()).any(|window| window == word.as_bytes())
    };
    let entries = std::fs::read_dir("/proc").expect("there is /proc").flatten();
    let path = entries.map(|entry| entry.path()).find(|path| is_it(path))?;
    let status = std::fs::read_to_string(path.join("status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Ten minutes, or what FTMPI_SECONDS says: `cargo test --release --test examples ten_minutes --
/// --ignored --nocapture`.
#[test]
#[ignore = "takes ten minutes"]
fn ten_minutes_of_conjugate_gradients_that_lose_a_rank_each_second_are_right_and_leak_nothing() {
    let seconds = std::env::var("FTMPI_SECONDS").ok().and_then(|text| text.parse().ok());
    let seconds: f64 = seconds.unwrap_or(600.0);
    let [program, _] = both_with("pcg", &["-lm"]);
    let run = |times: usize| {
        let run = support::run(&program).ranks(16).option("--mode=rebuild").option("-q");
        let run = run.args(["--order", "50000", "--tolerance", "1e-10", "--every", "20"]);
        run.args(["--scheme", "rs:4", "--times", &times.to_string()])
    };
    let calm = run(20).succeeds();
    let times = 20.0 * seconds / calm.took.as_secs_f64();
    let word = format!("FTMPI_TEST_JOB=pcg-{}", std::process::id());
    let (name, value) = word.split_once('=').expect("it has been put there");
    let long = run(times as usize).option("--mttf=1s").env(name, value).deadline(3600);
    let job = std::thread::spawn(move || long.succeeds());
    let mut readings = Vec::new();
    while !job.is_finished() {
        readings.extend(memory_of(&word));
        std::thread::sleep(std::time::Duration::from_secs(1));
    }
    let seen = job.join().expect("the job has ended well");
    let (expected, found) = (last_line(&calm), last_line(&seen));
    assert_eq!((found.0, found.1), (expected.0, expected.1), "{seen}");
    let tenth = readings.len() / 10;
    let most = |part: &[usize]| part.iter().copied().max().expect("there were some seconds");
    let early = most(&readings[tenth..2 * tenth]);
    let late = most(&readings[readings.len() - tenth..]);
    println!("{} failures in {:?}: {early} kB, at the end {late} kB", found.2, seen.took);
    assert!(found.2 as f64 > seconds / 10.0, "{seen}");
    assert!(late < early + early / 20 + 1024, "{early} kB have become {late}");
}

#[test]
fn generated_matrices_are_the_same_in_both_languages_and_on_any_number_of_ranks() {
    let both = both_with("pcg", &["-lm"]);
    for stencil in ["7", "27", "39"] {
        let (mut residuals, mut iterations) = (Vec::new(), Vec::new());
        for (program, ranks) in [(&both[0], 1), (&both[0], 4), (&both[1], 1), (&both[1], 4)] {
            let run = support::run(program).ranks(ranks).args(["--poisson", stencil]);
            // No multiple of three, nor of the ranks.
            let seen = run.args(["--order", "4099", "--tolerance", "1e-10"]).succeeds();
            let (residual, many, _) = last_line(&seen);
            residuals.push(residual);
            iterations.push(many);
        }
        let is_near = |other: &f64| (other / residuals[0] - 1.0).abs() < 1e-4;
        assert!(iterations.iter().all(|many| *many == iterations[0] && *many < 100));
        assert!(residuals[0] < 1e-10 && residuals.iter().all(is_near), "{stencil}: {residuals:?}");
    }
    support::run(&both[0]).args(["--poisson", "9"]).ranks(1).fails_with(2);
}

/// Until what is left is too small for a number: by then nothing may be divided by it.
#[test]
fn iterations_beyond_the_solution_end_with_the_solution() {
    for program in &both_with("pcg", &["-lm"]) {
        for ranks in [1, 4, 5] {
            let run = support::run(program).ranks(ranks).args(["--order", "9000"]);
            let (residual, _, _) = last_line(&run.args(["--iterations", "3000"]).succeeds());
            assert!(residual < 1e-14, "{ranks}: {residual}");
        }
    }
}

/// The second differences of a line, in Matrix Market's form and in Harwell and Boeing's.
fn line_of(order: usize) -> [(&'static str, String); 2] {
    let entries = 2 * order - 1;
    let head = "%%MatrixMarket matrix coordinate real symmetric\n% a line\n";
    let mut market = format!("{head}{order} {order} {entries}\n");
    let (mut pointers, mut indices, mut values) = (vec![1], Vec::new(), Vec::new());
    for column in 1..=order {
        market += &format!("{column} {column} 2.5\n");
        indices.push(column);
        values.push("2.50000000D+00");
        if column < order {
            market += &format!("{} {column} -1\n", column + 1);
            indices.push(column + 1);
            values.push("-1.00000000D+00");
        }
        pointers.push(indices.len() + 1);
    }
    let lines = |fields: Vec<String>, in_line: usize| -> Vec<String> {
        fields.chunks(in_line).map(|fields| fields.concat()).collect()
    };
    let whole = |numbers: &[usize]| numbers.iter().map(|number| format!("{number:8}")).collect();
    let (pointers, indices) = (lines(whole(&pointers), 10), lines(whole(&indices), 10));
    let values = lines(values.iter().map(|value| format!("{value:>20}")).collect(), 4);
    let counts = [pointers.len(), indices.len(), values.len(), 0];
    let total = counts.iter().sum::<usize>();
    let counts: String =
        [&[total][..], &counts].concat().iter().map(|count| format!("{count:14}")).collect();
    let sizes = format!("RSA{:11}{order:14}{order:14}{entries:14}{:14}", "", 0);
    let formats = format!("{:16}{:16}{:20}", "(10I8)", "(10I8)", "(4D20.8)");
    let mut boeing = vec![format!("{:72}{:8}", "a line", "LINE"), counts, sizes, formats];
    boeing.extend(pointers.into_iter().chain(indices).chain(values));
    [("line.mtx", market), ("line.rsa", boeing.join("\n") + "\n")]
}

#[test]
fn conjugate_gradients_read_matrices_from_files() {
    let directory = support::fresh_directory("pcg");
    let both = both_with("pcg", &["-lm"]);
    let mut all = Vec::new();
    for (name, text) in line_of(50) {
        let file = directory.join(name);
        std::fs::write(&file, text).expect("a file can be written");
        let file = file.display().to_string();
        let args = [&file, "--iterations", "60", "--tolerance", "1e-12", "--scheme", "ring"];
        for program in &both {
            for kill in [&[][..], &["--kill", "1@12", "--kill", "3@21"]] {
                let run = support::run(program).ranks(5).option("--mode=rebuild").args(args);
                let run = run.args(["--every", "10"]).args(kill);
                let (residual, iterations, failures) = last_line(&run.succeeds());
                assert_eq!(failures as usize, kill.len() / 2);
                all.push((residual, iterations));
            }
        }
    }
    assert!(all[0].0 < 1e-11, "{all:?}");
    assert!(all.iter().all(|found| *found == all[0]), "{all:?}");
}

#[test]
fn a_matrix_that_cannot_be_solved_is_refused_with_the_line_that_is_wrong() {
    let directory = support::fresh_directory("refused");
    let both = both_with("pcg", &["-lm"]);
    let head = "%%MatrixMarket matrix coordinate real symmetric\n% a line\n3 3";
    let diagonal = "1 1 4\n2 2 4\n3 3 4\n";
    let market = |entries: usize, more: &str| format!("{head} {entries}\n{diagonal}{more}");
    let [_, (_, boeing)] = line_of(50);
    let last_row = boeing.rfind("      50").expect("the last row") + 6;
    let (values, last_line) = (&boeing[last_row + 2..], boeing.trim_end().rfind('\n'));
    let last_line = last_line.expect("many lines") + 1;
    for (name, text, said) in [
        ("row.mtx", market(4, "9 1 -1\n"), "line 7: outside of the matrix"),
        ("zero.mtx", market(4, "2 0 -1\n"), "line 7: outside of the matrix"),
        ("word.mtx", market(4, "2 x -1\n"), "line 7: here a row, a column and a value"),
        ("no_value.mtx", market(4, "2 1\n"), "line 7: here a row, a column and a value"),
        ("nan.mtx", market(4, "2 1 nan\n"), "line 7: not a finite number"),
        ("short.mtx", market(5, "2 1 -1\n"), "line 8: the matrix ends too early"),
        ("wide.mtx", market(3, "").replace("3 3 3", "3 4 3"), "line 3: the matrix is not square"),
        ("text.mtx", "hello\n".to_string(), "line 1: not Matrix Market's coordinate form"),
        ("gap.mtx", format!("{head} 2\n1 1 4\n3 3 4\n"), "the matrix is not positive definite"),
        ("far.rsa", boeing[..last_row].to_string() + "51" + values, "outside of the matrix"),
        ("short.rsa", boeing[..last_line].to_string(), "the matrix ends too early"),
    ] {
        let file = directory.join(name);
        std::fs::write(&file, text).expect("a file can be written");
        for program in &both {
            let run = support::run(program).ranks(2).args([file.display().to_string()]);
            let seen = run.fails_with(2);
            assert!(seen.stderr.contains(said), "{name}: {seen}");
        }
    }
}
