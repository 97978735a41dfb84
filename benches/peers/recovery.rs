//! From a death to the first right allreduce: our modes, beside Open MPI's ULFM, which revokes,
//! shrinks, and for a rebuild spawns and merges.

use super::contender::{Contender, first_number};
use super::short;

/// How many deaths one of our runs measures, where the dead come back and where they do not; and
/// how often a run of a peer's and of ours is repeated.
const DEATHS: [&str; 2] = ["51", "7"];
const RUNS: usize = 3;
const OUR_RUNS: usize = 9;
/// With more ranks no peer is run.
const MOST_OF_PEERS: usize = 120;

/// What is done, with which of our options, and what the peer's program calls it.
const ROWS: [(&str, &[&str], Option<&str>); 4] = [
    ("REBUILD", &["--mode", "rebuild"], Some("rebuild")),
    ("SHRINK", &["--mode", "shrink"], Some("shrink")),
    ("BLANK", &["--mode", "blank"], None),
    ("REBUILD, CONT", &["--mode", "rebuild", "--msg", "cont"], None),
];

/// The table of recoveries, in milliseconds: our program, and the one that any ULFM compiles.
pub(super) fn table(contenders: &[Contender]) -> String {
    let ours = &contenders[0];
    let ulfm = contenders.iter().find(|one| one.is("openmpi")).expect("Open MPI is a peer");
    let ulfm = ulfm.clone().within("30");
    let mut lines = vec![
        format!("| death to first right allreduce, ms | {} | {}, ULFM |", ours.name, ulfm.name),
        "|---|---|---|".to_string(),
    ];
    for ranks in [16, 120, 1_000, 10_000] {
        for (name, options, peers_name) in ROWS {
            let peers_name = peers_name.filter(|_| ranks <= MOST_OF_PEERS);
            let deaths = DEATHS[usize::from(!name.starts_with("REBUILD"))];
            let run = || ours.number(ranks, options, "recovery", &[deaths]);
            let us = super::median(&mut (0..OUR_RUNS).map_while(|_| run()).collect::<Vec<_>>());
            let them = peers_name.and_then(|word| {
                let options = ["--with-ft", "ulfm"];
                // As a rule it says how long a rebuild took, and then does not come to its end.
                let run = || {
                    let (printed, _) = ulfm.run(ranks, &options, "recovery_ulfm", &[word])?;
                    first_number(&printed)
                };
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
const CALM: [(&str, usize, &[&str]); 3] = [
    ("latency, 8 B, 2 ranks", 2, &["latency", "8"]),
    ("step of a stencil, 256² points a rank, 2 ranks", 2, &["stencil", "256"]),
    ("step of a stencil, 64² points a rank, 16 ranks", 16, &["stencil", "64"]),
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
                ours.number(ranks, options, "measure", words)
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
