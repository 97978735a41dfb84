//! The examples do what their comments say, in C and in Fortran.

mod support;

use support::{Outcome, Program};

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

#[test]
fn the_master_gives_the_work_of_dead_workers_to_others() {
    for program in both("master_worker") {
        let run = support::run(&program).ranks(7).option("--mode=blank").option("--msg=cont");
        let seen = run.succeeds();
        let expected =
            ["100 pieces done: pi is about 3.1415926536", "worker 3 is dead", "worker 6 is dead"];
        assert_eq!(seen.sorted_lines(), expected);
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

/// What the last line says of the residual, the iterations and the failures.
fn last_line(seen: &Outcome) -> (f64, u32, u32) {
    let line = seen.stdout.lines().last().unwrap_or_default();
    let words: Vec<&str> = line.split_whitespace().collect();
    let ["residual", residual, "iterations", iterations, "failures", failures] = words[..] else {
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
        assert!(seen.stderr.contains("what ranks 1-2 had"), "{is_c}: {seen}");
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
