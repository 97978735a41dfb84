//! File views: which bytes of a file a process sees, and in what order (MPI-5.0 §14.3).
//!
//! The filetype lies in the file again and again from the displacement on, so a view is the layout
//! of the filetype, with its item as often as the file is long. Positions are counted in bytes of
//! data; the program counts them in etypes.

use crate::base::layout::{Cursor, Layout};
use crate::host::memory::Region;
use crate::mpi::datatype::Datatype;
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::file::representation::Representation;
use crate::mpi::handle_table::Held;
use crate::mpi::program::Program;
use std::sync::Arc;

/// What a process sees of a file.
pub struct View {
    pub displacement: i64,
    pub etype: Held<Datatype>,
    pub filetype: Held<Datatype>,
    pub representation: Representation,
    /// Where the data of the filetype lie in the file, and the bytes of data in an etype there.
    layout: Arc<Layout>,
    pub etype_bytes: i64,
    /// Where the data begin if they are one run of bytes.
    run: Option<i64>,
    is_sorted: bool,
    /// How long its runs of bytes are on average.
    block: usize,
}

/// Equal blocks at equal distances.
struct Strip {
    offset: i64,
    bytes: usize,
    count: usize,
    stride: i64,
}

impl View {
    /// The view of a file that was just opened: all of its bytes.
    pub fn of_bytes(byte: Held<Datatype>) -> View {
        let (layout, representation) = (byte.layout.clone(), Representation::Native);
        View::shown(0, [byte.clone(), byte], representation, layout, 1)
    }

    /// What is seen through `filetype` from `displacement` on. The types were checked to be
    /// committed.
    pub fn new(
        program: &dyn Program, displacement: i64, etype: Held<Datatype>, filetype: Held<Datatype>,
        representation: Representation,
    ) -> Result<View> {
        let layout = representation.layout(program, &filetype)?;
        let etype_bytes = representation.bytes(program, &etype)?;
        judge(displacement, etype_bytes, &layout)?;
        Ok(View::shown(displacement, [etype, filetype], representation, layout, etype_bytes))
    }

    fn shown(
        displacement: i64, [etype, filetype]: [Held<Datatype>; 2], representation: Representation,
        layout: Arc<Layout>, etype_bytes: i64,
    ) -> View {
        let run = layout.run(u64::MAX);
        let (is_sorted, block) = match run {
            Some(_) => (true, usize::MAX),
            None => survey(&layout),
        };
        View {
            displacement,
            etype,
            filetype,
            representation,
            layout,
            etype_bytes,
            run,
            is_sorted,
            block,
        }
    }

    /// Whether the data come in the order of their places in the file.
    pub fn is_sorted(&self) -> bool {
        self.is_sorted
    }

    /// Whether all data are one run of bytes.
    pub fn is_run(&self) -> bool {
        self.run.is_some()
    }

    /// How long the runs of bytes are on average.
    pub fn block(&self) -> usize {
        self.block
    }

    /// A walk over the file from this byte of data on; offsets are relative to the displacement.
    pub fn cursor(&self, data: u64) -> Cursor<'_> {
        self.layout.cursor(data as usize)
    }

    /// Where in the file this byte of data is.
    pub fn place(&self, data: u64) -> u64 {
        let offset = match self.run {
            Some(first) => first.wrapping_add(data as i64),
            None if self.layout.size() == 0 => 0,
            None => self.cursor(data).offset(),
        };
        self.displacement.wrapping_add(offset).cast_unsigned()
    }

    /// How many bytes of data lie before `place` in the file; at least `from`, as the caller knows.
    pub fn data_before(&self, place: u64, from: u64) -> u64 {
        let place = i64::try_from(place).unwrap_or(i64::MAX);
        let place = place.saturating_sub(self.displacement);
        if let Some(first) = self.run {
            return from.max(place.saturating_sub(first).max(0).cast_unsigned());
        }
        let (size, extent) = (self.layout.size(), self.layout.extent());
        if size == 0 {
            return from;
        }
        let end = self.layout.true_lb() + self.layout.true_extent();
        let passed = if extent > 0 && place >= end { (place - end) / extent + 1 } else { 0 };
        let mut data = from.max(passed.saturating_mul(size).cast_unsigned());
        // The rest of one item, and one more: `from` may be at its end.
        let size = size.cast_unsigned();
        let mut left = (2 * size - data % size) as usize;
        strips(&self.layout, data, &mut left, |strip| {
            let before = strip.bytes_before(place);
            data += before as u64;
            before == strip.bytes * strip.count
        });
        data
    }

    /// The data in a part of the file that was read to `address`, as if it was the memory of a
    /// message: `bytes` from byte `data` on. `place` is where that part begins.
    pub fn region(&self, address: usize, place: u64, data: u64, bytes: usize) -> Region {
        let start = self.displacement.wrapping_sub(place.cast_signed());
        let address = address.wrapping_add_signed(start as isize);
        let data = data as usize;
        Region::new(address, data + bytes, self.layout.clone()).part(data, bytes)
    }

    /// Where in the file the data of a position are that is counted in etypes.
    pub fn place_of(&self, etypes: i64) -> Result<i64> {
        let place = i64::try_from(self.place(self.data_at(etypes)?));
        place.map_err(|_| beyond(etypes))
    }

    /// The bytes of data before a position that is counted in etypes.
    pub fn data_at(&self, etypes: i64) -> Result<u64> {
        let data = etypes.checked_mul(self.etype_bytes);
        data.and_then(|data| u64::try_from(data).ok()).ok_or_else(|| beyond(etypes))
    }

    /// The first position, in etypes, of which nothing lies before `end` in the file.
    pub fn etypes_before(&self, end: u64) -> i64 {
        let data = self.data_before(end, 0);
        data.div_ceil(self.etype_bytes.cast_unsigned()).cast_signed()
    }

    /// How many etypes `bytes` of data are; they must be whole.
    pub fn etypes_in(&self, bytes: usize) -> Result<i64> {
        let bytes = bytes as i64;
        if bytes % self.etype_bytes == 0 {
            return Ok(bytes / self.etype_bytes);
        }
        let words = format!(
            "the access has {bytes} bytes in the file, which is no multiple of the etype's size, \
             {}",
            self.etype_bytes
        );
        Err(Class::IO.because(words))
    }

    /// Fails if the view shows no data, but there are some to be moved.
    pub fn must_hold(&self, bytes: usize) -> Result {
        if bytes == 0 || self.layout.size() > 0 {
            return Ok(());
        }
        let words = "the filetype of the view holds no data, so nothing can be read or written";
        Err(Class::IO.because(words))
    }
}

#[cold]
fn beyond(etypes: i64) -> Failure {
    let words = format!("the offset is {etypes}; it must not be negative, nor beyond 2^63 bytes");
    Class::ARG.because(words)
}

/// Fails unless a view can be made of these types.
fn judge(displacement: i64, etype_bytes: i64, layout: &Layout) -> Result {
    let size = layout.size();
    if displacement < 0 {
        let words = format!("disp is {displacement}; it must not be negative");
        return Err(Class::ARG.because(words));
    }
    if etype_bytes == 0 {
        return Err(Class::TYPE.because("etype holds no data, so no position can be counted in it"));
    }
    if size % etype_bytes != 0 {
        let words =
            format!("filetype has {size} bytes, which is no multiple of etype's {etype_bytes}");
        return Err(Class::TYPE.because(words));
    }
    if size > 0 && (layout.true_lb() < 0 || layout.extent() < 0) {
        let words = "filetype has data at negative displacements";
        return Err(Class::TYPE.because(words));
    }
    Ok(())
}

/// Whether the data of items in a row come in the order of their places, and how long runs are.
fn survey(layout: &Layout) -> (bool, usize) {
    let (mut is_sorted, mut runs, mut end) = (true, 0, i64::MIN);
    let size = layout.size().cast_unsigned() as usize;
    let mut left = size;
    strips(layout, 0, &mut left, |strip| {
        let bytes = strip.bytes as i64;
        is_sorted &= strip.offset >= end && (strip.count == 1 || strip.stride >= bytes);
        end = strip.offset.wrapping_add(strip.stride.wrapping_mul(strip.count as i64 - 1)) + bytes;
        runs += strip.count;
        true
    });
    is_sorted &= layout.true_extent() <= layout.extent();
    (is_sorted, size / runs.max(1))
}

/// Shows the strips of `left` bytes from byte `data` on, until `see` returns false.
fn strips(layout: &Layout, data: u64, left: &mut usize, mut see: impl FnMut(Strip) -> bool) {
    if layout.size() == 0 {
        return;
    }
    let mut cursor = layout.cursor(data as usize);
    while *left > 0 {
        let (bytes, blocks) = cursor.blocks();
        let blocks = if cursor.list().is_some() { 0 } else { blocks.min(*left / bytes) };
        let (bytes, count) = match blocks {
            0 => (cursor.run_bytes().min(*left), 1),
            blocks => (bytes, blocks),
        };
        let stride = cursor.stride();
        let strip = Strip { offset: cursor.offset(), bytes, count, stride };
        *left -= bytes * count;
        if !see(strip) {
            return;
        }
        cursor.pass(bytes, count);
    }
}

impl Strip {
    fn bytes_before(&self, place: i64) -> usize {
        let (bytes, within) = (self.bytes as i64, place - self.offset);
        if within <= 0 {
            return 0;
        }
        if self.count == 1 || self.stride <= 0 {
            return within.min(bytes) as usize;
        }
        let whole = if within < bytes { 0 } else { (within - bytes) / self.stride + 1 };
        let whole = whole.min(self.count as i64);
        let rest = match whole == self.count as i64 {
            true => 0,
            false => (within - whole * self.stride).clamp(0, bytes),
        };
        (whole * bytes + rest) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::layout::samples::random_type;
    use crate::base::random::Random;
    use crate::mpi::datatype::predefined;

    fn byte() -> Held<Datatype> {
        predefined::find(0x247).expect("MPI_BYTE")
    }

    fn view(displacement: i64, layout: Layout) -> View {
        let (is_sorted, block) = survey(&layout);
        let layout = Arc::new(layout);
        View { displacement, layout, run: None, is_sorted, block, ..View::of_bytes(byte()) }
    }

    #[test]
    fn places_and_data_lead_to_each_other() {
        let mut random = Random::new(11);
        let mut sorted = 0;
        for _ in 0..4000 {
            let depth = random.below(4) as u32;
            let (layout, model) = random_type(&mut random, depth, 300);
            if model.bytes.is_empty() || layout.true_lb() < 0 || layout.extent() < 0 {
                continue;
            }
            let seen = view(random.below(100) as i64, layout);
            let places = model.places(3 * model.bytes.len());
            let whole = places.windows(2).all(|pair| pair[0] < pair[1]);
            if seen.is_sorted() {
                assert!(whole, "what is called sorted is");
            }
            for (data, place) in places.iter().enumerate() {
                let place = seen.displacement + place;
                assert_eq!(seen.place(data as u64), place as u64);
                if seen.is_sorted() {
                    assert_eq!(seen.data_before(place as u64, 0), data as u64);
                    let from = random.below(data as u64 + 1);
                    assert_eq!(seen.data_before(place as u64, from), data as u64);
                    assert_eq!(seen.data_before(place as u64 + 1, from), data as u64 + 1);
                }
            }
            sorted += usize::from(seen.is_sorted());
        }
        assert!(sorted > 100, "only {sorted} were sorted");
    }
}
