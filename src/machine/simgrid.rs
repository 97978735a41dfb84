//! Platforms of SimGrid: translates XML that describes one `<cluster>` into the text of a machine
//! file. What the network model here has not is refused, with its line, and not ignored.

use roxmltree::{Document, Node, ParsingOptions};

/// The place in the text, and what to do about it.
type Wrong = (usize, String);

/// What a cluster may say without a change of the times that are computed here.
const WITHOUT_EFFECT: [&str; 8] = [
    "id",
    "prefix",
    "suffix",
    "router_id",
    "sharing_policy",
    "bb_sharing_policy",
    "loopback_bw",
    "loopback_lat",
];
const UNDERSTOOD: [&str; 9] =
    ["radical", "speed", "core", "bw", "lat", "topology", "topo_parameters", "bb_bw", "bb_lat"];

/// SMPI sends so many bytes before their receiver asks for them, unless its options say otherwise.
const EAGER: u32 = 65_536;

/// Whether this is XML, and not a machine file.
pub(super) fn is_xml(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with('<')
}

/// The text of a machine file that means what this platform means; `file` names it in errors.
pub(super) fn translate(file: &str, text: &str) -> Result<String, String> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options)
        .map_err(|why| format!("{file}:{}: {why}", why.pos().row))?;
    cluster(&document)
        .and_then(|cluster| machine(file, cluster))
        .map_err(|(at, why)| format!("{file}:{}: {why}", document.text_pos_at(at).row))
}

/// The only cluster, in as many zones as there are around it.
fn cluster<'a>(document: &'a Document<'a>) -> Result<Node<'a, 'a>, Wrong> {
    let root = document.root_element();
    if !root.has_tag_name("platform") {
        let name = root.tag_name().name();
        return Err((
            0,
            format!("<{name}> is no platform of SimGrid: that begins with <platform>"),
        ));
    }
    let mut clusters = Vec::new();
    for node in root.descendants().filter(Node::is_element) {
        match node.tag_name().name() {
            "cluster" => clusters.push(node),
            "platform" | "zone" | "AS" | "prop" | "config" => {}
            other => {
                let why = format!(
                    "<{other}>: here a platform is one <cluster> (flat, a torus, a fat tree or \
                     a dragonfly); write other machines as machine files"
                );
                return Err((node.range().start, why));
            }
        }
    }
    match clusters[..] {
        [cluster] => Ok(cluster),
        [] => Err((root.range().start, "this platform has no <cluster>".into())),
        [_, second, ..] => {
            let why = "a second <cluster>: a machine here has one network, of equal links";
            Err((second.range().start, why.into()))
        }
    }
}

fn machine(file: &str, cluster: Node) -> Result<String, Wrong> {
    for attribute in cluster.attributes() {
        let name = attribute.name();
        if !UNDERSTOOD.contains(&name) && !WITHOUT_EFFECT.contains(&name) {
            let known = UNDERSTOOD.join(", ");
            let why = format!("{name} cannot be taken into account; understood: {known}");
            return Err((attribute.range().start, why));
        }
    }
    let policy = text(cluster, "sharing_policy").unwrap_or("SPLITDUPLEX");
    if policy != "SPLITDUPLEX" {
        let why = "links here have a direction each: use sharing_policy=\"SPLITDUPLEX\"";
        return Err((place(cluster, "sharing_policy"), why.into()));
    }
    let hosts = read(cluster, "radical", hosts)?;
    if hosts < 2 {
        return Err((place(cluster, "radical"), "one host has no network".into()));
    }
    let (network, levels) = network(cluster, hosts)?;
    let latency = read(cluster, "lat", seconds)? * 1e9;
    let byte = 1e9 / read(cluster, "bw", bytes_per_second)?;
    let flops = read(cluster, "speed", flops)?;
    let corner = backbone(cluster, levels)? * 1e9;
    let cores = text(cluster, "core").map_or(Ok(1), |_| read(cluster, "core", count))?;
    let name = text(cluster, "id").unwrap_or("cluster").replace(['"', '\\'], "");
    Ok(format!(
        "# Translated from {file}, a platform of SimGrid.\n\
         [machine]\nname = \"{name}\"\n{network}\n\
         [node]\nprocessors = {cores}\nthreads = 1\n\
         [cost]\nhop_ns = {latency:?}\ncorner_ns = {corner:?}\ncorner_rule = \"per-turn\"\n\
         handler_ns = 0\nbyte_ns = {byte:?}\n\
         [mpi]\nsend_ns = 0\nreceive_ns = 0\neager_bytes = {EAGER}\n\
         [compute]\nflops = {flops:?}\n"
    ))
}

/// The lines of a machine file for its topology, and its levels of switches.
fn network(cluster: Node, hosts: u32) -> Result<(String, u32), Wrong> {
    let kind = text(cluster, "topology").unwrap_or("FLAT");
    if kind == "FLAT" {
        return Ok((format!("topology = \"fat-tree\"\narity = {hosts}\nlevels = 1\n"), 1));
    }
    let at = place(cluster, "topo_parameters");
    let (shape, nodes, levels) = match kind {
        "TORUS" => {
            let dims = read(cluster, "topo_parameters", list)?;
            (format!("topology = \"torus\"\ndims = {dims:?}\n"), product(&dims), 0)
        }
        "FAT_TREE" => {
            let (arity, levels) = read(cluster, "topo_parameters", fat_tree)?;
            let shape = format!("topology = \"fat-tree\"\narity = {arity}\nlevels = {levels}\n");
            (shape, product(&vec![arity; levels as usize]), levels)
        }
        "DRAGONFLY" => {
            let shape = read(cluster, "topo_parameters", dragonfly)?;
            let [groups, chassis, routers, nodes] = shape;
            let lines = format!(
                "topology = \"dragonfly\"\ngroups = {groups}\nchassis = {chassis}\n\
                 routers = {routers}\nnodes = {nodes}\n"
            );
            (lines, product(&shape), 0)
        }
        _ => {
            let why =
                format!("topology {kind}: there are FLAT, TORUS, FAT_TREE and DRAGONFLY here");
            return Err((place(cluster, "topology"), why));
        }
    };
    match nodes {
        Some(nodes) if nodes == u64::from(hosts) => Ok((shape, levels)),
        _ => {
            let nodes = nodes.map_or("too many".to_string(), |nodes| nodes.to_string());
            Err((at, format!("topo_parameters describe {nodes} hosts, radical {hosts}")))
        }
    }
}

/// The latency of a backbone. It is never full: links of another bandwidth are not modelled.
fn backbone(cluster: Node, levels: u32) -> Result<f64, Wrong> {
    let at = ["bb_bw", "bb_lat"].into_iter().find(|name| text(cluster, name).is_some());
    let Some(at) = at.map(|name| place(cluster, name)) else { return Ok(0.0) };
    if levels != 1 {
        return Err((at, "only a flat cluster has a backbone".into()));
    }
    if text(cluster, "bb_sharing_policy") != Some("FATPIPE") {
        let why = "a backbone that messages share has a bandwidth of its own, which links cannot \
                   have here: use bb_sharing_policy=\"FATPIPE\", or leave it out";
        return Err((at, why.into()));
    }
    text(cluster, "bb_lat").map_or(Ok(0.0), |_| read(cluster, "bb_lat", seconds))
}

fn text<'a>(cluster: Node<'a, '_>, name: &str) -> Option<&'a str> {
    cluster.attribute(name)
}

/// Where this attribute is, or where the cluster is that lacks it.
fn place(cluster: Node, name: &str) -> usize {
    let attribute = cluster.attribute_node(name);
    attribute.map_or(cluster.range().start, |attribute| attribute.range().start)
}

fn read<T>(
    cluster: Node, name: &str, parse: impl FnOnce(&str) -> Result<T, String>,
) -> Result<T, Wrong> {
    let value = text(cluster, name).ok_or_else(|| format!("this <cluster> lacks {name}"));
    let parsed = value.and_then(|value| {
        parse(value.trim()).map_err(|usage| format!("{name}=\"{value}\": {usage}"))
    });
    parsed.map_err(|why| (place(cluster, name), why))
}

/// How many hosts there are of which these are the numbers: `0-15,20`.
fn hosts(radical: &str) -> Result<u32, String> {
    let no = || "use numbers of hosts, such as 0-63 or 0-15,20".to_string();
    let mut hosts = 0u32;
    for part in radical.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let bound = |text: &str| text.trim().parse::<u32>().map_err(|_| no());
        let many = bound(last)?.checked_sub(bound(first)?).and_then(|many| many.checked_add(1));
        hosts = many.and_then(|many| hosts.checked_add(many)).ok_or_else(no)?;
    }
    Ok(hosts)
}

fn count(text: &str) -> Result<u32, String> {
    text.parse().ok().filter(|count| *count > 0).ok_or_else(|| "use a whole number".into())
}

fn list(text: &str) -> Result<Vec<u32>, String> {
    let counts = text.split(',').map(|part| count(part.trim()));
    counts.collect::<Result<_, _>>().map_err(|_| "use the extents, such as 8,8,4".into())
}

/// Ports and levels of a fat tree in which each switch has as many ports up as down.
fn fat_tree(text: &str) -> Result<(u32, u32), String> {
    let no = || {
        "use LEVELS;DOWN,…;1,DOWN,…;1,… with as many ports up as down, such as 2;16,16;1,16;1,1"
            .to_string()
    };
    let [levels, down, up, many] = text.split(';').collect::<Vec<_>>()[..] else {
        return Err(no());
    };
    let levels = count(levels.trim()).map_err(|_| no())?;
    let (down, up) = (list(down).map_err(|_| no())?, list(up).map_err(|_| no())?);
    let (arity, many) = (down[0], list(many).map_err(|_| no())?);
    let ways_up = |level: usize| if level == 0 { 1 } else { arity };
    let is_regular = [&down, &up, &many].iter().all(|each| each.len() == levels as usize)
        && down.iter().all(|ports| *ports == arity)
        && up.iter().enumerate().all(|(level, ports)| *ports == ways_up(level))
        && many.iter().all(|links| *links == 1);
    if is_regular { Ok((arity, levels)) } else { Err(no()) }
}

/// Groups, chassis, routers and nodes of a dragonfly of simple links.
fn dragonfly(text: &str) -> Result<[u32; 4], String> {
    let no = || {
        "use GROUPS,1;CHASSIS,1;ROUTERS,1;NODES, where all links are simple, such as 3,1;4,1;5,1;2"
            .to_string()
    };
    let parts = text.split(';').map(|part| list(part).map_err(|_| no()));
    let parts = parts.collect::<Result<Vec<_>, _>>()?;
    match parts.iter().map(Vec::as_slice).collect::<Vec<_>>()[..] {
        [&[groups, 1], &[chassis, 1], &[routers, 1], &[nodes]] => {
            Ok([groups, chassis, routers, nodes])
        }
        _ => Err(no()),
    }
}

fn product(extents: &[u32]) -> Option<u64> {
    extents.iter().try_fold(1u64, |all, extent| all.checked_mul(u64::from(*extent)))
}

/// A number with a unit of one of these names, after one of the usual prefixes.
fn quantity(text: &str, units: &[(&str, f64)], usage: &str) -> Result<f64, String> {
    const PREFIXES: [(&str, f64); 11] = [
        ("", 1.0),
        ("k", 1e3),
        ("M", 1e6),
        ("G", 1e9),
        ("T", 1e12),
        ("P", 1e15),
        ("Ki", 1024.0),
        ("Mi", 1_048_576.0),
        ("Gi", 1_073_741_824.0),
        ("Ti", 1_099_511_627_776.0),
        ("E", 1e18),
    ];
    let no = || format!("use {usage}");
    let is_number = |c: char| c.is_ascii_digit() || "+-.".contains(c);
    // The e of an exponent is followed by a number, and that of a unit is not.
    let is_exponent = |at: usize| {
        text[at..].starts_with(['e', 'E'])
            && text[at + 1..].starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+')
    };
    let end = text.char_indices().find(|(at, c)| !is_number(*c) && !is_exponent(*at));
    let (number, unit) = text.split_at(end.map_or(text.len(), |(at, _)| at));
    let worth = units.iter().find_map(|(name, worth)| {
        let prefix = unit.trim().strip_suffix(name)?;
        PREFIXES.iter().find(|(known, _)| *known == prefix).map(|(_, times)| worth * times)
    });
    let value = number.parse::<f64>().ok().zip(worth).map(|(number, worth)| number * worth);
    value.filter(|value| value.is_finite() && *value >= 0.0).ok_or_else(no)
}

fn bytes_per_second(text: &str) -> Result<f64, String> {
    let usage = "a bandwidth, such as 125MBps or 10Gbps";
    let value = quantity(text, &[("Bps", 1.0), ("bps", 0.125), ("", 1.0)], usage)?;
    if value > 0.0 { Ok(value) } else { Err(format!("use {usage}")) }
}

/// Of several states of a processor, the first counts, as it does in SimGrid.
fn flops(text: &str) -> Result<f64, String> {
    let usage = "a speed, such as 1Gf";
    let first = text.split(',').next().unwrap_or_default().trim();
    let value = quantity(first, &[("flops", 1.0), ("f", 1.0), ("", 1.0)], usage)?;
    if value > 0.0 { Ok(value) } else { Err(format!("use {usage}")) }
}

fn seconds(text: &str) -> Result<f64, String> {
    const UNITS: [(&str, f64); 9] = [
        ("ps", 1e-12),
        ("ns", 1e-9),
        ("us", 1e-6),
        ("ms", 1e-3),
        ("s", 1.0),
        ("m", 60.0),
        ("h", 3600.0),
        ("d", 86_400.0),
        ("", 1.0),
    ];
    let usage = "a latency, such as 50us";
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    // Units of time have their prefixes in their names.
    match UNITS.iter().find(|(name, _)| text[end..].trim() == *name) {
        Some((_, worth)) => {
            let number = text[..end].parse::<f64>().map_err(|_| format!("use {usage}"));
            number.map(|number| number * worth)
        }
        None => quantity(text, &[("", 1.0)], usage),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Model;
    use crate::topology::Path;
    use crate::units::NANO;

    fn platform(cluster: &str) -> String {
        format!(
            "<?xml version='1.0'?>\n\
             <!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n\
             <platform version=\"4.1\">\n<zone id=\"world\" routing=\"Full\">\n{cluster}\n\
             </zone>\n</platform>\n"
        )
    }

    fn of(attributes: &str) -> String {
        let usual = "id=\"c\" prefix=\"n\" suffix=\"\" speed=\"1Gf\" bw=\"125MBps\" lat=\"50us\"";
        platform(&format!("<cluster {usual}\n {attributes}/>"))
    }

    #[test]
    fn clusters_of_four_shapes_are_machines() {
        let hops = |attributes: &str, from, to| {
            let model = Model::read("p.xml", &of(attributes)).unwrap();
            assert_eq!((model.cost.hop, model.cost.byte), (50_000 * NANO, 8 * NANO));
            assert_eq!((model.mpi.receive, model.mpi.eager), (0, 65_536));
            assert!((model.speed.flops - 1e9).abs() < 1.0);
            (model.topology.nodes(), model.topology.path(from, to).hops)
        };
        assert_eq!(hops("radical=\"0-14,20\"", 3, 15), (16, 2));
        let torus = "radical=\"0-59\" topology=\"TORUS\" topo_parameters=\"5,4,3\"";
        assert_eq!(hops(torus, 0, 32), (60, 5));
        let tree = "radical=\"0-15\" topology=\"FAT_TREE\" topo_parameters=\"2;4,4;1,4;1,1\"";
        assert_eq!(hops(tree, 0, 3), (16, 2));
        assert_eq!(hops(tree, 0, 4), (16, 4));
        let dragonfly = "radical=\"0-47\" topology=\"DRAGONFLY\" topo_parameters=\"3,1;2,1;4,1;2\"";
        assert_eq!(hops(dragonfly, 0, 2), (48, 3));
        assert_eq!(hops(dragonfly, 0, 26), (48, 6));
    }

    #[test]
    fn a_backbone_that_is_never_full_takes_its_latency() {
        let backbone = "radical=\"0-7\" bb_bw=\"1GBps\" bb_lat=\"10us\" core=\"4\" \
                        bb_sharing_policy=\"FATPIPE\"";
        let model = Model::read("p.xml", &of(backbone)).unwrap();
        let path = model.topology.path(0, 7);
        assert_eq!(path, Path { hops: 2, turns: 1 });
        assert_eq!(model.cost.arrival(path, 1000, 0), (100 + 10 + 8) * 1000 * NANO);
        assert_eq!((model.node.processors, model.name.as_str()), (4, "c"));
    }

    #[test]
    fn units_are_simgrids() {
        assert_eq!(bytes_per_second("125MBps"), Ok(125e6));
        assert_eq!(bytes_per_second("1Gbps"), Ok(125e6));
        assert_eq!(bytes_per_second("1MiBps"), Ok(1_048_576.0));
        assert_eq!(bytes_per_second("1.25E8"), Ok(125e6));
        assert_eq!(bytes_per_second("5e-1MBps"), Ok(5e5));
        let micros = |text| seconds(text).map(|seconds| (seconds * 1e6).round());
        assert_eq!((micros("50us"), micros("2ms"), micros("3")), (Ok(50.0), Ok(2e3), Ok(3e6)));
        assert_eq!((micros("5E-05"), micros("0.05ms")), (Ok(50.0), Ok(50.0)));
        assert_eq!((flops("1Gf"), flops("100Mf,50Mf"), flops("2e9")), (Ok(1e9), Ok(1e8), Ok(2e9)));
        for text in ["", "fast", "-1MBps", "0Bps", "1XBps", "1MBpsx"] {
            assert!(bytes_per_second(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_modelled_is_told_with_its_line() {
        let cases = [
            ("<platform".into(), "p.xml:1: "),
            ("<machine/>".into(), "p.xml:1: <machine> is no platform of SimGrid"),
            (platform(""), "p.xml:3: this platform has no <cluster>"),
            (platform("<host id=\"h\" speed=\"1f\"/>"), "p.xml:5: <host>: here a platform is one"),
            (of("radical=\"0-3\"/>\n<cluster"), "p.xml:7: a second <cluster>"),
            (of(""), "p.xml:5: this <cluster> lacks radical"),
            (of("radical=\"3-0\""), "p.xml:6: radical=\"3-0\": use numbers of hosts"),
            (of("radical=\"0-7\" limiter_link=\"1f\""), "p.xml:6: limiter_link cannot be taken"),
            (of("radical=\"0-7\" core=\"0\""), "p.xml:6: core=\"0\": use a whole number"),
            (of("radical=\"0-7\" topology=\"CUBE\""), "p.xml:6: topology CUBE: there"),
            (
                of("radical=\"0-7\" topology=\"DRAGONFLY\" topo_parameters=\"2,2;2,1;2,1;1\""),
                "p.xml:6: topo_parameters=\"2,2;2,1;2,1;1\": use GROUPS,1;CHASSIS,1;",
            ),
            (
                of("radical=\"0-7\" topology=\"TORUS\" topo_parameters=\"4,4\""),
                "p.xml:6: topo_parameters describe 16 hosts, radical 8",
            ),
            (
                of("radical=\"0-7\" topology=\"FAT_TREE\" topo_parameters=\"2;2,4;1,2;1,1\""),
                "p.xml:6: topo_parameters=\"2;2,4;1,2;1,1\": use LEVELS;DOWN,",
            ),
            (of("radical=\"0-7\" bb_bw=\"1GBps\""), "p.xml:6: a backbone that messages share"),
            (of("radical=\"0-7\" sharing_policy=\"SHARED\""), "p.xml:6: links here have a"),
            (of("radical=\"0\""), "p.xml:6: one host has no network"),
            (
                of("radical=\"0-7\"").replace("lat=\"50us\"", "lat=\"50s\""),
                "p.xml: hop_ns 5e10: use 0 to 1e9 nanoseconds",
            ),
        ];
        for (text, expected) in cases {
            let why = Model::read("p.xml", &text).unwrap_err();
            assert!(why.starts_with(expected), "{why}, not {expected}");
        }
    }
}
