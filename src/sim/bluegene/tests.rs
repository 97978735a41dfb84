//! The numbers of the paper, to the nanosecond.

use super::apps::{LineBroadcast, OctreeBroadcast, Reduce, Ring};
use super::jacobi::{Jacobi, differing};
use super::md::{Md, Outcome};
use super::{Counts, Emulator, Heat, Load, Node, Program, Setup, Size, Totals};
use ftmpi_machine::Model;
use ftmpi_machine::cost::CornerRule;
use ftmpi_machine::topology::{Grid, Topology};
use ftmpi_machine::units::NANO;

fn machine(dims: [u32; 3], rule: CornerRule) -> Setup {
    let mut model = Model::known("bluegene-2001").unwrap();
    model.topology = Topology::Grid(Grid::mesh(&dims).unwrap());
    model.cost.corner_rule = rule;
    Setup::new(&model, 100).unwrap()
}

const WHOLE: [u32; 3] = [34, 34, 36];
const OCTREE: OctreeBroadcast = OctreeBroadcast { has_starter: false };

fn run<P: Program>(program: P, rule: CornerRule) -> (Emulator<P>, Totals) {
    let mut emulator = Emulator::new(machine(WHOLE, rule), program, 1);
    let totals = emulator.run().unwrap();
    (emulator, totals)
}

#[test]
fn the_line_broadcast_takes_as_long_as_in_the_paper() {
    for (rule, nanos) in [(CornerRule::PerMessage, 110_080.0), (CornerRule::PerTurn, 102_505.0)] {
        let (emulator, totals) = run(LineBroadcast, rule);
        assert_eq!((totals.time_ns, totals.packets), (nanos, 41_615));
        assert!((0..41_616).all(|node| *emulator.data(node) == 1), "once each");
    }
}

#[test]
fn an_octree_from_the_middle_has_six_levels_of_messages() {
    let (emulator, totals) = run(OCTREE, CornerRule::PerMessage);
    // Seven handlers, and six messages that go 54 hops together.
    assert_eq!(totals.time_ns, 7.0 * 1000.0 + 6.0 * 75.0 + 54.0 * 5.0);
    assert_eq!((totals.packets, totals.handlers), (41_615, 41_616));
    assert!((0..41_616).all(|node| *emulator.data(node) == 1), "once each");
    let (_, totals) = run(OctreeBroadcast { has_starter: true }, CornerRule::PerMessage);
    assert_eq!(totals.time_ns, 8.0 * 1000.0 + 6.0 * 75.0 + 54.0 * 5.0);
    assert_eq!((totals.packets, totals.handlers), (41_615, 41_617));
}

#[test]
fn every_node_of_any_box_hears_an_octree_broadcast_once() {
    for dims in [[1, 1, 1], [2, 1, 1], [2, 2, 2], [1, 3, 2], [5, 4, 3], [7, 7, 7], [16, 1, 9]] {
        let mut emulator = Emulator::new(machine(dims, CornerRule::PerTurn), OCTREE, 1);
        let nodes = dims.iter().product::<u32>();
        assert_eq!(emulator.run().unwrap().packets, u64::from(nodes) - 1);
        assert!((0..nodes).all(|node| *emulator.data(node) == 1), "{dims:?}");
    }
}

#[test]
fn with_one_nanosecond_a_hop_the_broadcasts_take_what_the_text_of_the_paper_says() {
    let time = |has_starter: Option<bool>| {
        let mut setup = machine(WHOLE, CornerRule::OnceAtLeast);
        setup.cost.hop = NANO;
        let totals = match has_starter {
            None => Emulator::new(setup, LineBroadcast, 1).run(),
            Some(has_starter) => Emulator::new(setup, OctreeBroadcast { has_starter }, 1).run(),
        };
        totals.unwrap().time_ns
    };
    assert_eq!(time(None), 109_676.0, "110 microseconds");
    assert_eq!(time(Some(true)), 8_879.0, "8.9 microseconds");
    assert_eq!(time(Some(false)), 7_879.0);
}

#[test]
fn the_reduction_takes_as_long_as_the_line_broadcast_and_its_handlers_decide() {
    let (emulator, totals) = run(Reduce, CornerRule::PerMessage);
    assert_eq!((totals.time_ns, totals.packets), (110_080.0, 41_615));
    let values = (0..41_616u64).map(|node| node.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    assert_eq!(Some(emulator.data(0).best), values.max());
    let mut setup = machine(WHOLE, CornerRule::PerMessage);
    setup.cost.handler = 860 * NANO;
    let totals = Emulator::new(setup, Reduce, 1).run().unwrap();
    assert_eq!(totals.time_ns, 95_800.0, "the paper's 95 microseconds");
}

#[test]
fn the_ring_visits_everybody_once() {
    let setup = machine([5, 4, 3], CornerRule::PerTurn);
    let hops: u32 = (0..60).map(|node| setup.topology.path(node, (node + 1) % 60).hops).sum();
    let turns: u32 = (0..60).map(|node| setup.topology.path(node, (node + 1) % 60).turns).sum();
    let mut emulator = Emulator::new(setup, Ring, 2);
    let totals = emulator.run().unwrap();
    let expected = 61.0 * 1000.0 + 5.0 * f64::from(hops) + 75.0 * f64::from(turns);
    assert_eq!((totals.time_ns, totals.packets), (expected, 60));
    assert!((1..60).all(|node| *emulator.data(node) == 1));
}

/// Node 0 floods its neighbour.
struct Flood(u32, Size);

impl Program for Flood {
    type Data = Vec<f64>;
    type Payload = [u8; 0];

    fn start(&self, node: &mut Node<'_>) -> Vec<f64> {
        if node.number() == 0 {
            node.add(0, Size::Small, &[]);
        }
        Vec::new()
    }

    fn handle(&self, handler: u16, data: &mut Vec<f64>, _: &[u8], node: &mut Node<'_>) {
        data.push(node.time());
        if handler == 0 {
            (0..self.0).for_each(|_| node.send([1, 0, 0], 1, self.1, &[]));
        }
    }
}

fn flood(change: impl Fn(&mut Setup), count: u32, size: Size) -> (Vec<f64>, Totals) {
    let mut setup = machine([2, 1, 1], CornerRule::PerTurn);
    setup.communication = 1;
    change(&mut setup);
    let mut emulator = Emulator::new(setup, Flood(count, size), 1);
    let totals = emulator.run().unwrap();
    (emulator.data(1).clone(), totals)
}

#[test]
fn small_handlers_queue_for_the_communication_thread_and_large_ones_share_the_workers() {
    let (small, totals) = flood(|_| {}, 4, Size::Small);
    assert_eq!(small, [2005.0, 3005.0, 4005.0, 5005.0]);
    assert_eq!((totals.waited, totals.handlers), (0, 5));
    let two_workers = |setup: &mut Setup| {
        setup.workers = 2;
    };
    let (large, _) = flood(two_workers, 4, Size::Large);
    assert_eq!(large, [2005.0, 2005.0, 3005.0, 3005.0]);
}

/// Node 0 sends node 1 a large packet for each letter `L`, a small one for each `s`; node 1 keeps
/// when each ends, and on which thread and processor it ran.
struct Mixed(&'static str);

impl Program for Mixed {
    type Data = Vec<(f64, u32, u32)>;
    type Payload = [u8; 0];

    fn start(&self, node: &mut Node<'_>) -> Self::Data {
        if node.number() == 0 {
            node.add(0, Size::Small, &[]);
        }
        Vec::new()
    }

    fn handle(&self, handler: u16, data: &mut Self::Data, _: &[u8], node: &mut Node<'_>) {
        if handler == 1 {
            return data.push((node.time(), node.thread(), node.processor()));
        }
        for letter in self.0.chars() {
            let size = if letter == 'L' { Size::Large } else { Size::Small };
            node.send([1, 0, 0], 1, size, &[]);
        }
    }
}

fn mixed(letters: &'static str, threads: [u32; 2]) -> Vec<(f64, u32, u32)> {
    let mut setup = machine([2, 1, 1], CornerRule::PerTurn);
    [setup.communication, setup.workers] = threads;
    let mut emulator = Emulator::new(setup, Mixed(letters), 1);
    emulator.run().unwrap();
    emulator.data(1).clone()
}

#[test]
fn a_communication_thread_waits_with_its_packet_until_a_worker_is_free() {
    // The only one waits with the second large packet, so that the small ones behind it wait too.
    assert_eq!(mixed("LLs", [1, 1]), [(2005.0, 1, 0), (3005.0, 1, 0), (3005.0, 0, 0)]);
    // Another communication thread runs the small one meanwhile.
    assert_eq!(mixed("LLs", [2, 1]), [(2005.0, 2, 0), (2005.0, 1, 0), (3005.0, 2, 0)]);
}

#[test]
fn handlers_know_their_thread_and_its_processor() {
    let ran = mixed("ssssssssssLL", [9, 2]);
    let threads: Vec<_> = ran.iter().map(|&(_, thread, processor)| (thread, processor)).collect();
    let small = (0..9).map(|thread| (thread, thread / 8)).chain([(0, 0)]);
    let expected: Vec<_> = small.chain([(9, 1), (10, 1)]).collect();
    let sorted = |mut list: Vec<(u32, u32)>| {
        list.sort_unstable();
        list
    };
    assert_eq!(sorted(threads), sorted(expected));
}

#[test]
fn a_large_handler_without_workers_is_told() {
    let mut setup = machine([2, 1, 1], CornerRule::PerTurn);
    setup.workers = 0;
    let why = Emulator::new(setup, Mixed("L"), 1).run().unwrap_err();
    assert_eq!(why, "node 1,0,0: a large handler, and no worker threads");
}

/// A node that gives itself work: so many micro-tasks, each from the one before.
struct Busybody(u32);

impl Program for Busybody {
    type Data = u32;
    type Payload = [u8; 0];

    fn start(&self, node: &mut Node<'_>) -> u32 {
        node.add(0, Size::Large, &[]);
        0
    }

    fn handle(&self, _: u16, data: &mut u32, _: &[u8], node: &mut Node<'_>) {
        *data += 1;
        if *data < self.0 {
            let size = if data.is_multiple_of(2) { Size::Small } else { Size::Large };
            node.add(0, size, &[]);
        }
    }
}

#[test]
fn handlers_may_cost_nothing_and_end_in_the_instant_in_which_they_begin() {
    let run = |count, handler| {
        let mut setup = machine([3, 1, 1], CornerRule::PerTurn);
        setup.cost.handler = handler;
        Emulator::new(setup, Busybody(count), 1).run()
    };
    for (handler, nanos) in [(0, 0.0), (NANO, 100.0)] {
        let totals = run(100, handler).unwrap();
        assert_eq!((totals.handlers, totals.time_ns, totals.waited), (300, nanos, 0));
    }
    let why = run(u32::MAX, 0).unwrap_err();
    assert_eq!(why, "node 0,0,0: its handlers go on for ever in one instant");
}

#[test]
fn packets_wait_in_the_network_while_the_input_buffer_is_full() {
    let (times, totals) = flood(|setup| setup.node.inbuf = 3, 10, Size::Small);
    assert_eq!(times.len(), 10, "none is lost");
    assert!(totals.waited > 0);
}

#[test]
fn a_sender_waits_while_the_output_buffer_is_full() {
    let slow = |setup: &mut Setup| {
        setup.node.outbuf = 2;
        setup.cost.byte = NANO;
    };
    let (_, totals) = flood(slow, 4, Size::Small);
    // The first two find room; for the others, one packet each has to leave: 128 ns.
    assert_eq!(totals.stalled_ns, 256.0);
    assert_eq!(flood(|_| {}, 40, Size::Small).1.stalled_ns, 0.0);
}

/// Node 0 sends so many bytes to the last node, which keeps what comes.
struct Letter(usize);

impl Program for Letter {
    type Data = Vec<(f64, Vec<u8>)>;
    type Payload = [u8; 120];

    fn start(&self, node: &mut Node<'_>) -> Self::Data {
        if node.number() == 0 {
            node.add(0, Size::Small, &[]);
        }
        Vec::new()
    }

    fn handle(&self, handler: u16, data: &mut Self::Data, payload: &[u8], node: &mut Node<'_>) {
        data.push((node.time(), payload.to_vec()));
        if handler == 0 {
            let bytes: Vec<u8> = (0..self.0).map(|at| (at % 251) as u8).collect();
            let dims = node.dims();
            node.send(dims.map(|extent| extent - 1), 1, Size::Large, &bytes);
        }
    }
}

#[test]
fn a_payload_that_does_not_fit_ends_the_run_with_words() {
    let setup = machine([2, 2, 2], CornerRule::PerTurn);
    let why = Emulator::new(setup, Letter(121), 1).run().unwrap_err();
    assert_eq!(why, "node 0,0,0: a payload of 121 bytes: 120 fit into a packet here");
}

#[test]
fn a_long_payload_comes_whole_in_as_many_packets_as_it_needs_when_asked() {
    for (bytes, packets) in [(120, 1), (121, 2), (216, 2), (217, 3), (10_000, 93)] {
        let mut setup = machine([2, 2, 2], CornerRule::PerTurn);
        (setup.has_fragments, setup.cost.byte, setup.communication) = (true, NANO, 1);
        let mut emulator = Emulator::new(setup, Letter(bytes), 2);
        let totals = emulator.run().unwrap();
        assert_eq!((totals.packets, totals.handlers), (packets, 2), "{bytes}");
        let came = emulator.data(7);
        assert!(came.len() == 1 && came[0].1.len() == bytes, "once");
        assert!(came[0].1.iter().enumerate().all(|(at, &byte)| byte == (at % 251) as u8));
        // The last one has left when all have: 128 ns each. Two turns, three hops, two handlers.
        assert_eq!(came[0].0, 2000.0 + packets as f64 * 128.0 + 150.0 + 15.0);
    }
}

#[test]
fn jacobi_is_that_of_one_loop_bit_for_bit_whatever_the_order_of_packets() {
    let dims = [4, 3, 5];
    let mut times = Vec::new();
    for (rule, communication) in [(CornerRule::PerMessage, 1), (CornerRule::PerTurn, 100)] {
        let mut setup = machine(dims, rule);
        setup.communication = communication;
        let mut emulator = Emulator::new(setup, Jacobi { rounds: 20 }, 2);
        times.push(emulator.run().unwrap().time_ns);
        assert_eq!(differing(dims, 20, |node| emulator.data(node)), 0);
        assert_eq!(differing(dims, 19, |node| emulator.data(node)), 4 * 3 * 5 * 27);
    }
    assert!(times[1] < times[0], "{times:?}");
}

#[test]
fn two_threads_give_the_same_totals() {
    for threads in [1, 2] {
        let mut emulator = Emulator::new(machine([9, 8, 7], CornerRule::PerTurn), Reduce, threads);
        let one = emulator.run().unwrap();
        let mut emulator = Emulator::new(machine([9, 8, 7], CornerRule::PerTurn), Reduce, 1);
        assert_eq!(one, emulator.run().unwrap());
    }
}

/// The atoms of a box after so many steps, on a machine with so many communication threads.
fn moved(dims: [u32; 3], steps: u32, rule: CornerRule, communication: u32) -> Outcome {
    let mut setup = machine(dims, rule);
    (setup.has_fragments, setup.communication) = (true, communication);
    let mut emulator = Emulator::new(setup, Md::new(dims, steps, 1).unwrap(), 2);
    emulator.run().unwrap();
    Outcome::of((0..dims.iter().product()).map(|node| emulator.data(node)))
}

#[test]
fn atoms_move_as_in_one_loop_bit_for_bit_whatever_the_order_of_packets() {
    let dims = [3, 4, 3];
    let serial = Md::new(dims, 30, 1).unwrap().serial();
    for (rule, communication) in [(CornerRule::PerMessage, 1), (CornerRule::PerTurn, 100)] {
        let outcome = moved(dims, 30, rule, communication);
        assert_eq!(outcome.atoms.len(), 3 * 4 * 3 * 8, "none is lost");
        assert_eq!(outcome.differing(&serial), 0);
        assert_eq!(moved(dims, 29, rule, communication).differing(&serial), 3 * 4 * 3 * 8);
    }
}

#[test]
fn atoms_keep_their_momentum_and_their_energy() {
    let outcome = moved([3, 3, 3], 60, CornerRule::PerTurn, 100);
    let begun = moved([3, 3, 3], 0, CornerRule::PerTurn, 100);
    assert!(outcome.momentum() < 1e-10, "{}", outcome.momentum());
    assert_eq!(outcome.energies.len(), 61);
    assert!(outcome.drift() < 1e-3, "{}", outcome.drift());
    assert!(outcome.drift() > 0.0 && outcome.differing(&begun.atoms) == begun.atoms.len());
    // They go from cell to cell: some were elsewhere.
    let far = outcome
        .atoms
        .iter()
        .zip(&begun.atoms)
        .filter(|(one, other)| (0..3).any(|dim| (one.at[dim] - other.at[dim]).abs() > 2.4));
    assert!(far.count() > 5);
}

/// What has been seen on a machine, whoever saw it.
fn seen<P: Program>(emulator: &Emulator<P, Heat>) -> (Vec<Load>, Vec<Counts>) {
    let (mut links, mut nodes) = (Vec::new(), Vec::new());
    for heat in emulator.observers() {
        links.resize(heat.links.len(), Load::default());
        nodes.resize(heat.nodes.len(), Counts::default());
        for (sum, link) in links.iter_mut().zip(&heat.links) {
            sum.packets += link.packets;
            sum.bytes += link.bytes;
        }
        for (sum, node) in nodes.iter_mut().zip(&heat.nodes) {
            sum.sent += node.sent;
            sum.received += node.received;
            sum.handlers += node.handlers;
        }
    }
    (links, nodes)
}

fn watched<P: Program>(setup: &Setup, program: P, threads: usize) -> Emulator<P, Heat> {
    Emulator::observed(setup.clone(), program, threads, || Heat::new(setup))
}

#[test]
fn a_broadcast_along_lines_warms_each_of_its_links_once() {
    let setup = machine([4, 3, 2], CornerRule::PerMessage);
    let mut emulator = watched(&setup, LineBroadcast, 1);
    emulator.run().unwrap();
    let (links, nodes) = seen(&emulator);
    // Upwards only, with nothing but a header.
    let used: Vec<_> = (0..links.len()).filter(|&link| links[link].packets > 0).collect();
    assert_eq!(used.len(), 23);
    assert!(used.iter().all(|&link| link % 2 == 1));
    assert!(used.iter().all(|&link| links[link] == Load { packets: 1, bytes: 8 }));
    assert_eq!(nodes[0], Counts { sent: 3, received: 0, handlers: 1 });
    assert!(nodes[1..].iter().all(|node| (node.received, node.handlers) == (1, 1)));
}

#[test]
fn whoever_looks_sees_all_of_it_and_changes_nothing_in_slices_and_on_two_threads() {
    let setup = machine([6, 5, 4], CornerRule::PerTurn);
    let plain = Emulator::new(setup.clone(), OCTREE, 1).run().unwrap();
    let mut whole = watched(&setup, OCTREE, 1);
    assert_eq!(whole.run().unwrap(), plain);
    let (links, nodes) = seen(&whole);
    assert_eq!(nodes.iter().map(|node| node.sent).sum::<u64>(), plain.packets);
    assert_eq!(nodes.iter().map(|node| node.handlers).sum::<u64>(), plain.handlers);
    assert!(links.iter().any(|link| link.packets > 1), "some links are shared");
    for threads in [1, 2] {
        let mut sliced = watched(&setup, OCTREE, threads);
        let mut before = 0;
        while let Some(next) = sliced.next_time() {
            let has_more = sliced.run_until(next + 100.0);
            assert_eq!(has_more, sliced.next_time().is_some());
            assert!(sliced.next_time().is_none_or(|later| later > next + 100.0));
            let (_, nodes) = seen(&sliced);
            let received = nodes.iter().map(|node| node.received).sum();
            assert!(received >= before, "nothing is taken back");
            before = received;
        }
        assert_eq!(sliced.totals().unwrap(), plain);
        assert_eq!((before, seen(&sliced)), (plain.packets, (links.clone(), nodes.clone())));
        let remains = sliced.remains();
        assert!((0..120).all(|node| *remains.data(node) == 1), "once each");
    }
}

#[test]
fn who_waits_in_a_node_is_seen_there() {
    let setup = machine([4, 4, 4], CornerRule::PerMessage);
    let setup = Setup { communication: 1, ..setup };
    let mut emulator = watched(&setup, Jacobi { rounds: 2 }, 1);
    let mut most = 0;
    while let Some(next) = emulator.next_time() {
        emulator.run_until(next);
        most = (0..64).map(|node| emulator.waiting(node)).max().unwrap_or(0).max(most);
    }
    assert!(most > 0, "with one thread, somebody waits");
    assert!((0..64).all(|node| emulator.waiting(node) == 0), "nobody is left");
}
