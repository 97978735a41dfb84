//! Colours that colour-blind people can tell apart.

/// The colour of the dead.
pub const DEAD: [u8; 3] = [190; 3];

/// Colours that colour-blind people can tell apart, too (Okabe and Ito 2008); the last one differs
/// from that of the dead. The page has the same ones.
pub fn kind(colour: u8) -> [u8; 3] {
    const KINDS: [[u8; 3]; 8] = [
        [0, 158, 115],
        [0, 114, 178],
        [230, 159, 0],
        [204, 121, 167],
        [86, 180, 233],
        [213, 94, 0],
        [240, 228, 66],
        [92, 96, 104],
    ];
    KINDS[usize::from(colour) % KINDS.len()]
}

/// A scale of colours from dark blue over green to yellow that everyone can read.
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
    fn colours_grow_brighter() {
        let light = |colour: u8| shade(colour).map(u32::from).iter().sum::<u32>();
        assert!((1..=255).step_by(10).is_sorted_by_key(light));
    }
}
