//! The positions of nodes on a flat picture. Pure.

use super::topology::Grid;

/// The places of `count` dots in the unit square, row by row from the upper left.
pub fn square(count: usize) -> Vec<[f32; 2]> {
    let side = (1..).find(|side| side * side >= count).unwrap_or(1);
    (0..count).map(|dot| within([dot % side, dot / side], [side; 2])).collect()
}

/// The position of each node of a grid: its first two dimensions are a tile, and the tiles of all
/// others are side by side.
pub fn of_grid(grid: &Grid) -> Vec<[f32; 2]> {
    let extent = |dim: usize| grid.dims().get(dim).map_or(1, |&extent| extent as usize);
    let (wide, high) = (extent(0), extent(1));
    let tiles = grid.nodes() / (wide * high);
    if tiles == 1 && high == 1 {
        return square(wide);
    }
    // One place is free between two tiles.
    let size = |across: usize| [across * (wide + 1) - 1, tiles.div_ceil(across) * (high + 1) - 1];
    let longer = |across: &usize| size(*across).into_iter().max();
    let across = (1..=tiles).min_by_key(longer).unwrap_or(1);
    let place = |node: usize| {
        let (tile, inside) = (node / (wide * high), node % (wide * high));
        let [x, y] = [inside % wide, inside / wide];
        within([x + tile % across * (wide + 1), y + tile / across * (high + 1)], size(across))
    };
    (0..grid.nodes()).map(place).collect()
}

/// The middle of a cell of a board, in the unit square: the longer side fills it.
fn within(cell: [usize; 2], board: [usize; 2]) -> [f32; 2] {
    let longer = board[0].max(board[1]) as f32;
    let along =
        |axis: usize| (cell[axis] as f32 + 0.5 + (longer - board[axis] as f32) / 2.0) / longer;
    // The first row is the uppermost.
    [along(0), 1.0 - along(1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn are_apart(places: &[[f32; 2]]) {
        for (at, one) in places.iter().enumerate() {
            assert!(one.iter().all(|along| (0.0..=1.0).contains(along)), "{one:?}");
            let near = |other: &&[f32; 2]| (0..2).all(|d| (one[d] - other[d]).abs() < 1e-6);
            assert_eq!(places[at..].iter().filter(near).count(), 1, "{one:?}");
        }
    }

    #[test]
    fn every_node_has_a_place_of_its_own_and_neighbours_are_near() {
        for dims in [&[5][..], &[4, 3], &[10, 1], &[3, 4, 5], &[2, 3, 4, 5]] {
            let grid = Grid::mesh(dims).unwrap();
            let places = of_grid(&grid);
            assert_eq!(places.len(), grid.nodes());
            are_apart(&places);
        }
        are_apart(&of_grid(&Grid::hypercube(7).unwrap()));
        are_apart(&square(120));
        let places = of_grid(&Grid::mesh(&[4, 4]).unwrap());
        assert_eq!(places[0], [0.125, 0.875], "the first is at the upper left");
        assert_eq!(places[1], [0.375, 0.875], "the first dimension goes to the right");
    }
}
