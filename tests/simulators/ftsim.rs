//! The simulator of natural fault tolerance, as its users call it.

mod support;

use std::fs::File;
use std::process::{Command, Stdio};
use support::{Program, built, number, scratch};

const FTSIM: Program = Program { name: "ftsim", path: env!("CARGO_BIN_EXE_ftsim") };

#[test]
fn a_hundred_thousand_nodes_find_their_maximum_though_a_tenth_dies() {
    let json = FTSIM.succeeds("max --kill 10% --json");
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
                FTSIM.succeeds(&line) + &std::fs::read_to_string(csv).expect("it was written")
            })
            .into();
        assert!(files[0].lines().count() > 3, "{}", files[0]);
        assert!(files[0] == files[1] && files[0] == files[2], "{line}");
    }
    let one = FTSIM.succeeds("max --nodes 5000 --seed 1 --json");
    assert_ne!(one, FTSIM.succeeds("max --nodes 5000 --seed 2 --json"));
}

#[test]
fn lists_by_arithmetic_find_the_maximum_too_and_take_deaths_as_shares_or_numbers() {
    let line = "max --topology hashed --nodes 50000 --quiet --json";
    let json = FTSIM.succeeds(&format!("{line} --kill 10%@2 --kill 7"));
    assert_eq!(number(&json, "survivors"), 44_993.0);
    assert!((8.0..=14.0).contains(&number(&json, "hops")), "{json}");
    let threads = FTSIM.succeeds(&format!("{line} --kill 10%@2 --kill 7 --threads 3"));
    assert_eq!(json, threads);
    assert_eq!(number(&FTSIM.succeeds(line), "unknowing"), 0.0);
    FTSIM.refuses(&format!("{line} --kill node|7"), "use 10%, 1000 or 10%@5");
    FTSIM.refuses(&format!("{line} --csv x"), "there is no option --csv");
}

#[test]
#[ignore = "134 million nodes: a gigabyte, and minutes"]
fn the_maximum_of_134_million_nodes_is_found() {
    let json = FTSIM.succeeds("max --topology hashed --nodes 134217728 --json");
    assert_eq!(number(&json, "unknowing"), 0.0);
    assert!((14.0..=20.0).contains(&number(&json, "hops")), "{json}");
    let json = FTSIM.succeeds("max --topology hashed --nodes 134217728 --kill 10% --json");
    let expected = number(&json, "unknowing_expected");
    assert!((number(&json, "unknowing") / expected - 1.0).abs() < 0.1, "{json}");
}

#[test]
fn the_error_of_laplaces_equation_is_at_most_two_distances() {
    let json = FTSIM.succeeds("poisson --json --tolerance 1e-5 --ticks 1000");
    assert!(number(&json, "error_at_rest") <= 2.0 * number(&json, "distance"), "{json}");
    assert!(number(&json, "error_now") < 0.05, "{json}");
}

#[test]
fn frames_are_pictures_and_the_same_each_time() {
    let directory = scratch("frames");
    let line = format!(
        "max --nodes 400 --topology torus --kill ball|0.5,0.5|0.2@3 --size 64 --frames {}",
        directory.display()
    );
    let frames = || {
        FTSIM.succeeds(&line);
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
    let one =
        FTSIM.succeeds(&format!("max --json --machine {machine} --deaths {}", deaths.display()));
    let list = std::fs::read_to_string(&deaths).expect("it was written");
    assert_eq!(list, "5 3\n5 17\n8 50\n8 51\n8 60\n8 61\n");
    // Each has four neighbours; the four of the box do not hear of each other.
    assert_eq!((number(&one, "deaths"), number(&one, "notices")), (6.0, 2.0 * 4.0 + 8.0));
    let again =
        format!("max --json --topology torus --dims 10,10 --kill-file {}", deaths.display());
    assert_eq!(number(&FTSIM.succeeds(&again), "notices"), 16.0);
}

#[test]
fn nodes_die_as_often_as_their_mean_time_says_and_no_run_waits_for_the_dead() {
    let deaths = |mean: f64| {
        let line = format!("max --nodes 20000 --ticks 1000 --mttf {mean} --through --json");
        number(&FTSIM.succeeds(&line), "deaths")
    };
    // A thousand ticks: 2,000 and 500, give or take three deviations.
    assert!((1865.0..2135.0).contains(&deaths(0.5)), "{}", deaths(0.5));
    assert!((433.0..567.0).contains(&deaths(2.0)), "{}", deaths(2.0));
    let json = FTSIM.succeeds("max --kill-every 1 --through --json");
    assert_eq!(number(&json, "deaths"), 100_000.0);
}

#[test]
fn failures_without_end_end_with_the_network_at_rest_and_what_was_set_is_waited_for() {
    let ticks = |words: &str| {
        let json = FTSIM.succeeds(&format!("max --nodes 20000 --json {words}"));
        (number(&json, "ticks"), number(&json, "deaths"), number(&json, "notices"))
    };
    let (rest, ..) = ticks("");
    for words in ["--mttf 0.5", "--mttf 0.7 --weibull 0.7", "--node-mttf 5000", "--kill-every 1"] {
        let (at, deaths, notices) = ticks(words);
        assert!((rest..=rest + 2.0).contains(&at), "{words}: {at} ticks, without it {rest}");
        assert!(deaths > 1.0, "{words}: {deaths}");
        // All neighbours hear of them, to the last one: eight each, less those who are dead.
        assert!(notices > 7.5 * deaths, "{words}: {notices} notices of {deaths}");
        assert_eq!(ticks(&format!("{words} --threads 3")), (at, deaths, notices));
        let csv = scratch("rest").join("counters");
        assert_eq!(ticks(&format!("{words} --csv {}", csv.display())), (at, deaths, notices));
    }
    // Deaths that were set come whatever happens, and meanwhile the others continue.
    let (at, deaths, _) = ticks("--kill node|5@200 --mttf 2");
    assert_eq!(at, 201.0);
    assert!((60.0..140.0).contains(&deaths), "{deaths}");
}

#[test]
fn a_run_with_deaths_by_chance_can_be_repeated_from_those_that_it_has_written() {
    let list = scratch("chances").join("list");
    let line = "poisson --nodes 900 --solve no --json";
    let one = FTSIM.succeeds(&format!("{line} --mttf 40 --deaths {}", list.display()));
    let deaths = std::fs::read_to_string(&list).expect("it was written");
    assert_eq!(deaths.lines().count() as f64, number(&one, "deaths"));
    let again = FTSIM.succeeds(&format!("{line} --kill-file {}", list.display()));
    assert_eq!(one, again);
}

#[test]
fn applications_in_c_and_fortran_find_the_maximum() {
    let directory = scratch("apps");
    let network = "--nodes 5000 --topology random --kill 2%@3 --json --info 7";
    let mut runs = Vec::new();
    for name in ["max", "max_thread"] {
        let c = format!("c_examples/ftsim/{name}.c");
        let c = built(&directory, "cc", &[&c], &format!("{name}_c.so"));
        let fortran = format!("fortran_examples/ftsim/{name}.f90");
        let sources = ["include/ftsim.f90", &fortran];
        let fortran = built(&directory, "gfortran", &sources, &format!("{name}_f.so"));
        runs.extend([c, fortran].map(|app| {
            let json = FTSIM.succeeds(&format!("run {} {network}", app.display()));
            assert_eq!(number(&json, "deaths"), 100.0);
            assert!(number(&json, "notices") > 500.0, "{json}");
            assert!(json.contains("\"info\":[\"7: knows 4999, misses "), "{json}");
            // A thread in Fortran has no colour.
            let (before, rest) = json.split_once("\"colours\"").expect("it is there");
            let (_, info) = rest.split_once("\"info\"").expect("it is there");
            format!("{before}{info}")
        }));
    }
    assert!(runs.iter().all(|run| *run == runs[0]), "all do the same: {runs:?}");
}

#[test]
fn neighbours_keep_checkpoints_and_go_on_with_the_tasks_of_the_dead() {
    let directory = scratch("checkpoint");
    let app = built(&directory, "cc", &["c_examples/ftsim/checkpoint.c"], "checkpoint.so");
    // How many tasks were finished by whom they were begun, or by others; and whether any is wrong.
    let finished = |words: &str| {
        let json = FTSIM.succeeds(&format!("run {} {words} --json", app.display()));
        let (_, list) = json.split_once("\"colours\":[[").expect("it is there");
        let (list, _) = list.split_once("]]").expect("it ends");
        let pairs = list.split("],[").map(|pair| {
            let (colour, nodes) = pair.split_once(',').expect("two numbers");
            (colour.parse::<usize>().expect("a colour"), nodes.parse::<usize>().expect("nodes"))
        });
        let pairs: Vec<_> = pairs.collect();
        assert!(pairs.iter().all(|(colour, _)| *colour < 255), "a wrong state: {json}");
        let alive = pairs.iter().map(|(_, nodes)| nodes).sum::<usize>();
        (alive, pairs.iter().map(|(colour, nodes)| colour * nodes).sum::<usize>())
    };
    // Whenever they die: before their first step, on the way and at the end.
    for tick in [1, 5, 9, 10, 11, 12, 23, 24, 25] {
        assert_eq!(finished(&format!("--nodes 5000 --kill 50@{tick}")), (4950, 5000), "{tick}");
    }
    assert_eq!(finished("--nodes 2000 --kill 10@4 --kill 10@12 --kill 10@20"), (1970, 2000));
    // With a node one of the four that have its parts may die at the same time, whichever it is:
    // they are its first neighbours.
    let list = directory.join("lists.txt");
    let near = |node: i32| [-4, -3, -2, -1, 1, 2, 3, 4].map(|off| (node + off).rem_euclid(50));
    let lines =
        (0..50).map(|node| format!("{node}: {}\n", near(node).map(|to| to.to_string()).join(" ")));
    std::fs::write(&list, lines.collect::<String>()).expect("there is room");
    let ring = format!("--topology {}", list.display());
    for other in near(20) {
        let kill = format!("{ring} --kill node|20|{other}@10");
        assert_eq!(finished(&kill), (48, 50), "20 and {other}");
    }
    // Of two of the four, there is no telling what was on both.
    assert_eq!(finished(&format!("{ring} --kill node|20|16|17@10")), (47, 49));
}

/// Builds an application of these lines of C.
fn thread(directory: &std::path::Path, name: &str, lines: &str) -> std::path::PathBuf {
    let source = directory.join(name).with_extension("c");
    let text = format!(
        "#include <ftsim.h>\n#include <stdio.h>\n\
         struct state {{ int heard; double border; int sum; }};\n\
         size_t ftsim_state_bytes(void) {{ return sizeof(struct state); }}\n\
         void ftsim_info(const void *state, char *text, size_t room) {{\n\
         const struct state *own = state;\n\
         snprintf(text, room, \"%d %g %d\", own->heard, own->border, own->sum); }}\n{lines}"
    );
    std::fs::write(&source, text).expect("there is room");
    let source = source.to_str().expect("it is text");
    built(directory, "cc", &[source], &format!("{name}.so"))
}

#[test]
fn a_thread_that_has_come_back_is_silent_and_borders_reach_those_that_wait() {
    let directory = scratch("threads");
    let app = thread(
        &directory,
        "twice",
        "void ftsim_thread(void *state, ftsim_here *here) {\n\
         struct state *own = state; ftsim_event event; volatile char deep[9000];\n\
         for (unsigned i = 0; i < sizeof deep; i++) deep[i] = (char)here->node;\n\
         ftsim_send_all(here, 0, 0);\n\
         while (own->heard < 2) {\n\
         int kind = ftsim_receive(here, &event);\n\
         if (kind == FTSIM_MESSAGE) own->heard++;\n\
         if (kind == FTSIM_BOUNDARY) own->border = event.value; }\n\
         for (unsigned i = 0; i < sizeof deep; i++) own->sum += deep[i] == (char)here->node; }\n",
    );
    let run = format!("run {} --topology torus --dims 20,20 --json", app.display());
    let json = FTSIM.succeeds(&format!("{run} --border 3,3,3,3 --info 0 --info 210"));
    // Four messages come to each; only those at the border hear of it, before all else.
    assert!(json.contains("\"0: 2 3 9000\",\"210: 2 0 9000\""), "{json}");
    assert_eq!(number(&json, "delivered"), 1600.0);
    FTSIM.refuses(&format!("{run} --stack 4"), "use 16 to 1048576 kilobytes");
    FTSIM.refuses(&format!("{run} --stack 1048576 --info 0"), "use less with --stack");
}

#[test]
fn a_thread_that_uses_more_than_its_stack_is_told_so() {
    let directory = scratch("deep");
    let app = thread(
        &directory,
        "deep",
        "void ftsim_thread(void *state, ftsim_here *here) {\n\
         volatile char deep[1 << 14]; ftsim_event event;\n\
         if (here->node != 5) return;\n\
         for (unsigned i = 0; i < sizeof deep; i++) deep[i] = 1;\n\
         ((struct state *)state)->sum = deep[here->node];\n\
         ftsim_receive(here, &event); ((struct state *)state)->sum += deep[9]; }\n",
    );
    let line = format!("run {} --topology torus --dims 5,5 --stack 16 --info 5", app.display());
    let output = FTSIM.run(&line.split(' ').collect::<Vec<_>>());
    let why = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{line}");
    assert!(why.contains("node 5 has used more than its stack: use more with --stack"), "{why}");
    assert!(FTSIM.succeeds(&line.replace("--stack 16", "--stack 32")).contains("5: 0 0 1"));
}

#[test]
fn with_a_border_of_ones_own_the_last_column_says_how_near_to_rest_it_is() {
    let file = scratch("ftsim-residual").join("counters");
    let line = "poisson --nodes 400 --border 0,0,0,1 --quiet --csv";
    FTSIM.succeeds(&format!("{line} {}", file.display()));
    let text = std::fs::read_to_string(&file).expect("it is there");
    let last = |line: &str| line.rsplit(',').next().and_then(|it| it.parse::<f64>().ok());
    let column: Vec<f64> = text.lines().skip(1).map(|line| last(line).expect(line)).collect();
    let most = column.iter().copied().fold(0.0, f64::max);
    assert!(most > 1e-3 && most < 1.0, "{column:?}");
    let end = column[column.len() - 1];
    assert!(end < 1e-6, "{end}");
}

/// What is said where standard output takes nothing, and the exit status.
fn unheard(line: &str, out: impl Into<Stdio>) -> (String, Option<i32>) {
    let mut command = Command::new(FTSIM.path);
    let output = command.args(line.split(' ')).stdout(out).output().expect("it can be started");
    (String::from_utf8_lossy(&output.stderr).into_owned(), output.status.code())
}

#[test]
fn a_full_disk_and_a_closed_pipe_are_told_in_a_sentence() {
    let full = || File::options().write(true).open("/dev/full").expect("Linux has it");
    let gone = || std::io::pipe().expect("there are pipes").1;
    for line in ["--help", "max --nodes 100", "max --nodes 100 --json"] {
        let (said, status) = unheard(line, full());
        assert!(said.starts_with("ftsim: cannot write to standard output: No space"), "{said}");
        assert_eq!((said.lines().count(), status), (1, Some(1)), "{said}");
        let (said, status) = unheard(line, gone());
        assert!(said.starts_with("ftsim: cannot write to standard output: the pipe"), "{said}");
        assert_eq!((said.lines().count(), status), (1, Some(1)), "{said}");
    }
    // Where remarks have no room, results are written all the same.
    let mut command = Command::new(FTSIM.path);
    let output = command.args("max --topology hashed --nodes 5000 --json".split(' '));
    let output = output.stderr(full()).output().expect("it can be started");
    assert!(output.status.success() && output.stdout.starts_with(b"{"), "{output:?}");
    let directory = scratch("full");
    for name in ["tick-000000.png", "film", "counters"] {
        std::os::unix::fs::symlink("/dev/full", directory.join(name)).expect("there is room");
    }
    let there = directory.display();
    let record = directory.join("record");
    FTSIM.succeeds(&format!("max --nodes 100 --record {}", record.display()));
    let replay = format!("replay {}", record.display());
    for (line, said) in [
        (format!("max --nodes 100 --frames {there}"), "tick-000000.png: No space"),
        (format!("max --nodes 100 --csv {there}/counters"), "counters: No space"),
        (format!("max --nodes 100 --kill 5 --deaths {there}/counters"), "counters: No space"),
        (format!("max --nodes 100 --record {there}/counters"), "No space"),
        (format!("{replay} --apng {there}/film"), "film: No space"),
        (format!("{replay} --csv {there}/counters"), "counters: No space"),
    ] {
        FTSIM.refuses(&line, said);
    }
}

#[test]
fn where_a_topology_has_other_numbers_of_nodes_that_is_told() {
    for (line, said) in [
        ("max --nodes 700 --topology torus", "ftsim: torus[26, 27] has 702 nodes, not 700\n"),
        ("max --nodes 700 --topology hypercube", "ftsim: hypercube(10) has 1024 nodes, not 700\n"),
        ("max --nodes 1024 --topology hypercube", ""),
        ("max --nodes 700", ""),
        ("max --nodes 700 --topology torus --quiet", ""),
    ] {
        let output = FTSIM.run(&line.split(' ').collect::<Vec<_>>());
        assert!(output.status.success(), "{line}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), said, "{line}");
    }
}

#[test]
fn a_large_relaxation_is_solved_directly_only_where_that_is_wanted_and_tells_its_rate() {
    let line = "poisson --nodes 400 --json --ticks 5000";
    let whole = FTSIM.succeeds(line);
    let factor = number(&whole, "convergence_factor_per_tick");
    // Measured here: the slowest part of the field shrinks to a tenth in some hundred ticks.
    assert!((0.97..0.99).contains(&factor), "{whole}");
    let tenth = number(&whole, "ticks_for_a_tenth");
    assert!((factor.powf(tenth) - 0.1).abs() < 1e-6, "{whole}");
    let short = FTSIM.succeeds(&format!("{line} --solve no"));
    assert!(!short.contains("at_rest\"") && short.contains("\"error_now\""), "{short}");
    assert!(whole.starts_with(short.trim_end().trim_end_matches('}')), "{whole} {short}");
    let large = "poisson --topology mesh --dims 400,300 --ticks 2 --json";
    assert!(!FTSIM.succeeds(large).contains("error_at_rest"));
    FTSIM.refuses("poisson --solve perhaps", "--solve perhaps: use yes or no");
}

#[test]
fn what_cannot_be_is_refused_with_the_cure() {
    for (line, said) in [
        ("may", "use ftsim max, ftsim poisson, ftsim run APP.so or ftsim replay FILE"),
        ("max --node 5", "there is no option --node; did you mean --nodes?"),
        ("max --nodes many", "--nodes many: use a number, such as --nodes 100000"),
        ("max --topology cube", "use random, nearest, far, mesh"),
        ("max --kill some", "use 10%, 100, node 3 17"),
        ("max --kill 5%@soon", "use 1% or 1%@5"),
        ("max --nodes 8", "4 neighbours of 8 nodes"),
        ("max --machine none.toml", "machines known by name: bluegene-2001"),
        ("max --threads 0", "use 1 to 256"),
        ("poisson --border 1,2", "left,right,lower,upper"),
        ("poisson --topology random --kill 50%", "use --topology nearest, mesh, torus"),
        ("poisson --topology far", "use --topology nearest, mesh, torus"),
        (
            "max --topology torus --dims 30000,30000",
            "900000000 nodes with 4 neighbours each take about 315.0",
        ),
        ("max --nodes 4000000 --neighbours 5000", "use fewer; max has --topology hashed"),
        ("max --machine bluegene-l --nodes 5", "a machine has its own: leave it out"),
        ("max --topology torus --dims 9,9 --nodes 5", "leave --nodes out"),
        ("max --watch --frames x", "--frames writes a run that goes by itself: leave --watch out"),
        ("replay x --every 5", "--every 5 is for files: use --apng OUT, --frames DIRECTORY or"),
        ("replay x --size 80", "--size 80 is for pictures in files: use --apng OUT or --frames"),
        ("replay x --csv y --size 80", "--size 80 is for pictures in files"),
        ("replay x --csv y --port 80", "--port 80 is for a page, and --csv writes files"),
        ("replay x --apng y --every 0", "--every is 1 or more"),
        ("replay x --tui", "there is no option --tui"),
        ("max --mttf nan", "--mttf nan: use how many ticks, on average, more than 0"),
        ("max --mttf -5", "--mttf -5: use how many ticks, on average, more than 0"),
        ("max --mttf 0", "--mttf 0: use how many ticks, on average, more than 0"),
        ("max --node-mttf inf", "--node-mttf inf: use a number, such as --node-mttf 1000000"),
        ("max --node-mttf 0", "--node-mttf 0: use more than 0"),
        ("max --weibull 0 --mttf 3", "--weibull 0: use more than 0"),
        ("max --weibull 1e-9 --mttf 3", "--weibull 0.000000001: use 0.1 to 100"),
        ("max --weibull 2", "--weibull 2 is of the times of --mttf or --node-mttf"),
        ("max --kill-every 0", "--kill-every: use how many ticks, 1 or more"),
        ("max --tick 0us", "--tick 0us: use a picosecond or more"),
        ("max --tick -5us", "--tick `-5us` is not a time"),
        ("max --kill 101%", "--kill `101%` is not an amount: use 100 or 0.1%"),
        ("max --kill -1%", "--kill `-1%`: use 10%"),
        ("max --kill nan%|of|all", "--kill `nan%` is not an amount"),
        ("max --kill ball|0.5,0.5|nan", "--kill `ball 0.5,0.5 nan`: use 10%"),
        ("max --kill ball|0.5,0.5|0", "use a radius of more than 0, such as 0.1"),
        ("max --kill 10%@-1", "--kill 10%@-1: use 1% or 1%@5, at a tick"),
        ("max --topology torus --dims 9,x", "--dims `9,x` is not a list of numbers"),
        ("max --topology hashed --nodes 99 --kill nan%", "--kill nan%: on hashed lists"),
        ("poisson --border 0,0,0,nan", "--border 0,0,0,nan: use x2-y2, or left,right"),
        ("poisson --border inf,0,0,1", "--border inf,0,0,1: use x2-y2, or left,right"),
        ("poisson --source inf", "--source inf: use a number"),
        ("poisson --tolerance nan", "--tolerance nan: use a number"),
        ("poisson --tolerance -1", "--tolerance -1: use 0 or more"),
        ("run", "which application?"),
        ("run /bin/none.so", "No such file"),
    ] {
        FTSIM.refuses(line, said);
    }
    assert!(FTSIM.succeeds("--help").contains("SYNOPSIS"));
}
