//! From a death to the first right allreduce: our modes, beside Open MPI's ULFM, which revokes,
//! shrinks, and for a rebuild spawns and merges.

use super::{Contender, short};
use std::path::Path;
use std::process::{Command, Stdio};

/// How many deaths one of our runs measures, where the dead come back and where they do not; and
/// how often a peer's run is repeated.
const DEATHS: [&str; 2] = ["51", "7"];
const RUNS: usize = 5;
const PATIENCE: &str = "60";

/// What is done, with which of our options, and what the peer's program calls it.
const ROWS: [(&str, &[&str], Option<&str>); 4] = [
    ("REBUILD", &["--mode", "rebuild"], Some("rebuild")),
    ("SHRINK", &["--mode", "shrink"], Some("shrink")),
    ("BLANK", &["--mode", "blank"], None),
    ("REBUILD, CONT", &["--mode", "rebuild", "--msg", "cont"], None),
];

/// The programs that this table runs: ours, and the one that any ULFM compiles.
pub(super) const OURS: &str = "recovery";
pub(super) const THEIRS: &str = "recovery_ulfm";

/// The table of recoveries, in milliseconds.
pub(super) fn table(ours: &Contender, ulfm: &Contender) -> String {
    let mut lines = vec![
        format!("| death to first right allreduce, ms | {} | {}, ULFM |", ours.name, ulfm.name),
        "|---|---|---|".to_string(),
    ];
    for ranks in ["16", "120"] {
        for (name, options, peers_name) in ROWS {
            let deaths = DEATHS[usize::from(!name.starts_with("REBUILD"))];
            let us = sample(ours, ranks, options, OURS, &[deaths]);
            let them = peers_name.and_then(|word| {
                let options = ["--with-ft", "ulfm"];
                let run = || sample(ulfm, ranks, &options, THEIRS, &[word]);
                let mut seen: Vec<f64> = (0..RUNS).map_while(|_| run()).collect();
                super::median(&mut seen)
            });
            let cells = [us, them].map(|ms| ms.map_or("none in time".to_string(), short));
            let ahead = us.zip(them).map(|(us, them)| format!(", × {}", short(them / us)));
            let [us, them] = cells;
            let them = if peers_name.is_some() { them } else { String::new() };
            let ahead = ahead.unwrap_or_default();
            lines.push(format!("| {name}, {ranks} ranks | {us} | {them}{ahead} |"));
            eprintln!("{}", lines.last().expect("a line was pushed"));
        }
    }
    lines.join("\n")
}

/// What is measured without any failure, in turns without and with the modes, and how often.
const CALM: [(&str, &str, &[&str]); 3] = [
    ("latency, 8 B, 2 ranks", "2", &["measure", "latency", "8"]),
    ("step of a stencil, 256² points a rank, 2 ranks", "2", &["measure", "stencil", "256"]),
    ("step of a stencil, 64² points a rank, 16 ranks", "16", &["measure", "stencil", "64"]),
];
const TURNS: usize = 101;

/// What the modes cost while nobody dies, in microseconds.
pub(super) fn cost(ours: &Contender) -> String {
    let mut lines = vec![
        "| while nobody dies, µs | the first failure ends the job | --mode rebuild | more |".into(),
        "|---|---|---|---|".to_string(),
    ];
    for (name, ranks, words) in CALM {
        let mut seen = [Vec::new(), Vec::new()];
        let mut ratios = Vec::new();
        for turn in 0..TURNS {
            // The order changes from turn to turn, so that neither is always the first.
            let run = |is_on: bool| {
                let options: &[&str] = if is_on { &["--mode", "rebuild"] } else { &[] };
                sample(ours, ranks, options, words[0], &words[1..])
            };
            let first = run(turn % 2 == 1);
            let second = run(turn % 2 == 0);
            let (off, on) = if turn % 2 == 1 { (second, first) } else { (first, second) };
            seen[0].extend(off);
            seen[1].extend(on);
            ratios.extend(off.zip(on).map(|(off, on)| on / off));
        }
        let [off, on] = seen.map(|mut values| super::median(&mut values).unwrap_or(f64::NAN));
        // Of pairs of runs one after the other: what else goes on meets both.
        let more = (super::median(&mut ratios).unwrap_or(f64::NAN) - 1.0) * 100.0;
        lines.push(format!("| {name} | {off:.3} | {on:.3} | {more:+.1} % |"));
        eprintln!("{}", lines.last().expect("a line was pushed"));
    }
    lines.join("\n")
}

/// What one run prints, if it ends in time.
fn sample(
    contender: &Contender, ranks: &str, options: &[&str], program: &str, arguments: &[&str],
) -> Option<f64> {
    let program = contender.program.with_file_name(format!("{program}-{}", contender.stem));
    let output = Command::new("timeout")
        .args(["--kill-after=5", PATIENCE])
        .args(&contender.launch)
        .args(options)
        .args(["-np", ranks])
        .arg(Path::new(&program))
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("timeout is installed");
    let printed = String::from_utf8_lossy(&output.stdout);
    let number = printed.lines().find_map(|line| line.trim().parse().ok());
    if number.is_none() {
        eprintln!("{}: {}", contender.name, String::from_utf8_lossy(&output.stderr));
    }
    number
}
