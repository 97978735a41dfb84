//! The blank packets of a seat.

use super::{CLASSES, Envelope, HEADER, Node, PLAIN, Packet, Port, Shape};
use crate::base::sync::cache::prefetch_to_write;
use std::alloc::{Layout, alloc, handle_alloc_error};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, AtomicU8};

/// The blank packets of one seat.
pub struct Pool {
    home: &'static Port,
    spare: [Vec<Packet>; CLASSES.len()],
    /// How many there are of each class.
    made: [usize; CLASSES.len()],
}

/// How many packets of a class are made at first: many ranks never need more.
const FIRST: usize = 2;

impl Pool {
    pub fn new(home: &'static Port) -> Pool {
        Pool { home, spare: Default::default(), made: Default::default() }
    }

    /// A blank packet that can carry `bytes`, if one is at hand.
    #[inline]
    pub fn blank(&mut self, bytes: usize) -> Option<Packet> {
        let spare = &mut self.spare[class_of(bytes)];
        let packet = spare.pop()?;
        if let Some(next) = spare.last() {
            prefetch_to_write(next.0.as_ptr());
        }
        Some(packet)
    }

    /// Puts a packet that has come home back among the blank ones.
    #[inline]
    pub fn keep(&mut self, packet: Packet) {
        field!(packet, token = 0);
        field!(packet, fate = 0);
        self.spare[usize::from(field!(packet, class))].push(packet);
    }

    /// Makes more packets that can carry `bytes`: as many as there are, up to a number.
    #[cold]
    pub fn grow(&mut self, bytes: usize) {
        let class = class_of(bytes);
        let (size, most) = CLASSES[class];
        let count = self.made[class].max(FIRST).min(most);
        self.made[class] += count;
        let layout = Layout::from_size_align(size * count, 64).expect("classes are small");
        // SAFETY: the layout is not empty.
        let block = unsafe { alloc(layout) };
        if block.is_null() {
            handle_alloc_error(layout);
        }
        for index in 0..count {
            // SAFETY: the block holds `count` nodes of `size` bytes.
            let node = unsafe { block.add(index * size) }.cast::<Node>();
            let fresh = Node {
                link: AtomicPtr::new(ptr::null_mut()),
                home: self.home,
                envelope: Envelope::default(),
                sender: 0,
                addressee: 0,
                token: 0,
                bytes: 0,
                hold: AtomicU8::new(PLAIN),
                shape: Shape::Carried,
                class: class as u8,
                fate: 0,
                seat: self.home.seat() as u32,
                payload: [0],
            };
            // SAFETY: the place is ours, large enough and aligned to 64 bytes.
            unsafe { node.write(fresh) };
            let node = NonNull::new(node).expect("the block is not null");
            self.spare[class].push(Packet(node));
        }
    }
}

#[inline]
fn class_of(bytes: usize) -> usize {
    let fits = |class: &(usize, usize)| bytes <= class.0 - HEADER;
    CLASSES.iter().position(fits).expect("larger messages do not travel inside packets")
}
