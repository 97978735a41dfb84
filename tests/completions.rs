//! `ftrun completions SHELL`: what shells make of it.

/// What bash offers for these words, of which the last one is being written.
fn offered(words: &[&str]) -> Vec<String> {
    let listed: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let script = format!(
        "source <('{}' completions bash) && COMP_WORDS=({}) COMP_CWORD={} && _ftrun && \
         printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        support::ftrun().display(),
        listed.join(" "),
        words.len() - 1
    );
    let directory = support::fresh_directory("completions");
    std::fs::write(directory.join("a program"), "").expect("there is room");
    let seen = support::command("bash").args(["-c", &script]).directory(&directory).succeeds();
    seen.stdout.lines().filter(|line| !line.is_empty()).map(str::to_string).collect()
}

#[test]
fn bash_completes_options_values_programs_and_commands() {
    assert_eq!(offered(&["ftrun", "--mo"]), ["--mode"]);
    assert_eq!(offered(&["ftrun", "--mode", "re"]), ["rebuild"]);
    assert_eq!(offered(&["ftrun", "-np", "4", "a"]), ["a program"]);
    assert_eq!(offered(&["ftrun", "exp"]), ["explore"]);
    // What follows the program is the program's.
    assert_eq!(offered(&["ftrun", "-np", "4", "./x", "--mo"]), [""; 0]);
    assert_eq!(offered(&["ftrun", "-np", "4", "./x", "a"]), ["a program"]);
    assert_eq!(offered(&["ftrun", "--trace", "a"]), ["a program"]);
}

#[test]
fn other_shells_understand_theirs() {
    let directory = support::fresh_directory("completions");
    for shell in ["zsh", "fish"] {
        let seen = support::command(support::ftrun()).args(["completions", shell]).succeeds();
        assert!(seen.stdout.contains("rebuild"), "{seen}");
        if support::has(shell) {
            let file = directory.join(shell);
            std::fs::write(&file, &seen.stdout).expect("there is room");
            support::command(shell).args(["-n", &file.to_string_lossy()]).succeeds();
        }
    }
}

#[test]
fn a_shell_that_is_not_known_is_refused() {
    for words in [&["completions"][..], &["completions", "csh"]] {
        let seen = support::command(support::ftrun()).args(words.iter().copied()).fails_with(2);
        assert!(seen.stderr.contains("bash, zsh or fish"), "{seen}");
    }
}
