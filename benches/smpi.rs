//! Virtual time beside SimGrid's SMPI: the same programs on the same platform. `--help` says how.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};
use std::time::Instant;

const HELP: &str = "\
Compares what virtual time and SimGrid's SMPI say that programs take on a torus
of 50 µs a hop and 125 MB/s a link, and what saying so takes. Computing takes no
time; collective operations use the same algorithms. SMPI's messages are flows;
here they are flows, and then packets. Debian has SMPI in libsimgrid-dev. 64
ranks take five minutes, most of them SMPI's.

usage: cargo bench --bench smpi -- [--side N] [--only TEXT]

  --side N     ranks in each dimension of the torus; 4 by default
  --only TEXT  the rows that have this in their titles";

/// Programs of benches/c, with their words, and the algorithm that SMPI is told to use as well,
/// which would use older ones.
const PROGRAMS: [(&str, &str, &str, &str); 12] = [
    ("there and back, 8 bytes", "patterns", "pingpong 8", ""),
    ("there and back, 10,000 bytes", "patterns", "pingpong 10000", ""),
    ("around a ring, 1000 bytes", "patterns", "ring 1000", ""),
    ("all to all, 8 bytes", "patterns", "alltoall 8", "alltoall:bruck"),
    ("all to all, 2000 bytes", "patterns", "alltoall 2000", "alltoall:basic_linear"),
    ("allgather, 100 bytes", "patterns", "allgather 100", "allgather:rdb"),
    ("allgather, 10,000 bytes", "patterns", "allgather 10000", "allgather:NTSLR"),
    ("allreduce, 800 bytes", "patterns", "allreduce 800", "allreduce:rdb"),
    ("allreduce, 80,000 bytes", "patterns", "allreduce 80000", "allreduce:rab_rdb"),
    ("broadcast, 80,000 bytes", "patterns", "bcast 80000", "bcast:scatter_rdb_allgather"),
    ("conjugate gradients, 4³ points a rank", "pcg", "4", "allreduce:rdb"),
    ("sample sort, 1000 keys a rank", "sort", "1000", ""),
];

struct Bench {
    directory: PathBuf,
    ranks: usize,
    platform: PathBuf,
    hosts: PathBuf,
}

/// What a run has said and taken.
struct Told {
    micros: f64,
    seconds: f64,
    megabytes: f64,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let Some((side, only)) = wish(&words) else {
        println!("{HELP}");
        return ExitCode::from(if words == ["--help"] { 0 } else { 2 });
    };
    if Command::new("smpicc").arg("--version").output().is_err() {
        println!("SMPI is not there: apt-get install libsimgrid-dev");
        return ExitCode::from(2);
    }
    let bench = Bench::new(side);
    println!(
        "| {} ranks, a step | SMPI | flows | packets | real time: SMPI, flows, packets | memory |",
        bench.ranks
    );
    println!("|---|---|---|---|---|---|");
    for (title, program, words, algorithm) in PROGRAMS.into_iter().filter(|it| it.0.contains(only))
    {
        let smpi = bench.smpi(&bench.compile("smpicc", program), words, algorithm);
        let here = bench.compile(env!("CARGO_BIN_EXE_mpicc"), program);
        let [flows, packets] =
            ["flows", "packets"].map(|network| bench.here(&here, words, network));
        let all = [smpi, flows, packets];
        let micros = all.each_ref().map(|told| format!(" {:.1} µs |", told.micros)).concat();
        let seconds = all.each_ref().map(|told| format!("{:.2}", told.seconds)).join(", ");
        let megabytes = all.each_ref().map(|told| format!("{:.0}", told.megabytes)).join(", ");
        println!("| {title} |{micros} {seconds} s | {megabytes} MB |");
    }
    ExitCode::SUCCESS
}

/// How many ranks are in each dimension, and what is in the titles of rows.
fn wish(words: &[String]) -> Option<(usize, &str)> {
    let (mut side, mut only) = (4, "");
    for pair in words.chunks(2) {
        match pair {
            [option, value] if option == "--side" => side = value.parse().ok()?,
            [option, value] if option == "--only" => only = value,
            _ => return None,
        }
    }
    (side > 1).then_some((side, only))
}

impl Bench {
    fn new(side: usize) -> Bench {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("smpi");
        std::fs::create_dir_all(&directory).expect("the target directory can be written");
        let (ranks, last) = (side.pow(3), side.pow(3) - 1);
        let platform = directory.join("platform.xml");
        let text = format!(
            "<?xml version='1.0'?>\n\
             <!DOCTYPE platform SYSTEM 'https://simgrid.org/simgrid.dtd'>\n\
             <platform version='4.1'>\n\
             <cluster id='c' prefix='n' suffix='' radical='0-{last}' speed='1Gf' bw='125MBps'\n\
             lat='50us' topology='TORUS' topo_parameters='{side},{side},{side}'/>\n\
             </platform>\n"
        );
        std::fs::write(&platform, text).expect("there is room");
        let hosts = directory.join("hosts");
        let mut text = String::new();
        (0..ranks).for_each(|host| _ = writeln!(text, "n{host}"));
        std::fs::write(&hosts, text).expect("there is room");
        Bench { directory, ranks, platform, hosts }
    }

    fn compile(&self, compiler: &str, name: &str) -> PathBuf {
        let stem = Path::new(compiler).file_name().expect("it has a name").to_string_lossy();
        let program = self.directory.join(format!("{name}-{stem}"));
        let status = Command::new(compiler)
            .args(["-O2", &format!("benches/c/{name}.c"), "-lm", "-o"])
            .arg(&program)
            .status();
        assert!(status.is_ok_and(|status| status.success()), "{compiler} {name}.c");
        program
    }

    fn smpi(&self, program: &Path, words: &str, algorithm: &str) -> Told {
        let mut command = self.measured("smpirun");
        command.args(["-np", &self.ranks.to_string(), "-platform"]).arg(&self.platform);
        command.arg("-hostfile").arg(&self.hosts);
        command.args(["--cfg=network/model:CM02", "--cfg=smpi/simulate-computation:no"]);
        if !algorithm.is_empty() {
            command.arg(format!("--cfg=smpi/{algorithm}"));
        }
        command.args(["--cfg=smpi/wtime:0", "--cfg=smpi/test:0", "--log=root.thresh:critical"]);
        told(command.arg(program).args(words.split(' ')))
    }

    fn here(&self, program: &Path, words: &str, network: &str) -> Told {
        let mut command = self.measured(env!("CARGO_BIN_EXE_ftrun"));
        command.args(["-np", &self.ranks.to_string(), "--machine"]).arg(&self.platform);
        command.args(["--virtual", "--compute", "none", "--network", network]);
        told(command.arg(program).args(words.split(' ')))
    }

    /// A program that is run to see how much memory it takes.
    fn measured(&self, program: &str) -> Command {
        let mut command = Command::new("/usr/bin/time");
        command.args(["-f", "%M kilobytes"]).arg(program);
        command
    }
}

fn told(command: &mut Command) -> Told {
    let begun = Instant::now();
    let Output { status, stdout, stderr } = command.output().expect("Debian's time is there");
    let seconds = begun.elapsed().as_secs_f64();
    let (said, stderr) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{command:?}: {said}{stderr}");
    let micros = said.split_whitespace().next_back().and_then(|word| word.parse().ok());
    let memory = stderr.lines().find_map(|line| line.strip_suffix(" kilobytes"));
    Told {
        micros: micros.unwrap_or_else(|| panic!("{command:?}: no figure in: {said}")),
        seconds,
        megabytes: memory.and_then(|it| it.parse::<f64>().ok()).expect("time tells") / 1e3,
    }
}
