//! `ftrun doctor` says what works on this machine, and its exit status whether jobs do.

mod support;

/// The line about `subject`.
fn line<'a>(text: &'a str, subject: &str) -> &'a str {
    let about = |line: &&str| line.split_whitespace().nth(1) == Some(subject);
    text.lines().find(about).unwrap_or_else(|| panic!("no line about {subject}:\n{text}"))
}

#[test]
fn what_works_is_tried_and_told() {
    let seen = support::command(support::ftrun()).args(["doctor"]).succeeds();
    for subject in ["glibc", "vm.max_map_count", "cores", "memory", "C"] {
        assert!(!line(&seen.stdout, subject).starts_with("NO"), "{seen}");
    }
    assert!(line(&seen.stdout, "C").ends_with("4 ranks ran, 1 was killed, 3 went on"), "{seen}");
    let fortran = line(&seen.stdout, "Fortran");
    assert_eq!(fortran.starts_with("ok"), support::has("gfortran"), "{seen}");
}

#[test]
fn without_a_compiler_it_fails_and_names_the_cure() {
    let empty = support::fresh_directory("doctor_without_tools");
    let run = support::command(support::ftrun()).args(["doctor"]).env("PATH", &empty);
    let seen = run.fails_with(1);
    assert!(line(&seen.stdout, "C").starts_with("NO"), "{seen}");
    assert!(line(&seen.stdout, "C").contains("install gcc"), "{seen}");
    assert!(line(&seen.stdout, "gdb").starts_with("--"), "{seen}");
}

#[test]
fn it_takes_no_argument() {
    let seen = support::command(support::ftrun()).args(["doctor", "now"]).fails_with(2);
    assert_eq!(seen.stderr, "ftrun: doctor takes no argument, not `now`\n");
}
