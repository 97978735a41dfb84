//! The study of spare nodes, as its users call it.

mod support;

use std::path::Path;
use std::process::{Command, Stdio};
use support::{Program, scratch};

const FTSPARE: Program = Program { name: "ftspare", path: env!("CARGO_BIN_EXE_ftspare") };

#[test]
fn shares_and_worst_cases_are_those_of_the_paper() {
    let share = FTSPARE.succeeds("share --dims 12,12,12 --alloc 3D(2,1) --json");
    assert!(share.contains("\"spares\":276,\"share_percent\":15.97"), "{share}");
    let worst = FTSPARE.succeeds("worst --orders 300000 --json");
    assert!(worst.contains("\"worst_uses\":[5,5,7,9,11,13,16,20,24]"), "{worst}");
    assert!(worst.contains("\"proven\":[\"yes\",\"yes\",\"no\""), "{worst}");
    assert!(worst.contains("\"all_handled\":[\"yes\",\"yes\",\"not known\""), "{worst}");
    let chains =
        FTSPARE.succeeds("worst --dims 6,6 --alloc 2D(2,1) --method 1D+0D --failures 3 --json");
    assert!(chains.contains("\"worst_uses\":[3,4,5],\"proven\":[\"yes\",\"yes\",\"yes\"]"));
    // Slides that keep to one dimension leave room for a third one; the shortest do not.
    for (choose, third, all) in [("dimension", "0", "yes"), ("nearest", "2760", "no")] {
        let line = "worst --dims 10,10 --alloc 2D(2,1) --method 1D --failures 3 --json";
        let chains = FTSPARE.succeeds(&format!("{line} --choose {choose}"));
        let counted = format!(
            "\"orders_looked_at\":[81,6561,531441],\"orders_unhandled\":[0,0,{third}],\
             \"all_handled\":[\"yes\",\"yes\",\"{all}\"]"
        );
        assert!(chains.contains("\"worst_uses\":[3,4,5]") && chains.contains(&counted), "{chains}");
    }
}

#[test]
fn one_seed_writes_the_same_bytes_on_one_and_two_threads() {
    for line in [
        "sample --dims 8,8,8 --failures all --cases 20 --json",
        "sample --dims 20,20 --alloc 2D(2,1) --stencil 9P --cases 20 --torus --json",
        "sample --dims 8,8 --alloc 2D(2,1) --choose collisions --cases 5 --json",
        "figure 15 --cases 2",
        "figure 20 --cases 2",
        "figure fat-tree --cases 20",
        "table 2 --cases 20",
    ] {
        let one = FTSPARE.succeeds(&format!("{line} --threads 1"));
        assert_eq!(one, FTSPARE.succeeds(&format!("{line} --threads 2")));
        assert_ne!(one, FTSPARE.succeeds(&format!("{line} --threads 2 --seed 2")));
    }
}

#[test]
fn what_is_searched_is_drawn_alike_on_any_number_of_threads() {
    for figure in ["6", "8"] {
        let on = |threads| FTSPARE.succeeds(&format!("figure {figure} --threads {threads}"));
        assert_eq!(on(1), on(3), "{figure}");
    }
}

#[test]
fn a_machine_files_ways_to_substitute_are_those_that_are_taken() {
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("lone.toml");
    let text = "[machine]\ntopology = \"mesh\"\ndims = [8, 8]\n\
                [spares]\nalloc = \"2D(2,1)\"\nsubstitute = [\"0D\"]\n";
    std::fs::write(&file, text).expect("there is room");
    let sample = |more: &str| {
        FTSPARE.succeeds(&format!(
            "sample --cases 5 --failures 3 --json --machine {} {more}",
            file.display()
        ))
    };
    assert_eq!(sample(""), sample("--method 0D"));
    assert_ne!(sample(""), sample("--method hybrid(all)"));
}

#[test]
fn figures_are_data_and_pictures() {
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("figure.svg");
    for number in [3, 8, 13] {
        let csv = FTSPARE.succeeds(&format!("figure {number} --cases 2 --svg {}", file.display()));
        assert!(csv.starts_with("curve,") && csv.lines().count() > 15, "{csv}");
        let json = FTSPARE.succeeds(&format!("figure {number} --cases 2 --json"));
        assert!(json.starts_with("{\"title\":") && json.contains("\"points\":[[["), "{json}");
        let svg = std::fs::read_to_string(&file).expect("it was written");
        assert!(svg.starts_with("<svg") && svg.matches("<polyline").count() >= 4);
    }
}

#[test]
fn all_figures_and_tables_are_drawn_into_a_directory_each_below_150_kb() {
    let directory = scratch("figures");
    let line = format!("figures --cases 2 --csv --out {}", directory.display());
    let named = FTSPARE.succeeds(&line);
    assert_eq!(named.lines().count(), 50);
    let names = (1..=22).map(|number| format!("figure-{number:02}"));
    let others = ["fat-tree", "table-01", "table-02"].map(String::from);
    for name in names.chain(others) {
        let read = |ending: &str| {
            let file = directory.join(format!("{name}.{ending}"));
            std::fs::read_to_string(file).expect("it was written")
        };
        let svg = read("svg");
        let wanted = match &name[..] {
            "figure-01" | "figure-02" | "figure-04" | "figure-05" | "figure-06" => 0,
            "figure-07" | "figure-09" | "table-01" | "table-02" => 0,
            "figure-08" => 5,
            "figure-14" | "figure-15" => 4,
            "figure-17" | "figure-19" => 2,
            _ => 6,
        };
        assert_eq!(svg.matches("<polyline").count(), wanted, "{name}");
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"), "{name}");
        assert!(svg.len() < 150_000 && read("csv").lines().count() >= 8, "{name}");
    }
    let lone = FTSPARE.succeeds("figure 11 --cases 2");
    assert_eq!(lone, std::fs::read_to_string(directory.join("figure-11.csv")).expect("written"));
    let until = |name: &str| lone.lines().filter(|line| line.starts_with(name)).count();
    assert_eq!((until("0D worst"), until("hybrid(all) best")), (276, 276), "no spare is left");
}

#[test]
fn pictures_in_the_docs_are_what_the_program_draws() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pictures/spares");
    let file = scratch("current").join("drawn.svg");
    let quick = ["1", "2", "3", "4", "5", "6", "7", "9", "22"].map(|name| ("figure", name));
    for (what, name) in quick.into_iter().chain([("table", "1"), ("table", "2")]) {
        FTSPARE.succeeds(&format!("{what} {name} --svg {}", file.display()));
        let number: u32 = name.parse().expect("they are numbers");
        let shown = docs.join(format!("{what}-{number:02}.svg"));
        let read = |file: &Path| std::fs::read_to_string(file).expect("it is there");
        let cure = "ftspare figures --out docs/pictures/spares";
        assert!(read(&shown) == read(&file), "{what} {name} differs: run {cure}");
    }
    let drawn = std::fs::read_dir(&docs).expect("it is there").count();
    assert_eq!(drawn, 25, "every figure and table has its picture");
}

#[test]
fn a_drawing_is_data_too() {
    let csv = FTSPARE.succeeds("figure 4");
    let count = |what: &str| csv.lines().filter(|line| line.contains(what)).count();
    assert_eq!((count(",node,"), count(",move,"), count(",title,")), (72, 1, 2), "{csv}");
    assert!(FTSPARE.succeeds("figure 4 --json").contains("\"most_uses\":[1,5]"));
    assert!(FTSPARE.succeeds("figure 6 --json").contains("\"most_uses\":[11,16]"));
}

#[test]
fn a_fat_tree_feels_few_collisions() {
    let line = "sample --dims 7,7,7 --cases 200 --failures 10 --json --fat-tree";
    let json = FTSPARE.succeeds(&format!("{line} 19,2"));
    assert!(json.contains("fat tree below it"), "{json}");
    // Six messages of each node share a link to the second level: that is no collision.
    assert!(json.contains("\"mean_uses\":[6,6,"), "{json}");
    for (said, why) in [
        ("18,2", "--fat-tree 18,2: the network has 324 nodes: the job needs 343"),
        ("7", "give the ports of a switch"),
        ("1,3", "--fat-tree 1,3: a fat tree with arity 1"),
        ("2,31", "use at most 10000000 nodes"),
        ("nan", "--fat-tree nan"),
    ] {
        FTSPARE.refuses(&format!("{line} {said}"), why);
    }
    FTSPARE.refuses(&format!("{line} 19,2 --watch"), "leave --watch, --tui and --record out");
}

#[test]
fn table_2_divides_collisions_by_what_a_machine_sends_at_once() {
    let table = FTSPARE.succeeds("table 2 --cases 20");
    assert!(table.contains("K        6-D Cartesian     4        1.7        3.7"), "{table}");
    assert!(table.contains("TSUBAME  7x7x7     fat tree  worst"), "{table}");
    assert!(FTSPARE.succeeds("table 1").contains("25    TSUBAME 2.5"));
    let json = FTSPARE.succeeds("table 2 --cases 20 --json");
    assert!(json.contains("\"dims\":[[12,12,12],[16,8,8],[7,7,7],[7,7,7]]"), "{json}");
    assert!(json.contains("\"worst_slow_down\":[[1,1,"), "{json}");
}

#[test]
fn a_stencil_may_be_a_list_of_offsets() {
    let line = "sample --dims 6,6,6 --failures 5 --cases 9 --json --stencil";
    let star = FTSPARE.succeeds(&format!("{line} 7P"));
    assert_eq!(star, FTSPARE.succeeds(&format!("{line} 1,0,0;0,1,0;0,0,-1")));
    assert_ne!(star, FTSPARE.succeeds(&format!("{line} 1,0,0;0,2,0")));
}

#[test]
fn what_cannot_be_written_is_a_sentence_from_every_command() {
    let out = scratch("unheard");
    let figures = format!("figures --cases 1 --out {}", out.display());
    for line in [
        "--help",
        "share",
        "worst --dims 5,5 --alloc 2D(2,1) --failures 2",
        "sample --cases 2 --json",
        "figure 3",
        "figure 4",
        "table 1",
        "table 2 --cases 2",
        &figures,
    ] {
        let ends = |stdout: Stdio, said: &str| {
            let mut command = Command::new(FTSPARE.path);
            command.args(line.split_whitespace()).stdout(stdout);
            let output = command.output().expect("it can be started");
            let why = String::from_utf8_lossy(&output.stderr);
            // Figures tell how far they are before.
            let last = why.lines().last().unwrap_or_default();
            assert_eq!(output.status.code(), Some(1), "{line}: {why}");
            assert!(last.starts_with("ftspare: ") && last.contains(said), "{line}: {why}");
        };
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
        ends(full.expect("Linux has it").into(), "cannot write to standard output");
        let (reader, writer) = std::io::pipe().expect("a pipe can be made");
        drop(reader);
        ends(writer.into(), "the pipe is closed");
    }
}

#[test]
fn what_cannot_be_is_refused_with_the_cure() {
    for (line, said) in [
        ("shares", "which one? ftspare share, worst, sample, figure N"),
        ("figure", "which figure? Use ftspare figure N"),
        ("figures", "Use ftspare figures --out DIR"),
        ("figures --out /dev/null/none", "/dev/null/none: "),
        ("table 3", "Use ftspare table 1 or ftspare table 2"),
        ("table", "Use ftspare table 1 or ftspare table 2"),
        ("figure 23", "there is no figure 23 here: use one of 1, 2, 3"),
        ("figure nan", "there is no figure nan here"),
        ("figure 3 --svg /dev/null/none", "--svg /dev/null/none: "),
        ("table 1 --svg /dev/null/none", "--svg /dev/null/none: "),
        ("sample --cases 1 --csv /dev/null/none", "--csv /dev/null/none: "),
        ("share --dims 12,12", "3D(2,1) is for 3 dimensions: there are 2"),
        ("share --alloc 2D", "use 3D(2,1)"),
        ("sample --method 5D", "the network has 3 dimensions only"),
        ("sample --stencil 5P", "7P or 27P in three"),
        ("sample --stencil 1,0", "offsets such as 1,0,0;0,0,2"),
        ("sample --failures some", "use 10 or all"),
        ("sample --choose best", "use dimension, nearest or collisions"),
        (
            "share --dims 40000,40000 --alloc 2D(1,1)",
            "--dims 40000,40000: 1600000000 nodes: use at most 10000000",
        ),
        ("share --alloc 4000000000D(1,1)", "use at most 12 dimensions"),
        ("worst --width 0", "--width 0: use 1 or more"),
        ("worst --threads 0", "--threads is 1 to 256"),
        ("sample --cases 0", "--cases is 1 or more"),
        ("share --machine bluegene-2001 --dims 9,9,9", "leave them out"),
        ("share --machine k", "k has no [spares]"),
    ] {
        FTSPARE.refuses(line, said);
    }
    assert!(FTSPARE.succeeds("share --machine bluegene-2001").contains("spares"));
}

#[test]
fn what_is_no_number_or_no_size_is_refused_by_the_name_of_its_option() {
    for (line, said) in [
        ("share --dims 0", "--dims 0: "),
        ("share --dims 12,0,12", "--dims 12,0,12: "),
        ("share --dims -3,3,3", "--dims -3,3,3: "),
        ("share --dims nan,3,3", "--dims nan,3,3: "),
        ("share --dims inf", "--dims inf: "),
        ("share --dims 1099511627776", "--dims 1099511627776: "),
        ("share --dims 1048576,1048576", "--dims 1048576,1048576: "),
        ("share --torus --dims 2000000000", "--dims 2000000000: 2000000000 nodes: use at most"),
        ("share --dims=", "--dims : "),
        ("share --alloc 3D(0,1)", "--alloc 3D(0,1): "),
        ("share --alloc 3D(1,0)", "--alloc 3D(1,0): "),
        ("share --alloc 3D(-1,1)", "--alloc 3D(-1,1): "),
        ("share --alloc 3D(1,12)", "--alloc 3D(1,12): "),
        ("share --alloc nanD(1,1)", "--alloc nanD(1,1): "),
        ("share --method nanD", "--method nanD: "),
        ("share --method hybrid(-9D)", "--method hybrid(-9D): "),
        ("share --stencil inf", "--stencil inf: "),
        ("share --cases 3", "there is no option --cases"),
        ("worst --failures 0", "--failures 0: use 1 or more"),
        ("worst --failures -1", "--failures -1: "),
        ("worst --failures nan", "--failures nan: "),
        ("worst --failures inf", "--failures inf: "),
        ("worst --failures 16", "--failures 16: there are 15 spares"),
        ("worst --failures 1e99", "--failures 1e99: "),
        ("worst --orders 0", "--orders 0: use 1 to"),
        ("worst --orders 1000000000000000000", "--orders 1000000000000000000: use 1 to"),
        ("worst --width -1", "--width -1: "),
        ("worst --threads 257", "--threads is 1 to 256"),
        ("worst --threads nan", "--threads nan: "),
        ("sample --failures 0", "--failures 0: use 1 or more"),
        ("sample --failures 277", "--failures 277: there are 276 spares"),
        ("sample --failures -2", "--failures -2: "),
        ("sample --failures inf", "--failures inf: "),
        ("sample --cases nan", "--cases nan: "),
        ("sample --cases -5", "--cases -5: "),
        ("sample --seed -1", "--seed -1: "),
        ("figure 3 --cases 0", "--cases is 1 or more"),
        ("figures --out /tmp --cases 0", "--cases is 1 or more"),
        ("table 2 --cases nan", "--cases nan: "),
    ] {
        FTSPARE.refuses(line, said);
    }
}
