//! The tables of the paper. Table 1 is a list of machines. Table 2 is how much some of them can
//! send at once; from that follows how much slower a stencil gets.
//!
//! A node that sends several messages at once does not speed up in proportion: on the K computer
//! four take 1.7 times as long as one, six 3.7 times. That much is lost before any messages
//! collide, and collisions cost only the excess: five messages on a link make an exchange of four 5
//! / 1.7 times slower. A node that sends one message at a time takes six times as long for six, so
//! that up to six messages on a link cost nothing.

use super::sample::{After, sample};
use super::sheet::Sheet;
use super::study::{Effort, Study, study};
use crate::report::Report;
use ftmpi_machine::fat_tree::FatTree;
use ftmpi_machine::topology::Topology;
use std::fmt::Write;

/// One of the paper's machines.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    pub name: &'static str,
    pub topology: &'static str,
    pub dma_engines: u32,
    /// The time of four and of six simultaneous messages, relative to one.
    pub of_four: f64,
    pub of_six: f64,
    /// The job whose failures are simulated.
    pub dims: [u32; 3],
    /// Ports down and levels of a fat tree; none: the job has a mesh to itself.
    pub tree: Option<[u32; 2]>,
}

/// A machine and its collisions after each of `FAILURES`.
#[derive(Clone, Debug)]
pub struct Row {
    pub machine: Machine,
    pub worst: Vec<f64>,
    pub worst_slower: Vec<f64>,
    pub mean: Vec<f64>,
    pub mean_slower: Vec<f64>,
}

/// The numbers of failures after which collisions are counted.
pub const FAILURES: [usize; 5] = [1, 2, 5, 10, 20];

const CASES: u64 = 2000;

/// A node of a fat tree has the number that it has in the job's grid. The tree is the smallest of
/// two levels with room for the job: a switch has 19 nodes (18 on the machine itself).
pub const TSUBAME: [Machine; 2] = [
    Machine { tree: Some([19, 2]), ..TSUBAME_ON_A_MESH },
    // The equivalent job on a network of the other kind.
    TSUBAME_ON_A_MESH,
];

const TSUBAME_ON_A_MESH: Machine = Machine {
    name: "TSUBAME",
    topology: "fat tree",
    dma_engines: 1,
    of_four: 4.0,
    of_six: 6.0,
    dims: [7, 7, 7],
    tree: None,
};

const MACHINES: [Machine; 4] = [
    Machine {
        name: "K",
        topology: "6-D Cartesian",
        dma_engines: 4,
        of_four: 1.7,
        of_six: 3.7,
        dims: [12, 12, 12],
        tree: None,
    },
    Machine {
        name: "BG/Q",
        topology: "5-D Cartesian",
        dma_engines: 10,
        of_four: 1.1,
        of_six: 1.3,
        dims: [16, 8, 8],
        tree: None,
    },
    TSUBAME[0],
    TSUBAME[1],
];

impl Machine {
    /// Its job, with hybrid(all) and 3D(2,1).
    pub fn study(&self) -> Result<Study, String> {
        let study = study(&self.dims, "3D(2,1)", "hybrid(all)", None)?;
        let Some([arity, levels]) = self.tree else { return Ok(study) };
        let tree = Topology::FatTree(FatTree::new(arity, levels)?);
        Study::over(tree, study.grid, study.spares, study.pattern)
    }

    /// The network that is simulated.
    pub fn network(&self) -> &'static str {
        if self.tree.is_some() { "fat tree" } else { "mesh" }
    }

    fn job(&self) -> String {
        self.dims.map(|extent| extent.to_string()).join("x")
    }
}

/// The collisions of a 7-point stencil in the job of each machine.
pub fn slow_downs(effort: Effort) -> Result<Vec<Row>, String> {
    let most = FAILURES[FAILURES.len() - 1];
    let cases = effort.cases.unwrap_or(CASES);
    let row = |machine: Machine| {
        let found = sample(&machine.study()?, cases, most, effort.seed, effort.threads, true);
        let list =
            |of: &dyn Fn(&After) -> f64| FAILURES.map(|at| of(&found.after[at - 1])).to_vec();
        let slower = |uses: f64| slow_down(uses, machine.of_six);
        let worst = list(&|after| after.most_uses() as f64);
        let worst_slower = worst.iter().map(|&uses| slower(uses)).collect();
        let (mean, mean_slower) = (list(&After::mean_uses), list(&|after| after.mean_of(slower)));
        Ok(Row { machine, worst, worst_slower, mean, mean_slower })
    };
    MACHINES.into_iter().map(row).collect()
}

/// How many times longer an exchange takes with this many messages on the most used link.
pub fn slow_down(messages: f64, ratio: f64) -> f64 {
    (messages / ratio).max(1.0)
}

impl Row {
    fn lines(&self) -> [(&'static str, &[f64], &[f64]); 2] {
        [("worst", &self.worst, &self.worst_slower), ("mean", &self.mean, &self.mean_slower)]
    }
}

/// The machines of table 2, once each.
fn machines(rows: &[Row]) -> impl Iterator<Item = Machine> {
    rows.iter().map(|row| row.machine).take(rows.len() - 1)
}

/// Table 2 for people.
pub fn text(rows: &[Row]) -> String {
    let mut text = String::from("machine  topology       DMAs  4 at once  6 at once\n");
    for Machine { name, topology, dma_engines, of_four, of_six, .. } in machines(rows) {
        let _ =
            writeln!(text, "{name:7}  {topology:13}  {dma_engines:4}  {of_four:9.1}  {of_six:9.1}");
    }
    text += "\nMost used link, 7 points, hybrid(all), 3D(2,1), and how much slower: messages / ";
    text += "(6 at once)\n\nmachine  job       network   after";
    FAILURES.iter().for_each(|failures| text += &format!("  {failures:>14}"));
    text.push('\n');
    for row in rows {
        let machine = row.machine;
        let (name, job, network) = (machine.name, machine.job(), machine.network());
        for (line, messages, slower) in row.lines() {
            let _ = write!(text, "{name:7}  {job:8}  {network:8}  {line:5}");
            for (messages, slower) in messages.iter().zip(slower) {
                let _ = write!(text, "  {messages:5.2} = x {slower:4.2}");
            }
            text.push('\n');
        }
    }
    text + "\nThe fat tree is the smallest of two levels with room for the job. Its last row is \
            the same\njob on a mesh. Measured were 1.0 to 1.2 on TSUBAME, whatever failed.\n"
}

/// Table 2 as a picture.
pub fn sheet(rows: &[Row]) -> Sheet {
    let head =
        ["machine", "topology", "DMAs", "4 at once", "6 at once", "simulated", "after failures"];
    let head = head.map(String::from).into_iter();
    let mut cells = vec![head.chain(FAILURES.map(|at| at.to_string())).collect()];
    for row in rows {
        let machine = row.machine;
        for (line, messages, slower) in row.lines() {
            let known = [
                machine.name.into(),
                machine.topology.into(),
                machine.dma_engines.to_string(),
                format!("{:.1}", machine.of_four),
                format!("{:.1}", machine.of_six),
                format!("{} {}", machine.network(), machine.job()),
                line.into(),
            ];
            let both = messages.iter().zip(slower);
            let found = both.map(|(messages, slower)| format!("{messages:.2} = x {slower:.2}"));
            cells.push(known.into_iter().chain(found).collect());
        }
    }
    let notes = [
        "At once: how much longer four and six messages take than one (measured by the paper; \
         TSUBAME: its estimate).",
        "After 1 to 20 failures: messages on the most used link, and how much slower an exchange \
         gets: messages / (6 at once).",
    ];
    Sheet {
        title: "Table 2. What machines send at once, and what collisions cost there".into(),
        rows: cells,
        notes: notes.map(String::from).to_vec(),
    }
}

/// Table 1: machines of the Top 500 of November 2015, and what carries their messages.
pub fn top500() -> Sheet {
    let rows = [
        ["rank", "machine", "cores, thousands", "network"],
        ["1", "Tianhe-2", "3,120", "fat tree"],
        ["2", "Titan (Cray XK7)", "561", "3-D torus"],
        ["3", "Sequoia (BG/Q)", "1,573", "5-D torus or mesh"],
        ["4", "K computer", "705", "6-D torus or mesh"],
        ["5", "Mira (BG/Q)", "786", "5-D torus or mesh"],
        ["11", "JUQUEEN (BG/Q)", "459", "5-D torus or mesh"],
        ["25", "TSUBAME 2.5", "76, and GPUs", "fat tree"],
    ];
    Sheet {
        title: "Table 1. Networks in the Top 500 of November 2015".into(),
        rows: rows.map(|row| row.map(String::from).to_vec()).to_vec(),
        notes: vec!["As the paper lists them: nothing here is simulated.".into()],
    }
}

/// Table 2 for programs.
pub fn report(rows: &[Row]) -> Report {
    let mut report = Report::default();
    let machines = || rows.iter().map(|row| row.machine);
    report.add("machines", machines().map(|machine| machine.name).collect::<Vec<_>>());
    report.add("topologies", machines().map(|one| one.topology).collect::<Vec<_>>());
    report.add("dma_engines", machines().map(|one| one.dma_engines).collect::<Vec<_>>());
    report.add("four_at_once", machines().map(|machine| machine.of_four).collect::<Vec<_>>());
    report.add("six_at_once", machines().map(|machine| machine.of_six).collect::<Vec<_>>());
    report.add("dims", machines().map(|machine| machine.dims.to_vec()).collect::<Vec<_>>());
    report.add("networks", machines().map(|machine| machine.network()).collect::<Vec<_>>());
    report.add("failures", FAILURES.to_vec());
    let list = |of: &dyn Fn(&Row) -> Vec<f64>| rows.iter().map(of).collect::<Vec<_>>();
    report.add("worst_uses", list(&|row| row.worst.clone()));
    report.add("worst_slow_down", list(&|row| row.worst_slower.clone()));
    report.add("mean_uses", list(&|row| row.mean.clone()));
    report.add("mean_slow_down", list(&|row| row.mean_slower.clone()));
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
    fn two_failures_cost_nothing_on_a_mesh_and_more_cost_most_where_most_goes_at_once() {
        let rows = slow_downs(Effort { cases: Some(50), seed: 1, threads: 2 }).unwrap();
        for row in &rows {
            if row.machine.tree.is_none() {
                assert_eq!((&row.worst[..2], &row.mean[..2]), (&[1.0, 1.0][..], &[1.0, 1.0][..]));
            }
            for (_, messages, slower) in row.lines() {
                let both = messages.iter().zip(slower);
                assert!(both.clone().all(|(messages, slower)| slower <= messages), "{row:?}");
            }
            assert!(row.worst_slower.iter().zip(&row.mean_slower).all(|(most, mean)| most >= mean));
        }
        let last = |at: usize| rows[at].mean_slower[4];
        assert!(last(1) > last(0) && last(0) > last(3));
        assert_eq!(text(&rows).lines().count(), 19);
        assert_eq!(sheet(&rows).rows.len(), 9);
        assert!(report(&rows).json().contains("\"dma_engines\":[4,10,1,1]"));
    }

    #[test]
    fn on_a_fat_tree_many_failures_cost_little() {
        let found = sample(&TSUBAME[0].study().unwrap(), 200, usize::MAX, 1, 2, true);
        for after in &found.after {
            assert!(after.mean_of(|uses| slow_down(uses, 6.0)) < 1.7, "{after:?}");
        }
    }
}
