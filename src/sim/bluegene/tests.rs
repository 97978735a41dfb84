//! The numbers of the paper, to the nanosecond.

use super::apps::{LineBroadcast, OctreeBroadcast, Reduce, Ring};
use super::jacobi::{Jacobi, differing};
use super::{Emulator, Node, Program, Setup, Size, Totals};
use crate::machine::Model;
use crate::machine::cost::CornerRule;
use crate::machine::topology::{Grid, Topology};
use crate::machine::units::NANO;

fn machine(dims: [u32; 3], rule: CornerRule) -> Setup {
    let mut model = Model::known("bluegene-2001").unwrap();
    model.topology = Topology::Grid(Grid::mesh(&dims).unwrap());
    model.cost.corner_rule = rule;
    Setup::new(&model, 100).unwrap()
}

const WHOLE: [u32; 3] = [34, 34, 36];

fn run<P: Program>(program: P, rule: CornerRule) -> (Emulator<P>, Totals) {
    let mut emulator = Emulator::new(machine(WHOLE, rule), program, 1);
    let totals = emulator.run();
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
fn a_clean_octree_has_six_levels() {
    let (emulator, totals) = run(OctreeBroadcast, CornerRule::PerMessage);
    // Seven handlers, and six messages that go 94 hops together: the later half of a part is the
    // smaller one, so that the last corner takes fewer splits.
    assert_eq!(totals.time_ns, 7.0 * 1000.0 + 6.0 * 75.0 + 94.0 * 5.0);
    assert_eq!(totals.packets, 41_615);
    assert!((0..41_616).all(|node| *emulator.data(node) == 1), "once each");
}

#[test]
fn the_reduction_takes_as_long_as_the_line_broadcast_and_its_handlers_decide() {
    let (emulator, totals) = run(Reduce, CornerRule::PerMessage);
    assert_eq!((totals.time_ns, totals.packets), (110_080.0, 41_615));
    let values = (0..41_616u64).map(|node| node.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    assert_eq!(Some(emulator.data(0).best), values.max());
    let mut setup = machine(WHOLE, CornerRule::PerMessage);
    setup.cost.handler = 860 * NANO;
    let totals = Emulator::new(setup, Reduce, 1).run();
    assert_eq!(totals.time_ns, 95_800.0, "the paper's 95 microseconds");
}

#[test]
fn the_ring_visits_everybody_once() {
    let setup = machine([5, 4, 3], CornerRule::PerTurn);
    let hops: u32 = (0..60).map(|node| setup.topology.path(node, (node + 1) % 60).hops).sum();
    let turns: u32 = (0..60).map(|node| setup.topology.path(node, (node + 1) % 60).turns).sum();
    let mut emulator = Emulator::new(setup, Ring, 2);
    let totals = emulator.run();
    let expected = 61.0 * 1000.0 + 5.0 * f64::from(hops) + 75.0 * f64::from(turns);
    assert_eq!((totals.time_ns, totals.packets), (expected, 60));
    assert!((1..60).all(|node| *emulator.data(node) == 1));
}

/// Node 0 floods its neighbour.
struct Flood(u32, Size);

impl Program for Flood {
    type Data = Vec<f64>;
    const PAYLOAD_BYTES: usize = 0;

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
    let totals = emulator.run();
    (emulator.data(1).clone(), totals)
}

#[test]
fn small_handlers_queue_for_the_communication_thread_and_large_ones_share_the_workers() {
    let (small, totals) = flood(|_| {}, 4, Size::Small);
    assert_eq!(small, [2005.0, 3005.0, 4005.0, 5005.0]);
    assert_eq!((totals.waited, totals.handlers), (0, 5));
    let two_workers = |setup: &mut Setup| {
        (setup.node.processors, setup.node.threads) = (1, 3);
    };
    let (large, _) = flood(two_workers, 4, Size::Large);
    assert_eq!(large, [2005.0, 2005.0, 3005.0, 3005.0]);
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

#[test]
#[should_panic(expected = "a payload of 121 bytes: 120 fit into a packet here")]
fn a_payload_that_does_not_fit_is_an_error() {
    struct Large;
    impl Program for Large {
        type Data = ();
        const PAYLOAD_BYTES: usize = 121;
        fn start(&self, node: &mut Node<'_>) {
            node.add(0, Size::Small, &[]);
        }
        fn handle(&self, _: u16, _: &mut (), _: &[u8], node: &mut Node<'_>) {
            node.send([0, 0, 0], 0, Size::Small, &[0; 121]);
        }
    }
    run(Large, CornerRule::PerTurn);
}

#[test]
fn jacobi_is_that_of_one_loop_bit_for_bit_whatever_the_order_of_packets() {
    let dims = [4, 3, 5];
    let mut times = Vec::new();
    for (rule, communication) in [(CornerRule::PerMessage, 1), (CornerRule::PerTurn, 100)] {
        let mut setup = machine(dims, rule);
        setup.communication = communication;
        let mut emulator = Emulator::new(setup, Jacobi { rounds: 20 }, 2);
        times.push(emulator.run().time_ns);
        assert_eq!(differing(dims, 20, |node| emulator.data(node)), 0);
        assert_eq!(differing(dims, 19, |node| emulator.data(node)), 4 * 3 * 5 * 27);
    }
    assert!(times[1] < times[0], "{times:?}");
}

#[test]
fn two_threads_give_the_same_totals() {
    for threads in [1, 2] {
        let mut emulator = Emulator::new(machine([9, 8, 7], CornerRule::PerTurn), Reduce, threads);
        let one = emulator.run();
        let mut emulator = Emulator::new(machine([9, 8, 7], CornerRule::PerTurn), Reduce, 1);
        assert_eq!(one, emulator.run());
    }
}
