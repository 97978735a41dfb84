//! Heaps under random use, corruption, frees by other threads, and death.

use super::*;
use std::sync::Once;
use std::time::{Duration, Instant};

const RANKS: usize = 16;

/// A heap in a seat that no other test uses.
fn heap(seat: usize) -> Heap {
    static RESERVED: Once = Once::new();
    RESERVED.call_once(|| assert!(reserve(RANKS, 1 << 30, false)));
    Heap::new(seat)
}

/// A small generator of its own: tests are replayed by their seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }
}

struct Piece {
    start: *mut u8,
    bytes: usize,
    fill: u8,
}

impl Piece {
    fn new(start: *mut u8, bytes: usize, fill: u8) -> Piece {
        assert!(!start.is_null());
        // SAFETY: the heap says that it has this many bytes.
        unsafe { start.write_bytes(fill, bytes) };
        Piece { start, bytes, fill }
    }

    fn check(&self, bytes: usize) {
        // SAFETY: a living block.
        let bytes = unsafe { std::slice::from_raw_parts(self.start, self.bytes.min(bytes)) };
        assert!(bytes.iter().all(|&byte| byte == self.fill), "a block keeps what was written");
    }
}

fn free_any(heap: &Heap, block: *mut u8) {
    match owner(block) {
        Owner::Plot(_) => heap.free(block).unwrap(),
        Owner::Large => free_large(Some(heap), block),
        Owner::Libc => panic!("not a block of a rank"),
    }
}

fn resize_any(heap: &Heap, block: *mut u8, bytes: usize) -> *mut u8 {
    match owner(block) {
        Owner::Plot(_) => heap.resize(block, bytes).unwrap(),
        Owner::Large => resize_large(block, bytes),
        Owner::Libc => panic!("not a block of a rank"),
    }
}

#[test]
fn zeroes_that_the_kernel_gives_are_not_written() {
    let heap = heap(10);
    let (bytes, pages) = (3 << 20, (3 << 20) / PAGE);
    let resident = |block: *mut u8| {
        let mut seen = vec![0_u8; pages];
        let start = block.map_addr(|address| address.next_multiple_of(PAGE));
        // SAFETY: it looks at mapped pages, as many as there is room for.
        assert_eq!(unsafe { libc::mincore(start.cast(), bytes - PAGE, seen.as_mut_ptr()) }, 0);
        seen.into_iter().filter(|page| page & 1 == 1).count()
    };
    let slice = std::ptr::with_exposed_provenance_mut(heap.slice);
    // SAFETY: it is reserved; without this, one write may bring two megabytes.
    unsafe { libc::madvise(slice, 16 << 20, libc::MADV_NOHUGEPAGE) };
    let fresh = heap.allocate_zeroed(bytes).unwrap();
    assert!(resident(fresh) < 10);
    Piece::new(fresh, bytes, 7);
    heap.free(fresh).unwrap();
    // What has been used is zeroed again.
    let again = heap.allocate_zeroed(bytes + (400 << 10)).unwrap();
    Piece { start: again, bytes: bytes + (400 << 10), fill: 0 }.check(usize::MAX);
    assert_eq!(again, fresh);
    heap.give_back();
}

#[test]
fn blocks_keep_their_bytes_through_random_use() {
    let heap = heap(0);
    for seed in 1..=8 {
        let mut dice = Dice(seed);
        let mut pieces: Vec<Piece> = Vec::new();
        for turn in 0..20_000 {
            let bytes = match dice.roll(100) {
                0..80 => dice.roll(300),
                80..99 => dice.roll(20_000),
                _ => dice.roll(6 << 20),
            };
            let fill = turn as u8;
            match dice.roll(10) {
                0..4 => pieces.push(Piece::new(heap.allocate(bytes).unwrap(), bytes, fill)),
                4 => {
                    let align = 16usize << dice.roll(10);
                    let block = heap.allocate_aligned(align, bytes).unwrap();
                    assert_eq!(block.addr() % align, 0);
                    pieces.push(Piece::new(block, bytes, fill));
                }
                5 => {
                    let block = heap.allocate_zeroed(bytes).unwrap();
                    Piece { start: block, bytes, fill: 0 }.check(bytes);
                    pieces.push(Piece::new(block, bytes, fill));
                }
                6 if !pieces.is_empty() => {
                    let index = dice.roll(pieces.len());
                    let old = pieces.swap_remove(index);
                    let start = resize_any(&heap, old.start, bytes);
                    Piece { start, ..old }.check(bytes);
                    pieces.push(Piece::new(start, bytes, fill));
                }
                _ if !pieces.is_empty() => {
                    let index = dice.roll(pieces.len());
                    let piece = pieces.swap_remove(index);
                    piece.check(usize::MAX);
                    free_any(&heap, piece.start);
                }
                _ => {}
            }
        }
        pieces.into_iter().for_each(|piece| free_any(&heap, piece.start));
    }
    heap.give_back();
}

#[test]
fn freeing_twice_is_noticed() {
    let heap = heap(1);
    let block = heap.allocate(100).unwrap();
    let _behind = heap.allocate(100).unwrap();
    heap.free(block).unwrap();
    assert_eq!(heap.free(block), Err(Broken { address: block.addr() }));
    assert!(heap.resize(block, 200).is_err());
    heap.give_back();
}

#[test]
fn writing_past_the_end_is_noticed() {
    let heap = heap(2);
    let block = heap.allocate(24).unwrap();
    // SAFETY: not safe, as in programs that do it; the heap has room behind the block.
    unsafe { block.write_bytes(0x41, usable(2, block).unwrap() + 1) };
    assert!(heap.free(block).is_err());
    heap.give_back();
}

#[test]
fn what_is_no_block_is_noticed() {
    let heap = heap(3);
    let block = heap.allocate(4000).unwrap();
    assert!(heap.free(block.wrapping_add(16)).is_err());
    assert!(heap.free(block.wrapping_add(3)).is_err());
    heap.free(block).unwrap();
    assert_eq!(owner((&raw const heap).cast()), Owner::Libc);
    heap.give_back();
}

#[test]
fn a_block_freed_by_another_comes_back_to_its_owner() {
    let heap = heap(4);
    let mut sent: Vec<usize> = Vec::new();
    for _ in 0..1000 {
        sent.push(heap.allocate(64).unwrap().expose_provenance());
    }
    let given = sent.clone();
    let other = std::thread::spawn(move || {
        for address in given {
            let block = std::ptr::with_exposed_provenance_mut::<u8>(address);
            assert_eq!(owner(block), Owner::Plot(4));
            free_from_outside(4, block);
            // A second time does nothing: the seal is broken.
            free_from_outside(4, block);
        }
    });
    for _ in 0..10_000 {
        let block = heap.allocate(32).unwrap();
        heap.free(block).unwrap();
    }
    other.join().unwrap();
    let blocks: Vec<_> = (0..1000).map(|_| heap.allocate(64).unwrap()).collect();
    let last = sent.iter().max().unwrap();
    let reused = blocks.iter().filter(|block| block.addr() < *last).count();
    assert!(reused > 900, "only {reused} of 1000 blocks came back");
    heap.give_back();
}

#[test]
fn what_a_dead_rank_had_freed_is_not_given_to_the_next_life() {
    let first = heap(9);
    let blocks = [24, 24, 100].map(|bytes| first.allocate(bytes).unwrap());
    blocks.into_iter().for_each(|block| first.free(block).unwrap());
    first.give_back();
    let next = heap(9);
    let block = next.allocate(20).unwrap();
    next.free(block).unwrap();
    next.give_back();
}

#[test]
fn a_fresh_life_starts_with_an_empty_heap() {
    let first = heap(5);
    let stale = first.allocate(1000).unwrap();
    let large = first.allocate(64 << 20).unwrap();
    assert_eq!(owner(large), Owner::Large);
    first.give_back();
    assert_eq!(owner(large), Owner::Libc, "large blocks of the dead are gone");
    let second = Heap::new(5);
    let fresh = second.allocate_zeroed(1000).unwrap();
    assert_eq!(fresh, stale, "the same place again");
    // A survivor that frees a block of the dead rank does no harm.
    free_from_outside(5, stale.wrapping_add(16));
    second.free(fresh).unwrap();
    second.give_back();
}

#[test]
fn a_rank_may_have_more_than_its_slice() {
    let heap = heap(6);
    let blocks: Vec<_> = (0..6).map(|_| heap.allocate(3 << 30).unwrap()).collect();
    for &block in &blocks {
        assert!(!block.is_null());
        // SAFETY: inside the block.
        unsafe { block.add((3 << 30) - 1).write(1) };
    }
    blocks.into_iter().for_each(|block| free_any(&heap, block));
    assert!(heap.allocate(usize::MAX - 100).unwrap().is_null());
    assert!(heap.allocate(1 << 60).unwrap().is_null());
    heap.give_back();
}

#[test]
fn threads_of_a_rank_share_its_heap() {
    let shared = std::sync::Arc::new(heap(7));
    let threads: Vec<_> = (1..=4)
        .map(|seed| {
            let heap = shared.clone();
            std::thread::spawn(move || {
                let mut dice = Dice(seed);
                for _ in 0..20_000 {
                    let bytes = dice.roll(500);
                    let piece = Piece::new(heap.allocate(bytes).unwrap(), bytes, seed as u8);
                    piece.check(usize::MAX);
                    heap.free(piece.start).unwrap();
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    shared.give_back();
}

#[test]
fn a_pair_of_calls_costs_tens_of_nanoseconds() {
    let heap = heap(8);
    let keep: Vec<_> = (0..1000).map(|each| heap.allocate(16 + each % 200).unwrap()).collect();
    // Few enough that some rounds pass without the thread's being stopped, whatever else runs.
    let rounds = 2000;
    let time = || {
        let start = Instant::now();
        for each in 0..rounds {
            let block = std::hint::black_box(heap.allocate(16 + each % 200).unwrap());
            heap.free(block).unwrap();
        }
        start.elapsed().as_nanos() as f64 / rounds as f64
    };
    let most = if cfg!(debug_assertions) { f64::MAX } else { 200.0 };
    let (begun, mut best) = (Instant::now(), f64::MAX);
    while best >= most && begun.elapsed() < Duration::from_secs(100) {
        best = (0..500).map(|_| time()).fold(best, f64::min);
    }
    println!("malloc and free: {best:.1} ns");
    keep.into_iter().for_each(|block| heap.free(block).unwrap());
    assert!(best < most, "{best} ns");
    heap.give_back();
}

#[test]
fn a_heap_that_a_thread_may_still_hold_is_left_and_the_next_life_has_another() {
    const SEAT: usize = RANKS - 1;
    let first = heap(SEAT);
    let small = Piece::new(first.allocate(100).unwrap(), 100, 7);
    let large = Piece::new(first.allocate(8 << 20).unwrap(), 8 << 20, 8);
    let held = first.books().unwrap().latch.hold();
    first.desert(SEAT);
    // On a thread of its own: it would wait for the latch for ever.
    let (sender, made) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let next = heap(SEAT);
        let block = next.allocate(100).unwrap();
        assert!(next.holds(block));
        next.free(block).unwrap();
        next.give_back();
        sender.send(()).unwrap();
    });
    let patience = Duration::from_secs(100);
    assert!(made.recv_timeout(patience).is_ok(), "the next life waits for the first");
    small.check(100);
    large.check(8 << 20);
    drop(held);
    free_from_outside(SEAT, first.allocate(10).unwrap());
    for _ in 0..RANKS {
        heap(SEAT).desert(SEAT);
    }
    assert!(!heap(SEAT).is_private(), "without a plot it shares libc's heap");
}
