//! A picture of all nodes: one dot each, in its colour; the dead are grey.

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

/// Colours that are apart from each other for all eyes (Okabe and Ito 2008), as the page has them.
pub fn kind(colour: u8) -> [u8; 3] {
    const KINDS: [[u8; 3]; 8] = [
        [0, 158, 115],
        [0, 114, 178],
        [230, 159, 0],
        [204, 121, 167],
        [86, 180, 233],
        [213, 94, 0],
        [240, 228, 66],
        [153, 153, 153],
    ];
    KINDS[usize::from(colour) % KINDS.len()]
}

/// A row of colours from dark blue over green to yellow, which all eyes can tell apart.
pub fn shade(colour: u8) -> [u8; 3] {
    const STOPS: [[f32; 3]; 5] = [
        [68.0, 1.0, 84.0],
        [59.0, 82.0, 139.0],
        [33.0, 145.0, 140.0],
        [94.0, 201.0, 98.0],
        [253.0, 231.0, 37.0],
    ];
    let at = f32::from(colour) / 255.0 * 4.0;
    let (low, part) = ((at as usize).min(3), at - (at as usize).min(3) as f32);
    std::array::from_fn(|part_of| {
        let (from, to) = (STOPS[low][part_of], STOPS[low + 1][part_of]);
        (from + part * (to - from)).round() as u8
    })
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

    #[test]
    fn colours_grow_brighter() {
        let light = |colour: u8| shade(colour).map(u32::from).iter().sum::<u32>();
        assert!((1..=255).step_by(10).is_sorted_by_key(light));
    }
}
