//! How fast a checkpoint is: all data of all ranks, beside a copy of the same by all ranks at once.

use super::contender::Contender;
use super::short;

const RANKS: usize = 16;
const MEGABYTES: &str = "1024";
const SCHEMES: [&str; 4] = ["xor", "rs:2", "sum", "mirror"];
/// How often each is run, in turns with the copy.
const RUNS: usize = 3;

/// The table of checkpoints, in GB/s.
pub(super) fn table(ours: &Contender) -> String {
    let run = |what: &str| ours.number(RANKS, &[], "checkpoint", &[what, MEGABYTES]);
    let mut lines = vec![
        format!("| checkpoint of 1 GB, {RANKS} ranks, GB/s | {} | of memcpy's |", ours.name),
        "|---|---|---|".to_string(),
    ];
    let mut copies = Vec::new();
    for scheme in SCHEMES {
        let mut seen = Vec::new();
        for _ in 0..RUNS {
            copies.extend(run("memcpy"));
            seen.extend(run(scheme));
        }
        let copy = super::median(&mut copies).unwrap_or(f64::NAN);
        let speed = super::median(&mut seen).unwrap_or(f64::NAN);
        lines.push(format!("| {scheme} | {} | {:.0} % |", short(speed), 100.0 * speed / copy));
        eprintln!("{}", lines.last().expect("a line was pushed"));
    }
    let copy = super::median(&mut copies).unwrap_or(f64::NAN);
    lines.push(format!("| memcpy, all ranks at once | {} | |", short(copy)));
    lines.join("\n")
}
