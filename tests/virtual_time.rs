//! Programs in the time of a machine that is not there (`ftrun --virtual`).

use std::path::PathBuf;
use support::{Outcome, Program, Run};

fn program() -> Program {
    support::c("virtual_time.c").flags(&["-O1", "-Wall", "-Wextra"]).build()
}

/// Eight nodes in a row. Its prices are numbers that cannot be mistaken for each other.
const LAB: &str = "\
[machine]
name = \"lab\"
topology = \"mesh\"
dims = [8]
[node]
packet = 100
[cost]
hop_ns = 100
corner_ns = 0
byte_ns = 2
[mpi]
send_ns = 30
receive_ns = 50
eager_bytes = 1000
[recovery]
detect = \"3ms\"
restart = \"20ms\"
";

fn file(test: &str, text: &str) -> PathBuf {
    let file = support::fresh_directory(test).join("machine.toml");
    std::fs::write(&file, text).expect("there is room");
    file
}

fn virtually(program: &Program, machine: &str, ranks: usize, words: &str) -> Run {
    let run = support::run(program).ranks(ranks).option("--virtual");
    run.option(format!("--machine={machine}")).args(words.split_whitespace())
}

fn in_lab(test: &str, ranks: usize, words: &str) -> Run {
    virtually(&program(), &file(test, LAB).to_string_lossy(), ranks, words)
}

#[track_caller]
fn says(seen: &Outcome, line: &str) {
    assert!(seen.stdout.lines().any(|other| other == line), "{line}: {seen}");
}

#[test]
fn a_message_takes_what_the_file_says() {
    for network in ["ideal", "flows", "packets"] {
        for (bytes, nanos) in [(0, 180), (8, 196), (250, 680), (1000, 2180)] {
            let run = in_lab("latency", 2, &format!("latency {bytes}"));
            let seen = run.option(format!("--network={network}")).succeeds();
            says(&seen, &format!("{bytes} bytes: {nanos}"));
        }
        // The announcement, the request, and the data.
        let seen = in_lab("long", 2, "latency 5000").option(format!("--network={network}"));
        says(&seen.succeeds(), &format!("5000 bytes: {}", 30 + 3 * 100 + 2 * 5000 + 50));
    }
}

#[test]
fn platforms_of_simgrid_are_machines() {
    let file = support::fresh_directory("platform").join("platform.xml");
    let cluster = |rest: &str| {
        let usual = "prefix='n' suffix='' radical='0-63' speed='1Gf' bw='125MBps' lat='50us'";
        let text = format!(
            "<?xml version='1.0'?>\n\
             <!DOCTYPE platform SYSTEM 'https://simgrid.org/simgrid.dtd'>\n\
             <platform version='4.1'><cluster id='c' {usual} {rest}/></platform>\n"
        );
        std::fs::write(&file, text).expect("there is room");
        virtually(&program(), &file.to_string_lossy(), 2, "latency 10000")
    };
    // Two links; one; two at one router; and the same as in SimGrid, more than which is not
    // announced.
    says(&cluster("").succeeds(), "10000 bytes: 180000");
    let torus = "topology='TORUS' topo_parameters='4,4,4'";
    says(&cluster(torus).succeeds(), "10000 bytes: 130000");
    let dragonfly = "topology='DRAGONFLY' topo_parameters='4,1;4,1;2,1;2'";
    says(&cluster(dragonfly).succeeds(), "10000 bytes: 180000");
    let refused = cluster("topology='CUBE'").fails_with(2);
    let why = "platform.xml:3: topology CUBE: there are FLAT, TORUS, FAT_TREE and DRAGONFLY here";
    assert!(refused.stderr.contains(why), "{refused}");
}

#[test]
fn a_host_that_was_measured_is_a_machine() {
    let host = support::fresh_directory("calibrate").join("host.toml");
    let host = host.to_str().expect("the name of a test");
    let calibrate = |word: &str| support::command(support::ftrun()).args(["calibrate", word]);
    if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        let refused = calibrate(host).fails_with(1);
        assert!(refused.stderr.contains("ranks that share one core"), "{refused}");
        return;
    }
    calibrate(host).succeeds();
    let text = std::fs::read_to_string(host).expect("it was written");
    // Eight bytes one way take what was measured, wherever the parts of that can be told apart.
    let (_, rest) = text.split_once("8 bytes take\n# ").expect("a comment tells it");
    let (micros, _) = rest.split_once(' ').expect("followed by a unit");
    let measured: f64 = micros.parse::<f64>().expect("a number") * 1e3;
    let seen = virtually(&program(), host, 2, "latency 8").succeeds();
    let (_, nanos) = seen.stdout.trim().rsplit_once(' ').expect("it tells a time");
    let told: f64 = nanos.parse().expect("a number");
    let is_one_hop_free = text.contains("hop_ns = 0.0");
    assert!((told - measured).abs() < 2.0 || is_one_hop_free && told > measured, "{text}{seen}");
    let refused = calibrate("--now").fails_with(2);
    assert_eq!(refused.stderr, "ftrun: calibrate takes the name of a file to write, or nothing\n");
}

#[test]
fn ranks_sit_below_the_switches_of_a_fat_tree() {
    // 500 ns at the receiver, and 100 ns for the link up and the link down.
    says(&virtually(&program(), "fat-tree", 17, "latency 0").succeeds(), "0 bytes: 700");
}

#[test]
fn a_rank_that_dies_while_its_message_is_under_way_holds_up_no_other() {
    for network in ["ideal", "flows", "packets"] {
        for micros in [1, 300, 700] {
            let run = in_lab("cut", 3, "cut").option("--mode=ulfm");
            let run = run.option(format!("--network={network}"));
            let seen = run.option(format!("--kill=1@{micros}us")).succeeds();
            assert!(seen.stderr.contains("as planned for"), "{network} {micros}: {seen}");
            assert!(seen.stdout.trim().ends_with(" 1: 1"), "{network} {micros}: {seen}");
        }
    }
}

#[test]
fn ranks_that_compute_for_as_long_do_so_at_the_same_time() {
    // Two exchange eight bytes over one link; four do so with the next and with the one after that.
    let far = |hops: i64| 30 + 100 * hops + 2 * 8 + 50;
    for (ranks, exchange) in [(2, far(1)), (4, far(1) + far(2))] {
        let seen = in_lab("in_step", ranks, "in_step").succeeds();
        for rank in 0..ranks {
            says(&seen, &format!("rank {rank}: {}", 10 * (20_000 + exchange)));
        }
    }
}

#[test]
fn messages_that_share_a_link_take_as_much_longer() {
    // The link in the middle carries all of them; the last message then has up to three hops to go.
    let time_of = |ranks: usize, network: &str| -> f64 {
        let run = in_lab("share", ranks, "share 900").option(format!("--network={network}"));
        let seen = run.succeeds();
        let (_, time) = seen.stdout.trim().rsplit_once(' ').expect("it tells a time");
        time.parse().expect("a number")
    };
    let bytes = 2.0 * 900.0;
    for messages in [1, 2, 4] {
        let (alone, shared) = (time_of(2 * messages, "ideal"), time_of(2 * messages, "packets"));
        let hops = 100.0 * messages as f64;
        assert!((alone - bytes - hops - 80.0).abs() < 1.0, "{messages}: {alone}");
        let least = bytes * messages as f64;
        assert!((least..least + 1000.0).contains(&shared), "{messages}: {shared}");
        // All end at once, and then the last one has up to as many hops to go.
        let flowing = time_of(2 * messages, "flows");
        assert!((flowing - least - hops - 80.0).abs() < 1.0, "{messages}: {flowing}");
    }
}

#[test]
fn the_report_tells_who_waited_for_whom_and_which_links_were_busiest() {
    let report = support::fresh_directory("accounts").join("report");
    let run = in_lab("relay", 3, "relay").option("--network=packets").option("--compute=declared");
    let seen = run.option(format!("--report={}", report.display())).succeeds();
    assert!(seen.stderr.contains("most of all for rank "), "{seen}");
    let text = std::fs::read_to_string(report).expect("there is a report");
    let account: serde_json::Value = serde_json::from_str(&text).expect("one line of JSON");
    let of = |what: &str, rank: usize| account[what][rank].as_u64().expect("a number");
    assert_eq!([0, 1, 2].map(|rank| of("computing_ns", rank)), [5_000_000, 0, 0], "{text}");
    for (rank, waits, is_awaited) in [(0, false, true), (1, true, true), (2, true, false)] {
        assert_eq!(of("waiting_ns", rank) >= 5_000_000, waits, "{rank}: {text}");
        assert_eq!(of("awaited_ns", rank) >= 5_000_000, is_awaited, "{rank}: {text}");
    }
    // Two nanoseconds a byte; the second message has half as many.
    let links: Vec<_> = account["busiest_links"].as_array().expect("a list").iter().collect();
    let busy = |link: &str| {
        let link = links.iter().find(|known| known["link"] == link).expect("it is listed");
        link["busy_ns"].as_u64().expect("a number")
    };
    assert!(busy("0-1") >= 2000 && (1000..2000).contains(&busy("1-2")), "{text}");
}

#[test]
fn whoever_asks_for_anything_gets_what_is_first_in_virtual_time() {
    let seen = in_lab("first", 8, "first").option("--compute=declared").succeeds();
    assert!(!seen.stdout.contains("before"), "{seen}");
    assert!(seen.stdout.contains("7 came, the last at 700"), "{seen}");
}

#[test]
fn who_polls_sleeps_or_looks_at_the_clock_goes_on_at_the_right_time() {
    let seen = in_lab("patience", 2, "patience").deadline(20).succeeds();
    for line in ["polled until 2000 ms", "slept until 102 s", "looked until 102500 ms"] {
        says(&seen, line);
    }
}

#[test]
fn who_polls_for_ever_is_told_so() {
    for (ranks, all) in [(1, 1), (2, 0), (2, 1), (5, 1)] {
        let seen = in_lab("in_vain", ranks, &format!("in_vain {all}")).deadline(60).outcome();
        assert_eq!(seen.status, Some(123), "{seen}");
        assert!(seen.stderr.contains(" polls for ever: nothing that it asks for can"), "{seen}");
        assert!(!seen.stderr.contains("--seed"), "it repeats itself anyway: {seen}");
        let times = seen.stdout.lines().filter_map(|line| line.strip_suffix(" ms"));
        let times = times.filter_map(|line| line.rsplit_once(' ')?.1.parse::<u32>().ok());
        let times: Vec<u32> = times.collect();
        assert_eq!(times.len(), ranks, "{seen}");
        assert!(times.iter().all(|time| (5000..5010).contains(time)), "{seen}");
    }
}

#[test]
fn what_has_no_room_in_virtual_time_ends_the_job_with_a_sentence() {
    let over = "ftrun: the 106 days that virtual time has are over\n";
    let thread = "ftrun: rank 0 needs an OS thread of its own, for its threads, signal masks, \
                  working directory or children: only fibers have virtual time\n";
    for (what, why) in [("computes", over), ("sums", over), ("sleeps", over), ("thread", thread)] {
        let seen = in_lab("beyond", 3, &format!("beyond {what}")).deadline(60).outcome();
        assert_eq!(seen.status, Some(123), "{what}: {seen}");
        assert!(seen.stderr.contains(why) && !seen.stdout.contains("was there"), "{what}: {seen}");
    }
    // What takes no time there cannot take too much.
    let run = in_lab("beyond", 3, "beyond computes").option("--compute=none");
    assert_eq!(run.succeeds().lines_with("was there"), 3);
}

#[test]
fn the_smallest_stacks_are_enough_for_small_programs() {
    let seen = in_lab("small_stacks", 4, "in_step").option("--stack=64K").succeeds();
    assert_eq!(seen.lines_with("rank "), 4, "{seen}");
}

#[test]
fn several_who_poll_hold_up_neither_each_other_nor_who_computes() {
    let seen = in_lab("askers", 3, "askers").deadline(30).succeeds();
    says(&seen, "rank 1 asked until 100000 us");
    says(&seen, "rank 2 asked until 100000 us");
}

#[test]
fn polls_take_what_the_file_says() {
    for (poll, micros) in [("", 1_000_000), ("poll_ns = 2000\n", 1_002_000)] {
        let machine = file("polls", &LAB.replace("[recovery]", &format!("{poll}[recovery]")));
        let run = virtually(&program(), &machine.to_string_lossy(), 2, "between");
        let seen = run.option("--compute=declared").succeeds();
        says(&seen, &format!("computed for {micros} us"));
    }
}

/// The network of the Blue Gene that the emulator knows, of this size.
fn blue_gene(dims: &str) -> String {
    format!(
        "[machine]\ntopology = \"mesh\"\ndims = [{dims}]\n[cost]\nhop_ns = 5\ncorner_ns = 75\n\
         corner_rule = \"per-message\"\nhandler_ns = 1000\n"
    )
}

#[test]
fn programs_of_messages_take_the_time_that_the_emulator_gives_them() {
    for (name, dims) in [
        ("line", [9, 8, 7]),
        ("octtree", [9, 8, 7]),
        ("octtree", [8, 8, 8]),
        ("reduce", [9, 8, 7]),
        ("ring", [5, 4, 3]),
    ] {
        let listed = dims.map(|extent| extent.to_string()).join(",");
        let emulated = support::command(support::tool("ftbg"));
        let emulated = emulated.args([name, "--dims", &listed]).succeeds();
        let time = emulated.stdout.lines().find_map(|line| line.strip_prefix("time ns"));
        let time: f64 = time.and_then(|time| time.trim().parse().ok()).expect("it tells the time");
        let ranks = dims.iter().product();
        let machine = file(name, &blue_gene(&listed));
        let words = format!("{name} {}", listed.replace(',', " "));
        let run = virtually(&program(), &machine.to_string_lossy(), ranks, &words);
        let seen = run.option("--network=packets").succeeds();
        let expected = match name {
            "ring" => format!("ring: {ranks} ranks, {time}"),
            _ => format!("{name}: {time}"),
        };
        says(&seen, &expected);
    }
}

#[test]
fn collective_operations_take_the_messages_of_the_machines_mpi() {
    // Any two nodes are equally far from each other.
    let flat =
        LAB.replace("hop_ns = 100", "hop_ns = 0").replace("corner_ns = 0", "corner_ns = 100");
    let flat = file("flat", &flat);
    let message = |bytes: usize| 30 + 100 + 2 * bytes + 50;
    let seen = virtually(&program(), &flat.to_string_lossy(), 8, "collectives 1").succeeds();
    let three = 3 * message(8);
    let growing = message(8) + message(16) + message(32);
    for (name, nanos) in [
        ("barrier", 3 * message(0)),
        ("bcast", three),
        ("reduce", three),
        ("allreduce", three),
        ("iallreduce", three),
        ("gather", growing),
        ("scatter", growing),
        ("allgather", growing),
        ("alltoall", 3 * message(32)),
        ("scan", three),
    ] {
        says(&seen, &format!("{name}: {nanos}"));
    }
    // Long ones: halves, quarters and eighths, to one member and from another.
    let seen = virtually(&program(), &flat.to_string_lossy(), 8, "collectives 8000").succeeds();
    let long = |bytes: usize| message(bytes) + 2 * 100;
    let halving = long(8000) + long(16_000) + long(32_000);
    says(&seen, &format!("allreduce: {}", 2 * halving));
    says(&seen, &format!("allgather: {}", long(64_000) + long(128_000) + long(256_000)));
    says(&seen, &format!("alltoall: {}", 7 * long(64_000)));
}

/// What operations take on as many nodes as there are ranks, each as far from any other, with
/// algorithms of the file. Receiving takes no time there.
fn with_algorithms(test: &str, ranks: usize, words: &str, chosen: &str) -> Outcome {
    let flat =
        LAB.replace("hop_ns = 100", "hop_ns = 0").replace("corner_ns = 0", "corner_ns = 100");
    let flat = flat.replace("receive_ns = 50", "receive_ns = 0");
    let text = flat.replace("dims = [8]", &format!("dims = [{ranks}]"));
    let machine = file(test, &format!("{text}[collectives]\n{chosen}"));
    virtually(&program(), &machine.to_string_lossy(), ranks, words).succeeds()
}

/// What it takes there to send, and what an eager message takes.
const SEND: usize = 30;

fn message(bytes: usize) -> usize {
    SEND + 100 + 2 * bytes
}

#[test]
fn members_beyond_a_power_of_two_take_part_through_others() {
    let chosen = "barrier = \"doubling\"\nallreduce = \"rabenseifner\"\nalltoall = \"bruck\"\n";
    let seen = with_algorithms("six", 6, "collectives 64", chosen);
    // Ranks 4 and 5 begin at once, so that the last exchange with them is soon over.
    for (name, nanos) in [
        ("barrier", 2 * message(0) + SEND + message(0)),
        ("bcast", SEND + 2 * message(512)),
        ("allreduce", 2 * (message(512) + message(256) + message(128))),
        ("scan", 3 * message(512)),
    ] {
        says(&seen, &format!("{name}: {nanos}"));
    }
    let seen = with_algorithms("six", 6, "collectives 1", chosen);
    for (name, nanos) in [
        ("allgather", message(8) + 2 * message(16)),
        ("alltoall", message(24) + 2 * message(16)),
        ("reduce_scatter_block", message(48) + message(24) + message(12)),
    ] {
        says(&seen, &format!("{name}: {nanos}"));
    }
    // Parts of what is reduced come to any root, though ranks 1 and 3 give theirs to others first.
    let seen = with_algorithms("six", 6, "roots 60", "reduce = \"rabenseifner\"\n");
    for root in 0..6 {
        let last = if root < 4 { message(120) } else { SEND };
        let nanos = message(480) + 2 * message(240) + message(120) + last;
        says(&seen, &format!("reduce to {root}: {nanos}"));
    }
}

#[test]
fn all_to_all_goes_at_once_a_few_at_a_time_or_in_pairs() {
    // One after another is sent, and the last one arrives.
    let window = |messages: usize| (messages - 1) * SEND + message(1000);
    for (algorithm, nanos) in [
        ("linear", window(63)),
        ("scattered", window(32) + window(31)),
        ("pairwise", 63 * message(1000)),
        ("bruck", 6 * (message(32 * 1000) + 2 * 100)),
    ] {
        let chosen = format!("alltoall = \"{algorithm}\"\n");
        let seen = with_algorithms("exchange", 64, "collectives 125", &chosen);
        says(&seen, &format!("alltoall: {nanos}"));
    }
}

#[test]
fn broadcasts_in_blocks_come_together_by_doubling_or_around_a_ring() {
    let down = message(32) + message(16) + message(8);
    for (algorithm, nanos) in
        [("scatter-doubling", 2 * down), ("scatter-ring", down + 7 * message(8))]
    {
        let chosen = format!("bcast = \"{algorithm}\"\n");
        let seen = with_algorithms("blocks", 8, "collectives 8", &chosen);
        says(&seen, &format!("bcast: {nanos}"));
    }
}

#[test]
fn the_file_chooses_algorithms_by_size() {
    let flat =
        LAB.replace("hop_ns = 100", "hop_ns = 0").replace("corner_ns = 0", "corner_ns = 100");
    let chosen = "[collectives]\nbarrier = \"tree\"\nbcast = [\"linear\"]\n\
                  allreduce = [\"doubling\", 8, \"ring\", 100, \"doubling\"]\nscan = \"linear\"\n";
    let flat = file("chosen", &format!("{flat}{chosen}"));
    let message = |bytes: usize| 30 + 100 + 2 * bytes + 50;
    let seen = virtually(&program(), &flat.to_string_lossy(), 8, "collectives 1").succeeds();
    for (name, nanos) in [
        ("barrier", 6 * message(0)),
        ("bcast", 6 * 30 + message(8)),
        ("allreduce", 14 * message(1)),
        ("iallreduce", 14 * message(1)),
        ("scan", 7 * message(8)),
    ] {
        says(&seen, &format!("{name}: {nanos}"));
    }
    let unknown = file("unknown", &format!("{LAB}[collectives]\nallreduce = \"magic\"\n"));
    let run = virtually(&program(), &unknown.to_string_lossy(), 8, "collectives 1");
    let seen = run.outcome();
    let why = "allreduce: `magic` is no algorithm for it: use doubling, rabenseifner, ring, tree, \
               hardware";
    assert!(seen.stderr.contains(why), "{seen}");
}

#[test]
fn the_tree_of_the_machine_carries_what_all_ranks_do_together() {
    let tree = "[tree]\nhop_ns = 7\nbarrier_hop_ns = 3\nbyte_ns = 1\n";
    let flat =
        LAB.replace("hop_ns = 100", "hop_ns = 0").replace("corner_ns = 0", "corner_ns = 100");
    let machine = file("tree", &format!("{flat}{tree}"));
    let message = |bytes: usize| 30 + 100 + 2 * bytes + 50;
    for network in ["ideal", "packets"] {
        let run = virtually(&program(), &machine.to_string_lossy(), 8, "collectives 1");
        let seen = run.option(format!("--network={network}")).succeeds();
        // Three levels up and down; eight bytes in a stream.
        for (name, nanos) in [
            ("barrier", 6 * 3),
            ("bcast", 3 * 7 + 8),
            ("reduce", 3 * 7 + 8),
            ("allreduce", 6 * 7 + 8),
            ("iallreduce", 6 * 7 + 8),
        ] {
            says(&seen, &format!("{name}: {nanos}"));
        }
    }
    let seen = virtually(&program(), &machine.to_string_lossy(), 8, "collectives 1").succeeds();
    says(&seen, &format!("gather: {}", message(8) + message(16) + message(32)));
    says(&seen, &format!("barrier of half: {}", 2 * message(0)));
    let chosen = format!("{flat}{tree}[collectives]\nbarrier = \"doubling\"\n");
    let chosen = file("chosen_tree", &chosen);
    let seen = virtually(&program(), &chosen.to_string_lossy(), 8, "collectives 1").succeeds();
    says(&seen, &format!("barrier: {}", 3 * message(0)));
}

#[test]
fn a_failure_is_heard_of_and_made_up_for_after_the_times_of_the_file() {
    let run = in_lab("loss", 3, "loss").option("--mode=rebuild");
    let seen = run.succeeds();
    says(&seen, "failed: 1, at 8000 us");
    says(&seen, "whole");
    assert!((28_000..29_000).contains(&micros(&seen, "again at ")), "{seen}");
}

#[track_caller]
fn micros(seen: &Outcome, before: &str) -> u64 {
    let found = seen.stdout.lines().find_map(|line| line.strip_prefix(before)?.strip_suffix(" us"));
    found.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{before}: {seen}"))
}

/// Rank 1 is started again on the node of rank 2, whose process goes to a spare node next to it.
#[test]
fn who_makes_room_goes_on_when_its_process_is_on_its_new_node() {
    let spares = "[spares]\nalloc = \"2D(1,1)\"\nsubstitute = [\"1D\"]\n";
    let lab = LAB.replace("dims = [8]", "dims = [4, 4]") + spares;
    for network in ["ideal", "flows", "packets"] {
        for (bytes, least) in [("1e6", 28_000), ("20e6", 48_000)] {
            let text = lab.replace("[recovery]", &format!("[recovery]\nprocess_bytes = {bytes}"));
            let machine = file(&format!("moves-{network}-{bytes}"), &text);
            let run = virtually(&program(), &machine.to_string_lossy(), 9, "make_room");
            let run = run.option("--mode=rebuild").option(format!("--network={network}"));
            let seen = run.succeeds();
            let after = micros(&seen, "met after ");
            assert!((least..least + 20).contains(&after), "{network}, {bytes}: {seen}");
            if least > 30_000 {
                let seen = run.option("--kill=2@30ms").outcome();
                let dies = "rank 2 was killed (SIGKILL) after 0.03 s";
                assert!(seen.stderr.contains(dies), "it does not wait for its process: {seen}");
            }
        }
    }
}

#[test]
fn a_run_repeats_itself_and_seeds_do_not_matter() {
    let text = |run: &Run| {
        let seen = run.outcome();
        (seen.stdout.clone(), seen.stderr.clone())
    };
    for words in ["share 900", "first", "loss"] {
        let run = in_lab("again", 6, words).option("--mode=rebuild");
        let first = text(&run);
        assert!(first.1.contains("virtual time"), "{first:?}");
        assert_eq!(first, text(&run));
        assert_eq!(first.0, text(&run.option("--seed=5")).0);
    }
}

#[test]
fn collective_operations_are_as_right_as_ever() {
    let flags = ["-O1", "-Wall", "-fno-strict-aliasing"];
    let program = support::c("coll_ways.c").flags(&flags).build();
    for (ranks, network) in [(5, "packets"), (13, "ideal")] {
        let run = virtually(&program, "bluegene-l", ranks, "").deadline(120);
        run.option(format!("--network={network}")).succeeds();
    }
}

#[test]
fn what_cannot_be_simulated_is_refused_with_the_cure() {
    let program = program();
    let refused = |options: &[&str], cure: &str| {
        let run = options.iter().fold(support::run(&program), |run, option| run.option(option));
        let seen = run.ranks(2).fails_with(2);
        assert!(seen.stderr.contains(cure), "{seen}");
    };
    refused(&["--virtual"], "--machine bluegene-l");
    refused(&["--virtual", "--machine=k", "--ranks=thread"], "only fibers");
    refused(&["--virtual", "--machine=k", "--compute=magic"], "measured, declared or none");
    refused(&["--virtual", "--machine=k", "--network=magic"], "ideal, flows or packets");
    refused(&["--machine=k", "--network=packets"], "with --virtual: add it");
    refused(&["--virtual", "--machine=k", "--processes"], "--virtual and --processes");
    refused(&["--virtual", "--machine=no/such/file"], "machines known by name");
    let vast = file("vast", "[machine]\ntopology = \"mesh\"\ndims = [2000000000]\n");
    refused(&["--virtual", &format!("--machine={}", vast.display())], "has room for 16777216");
    let small = file("small", "[machine]\ntopology = \"mesh\"\ndims = [1]\n");
    refused(&["--virtual", &format!("--machine={}", small.display())], "1 at most");
    for (what, cure) in [
        ("[compute]\nflops = 0\n", "more than 0"),
        ("[compute]\nflops = -1\n", "a number, 0 or more"),
        ("[tree]\nhop_ns = 1e10\n", "use 0 to 1e9 nanoseconds"),
        ("[files]\nlatency = \"107d\"\n", "more than the 106 days that virtual time has"),
        ("[collectives]\nbarrier = \"ring\"\n", "use dissemination, doubling, tree"),
        ("[collectives]\nbarriers = \"tree\"\n", "there are barrier, bcast"),
    ] {
        let machine = file("refused", &format!("{LAB}{what}"));
        refused(&["--virtual", &format!("--machine={}", machine.display())], cure);
    }
}

/// A rank's part in an operation is carried on by others while it waits: until it dies.
#[test]
fn whenever_a_rank_dies_in_collective_operations_the_others_go_on() {
    const RANKS: usize = 9;
    let program = support::c("virtual_deaths.c").flags(&["-O1", "-Wall", "-Wextra"]).build();
    let run = |network: &str, victim: usize, micros: usize| {
        let run = virtually(&program, "bluegene-l", RANKS, "").option("--mode=ulfm");
        let run = run.option(format!("--network={network}"));
        run.option(format!("--kill={victim}@{micros}us")).succeeds()
    };
    for network in ["ideal", "packets"] {
        for micros in (1..200).step_by(9) {
            let victim = micros * 5 % RANKS;
            let seen = run(network, victim, micros);
            let count = |many: usize| {
                let line = format!(" of {many}, {many}, after ");
                seen.stdout.lines().filter(|said| said.contains(&line)).count()
            };
            assert_eq!(count(RANKS - 1), RANKS - 1, "{network}, {victim} at {micros} us: {seen}");
            assert_eq!(run(network, victim, micros).stdout, seen.stdout);
        }
    }
}
