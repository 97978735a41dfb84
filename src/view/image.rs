//! All dots at one moment, as sent and kept: a colour byte for each, then a bit for each that is
//! alive, the lowest first. Images are shared, not copied.

use std::sync::Arc;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    dots: usize,
    bytes: Arc<Vec<u8>>,
}

impl Image {
    /// By dot: its colour, `None` for the dead.
    pub fn of(dots: impl ExactSizeIterator<Item = Option<u8>>) -> Image {
        let count = dots.len();
        let mut bytes = Image::room(count);
        let mut lives = vec![0; count.div_ceil(8)];
        bytes.extend(dots.enumerate().map(|(dot, colour)| {
            lives[dot / 8] |= u8::from(colour.is_some()) << (dot % 8);
            colour.unwrap_or_default()
        }));
        bytes.extend(lives);
        Image::of_bytes(count, bytes)
    }

    /// Space for all the bytes of `dots` dots.
    pub fn room(dots: usize) -> Vec<u8> {
        Vec::with_capacity(dots + dots.div_ceil(8))
    }

    /// The bytes as they are.
    pub fn of_bytes(dots: usize, bytes: Vec<u8>) -> Image {
        assert_eq!(bytes.len(), dots + dots.div_ceil(8), "a colour and a bit for each");
        Image { dots, bytes: Arc::new(bytes) }
    }

    /// Marks a dot as dead.
    pub fn bury(&mut self, dot: usize) {
        assert!(dot < self.dots, "there is such a dot");
        Arc::make_mut(&mut self.bytes)[self.dots + dot / 8] &= !(1 << (dot % 8));
    }

    /// How many dots there are.
    pub fn dots(&self) -> usize {
        self.dots
    }

    /// How many are alive.
    pub fn living(&self) -> usize {
        self.bytes[self.dots..].iter().map(|eight| eight.count_ones() as usize).sum()
    }

    /// By dot: its colour, `None` for the dead.
    pub fn each(&self) -> impl ExactSizeIterator<Item = Option<u8>> {
        let (colours, lives) = self.bytes.split_at(self.dots);
        let lives = |dot: usize| lives[dot / 8] >> (dot % 8) & 1 == 1;
        colours.iter().enumerate().map(move |(dot, colour)| lives(dot).then_some(*colour))
    }

    pub(super) fn bytes(&self) -> Arc<Vec<u8>> {
        self.bytes.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_come_back_and_the_dead_have_no_colour() {
        for count in [0, 1, 7, 8, 9, 16, 100] {
            let dots: Vec<_> = (0..count).map(|dot| (dot % 3 > 0).then_some(dot)).collect();
            let mut image = Image::of(dots.iter().copied());
            assert_eq!(image.each().collect::<Vec<_>>(), dots);
            let living = dots.iter().flatten().count();
            assert_eq!((image.dots(), image.living()), (dots.len(), living));
            if count > 1 {
                let before = image.clone();
                image.bury(1);
                assert_eq!((image.living(), image.each().nth(1)), (living - 1, Some(None)));
                assert_eq!(before.living(), living, "whoever has it keeps it as it was");
            }
        }
    }
}
