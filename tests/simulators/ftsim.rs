//! The simulator of natural fault tolerance, as its users call it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn run(line: &str) -> Output {
    let words = line.split('|').flat_map(str::split_whitespace);
    Command::new(env!("CARGO_BIN_EXE_ftsim")).args(words).output().expect("it can be started")
}

fn succeeds(line: &str) -> String {
    let output = run(line);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{line}: {stderr}");
    String::from_utf8(output.stdout).expect("it writes UTF-8")
}

fn fails(line: &str) -> String {
    let output = run(line);
    assert_eq!(output.status.code(), Some(2), "{line}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A number in a line of JSON.
fn number(json: &str, name: &str) -> f64 {
    let (_, rest) = json.split_once(&format!("\"{name}\":")).unwrap_or_else(|| panic!("{json}"));
    let end = rest.find([',', '}']).expect("JSON ends");
    rest[..end].parse().unwrap_or_else(|_| panic!("{name} in {json}"))
}

fn scratch(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).expect("there is room");
    directory
}

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn a_hundred_thousand_nodes_find_their_maximum_though_a_tenth_dies() {
    let json = succeeds("max --kill 10% --json");
    assert!((11.0..=14.0).contains(&number(&json, "hops")), "{json}");
    assert_eq!(number(&json, "survivors"), 90_000.0);
    assert!((1.0..=20.0).contains(&number(&json, "unknowing")), "{json}");
    assert!((5.0..=15.0).contains(&number(&json, "unknowing_expected")), "{json}");
}

#[test]
fn one_seed_writes_the_same_bytes_on_one_and_two_threads() {
    let directory = scratch("bytes");
    for line in [
        "max --nodes 20000 --kill 5%@2 --kill-every 3 --ticks 40",
        "max --nodes 4096 --topology hypercube --mttf 0.5 --ticks 40",
        "poisson --nodes 900 --ticks 300 --kill 1%@50",
        "max --machine bluegene-2001 --kill 100@20 --ticks 60 --every 10",
    ] {
        let files: Vec<String> = ["1 first", "2 second", "1 third"]
            .map(|words| {
                let (threads, name) = words.split_once(' ').expect("two words");
                let csv = directory.join(name);
                let line = format!("{line} --json --threads {threads} --csv {}", csv.display());
                succeeds(&line) + &std::fs::read_to_string(csv).expect("it was written")
            })
            .into();
        assert!(files[0].lines().count() > 3, "{}", files[0]);
        assert!(files[0] == files[1] && files[0] == files[2], "{line}");
    }
    let one = succeeds("max --nodes 5000 --seed 1 --json");
    assert_ne!(one, succeeds("max --nodes 5000 --seed 2 --json"));
}

#[test]
fn the_error_of_laplaces_equation_is_at_most_two_distances() {
    let json = succeeds("poisson --json --tolerance 1e-5 --ticks 1000");
    assert!(number(&json, "error_at_rest") <= 2.0 * number(&json, "distance"), "{json}");
    assert!(number(&json, "error_now") < 0.05, "{json}");
}

#[test]
fn frames_are_pictures_and_the_same_each_time() {
    let directory = scratch("frames");
    let line = format!(
        "max --nodes 400 --topology torus --kill ball|0.5,0.5|0.2@3 --size 64 \
        --frames {}",
        directory.display()
    );
    let words: Vec<&str> = line.split(' ').collect();
    let words: Vec<String> = words.iter().map(|word| word.replace('|', " ")).collect();
    let frames = || {
        let output = Command::new(env!("CARGO_BIN_EXE_ftsim")).args(&words).output();
        assert!(output.expect("it can be started").status.success());
        let mut files: Vec<_> =
            directory.read_dir().expect("it is there").map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files.iter().map(|file| std::fs::read(file).unwrap()).collect::<Vec<_>>()
    };
    let first = frames();
    assert!(first.len() > 10, "{}", first.len());
    assert!(first.iter().all(|file| file.starts_with(b"\x89PNG")));
    assert_ne!(first[0], first[first.len() - 1]);
    let grey = |file: &[u8]| {
        let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
        let mut points = vec![0; reader.output_buffer_size().expect("it is small")];
        reader.next_frame(&mut points).unwrap();
        points.chunks(3).filter(|point| *point == [190; 3]).count()
    };
    assert_eq!(grey(&first[2]), 0);
    let hole = grey(&first[3]) as f64 / (64.0 * 64.0);
    // Between dots, which are two of 3.2 points wide, the picture is white.
    assert!((0.03..0.07).contains(&hole), "a ball of radius 0.2 is 12.6 %: {hole}");
    assert_eq!(first, frames());
}

#[test]
fn a_machines_schedule_kills_the_nodes_that_it_names_and_a_run_can_be_repeated_from_its_deaths() {
    let directory = scratch("deaths");
    let file = directory.join("machine.toml");
    let text = r#"
[machine]
topology = "torus"
dims = [10, 10]
[faults]
schedule = [{ at = "5us", nodes = "3 17" }, { at = "8us", nodes = "box 0,5..2,7" }]
"#;
    std::fs::write(&file, text).expect("there is room");
    let (machine, deaths) = (file.display(), directory.join("list"));
    let one = succeeds(&format!("max --json --machine {machine} --deaths {}", deaths.display()));
    let list = std::fs::read_to_string(&deaths).expect("it was written");
    assert_eq!(list, "5 3\n5 17\n8 50\n8 51\n8 60\n8 61\n");
    // Each has four neighbours; the four of the box do not hear of each other.
    assert_eq!((number(&one, "deaths"), number(&one, "notices")), (6.0, 2.0 * 4.0 + 8.0));
    let again =
        format!("max --json --topology torus --dims 10,10 --kill-file {}", deaths.display());
    assert_eq!(number(&succeeds(&again), "notices"), 16.0);
}

#[test]
fn nodes_die_as_often_as_their_mean_time_says_and_no_run_waits_for_the_dead() {
    let deaths = |mean: f64| {
        let line = format!("max --nodes 20000 --ticks 1000 --mttf {mean} --json");
        number(&succeeds(&line), "deaths")
    };
    // A thousand ticks: 2,000 and 500, give or take three deviations.
    assert!((1865.0..2135.0).contains(&deaths(0.5)), "{}", deaths(0.5));
    assert!((433.0..567.0).contains(&deaths(2.0)), "{}", deaths(2.0));
    let json = succeeds("max --kill-every 1 --json");
    assert_eq!(number(&json, "deaths"), 100_000.0);
}

#[test]
fn applications_in_c_and_fortran_find_the_maximum() {
    let directory = scratch("apps");
    let build = |compiler: &str, flags: &[&str], sources: &[&str], name: &str| {
        let path = directory.join(name);
        let mut command = Command::new(compiler);
        command.args(["-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-I"]);
        command.arg(top().join("include")).args(flags).arg("-o").arg(&path);
        command.args(sources.iter().map(|source| top().join(source)));
        let output = command.current_dir(&directory).output().expect("the compiler is there");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        path
    };
    let c = build("cc", &[], &["c_examples/ftsim/max.c"], "max_c.so");
    let sources = ["include/ftsim.f90", "fortran_examples/ftsim/max.f90"];
    let fortran = build("gfortran", &[], &sources, "max_f.so");
    let network = "--nodes 5000 --topology random --kill 2%@3 --json --info 7";
    let runs = [c, fortran].map(|app| {
        let line = format!("run {} {network}", app.display());
        let json = succeeds(&line);
        assert_eq!(number(&json, "deaths"), 100.0);
        assert!(number(&json, "notices") > 500.0, "{json}");
        assert!(json.contains("\"info\":[\"7: knows 4999, misses "), "{json}");
        json
    });
    assert_eq!(runs[0], runs[1], "both do the same");
}

#[test]
fn what_cannot_be_is_refused_with_the_cure() {
    for (line, said) in [
        ("may", "say ftsim max, ftsim poisson or ftsim run APP.so"),
        ("max --node 5", "there is no --node here: see --help"),
        ("max --nodes many", "--nodes many: say a number, such as --nodes 100000"),
        ("max --topology cube", "say random, nearest, far, mesh"),
        ("max --kill some", "say 10%, 100, node 3 17"),
        ("max --kill 5%@soon", "say 1% or 1%@5"),
        ("max --nodes 8", "4 neighbours of 8 nodes"),
        ("max --machine none.toml", "machines known by name: bluegene-2001"),
        ("max --threads 0", "say 1 to 256"),
        ("poisson --border 1,2", "left,right,lower,upper"),
        ("poisson --topology random --kill 50%", "say --topology nearest, mesh, torus"),
        ("poisson --topology far", "say --topology nearest, mesh, torus"),
        ("max --topology torus --dims 10000,10000", "say at most 20000000 nodes"),
        ("max --nodes 20000000 --neighbours 1000", "1073741824 neighbours of all"),
        ("max --machine bluegene-l --nodes 5", "a machine has its own: leave it out"),
        ("max --topology torus --dims 9,9 --nodes 5", "leave --nodes out"),
        ("run", "which application?"),
        ("run /bin/none.so", "No such file"),
    ] {
        let why = fails(line);
        assert!(why.starts_with("ftsim: ") && why.contains(said), "{line}: {why}");
    }
    assert!(succeeds("--help").contains("SYNOPSIS"));
}
