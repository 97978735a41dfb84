//! What the links of a machine carry, as pages ask for it that show it as a body.

use super::topology::Grid;

/// For each node and dimension, the link to the next node: the busier of its two directions, by
/// the numbers of links; nothing at a border. In JSON.
pub fn loads(grid: &Grid, load: impl Fn(usize) -> u64) -> String {
    let dims = grid.dims().len();
    let link = |node: usize, dim: usize, is_up: bool| (node * dims + dim) * 2 + usize::from(is_up);
    let of_wire = |(node, dim): (usize, usize)| match grid.step(node, dim, true) {
        Some(next) => load(link(node, dim, true)).max(load(link(next, dim, false))),
        None => 0,
    };
    let wires = (0..grid.nodes()).flat_map(|node| (0..dims).map(move |dim| (node, dim)));
    let loads: Vec<u64> = wires.map(of_wire).collect();
    let most = loads.iter().max().copied().unwrap_or(0);
    let loads: Vec<String> = loads.iter().map(u64::to_string).collect();
    format!("{{\"top\":{most},\"links\":[{}]}}", loads.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::Topology;

    #[test]
    fn a_wire_carries_what_its_busier_direction_does() {
        let grid = Grid::mesh(&[3, 2]).unwrap();
        let mut uses = [0; 3 * 2 * 2 * 2];
        let topology = Topology::Grid(grid.clone());
        // Twice from node 0 to node 2, once back; once from node 4 to node 1.
        for (from, to) in [(0, 2), (0, 2), (2, 0), (4, 1)] {
            topology.each_link(from, to, |link| uses[link] += 1);
        }
        let told = loads(&grid, |link| uses[link]);
        assert_eq!(told, "{\"top\":2,\"links\":[2,0,2,1,0,0,0,0,0,0,0,0]}");
    }
}
