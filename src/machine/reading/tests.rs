//! Tests what machine files may say, and the messages for invalid ones.

use crate::Model;
use crate::cost::CornerRule;
use crate::spares::{Choice, Method};

const WHOLE: &str = r#"
[machine]
name = "small"
topology = "mesh"
dims = [8, 8, 8]
routing = "dimension-order"
rack = [4, 8, 1]
[node]
processors = 2
threads = 1
[cost]
hop = 5
corner_ns = 0.5
corner_rule = "per-turn"
[spares]
alloc = "3D(2,1)"
substitute = ["2D", "0D"]
choose = "collisions"
[faults]
seed = 9
schedule = [
    { at = "5ms", nodes = "random 1% of box 0,0,0..4,4,4" },
    { mttf = "10min" }, { node_mttf = "1d", weibull = 0.7 }, { every = "1s", nodes = "3" },
]
"#;

#[test]
fn a_whole_machine_is_read() {
    let model = Model::read("small.toml", WHOLE).unwrap();
    assert_eq!((model.name.as_str(), model.topology.nodes()), ("small", 512));
    assert_eq!(model.rack, [4, 8, 1]);
    assert_eq!((model.node.processors, model.node.inbuf), (2, 32));
    assert_eq!((model.cost.hop, model.cost.corner), (5_000, 500));
    assert_eq!(model.cost.corner_rule, CornerRule::PerTurn);
    let spares = model.spares.unwrap();
    assert_eq!(spares.substitute, vec![Method(2), Method(0)]);
    assert_eq!(spares.choose, Choice::Collisions);
    assert_eq!((model.faults.seed, model.faults.plans.len()), (9, 4));
    assert_eq!(model.faults.until(0), vec![]);
    assert!(!model.faults.until(crate::units::SECOND).is_empty());
}

#[test]
fn what_is_wrong_is_told_with_file_line_and_cure() {
    let head = "[machine]\ntopology = \"mesh\"\ndims = [4, 4]\n";
    let cases = [
        ("", "m:1: [machine] lacks topology: use topology = \"mesh\""),
        ("[machine\n", "m:1: "),
        (
            "[machine]\ntopology = \"cube\"\n",
            "m:2: `cube` is not a topology: there are mesh, torus",
        ),
        ("[machine]\ntopology = \"mesh\"\n", "m:1: [machine] lacks dims: use dims"),
        ("[machine]\ntopology = \"mesh\"\ndims = [4, 0]\n", "m:3: dims [4, 0]: each extent is 1"),
        ("[machine]\ntopology = \"mesh\"\ndims = [4, -1]\n", "m:3: dims: a whole number"),
        ("@rack = [2]\n", "m:4: rack [2]: use 1 or more nodes for each of 2 dims"),
        ("@rack = [2, 0]\n", "m:4: rack [2, 0]: use 1 or more nodes"),
        (
            "[machine]\ntopology = \"fat-tree\"\narity = 4\nlevels = 2\nrack = [2]\n",
            "m:5: rack: only a mesh, a torus or a hypercube has racks",
        ),
        ("[machine]\ntopology = \"hypercube\"\n", "m:1: [machine] hypercube: use dimension = 10"),
        ("[machine]\ntopology = \"fat-tree\"\n", "m:1: [machine] fat-tree: use arity = 16"),
        (
            "[machine]\ntopology = \"dragonfly\"\ngroups = 2\n",
            "m:1: [machine] dragonfly lacks chassis: use groups = 9",
        ),
        (
            "[machine]\ntopology = \"dragonfly\"\ngroups=9\nchassis=2\nrouters=2\nnodes=1\n",
            "m:1: a dragonfly of 9 groups",
        ),
        ("@[nodes]\n", "m:4: `nodes` is not a section: there are machine, node, cost"),
        ("@[node]\nthread = 8\n", "m:5: `thread` is not a key of [node]: there are processors"),
        ("@[cost]\nhop_ns = \"5\"\n", "m:5: hop_ns is a number, 0 or more"),
        (
            "@[cost]\ncorner_rule = \"no\"\n",
            "m:5: `no` is not a corner_rule: there are per-message",
        ),
        ("@[spares]\nalloc = \"3D(2,1)\"\n", "m:5: 3D(2,1) is for 3 dimensions: there are 2"),
        ("@[spares]\nalloc = \"2D\"\n", "m:5: `2D` is not an allocation of spares: use 3D(2,1)"),
        ("@[spares]\n", "m:4: [spares] lacks alloc: use alloc = \"3D(2,1)\""),
        ("@[faults]\nschedule = [{}]\n", "m:5: expected at, every, mttf"),
        ("@[faults]\nschedule = [\n{at=\"5\"}]\n", "m:6: `5` is not a time: use 20ns"),
        ("@[faults]\nschedule = [{at=\"-5s\"}]\n", "m:5: `-5s` is not a time: use 20ns"),
        ("@[faults]\nschedule = [{mttf=\"0s\"}]\n", "m:5: mttf is a time of more than 0"),
        ("@[faults]\nschedule = [{every=\"0s\"}]\n", "m:5: every is a time of more than 0"),
        (
            "@[faults]\nschedule = [{mttf=\"5s\", weibull=0}]\n",
            "m:5: weibull is a shape from 0.1 to 100",
        ),
        (
            "@[faults]\nschedule = [{at=\"5s\", nodes=\"random 101%\"}]\n",
            "m:5: `101%` is not an amount",
        ),
        ("@[tree]\nbyte_ns = 1\n", "m:4: [tree] lacks hop_ns: use hop_ns = 100"),
        (
            "@[collectives]\nbcast = [\"binomial\", 9, \"hardware\"]\n",
            "m:5: bcast: a tree in hardware has prices",
        ),
        ("@[files]\nbytes = 0\n", "m:4: bytes is more than 0"),
        ("@[files]\nlatency = 5\n", "m:5: latency is a word in quotes"),
        ("@[cost]\nhop_ns = nan\n", "m:5: hop_ns is a number, 0 or more"),
        (
            "@[faults]\nschedule = [{at=\"5s\", nodes=\"99\"}]\n",
            "m:5: `99` is not a node: use 0 to 15",
        ),
        ("@[faults]\nschedule = [{at=\"5s\", node=\"9\"}]\n", "m:5: `node` is not a key of"),
    ];
    for (text, said) in cases {
        let why = Model::read("m", &text.replace('@', head)).unwrap_err();
        assert!(why.starts_with(said), "{text}\n{why}");
    }
}
