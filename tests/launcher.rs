//! `ftrun` says no before anything runs, in one sentence that names the cure; the rest, it runs.

use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use support::{Outcome, Program, Source};

/// Exits with the status that is its argument, after printing variable, directory and arguments.
const TELLER: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
    char directory[4096];
    const char *variable = getenv("TOLD");
    printf("%s|%s", variable ? variable : "-", getcwd(directory, sizeof directory));
    for (int i = 2; i < argc; i++) printf("|%s", argv[i]);
    printf("\n");
    return argc > 1 ? atoi(argv[1]) : 0;
}
"#;

fn teller() -> Source {
    support::c_text("teller", TELLER)
}

/// Calls ftrun with these words and nothing else.
fn ftrun(words: &[&str]) -> Outcome {
    support::command(support::ftrun()).args(words).outcome()
}

/// One sentence on stderr, none on stdout, this status.
#[track_caller]
fn refused(words: &[&str], status: i32, sentence: &str) {
    let seen = ftrun(words);
    assert_eq!(seen.status, Some(status), "{words:?}\n{seen}");
    assert!(seen.stderr.contains(sentence), "{words:?} should say `{sentence}`\n{seen}");
    assert!(seen.stderr.starts_with("ftrun: "), "{seen}");
    assert_eq!(seen.stderr.lines().count(), 1, "{seen}");
    assert_eq!(seen.stdout, "", "{words:?}");
}

/// The same for a program with `-np 2`.
#[track_caller]
fn unfit(program: &Path, status: i32, sentence: &str) {
    refused(&["-np", "2", &program.to_string_lossy()], status, sentence);
}

#[test]
fn a_command_line_that_makes_no_sense_is_refused_with_the_cure() {
    let cases: &[(&[&str], &str)] = &[
        (&[], "which program? Use `ftrun -np N ./program`"),
        (&["-np", "4"], "which program?"),
        (&["-np"], "-np needs a number of ranks after it"),
        (&["-np", "0", "./a"], "-np 0: a job has at least one rank"),
        (&["-n", "./a"], "-n expects a number of ranks, not `./a`"),
        (&["--np=two", "./a"], "--np expects a number of ranks, not `two`"),
        (&["-np", "-4", "./a"], "-np expects a number of ranks, not `-4`"),
        (&["-np", "4.5", "./a"], "-np expects a number of ranks, not `4.5`"),
        (&["./a"], "how many ranks? Use `ftrun -np N ./a`"),
        (&["--explian", "./a"], "there is no option --explian; did you mean --explain?"),
        (
            &["-oversubscrib", "./a"],
            "there is no option -oversubscrib; did you mean -oversubscribe?",
        ),
        (&["--frobnicate", "./a"], "there is no option --frobnicate; --help lists the options"),
        (&["--explain=yes", "./a"], "--explain takes no value"),
        (&["--ranks", "green", "./a"], "is `thread`, `fiber` or `auto`, not `green`"),
        (
            &["--initial-errhandler", "mpi_errors_ignored", "./a"],
            "--initial-errhandler is `mpi_errors_are_fatal`, `mpi_errors_abort` or \
             `mpi_errors_return`, not `mpi_errors_ignored`",
        ),
        (&["--initial-errhandler"], "--initial-errhandler needs `mpi_errors_are_fatal`"),
        (&["--with-ft", "maybe", "./a"], "--with-ft expects `ulfm` or `no`, not `maybe`"),
        (
            &["-np", "2", "--with-ft", "no", "--mode", "ulfm", "./a"],
            "--with-ft no lets the first failure end the job",
        ),
        (&["--ranks"], "--ranks needs `thread`, `fiber` or `auto` after it"),
        (&["--private"], "--private needs the name of a library after it"),
        (&["--shared", "", "./a"], "--shared expects the name of a library"),
        (&["--on-failure", "panic", "./a"], "expects `end`, `continue` or `restart`, not `panic`"),
        (&["--stack", "much", "./a"], "--stack expects a size such as 64M, not `much`"),
        (&["--stack=4K", "./a"], "--stack 4K is too small: at least 64K"),
        (&["--heap", "1K", "./a"], "--heap 1K is too small: at least 1M"),
        (&["--kill"], "--kill needs RANK@WHEN, such as 3@250ms or 3@MPI_Send:2 after it"),
        (&["-np", "2", "--kill", "1", "./a"], "--kill 1: `1` is not RANK@WHEN"),
        (&["-np", "2", "--kill", "1@soon", "./a"], "`soon` is neither a time such as 250ms"),
        (&["-np", "2", "--kill", "1@1h", "./a"], "`1h` is not a time: use 250ms, 1.5s or 40us"),
        (&["-np", "2", "--kill", "2@1s", "./a"], "there is no rank 2: they are 0 to 1"),
        (&["-np", "2", "--kill", "1@MPI_send", "./a"], "no call MPI_send; did you mean MPI_Send?"),
        (&["-np", "2", "--kill", "1@MPI_Wtime", "./a"], "there is no call MPI_Wtime"),
        (&["-np", "2", "--kill-file", "/none", "./a"], "cannot read --kill-file /none: No such"),
        (&["-np", "2", "--mttf", "2", "./a"], "--mttf: `2` is not a time: use 250ms"),
        (&["-np", "2", "--mttf", "0s", "./a"], "--mttf: failures have to be some time apart"),
        (&["-np", "2", "--seed", "x", "./a"], "--seed: `x` is not a number, nor `random`"),
        (&["-np", "2", "--ranks=thread", "--seed=7", "./a"], "or use --mttf TIME"),
        (&["--timeout", "0", "./a"], "--timeout expects a time in seconds, not `0`"),
        (&["--timeout"], "--timeout needs a time in seconds after it"),
        (&["-x"], "-x needs NAME=VALUE after it"),
        (&["-x", "=5", "./a"], "-x expects NAME=VALUE, but the name is empty"),
        (&["-genv", "A"], "-genv needs NAME=VALUE after it"),
        (&["--mca", "btl"], "--mca needs a value after it"),
        (&["-np", "2", "./a", ":", "./b"], "how many ranks? Use `ftrun -np N ./b`"),
        (&["-np", "2", "./a", ":"], "which program?"),
        (&["--app", "/nowhere"], "cannot read --app /nowhere: No such file"),
        (
            &["-np", "2", "--hosts", "a:0", "./a"],
            "--hosts expects names such as a:2,b:2, not `a:0`",
        ),
        (&["-np", "2", "--hostfile", "/nowhere", "./a"], "cannot read the host file /nowhere"),
        (&["-np", "2", "--wdir", "/nowhere", "./a"], "cannot enter --wdir /nowhere"),
    ];
    for (words, sentence) in cases {
        refused(words, 2, sentence);
    }
}

#[test]
fn a_job_that_the_machine_has_no_room_for_is_refused_with_the_limit() {
    let program = teller().build();
    let path = program.path().to_string_lossy().into_owned();
    for count in ["5000000", "99999999999999999999999999"] {
        let seen = ftrun(&["-np", count, &path]);
        assert_eq!(seen.status, Some(2), "{seen}");
        for part in ["ranks are too many here: ", ", which leaves room for ", "; "] {
            assert!(seen.stderr.contains(part), "{seen}");
        }
        assert_eq!(seen.stderr.lines().count(), 1, "{seen}");
    }
    refused(&["-np", "200", "--heap", "1T", &path], 2, "give ranks less with --heap and --stack");

    let limited =
        format!("ulimit -v 20000000; exec '{}' -np 64 '{path}'", support::ftrun().display());
    let seen = support::command("/bin/sh").args(["-c", &limited]).fails_with(2);
    assert!(seen.stderr.contains("the limit of address space is 20000000K"), "{seen}");
    assert!(seen.stderr.contains("`ulimit -v unlimited`"), "{seen}");
}

#[test]
fn a_program_that_is_not_there_or_not_executable_is_refused_as_in_a_shell() {
    let directory = support::fresh_directory("programs");
    let put = |name: &str, bytes: &[u8], mode: u32| {
        let path = directory.join(name);
        std::fs::write(&path, bytes).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
        path
    };
    unfit(&directory.join("missing"), 127, "missing does not exist");
    unfit(Path::new("no-such-program"), 127, "is not on PATH and not in this directory");
    unfit(&directory, 126, "is a directory");
    unfit(&put("plain", b"x", 0o644), 126, "is not executable; allow it with `chmod +x");
    unfit(&put("text", b"hello", 0o755), 126, "is not a compiled program");
    unfit(&put("empty", b"", 0o755), 126, "is not a compiled program");
    unfit(&put("short", b"\x7fELF\x02\x01", 0o755), 126, "is damaged");
    let whole = std::fs::read(teller().build().path()).unwrap();
    let cut = put("cut", &whole[..200], 0o755);
    unfit(&cut, 126, "cut is damaged (it ends too early); link it again");
    let foreign = |class: u8, machine: u8| {
        let mut bytes = vec![0; 64];
        bytes[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', class, 1]);
        (bytes[16], bytes[18]) = (3, machine);
        bytes
    };
    unfit(&put("old", &foreign(1, 3), 0o755), 126, "is compiled for 32-bit x86, and this is");
    unfit(&put("arm", &foreign(1, 40), 0o755), 126, "is compiled for 32-bit ARM");
    unfit(&put("riscv", &foreign(2, 243), 0o755), 126, "is compiled for RISC-V");

    let here = support::command(support::ftrun()).directory(&directory);
    let seen = here.args(["-np", "2", "riscv"]).fails_with(126);
    assert!(seen.stderr.contains("./riscv is compiled for RISC-V"), "{seen}");
}

#[test]
fn a_program_that_gains_rights_is_refused() {
    let own = Path::new("/proc/self").metadata().unwrap();
    let path = if std::os::unix::fs::MetadataExt::uid(&own) == 0 {
        let copy = support::fresh_directory("rights").join("teller");
        std::fs::copy(teller().build().path(), &copy).unwrap();
        chown(&copy, Some(65534), None).unwrap();
        std::fs::set_permissions(&copy, PermissionsExt::from_mode(0o4755)).unwrap();
        copy
    } else {
        PathBuf::from("/usr/bin/passwd")
    };
    unfit(&path, 126, "is set-uid or set-gid, so no library can be preloaded");
}

#[test]
fn a_program_that_cannot_have_copies_is_refused_with_the_cure() {
    let built = |flags: &[&str]| teller().flags(flags).build();
    let bare = |flags: &[&str]| teller().without_mpi().flags(flags).build();
    unfit(bare(&["-static"]).path(), 126, "is static and cannot load the library");
    unfit(bare(&["-static-pie"]).path(), 126, "is static (-static-pie)");
    unfit(teller().library("teller").path(), 126, "is a shared library, not a program");
    let musl = built(&["-Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1"]);
    unfit(musl.path(), 126, "is built for musl; the library needs glibc");
    let odd = built(&["-Wl,--dynamic-linker=/nowhere/ld.so"]);
    unfit(odd.path(), 126, "needs /nowhere/ld.so to start it, which does not exist here");
}

#[test]
fn a_program_of_another_mpi_or_of_none_is_refused() {
    unfit(Path::new("/bin/sh"), 126, "does not use this library (libftmpi_rs.so)");
    let text = "int MPI_Init(int *c, char ***v) { return 0; }\n";
    let other = support::c_text("other", text).without_mpi();
    let cases = [("libmpi.so.40", "Open MPI"), ("libmpi.so.12", "MPICH or Intel MPI")];
    for (soname, maker) in cases {
        let flag = format!("-Wl,-soname,{soname}");
        let library = other.clone().flags(&[&flag]).library("mpi");
        // ld.so looks for the soname.
        let _ = symlink("libmpi.so", library.path().with_file_name(soname));
        let main = "int MPI_Init(int *, char ***); int main(void) { return MPI_Init(0, 0); }\n";
        let program = support::c_text("guest", main).without_mpi().link(&library).build();
        let sentence =
            format!("is linked with {maker} ({soname}, wanted by guest); compile it again");
        unfit(program.path(), 126, &sentence);
    }
}

#[test]
fn a_program_that_reaches_mpi_through_a_library_of_its_own_runs() {
    let library = support::c_text("solver", "int solve(void) { return 5; }\n").library("solver");
    let main = "int solve(void); int main(void) { return solve(); }\n";
    let program = support::c_text("caller", main).without_mpi().link(&library).build();
    support::run(&program).ranks(1).fails_with(5);
}

#[test]
fn a_program_that_asks_for_the_standards_name_of_the_library_runs() {
    let directory = support::fresh_directory("abi");
    let stand_in = directory.join("libmpi_abi.so");
    let made = std::process::Command::new("cc")
        .args(["-shared", "-Wl,-soname,libmpi_abi.so.1", "-x", "c", "/dev/null", "-o"])
        .arg(&stand_in)
        .status();
    assert!(made.unwrap().success());
    let search = format!("-L{}", directory.display());
    let flags = ["-Wl,--no-as-needed", &search, "-lmpi_abi"];
    let program = teller().without_mpi().flags(&flags).build();
    support::run(&program).ranks(1).args(["3"]).fails_with(3);
}

#[test]
fn status_arguments_variables_and_directory_reach_the_program() {
    let program = teller().build();
    let directory = support::fresh_directory("surroundings");
    let wdir = format!("--wdir={}", directory.display());
    let run = support::run(&program).ranks(1).option(&wdir);
    let seen = run.clone().option("-x").option("TOLD=a b").args(["7", "x y", "--np", "", "-q"]);
    let expected = format!("a b|{}|x y|--np||-q\n", directory.display());
    assert_eq!(seen.fails_with(7).stdout, expected);

    for words in [&["-genv", "TOLD", "v"][..], &["-env", "TOLD=v"], &["-x", "TOLD=u", "-x=TOLD=v"]]
    {
        let set = words.iter().fold(run.clone(), |run, word| run.option(word));
        assert_eq!(set.succeeds().stdout, format!("v|{}\n", directory.display()), "{words:?}");
    }
}

#[test]
fn options_end_at_the_program_or_at_two_dashes() {
    let program = teller().build();
    let path = program.path().to_string_lossy().into_owned();
    let seen = support::command(support::ftrun()).args(["-np", "1", "--", &path, "0", ":"]);
    assert!(seen.succeeds().stdout.ends_with("|:\n"));
}

#[test]
fn a_program_without_a_slash_is_found_on_path() {
    let program = teller().build();
    let path = format!("/nowhere:{}:/usr/bin:/bin", program.path().parent().unwrap().display());
    let seen = support::command(support::ftrun()).env("PATH", path);
    seen.args(["-n", "1", "teller", "9"]).fails_with(9);
}

#[test]
fn a_program_in_this_directory_is_found_after_path() {
    let (program, directory) = (teller().build(), support::fresh_directory("here"));
    support::copy_program(program.path(), directory.join("teller_here"));
    let here = support::command(support::ftrun()).directory(&directory);
    here.clone().args(["-n", "1", "teller_here", "9"]).fails_with(9);
    let before = program.path().parent().unwrap().display().to_string();
    std::fs::write(directory.join("teller"), "not a program").unwrap();
    here.env("PATH", before).args(["-n", "1", "teller", "8"]).fails_with(8);
}

#[test]
fn options_that_scripts_give_to_other_launchers_are_accepted() {
    let hosts = support::fresh_directory("hosts").join("hosts");
    std::fs::write(&hosts, "# here\nlocalhost slots=4\n127.0.0.1:2\n\n").unwrap();
    let hosts = hosts.to_string_lossy().into_owned();
    let lines = [
        "--oversubscribe --allow-run-as-root --map-by node --bind-to core --rank-by slot",
        "--mca btl self,vader --mca plm_rsh_agent ssh -report-bindings --display-map",
        "--host localhost --tag-output --timeout 60 -q -v",
        "-H localhost:4 -wd /tmp -rf ranks --nooversubscribe -npernode 1",
        "-hosts localhost -ppn 8 -genvall -genv A B -genv A=B -launcher fork -prepend-rank",
        "-f HOSTS -iface lo -bind-to core:2 -map-by=hwthread -l",
        "--hostfile HOSTS --prtemca a b --output tag --with-ft ulfm --host=localhost,127.0.0.1:3",
        "--ranks thread --private libx.so --shared=liby.so --on-failure end --stack 1M --heap 64M",
    ];
    let program = teller().build();
    for line in lines {
        let line = line.replace("HOSTS", &hosts);
        let words = line.split_whitespace();
        let run = words.fold(support::run(&program).ranks(1), |run, word| run.option(word));
        run.args(["4"]).fails_with(4);
    }
}

#[test]
fn what_would_be_seen_elsewhere_and_is_not_here_is_said_unless_quiet() {
    let run = support::run(&teller().build()).ranks(1).option("--timestamp-output");
    assert_eq!(run.succeeds().stderr, "ftrun: --timestamp-output has no effect here\n");
    assert_eq!(run.clone().option("-q").succeeds().stderr, "");
    let unset = support::run(&teller().build()).ranks(1).option("-x").option("NOT_SET");
    assert_eq!(unset.succeeds().stderr, "ftrun: -x NOT_SET: NOT_SET is not set\n");
}

#[test]
fn the_other_names_of_the_launcher_do_the_same_and_speak_for_themselves() {
    let program = teller().build().path().to_string_lossy().into_owned();
    for name in ["mpirun", "mpiexec"] {
        let run = support::command(support::tool(name));
        run.clone().args(["-n", "1", &program, "6"]).fails_with(6);
        let seen = run.args(["-n", "0", &program]).fails_with(2);
        assert_eq!(seen.stderr, format!("{name}: -n 0: a job has at least one rank\n"));
    }
}

#[test]
fn help_and_version_go_to_standard_output() {
    for words in [["--help"], ["-h"]] {
        let seen = support::command(support::ftrun()).args(words).succeeds();
        assert!(seen.stdout.starts_with("NAME\n    ftrun - run an MPI program"), "{seen}");
        assert_eq!(seen.stderr, "");
    }
    let seen = support::command(support::ftrun()).args(["--version"]).succeeds();
    assert!(seen.stdout.starts_with("ftrun (ftmpi-rs) "), "{seen}");
    let early = format!("'{}' --help | head -1", support::ftrun().display());
    let seen = support::command("/bin/sh").args(["-c", &early]).succeeds();
    assert_eq!((seen.stdout.as_str(), seen.stderr.as_str()), ("NAME\n", ""));
}

#[test]
fn without_its_library_the_launcher_says_where_it_looked() {
    let directory = support::fresh_directory("lonely");
    let copy = directory.join("ftrun");
    support::copy_program(support::ftrun(), &copy);
    let program = Program::at("/bin/true");
    let words = ["-np", "1", &program.path().to_string_lossy()];
    let seen = support::command(&copy).args(words).fails_with(1);
    let looked = format!("looked for {}/libftmpi_rs.so and ", directory.display());
    assert!(seen.stderr.contains(&looked), "{seen}");
    assert!(seen.stderr.contains("cargo build --release"), "{seen}");
}

#[test]
fn a_library_in_a_directory_with_a_space_is_used() {
    let directory = support::fresh_directory("with a space");
    let library = support::library_directory().join("libftmpi_rs.so");
    support::copy_program(support::ftrun(), directory.join("ftrun"));
    std::fs::copy(library, directory.join("libftmpi_rs.so")).unwrap();
    let program = teller().build().path().to_string_lossy().into_owned();
    let seen = support::command(directory.join("ftrun")).args(["-np", "1", &program]);
    assert_eq!(seen.succeeds().stderr, "");
}

#[test]
fn a_mistake_in_a_kill_file_is_told_with_its_file_and_line() {
    let file = support::fresh_directory("faults").join("faults.txt");
    for (text, said) in [
        ("0@1s\n\n1@sun\n", "faults.txt:3: `sun` is neither a time"),
        ("# none\n7@1s\n", "faults.txt:2: there is no rank 7: they are 0 to 1"),
        ("0@MPI_Sent\n", "faults.txt:1: there is no call MPI_Sent; did you mean MPI_Send?"),
    ] {
        std::fs::write(&file, text).unwrap();
        let path = file.to_string_lossy();
        refused(&["-np", "2", "--kill-file", &path, "./a"], 2, said);
    }
}
