//! A picture of all nodes: one dot each, in its colour; the dead are grey.

use ftmpi_view::shade;

/// Draws dots at places of the unit square; `None` is a dead node. Three bytes for each point of a
/// square with this side, row by row.
pub fn draw(places: &[[f32; 2]], colours: &[Option<u8>], side: u32) -> Vec<u8> {
    draw_as(places, colours, side, shade)
}

/// The same with other colours.
pub fn draw_as(
    places: &[[f32; 2]], colours: &[Option<u8>], side: u32, shade: fn(u8) -> [u8; 3],
) -> Vec<u8> {
    let mut points = vec![255; (side * side * 3) as usize];
    // A dot is as large as its node's share of the picture, and at least a point.
    let size = (side as f32 / (places.len() as f32).sqrt() * 0.9).max(1.0) as u32;
    for (place, colour) in places.iter().zip(colours) {
        let colour = colour.map_or([190; 3], shade);
        let corner = |at: f32| {
            let middle = (at * side as f32) as u32;
            middle.saturating_sub(size / 2).min(side - 1)
        };
        let (left, top) = (corner(place[0]), corner(1.0 - place[1]));
        for y in top..(top + size).min(side) {
            for x in left..(left + size).min(side) {
                let at = ((y * side + x) * 3) as usize;
                points[at..at + 3].copy_from_slice(&colour);
            }
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_where_their_nodes_are_and_the_dead_are_grey() {
        let points = draw(&[[0.1, 0.1], [0.9, 0.9]], &[Some(255), None], 10);
        let at = |x: usize, y: usize| [0, 1, 2].map(|part| points[(y * 10 + x) * 3 + part]);
        assert_eq!(at(1, 8), [253, 231, 37], "low is at the bottom");
        assert_eq!(at(8, 1), [190; 3]);
        assert_eq!(at(8, 8), [255; 3]);
    }
}
