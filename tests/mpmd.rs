//! Several programs in one job: each rank runs its own, with its arguments, directory, variables
//! and libraries.

use support::{Outcome, Program, Run};

/// Says who it is: `NAME rank/size app sum arguments…`. The variable must be the rank's own.
const SPEAKER: &str = r#"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
static int mine = 0;
int main(int argc, char **argv) {
    int rank, size, *app, flag, sum;
    char directory[4096] = "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &app, &flag);
    mine += rank;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (getenv("WHERE") && !realpath(".", directory)) return 3;
    printf(NAME " %d/%d app %d sum %d %s %s\n", rank, size, flag ? *app : -1, sum,
           argc > 1 ? argv[1] : "-", getenv("WHERE") ? directory : "-");
    MPI_Finalize();
    return 0;
}
"#;

const IN_FORTRAN: &str = r#"
program speaker
    implicit none
    include 'mpif.h'
    integer, save :: mine = 0
    integer :: rank, ranks, total, code
    integer(MPI_ADDRESS_KIND) :: app
    logical :: flag
    character(20) :: word
    call MPI_Init(code)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, app, flag, code)
    mine = mine + rank
    total = mine
    call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
    call get_command_argument(1, word)
    print '("fortran ",i0,"/",i0," app ",i0," sum ",i0," ",a)', rank, ranks, app, total, trim(word)
    call MPI_Finalize(code)
end program
"#;

/// Thread-local variables of the program, and what is thrown and destroyed.
const IN_CXX: &str = r#"
#include <mpi.h>
#include <cstdio>
#include <iostream>
#include <stdexcept>
#include <string>
thread_local long counted = 40, zero;
thread_local std::string word = "short";
struct Speaker { ~Speaker() { std::cout << "destroyed\n"; } } speaker;
int main(int argc, char **argv) {
    int rank, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    try {
        counted += rank;
        throw std::runtime_error("thrown");
    } catch (const std::exception &caught) {
        std::cout << "c++ " << rank << " " << counted - rank + zero << " " << word << " "
                  << caught.what() << " sum " << sum << std::endl;
    }
    MPI_Finalize();
}
"#;

fn speaker(name: &str) -> Program {
    let source = support::c_text(&format!("speaker_{name}"), SPEAKER);
    source.flags(&[format!("-DNAME=\"{name}\"")]).build()
}

/// Runs these words after `ftrun`.
fn ftrun(words: &[&str]) -> Run {
    support::library_directory();
    support::command(support::ftrun()).args(words)
}

fn path(program: &Program) -> &str {
    program.path().to_str().expect("test programs have plain names")
}

#[track_caller]
fn says(seen: &Outcome, line: &str) {
    assert_eq!(seen.lines_with(line), 1, "{line}: {seen}");
}

#[test]
fn programs_in_three_languages_form_one_world() {
    let (c, again) = (speaker("c"), speaker("again"));
    let fortran = support::fortran_text("speaker_in_fortran", IN_FORTRAN).build();
    let cxx = support::cxx_text("speaker_in_cxx", IN_CXX).build();
    for kind in ["thread", "fiber"] {
        let words = [
            "--ranks",
            kind,
            "-np",
            "1",
            path(&c),
            "first",
            ":",
            "-np",
            "2",
            path(&fortran),
            "second",
            ":",
            "-n",
            "2",
            path(&cxx),
            ":",
            "-np",
            "1",
            path(&again),
            ":",
            "-np",
            "1",
            path(&c),
            "last",
        ];
        let seen = ftrun(&words).succeeds();
        says(&seen, "c 0/7 app 0 sum 21 first -");
        says(&seen, "fortran 1/7 app 1 sum 21 second");
        says(&seen, "fortran 2/7 app 1 sum 21 second");
        says(&seen, "c++ 3 40 short thrown sum 21");
        says(&seen, "c++ 4 40 short thrown sum 21");
        says(&seen, "again 5/7 app 3 sum 21 - -");
        says(&seen, "c 6/7 app 4 sum 21 last -");
        assert_eq!(seen.lines_with("destroyed"), 2, "{seen}");
    }
}

#[test]
fn each_program_has_its_own_directory_and_variables() {
    let (one, other) = (speaker("one"), speaker("other"));
    let directory = support::fresh_directory("mpmd").canonicalize().unwrap();
    let here = directory.to_str().unwrap();
    for kind in ["thread", "fiber"] {
        let words = [
            "--ranks",
            kind,
            "-np",
            "2",
            path(&one),
            ":",
            "-np",
            "2",
            "-x",
            "WHERE=there",
            "-wdir",
            here,
            path(&other),
            "--",
            ":",
        ];
        // The last word is an argument of nobody: a program is missing behind it.
        let seen = ftrun(&words).outcome();
        assert!(seen.stderr.contains("which program?"), "{seen}");
        let seen = ftrun(&words[..words.len() - 2]).succeeds();
        says(&seen, "one 0/4 app 0 sum 6 - -");
        says(&seen, &format!("other 3/4 app 1 sum 6 - {here}"));
    }
}

#[test]
fn an_app_file_has_a_program_in_each_line() {
    let (one, other) = (speaker("one"), speaker("other"));
    let file = support::fresh_directory("app").join("apps");
    let text = format!(
        "# who runs what\n-np 1 {} \"two words\"\n\n-np 2 -x WHERE=1 {} : -np 1 {} # the end\n",
        path(&one),
        path(&other),
        path(&one)
    );
    std::fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    let seen = ftrun(&["--quiet", "--app", file]).succeeds();
    says(&seen, "one 0/4 app 0 sum 6 two words -");
    says(&seen, "other 1/4 app 1 sum 6 - /");
    says(&seen, "one 3/4 app 2 sum 6 - -");
    let seen = ftrun(&["--app", file, path(&one)]).outcome();
    assert!(seen.stderr.contains("names the programs:"), "{seen}");
}

/// A library whose state and constructor belong to one rank.
const LIBRARY: &str = r#"
static int state;
__attribute__((constructor)) static void begin(void) { state += 100; }
int bump(void) { return ++state; }
"#;

#[test]
fn a_further_program_has_its_own_private_libraries() {
    let user = r#"
        #include <mpi.h>
        #include <stdio.h>
        int bump(void);
        int main(int argc, char **argv) {
            int rank;
            MPI_Init(&argc, &argv);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            for (int time = 0; time < rank; time++) bump();
            MPI_Barrier(MPI_COMM_WORLD);
            printf("bumped %d\n", bump() - rank);
            MPI_Finalize();
            return 0;
        }
    "#;
    let plain = support::c_text(
        "plain",
        "#include <mpi.h>\nint main(int argc, char **argv) { \
        MPI_Init(&argc, &argv); MPI_Barrier(MPI_COMM_WORLD); MPI_Finalize(); return 0; }",
    )
    .build();
    let named = support::c_text("bump", LIBRARY).without_mpi().library("bump");
    let directory = support::fresh_directory("nameless");
    std::fs::write(directory.join("bump.c"), LIBRARY).unwrap();
    let compile = ["-shared", "-fPIC", "bump.c", "-o", "libbump.so"];
    support::command("cc").directory(&directory).args(compile).succeeds();
    for library in [named, Program::at(directory.join("libbump.so"))] {
        let user = support::c_text("bumping", user).link(&library).build();
        let seen = ftrun(&["-np", "1", path(&plain), ":", "-np", "3", path(&user)]).succeeds();
        assert_eq!(seen.lines_with("bumped 101"), 3, "{seen}");
    }
}

#[test]
fn a_replacement_runs_the_program_of_the_dead_and_a_seed_repeats_the_run() {
    let one = support::c("c_examples/rebuild.c").flags(&["-O2"]).build();
    let other = support::c("c_examples/rebuild.c").flags(&["-O1"]).build();
    let words = |more: &[&'static str]| {
        let mut all = more.to_vec();
        all.extend(["--mode", "rebuild", "--kill", "5@inside:MPI_Allreduce:20", "-np", "4"]);
        all
    };
    let programs = [path(&one), "100", ":", "-np", "4", path(&other), "100"];
    for kind in ["--ranks=thread", "--ranks=fiber"] {
        let seen = ftrun(&[words(&[kind]).as_slice(), &programs].concat()).succeeds();
        says(&seen, "8 ranks, 1 restarted, 100 steps: 3579696");
    }
    let seeded = || ftrun(&[words(&["--seed", "4"]).as_slice(), &programs].concat()).succeeds();
    let (first, second) = (seeded(), seeded());
    assert_eq!((first.stdout, first.stderr), (second.stdout, second.stderr));
}

/// What carries ranks: one process, one for each rank, one for several, and hosts.
const FORMS: [&[&str]; 5] = [
    &["--ranks=fiber"],
    &["--processes"],
    &["--processes=3"],
    &["--hosts=x:4,y:4", "--agent", "sh -c"],
    &["--hosts=x:4,y:4", "--agent", "sh -c", "--per-process=2"],
];

#[test]
fn programs_share_a_job_whatever_carries_the_ranks() {
    let (one, other) = (speaker("one"), speaker("other"));
    let directory = support::fresh_directory("mpmd").canonicalize().unwrap();
    let here = directory.to_str().unwrap();
    let programs = ["-np", "1", path(&one), "first", ":", "-np", "3", "-x", "WHERE=there"];
    let further = ["-wdir", here, path(&other), "second", ":", "-np", "2", path(&one)];
    for form in FORMS {
        let seen = ftrun(&[form, &programs[..], &further[..]].concat()).succeeds();
        says(&seen, "one 0/6 app 0 sum 15 first -");
        (1..4).for_each(|rank| {
            says(&seen, &format!("other {rank}/6 app 1 sum 15 second {here}"));
        });
        says(&seen, "one 5/6 app 2 sum 15 - -");
    }
}

#[test]
fn whatever_carries_the_ranks_a_replacement_runs_the_program_of_the_dead() {
    let one = support::c("c_examples/rebuild.c").flags(&["-O2"]).build();
    let other = support::c("c_examples/rebuild.c").flags(&["-O1"]).build();
    let kill = ["--mode", "rebuild", "--kill", "5@inside:MPI_Allreduce:20", "-np", "4"];
    let programs = [path(&one), "100", ":", "-np", "4", path(&other), "100"];
    for form in FORMS {
        let seen = ftrun(&[form, &kill[..], &programs[..]].concat()).succeeds();
        says(&seen, "8 ranks, 1 restarted, 100 steps: 3579696");
    }
}

#[test]
fn programs_that_cannot_be_copies_beside_others_make_all_ranks_processes() {
    let (plain, name) = (speaker("plain"), ["-DNAME=\"fixed\"", "-no-pie", "-fno-pie"]);
    let fixed = support::c_text("speaker_fixed", SPEAKER).flags(&name).build();
    let script = support::fresh_directory("mpmd").join("script");
    std::fs::write(&script, format!("#!/bin/sh\nexec {} scripted\n", path(&plain))).unwrap();
    let changed = support::command("chmod").args(["+x", script.to_str().unwrap()]);
    changed.succeeds();
    let first = ["-np", "1", path(&plain), ":", "-np", "1"];
    let seen = ftrun(&[&first[..], &[path(&fixed), "x"]].concat()).succeeds();
    says(&seen, "plain 0/2 app 0 sum 1 - -");
    says(&seen, "fixed 1/2 app 1 sum 1 x -");
    assert!(seen.stderr.contains("is not position independent: each rank is a process"), "{seen}");
    let seen = ftrun(&[&first[..], &[script.to_str().unwrap()]].concat()).succeeds();
    says(&seen, "plain 1/2 app 1 sum 1 scripted -");
    let python = "from ctypes import CDLL; mpi = CDLL('libmpi_abi.so.1'); \
                  mpi.MPI_Init(None, None); print('py'); mpi.MPI_Finalize()";
    let python = ["python3", "-c", python];
    let alone = "int main(int c, char **v) { MPI_Init(&c, &v); puts(\"c\"); MPI_Finalize(); }";
    let alone = format!("#include <mpi.h>\n#include <stdio.h>\n{alone}");
    let alone = support::c_text("beside_python", &alone).build();
    for words in [
        [&["-np", "1", path(&alone), ":", "-np", "2"], &python[..]].concat(),
        [&["-np", "2"], &python[..], &[":", "-np", "1", path(&alone)]].concat(),
    ] {
        let seen = ftrun(&words).succeeds();
        assert_eq!((seen.lines_with("py"), seen.lines_with("c")), (2, 1), "{seen}");
        assert!(seen.stderr.contains("Python and another program: each rank is"), "{seen}");
    }
}

#[test]
fn failures_of_any_program_are_reported_and_all_ranks_are_watched() {
    let one = support::c("c_examples/rebuild.c").flags(&["-O2"]).build();
    let other = support::c("c_examples/rebuild.c").flags(&["-O1"]).build();
    let file = support::fresh_directory("mpmd").join("report");
    let report = format!("--report={}", file.display());
    let kills = "--kill=0@before:MPI_Allreduce:10 --kill=3@inside:MPI_Allreduce:20";
    let options = kills.split(' ').chain([report.as_str(), "--mode=rebuild", "--tui"]);
    let programs = ["-np", "2", path(&one), "50", ":", "-np", "3", path(&other), "50"];
    let words: Vec<&str> = options.chain(programs).collect();
    let seen = ftrun(&words).succeeds();
    let lines = std::fs::read_to_string(&file).expect("the report is written");
    for victim in ["\"rank\":0", "\"rank\":3"] {
        assert_eq!(lines.lines().filter(|line| line.contains(victim)).count(), 1, "{lines}");
    }
    assert_eq!(
        lines.lines().filter(|line| line.contains("\"outcome\":\"recovered\"")).count(),
        2,
        "{lines}"
    );
    let last = seen.stderr.rsplit("\u{1b}[H").next().expect("a picture");
    assert!(last.contains("5 ranks") && last.contains("5 of 5 alive, ended"), "{seen}");
    // A page that nobody opens changes nothing.
    let seen = ftrun(&[&["--watch"], &programs[..]].concat()).succeeds();
    says(&seen, "5 ranks, 0 restarted, 50 steps");
}

#[test]
fn what_cannot_run_is_named() {
    let one = speaker("one");
    let with = |words: &[&str]| {
        let words = [&["-np", "1", path(&one), ":"], words].concat();
        ftrun(&words).outcome()
    };
    let seen = with(&["-np", "1", "./nowhere"]);
    assert_eq!(seen.status, Some(127), "{seen}");
    assert!(seen.stderr.contains("./nowhere does not exist"), "{seen}");
    let seen = with(&["-np", "1", "/bin/true"]);
    assert!(seen.stderr.contains("/bin/true does not use this library"), "{seen}");
    let seen = with(&[path(&one)]);
    assert!(seen.stderr.contains("how many ranks?"), "{seen}");
    let seen = with(&["-np", "1", "-wdir", "/nowhere", path(&one)]);
    assert!(seen.stderr.contains("cannot enter --wdir /nowhere"), "{seen}");
    let seen = with(&["-np", "1", "--share-image", path(&one)]);
    assert!(seen.stderr.contains("all ranks would share variables of"), "{seen}");
    let seen = ftrun(&["--explain", "-np", "1", path(&one), ":", "-np", "1", path(&speaker("b"))]);
    let seen = seen.succeeds();
    assert_eq!(seen.stderr.matches("how each library").count(), 2, "{seen}");
}
