//! Collectives of all contenders, in one run: every number of ranks, every call, every size. A
//! contender that does not finish a row within its deadline is stopped, and goes on with the next
//! call; one that fails too often, or has had its time, is left out for that number of ranks.

use super::contender::Contender;
use super::short;
use std::collections::{HashMap, VecDeque};
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

const RANKS: [usize; 4] = [2, 7, 16, 120];
const SIZES: [usize; 6] = [8, 256, 4 << 10, 64 << 10, 1 << 20, 4 << 20];
/// The calls, and whether each rank has a block for each other: there memory sets the limit.
const CALLS: [(&str, bool); 10] = [
    ("barrier", false),
    ("bcast", false),
    ("reduce", false),
    ("allreduce", false),
    ("scan", false),
    ("gather", true),
    ("scatter", true),
    ("allgather", true),
    ("alltoall", true),
    ("reduce_scatter", true),
];
const MOST_BYTES: usize = 1 << 30;
/// How long a row may take, how long a start, and how long all rows of a number of ranks.
const ROW: Duration = Duration::from_secs(15);
const START: Duration = Duration::from_secs(45);
const ALL: Duration = Duration::from_secs(100);
/// How many calls may fail before a contender is left out.
const FAILURES: usize = 3;

/// The table of all collectives beside each other.
pub(super) fn table(contenders: &[Contender]) -> String {
    let mut lines = super::heading(contenders);
    for ranks in RANKS {
        let rows = rows(ranks);
        let seen: Vec<HashMap<String, f64>> =
            contenders.iter().map(|contender| measure(contender, ranks, &rows)).collect();
        for row in &rows {
            lines.push(line(row, ranks, &seen));
            eprintln!("{}", lines.last().expect("a line was pushed"));
        }
    }
    lines.join("\n")
}

/// What is measured with so many ranks, as the program names it.
fn rows(ranks: usize) -> Vec<String> {
    let mut rows = Vec::new();
    for (name, grows) in CALLS {
        let sizes = if name == "barrier" { &[0][..] } else { &SIZES[..] };
        let fits = |bytes: &&usize| !grows || **bytes * ranks * ranks <= MOST_BYTES;
        rows.extend(sizes.iter().filter(fits).map(|bytes| format!("{name}:{bytes}")));
    }
    rows
}

fn line(row: &str, ranks: usize, seen: &[HashMap<String, f64>]) -> String {
    let ours = seen[0].get(row);
    let cells = seen.iter().enumerate().map(|(index, seen)| match (seen.get(row), ours) {
        (None, _) => "none in time".to_string(),
        (Some(us), Some(ours)) if index > 0 => format!("{}, × {}", short(*us), short(us / ours)),
        (Some(us), _) => short(*us),
    });
    let cells: Vec<String> = cells.collect();
    let (name, bytes) = row.split_once(':').expect("a row has a size");
    let size = match bytes.parse::<usize>().expect("a size is a number") {
        0 => String::new(),
        bytes if bytes >= 1 << 20 => format!(", {} MB", bytes >> 20),
        bytes if bytes >= 1 << 10 => format!(", {} KB", bytes >> 10),
        bytes => format!(", {bytes} B"),
    };
    format!("| {name}{size}, {ranks} ranks, µs | {} |", cells.join(" | "))
}

/// What a contender brings; rows that it does not finish are missing.
fn measure(contender: &Contender, ranks: usize, rows: &[String]) -> HashMap<String, f64> {
    let mut seen = HashMap::new();
    let mut left: VecDeque<&String> = rows.iter().collect();
    let mut failures = 0;
    let begun = Instant::now();
    while !left.is_empty() && failures < FAILURES && begun.elapsed() < ALL {
        let mut run = Run::start(contender, ranks, &left);
        let mut patience = START + ROW;
        while let Some(row) = left.front().filter(|_| begun.elapsed() < ALL) {
            let Some(us) = run.next(row, patience) else { break };
            seen.insert((*row).clone(), us);
            left.pop_front();
            patience = ROW;
        }
        run.stop();
        if let Some(failed) = left.front() {
            failures += 1;
            let name = failed.split(':').next().expect("a row has a name").to_string();
            eprintln!("{}: no {failed} with {ranks} ranks", contender.name);
            left.retain(|row| !row.starts_with(&format!("{name}:")));
        }
    }
    seen
}

/// A program that measures one row after the other.
struct Run {
    child: Child,
    lines: Receiver<String>,
}

impl Run {
    fn start(contender: &Contender, ranks: usize, rows: &VecDeque<&String>) -> Run {
        let mut child = Command::new(&contender.launch[0])
            .args(&contender.launch[1..])
            .args(["-np", &ranks.to_string()])
            .arg(contender.program("collectives"))
            .args(rows)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .expect("the launcher was installed");
        let output = BufReader::new(child.stdout.take().expect("it was asked for"));
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        Run { child, lines }
    }

    /// The next number, if it is this row's and comes in time.
    fn next(&mut self, row: &str, patience: Duration) -> Option<f64> {
        let line = self.lines.recv_timeout(patience).ok()?;
        let (name, number) = line.split_once(' ')?;
        number.parse().ok().filter(|_| name == row)
    }

    /// Ends it with all of its processes, whether or not it is at its end.
    fn stop(mut self) {
        let group = format!("-{}", self.child.id());
        for signal in ["-TERM", "-KILL"] {
            for _ in 0..20 {
                if matches!(self.child.try_wait(), Ok(Some(_))) {
                    return;
                }
                std::thread::sleep(Duration::from_millis(100));
            }
            let _gone = Command::new("kill").args([signal, "--", &group]).status();
        }
        let _ended = self.child.wait();
    }
}
