//! Table 2 of the paper: what machines can send at once, and how much slower a stencil gets by it.
//!
//! A node that sends several messages at once is no faster by their number: on the K computer four
//! take 1.7 times as long as one, six 3.7 times. So much is lost before anything collides, and
//! collisions cost only what goes beyond: five messages on a link make an exchange of four 5 / 1.7
//! times slower.

use super::figures::{Effort, study};
use super::sample::{After, sample};
use crate::report::Report;
use std::fmt::Write;

/// One of the paper's machines.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    pub name: &'static str,
    pub topology: &'static str,
    pub dma_engines: u32,
    /// How much longer than one message four and six take that are sent at once.
    pub of_four: f64,
    pub of_six: f64,
    /// The job whose failures are simulated, on a mesh.
    pub dims: [u32; 3],
}

/// A machine and its collisions after each of `FAILURES`.
#[derive(Clone, Debug)]
pub struct Row {
    pub machine: Machine,
    pub worst: Vec<f64>,
    pub mean: Vec<f64>,
}

/// After how many failures collisions are counted.
pub const FAILURES: [usize; 5] = [1, 2, 5, 10, 20];

const CASES: u64 = 2000;

const MACHINES: [Machine; 3] = [
    Machine {
        name: "K",
        topology: "6-D Cartesian",
        dma_engines: 4,
        of_four: 1.7,
        of_six: 3.7,
        dims: [12, 12, 12],
    },
    Machine {
        name: "BG/Q",
        topology: "5-D Cartesian",
        dma_engines: 10,
        of_four: 1.1,
        of_six: 1.3,
        dims: [16, 8, 8],
    },
    Machine {
        name: "TSUBAME",
        topology: "fat tree",
        dma_engines: 1,
        of_four: 4.0,
        of_six: 6.0,
        dims: [7, 7, 7],
    },
];

/// The collisions of hybrid(all) with 3D(2,1) and a 7-point stencil on the grid of each machine.
pub fn slow_downs(effort: Effort) -> Result<Vec<Row>, String> {
    let most = FAILURES[FAILURES.len() - 1];
    let cases = effort.cases.unwrap_or(CASES);
    let row = |machine: Machine| {
        let study = study(&machine.dims, "3D(2,1)", "hybrid(all)", None)?;
        let found = sample(&study, cases, most, effort.seed, effort.threads, true);
        let list = |of: fn(&After) -> f64| FAILURES.map(|at| of(&found.after[at - 1])).to_vec();
        let worst = list(|after| after.most_uses() as f64);
        Ok(Row { machine, worst, mean: list(After::mean_uses) })
    };
    MACHINES.into_iter().map(row).collect()
}

/// How many times longer an exchange takes with so many messages on the most used link.
pub fn slow_down(messages: f64, ratio: f64) -> f64 {
    (messages / ratio).max(1.0)
}

impl Row {
    fn slower(&self, messages: &[f64]) -> Vec<f64> {
        messages.iter().map(|&messages| slow_down(messages, self.machine.of_six)).collect()
    }
}

/// The table for people.
pub fn text(rows: &[Row]) -> String {
    let mut text = String::from("machine  topology       DMAs  4 at once  6 at once\n");
    for Row { machine, .. } in rows {
        let Machine { name, topology, dma_engines, of_four, of_six, .. } = machine;
        let _ =
            writeln!(text, "{name:7}  {topology:13}  {dma_engines:4}  {of_four:9.1}  {of_six:9.1}");
    }
    text += "\nMost used link, 7 points, hybrid(all), 3D(2,1), and how much slower: messages / ";
    text += "(6 at once)\n\nmachine  mesh      after";
    FAILURES.iter().for_each(|failures| text += &format!("  {failures:>14}"));
    text.push('\n');
    for row in rows {
        let [x, y, z] = row.machine.dims;
        let lines = [("worst", &row.worst), ("mean", &row.mean)];
        for (name, messages) in lines {
            let _ = write!(text, "{:7}  {:8}  {name:5}", row.machine.name, format!("{x}x{y}x{z}"));
            for (messages, slower) in messages.iter().zip(row.slower(messages)) {
                let _ = write!(text, "  {messages:5.2} = x {slower:4.2}");
            }
            text.push('\n');
        }
    }
    text + "\nTSUBAME's fat tree is no mesh: its row says what the mesh of the job would do with \
            one\nmessage at a time, and no more. Measured were 1.0 to 1.2 there, whatever failed.\n"
}

/// The same for programs.
pub fn report(rows: &[Row]) -> Report {
    let mut report = Report::default();
    let machines = || rows.iter().map(|row| row.machine);
    report.add("machines", machines().map(|machine| machine.name).collect::<Vec<_>>());
    report.add("topologies", machines().map(|one| one.topology).collect::<Vec<_>>());
    report.add("dma_engines", machines().map(|one| one.dma_engines).collect::<Vec<_>>());
    report.add("four_at_once", machines().map(|machine| machine.of_four).collect::<Vec<_>>());
    report.add("six_at_once", machines().map(|machine| machine.of_six).collect::<Vec<_>>());
    report.add("dims", machines().map(|machine| machine.dims.to_vec()).collect::<Vec<_>>());
    report.add("failures", FAILURES.to_vec());
    let list = |of: &dyn Fn(&Row) -> Vec<f64>| rows.iter().map(of).collect::<Vec<_>>();
    report.add("worst_uses", list(&|row| row.worst.clone()));
    report.add("worst_slow_down", list(&|row| row.slower(&row.worst)));
    report.add("mean_uses", list(&|row| row.mean.clone()));
    report.add("mean_slow_down", list(&|row| row.slower(&row.mean)));
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_messages_are_three_times_slower_where_four_at_once_take_1_7() {
        assert_eq!(slow_down(5.0, 1.7).round(), 3.0);
        assert_eq!(slow_down(1.0, 3.7), 1.0, "nothing collides");
    }

    #[test]
    fn two_failures_cost_nothing_on_any_machine_and_more_cost_most_where_most_goes_at_once() {
        let rows = slow_downs(Effort { cases: Some(50), seed: 1, threads: 2 }).unwrap();
        for row in &rows {
            assert_eq!((&row.worst[..2], &row.mean[..2]), (&[1.0, 1.0][..], &[1.0, 1.0][..]));
            assert!(row.worst.iter().zip(&row.mean).all(|(worst, mean)| worst >= mean));
        }
        let last = |row: &Row| row.slower(&row.mean)[4];
        assert!(last(&rows[1]) > last(&rows[0]) && last(&rows[0]) > last(&rows[2]));
        assert_eq!(text(&rows).lines().count(), 17);
        assert!(report(&rows).json().contains("\"dma_engines\":[4,10,1]"));
    }
}
