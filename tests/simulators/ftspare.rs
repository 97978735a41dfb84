//! The study of spare nodes, as its users call it.

mod support;

use support::Program;

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
    let line = "worst --dims 10,10 --alloc 2D(2,1) --method 1D --failures 3 --json";
    let chains = FTSPARE.succeeds(line);
    let counted = "\"orders_looked_at\":[81,6561,531441],\"orders_unhandled\":[0,0,2760],\
                   \"all_handled\":[\"yes\",\"yes\",\"no\"]";
    assert!(chains.contains("\"worst_uses\":[3,4,5]") && chains.contains(counted), "{chains}");
}

#[test]
fn one_seed_writes_the_same_bytes_on_one_and_two_threads() {
    for line in [
        "sample --dims 8,8,8 --failures all --cases 20 --json",
        "sample --dims 20,20 --alloc 2D(2,1) --stencil 9P --cases 20 --torus --json",
        "sample --dims 8,8 --alloc 2D(2,1) --choose collisions --cases 5 --json",
        "figure 15 --cases 2",
    ] {
        let one = FTSPARE.succeeds(&format!("{line} --threads 1"));
        assert_eq!(one, FTSPARE.succeeds(&format!("{line} --threads 2")));
        assert_ne!(one, FTSPARE.succeeds(&format!("{line} --threads 2 --seed 2")));
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
fn all_figures_are_drawn_into_a_directory_each_below_100_kb() {
    let directory = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("figures");
    let line = format!("figures --cases 2 --csv --out {}", directory.display());
    let named = FTSPARE.succeeds(&line);
    assert_eq!(named.lines().count(), 24);
    for number in [3, 8, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19] {
        let read = |ending: &str| {
            let file = directory.join(format!("figure-{number:02}.{ending}"));
            std::fs::read_to_string(file).expect("it was written")
        };
        let svg = read("svg");
        let curves = svg.matches("<polyline").count();
        let wanted = match number {
            3 => 6,
            8 => 5,
            14 | 15 => 4,
            17 | 19 => 2,
            _ => 6,
        };
        assert_eq!(curves, wanted, "figure {number}");
        assert!(svg.len() < 100_000 && read("csv").lines().count() > 15, "figure {number}");
    }
    let lone = FTSPARE.succeeds("figure 11 --cases 2");
    assert_eq!(lone, std::fs::read_to_string(directory.join("figure-11.csv")).expect("written"));
    let until = |name: &str| lone.lines().filter(|line| line.starts_with(name)).count();
    assert_eq!((until("0D worst"), until("hybrid(all) best")), (276, 276), "no spare is left");
}

#[test]
fn table_2_divides_collisions_by_what_a_machine_sends_at_once() {
    let table = FTSPARE.succeeds("table 2 --cases 20");
    assert!(table.contains("K        6-D Cartesian     4        1.7        3.7"), "{table}");
    let json = FTSPARE.succeeds("table 2 --cases 20 --json");
    assert!(json.contains("\"dims\":[[12,12,12],[16,8,8],[7,7,7]]"), "{json}");
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
fn what_cannot_be_is_refused_with_the_cure() {
    for (line, said) in [
        ("shares", "say what: ftspare share, worst, sample, figure N"),
        ("figure", "which figure? Say ftspare figure N"),
        ("figures", "Say ftspare figures --out DIR"),
        ("figures --out /dev/null/none", "/dev/null/none: "),
        ("table 3", "Say ftspare table 2"),
        ("figure 4", "there is no figure 4 here: say one of [3, 8"),
        ("share --dims 12,12", "3D(2,1) is for 3 dimensions: there are 2"),
        ("share --alloc 2D", "say 3D(2,1)"),
        ("sample --method 5D", "the network has 3 dimensions only"),
        ("sample --stencil 5P", "7P or 27P in three"),
        ("sample --stencil 1,0", "offsets such as 1,0,0;0,0,2"),
        ("sample --failures some", "say 10 or all"),
        ("sample --choose best", "say nearest or collisions"),
        ("share --dims 40000,40000 --alloc 2D(1,1)", "say at most 10000000 nodes"),
        ("share --alloc 4000000000D(1,1)", "say at most 12 dimensions"),
        ("worst --width 0", "--width 0: say 1 or more"),
        ("worst --threads 0", "--threads is 1 to 256"),
        ("sample --cases 0", "--cases is 1 or more"),
        ("share --machine bluegene-2001 --dims 9,9,9", "leave them out"),
        ("share --machine k", "k has no [spares]"),
    ] {
        FTSPARE.refuses(line, said);
    }
    assert!(FTSPARE.succeeds("share --machine bluegene-2001").contains("spares"));
}
