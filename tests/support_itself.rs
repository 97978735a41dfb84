//! The tests' own tools: a run that hangs is ended, what a run leaves behind is seen.

use std::panic::catch_unwind;
use std::time::{Duration, Instant};

#[test]
fn a_run_that_hangs_is_ended_with_all_its_processes_and_fails_loudly() {
    const SLEEPS: u64 = 3600;
    let started = Instant::now();
    let script = format!("echo so far; sleep {SLEEPS} & sleep {SLEEPS}");
    let hangs = support::command("/bin/sh").args(["-c", &script]);
    // On a slow machine the shell says nothing in a second.
    for seconds in [1, 10, 100] {
        let run = hangs.clone().deadline(seconds);
        let said = catch_unwind(|| run.outcome()).expect_err("it fails");
        let said = said.downcast_ref::<String>().expect("a panic has a message");
        assert!(said.contains(&format!("still runs after {seconds}s")), "{said}");
        if said.contains("so far") {
            break;
        }
        assert!(seconds < 100, "{said}");
    }
    assert!(started.elapsed() < Duration::from_secs(SLEEPS), "its children live on");
}

#[test]
fn status_output_and_input_are_seen() {
    let script = "read line; echo \"got $line\"; echo bad >&2; exit 7";
    let seen = support::command("/bin/sh").args(["-c", script]).stdin("hello\n").fails_with(7);
    assert_eq!((seen.stdout.as_str(), seen.stderr.as_str()), ("got hello\n", "bad\n"));
}

#[test]
fn a_program_is_compiled_once() {
    let text = "#include <stdio.h>\nint main(void) { puts(\"compiled\"); return 0; }\n";
    let source = support::c_text("once", text).without_mpi();
    let first = source.build();
    let made = first.path().metadata().unwrap().modified().unwrap();
    let again = source.build();
    assert_eq!(again.path().metadata().unwrap().modified().unwrap(), made);
    assert_ne!(source.clone().flags(&["-O2"]).build().path(), again.path());
    assert_eq!(support::command(again.path()).succeeds().stdout, "compiled\n");
}
