//! The ground a rank stands on: one stretch of memory per seat, laid out alike.
//!
//! ```text
//! [ guard | stack … ↓ | graves | signal stack | images ]
//! ```
//!
//! glibc keeps a thread's descriptor at the top of its stack and links it with those of other
//! threads. A rank's thread leaves without telling glibc. Where the supervisor cannot make glibc
//! forget it afterwards (see `threads`), that page must stay as it is: it
//! becomes a *grave*, and the next stack in the seat ends below it. Fibers need none.
//!
//! All grounds are one mapping, in which the guards are marks in the page tables, where the kernel
//! can do that (since Linux 6.13): only what comes from files is a mapping of its own. And they lie
//! so that what a rank touches first (the top of its stack, its images) shares one page of page
//! tables with the next rank's guard.

use crate::host::loader::Template;
use std::io::Error;
use std::ops::Range;

const PAGE: usize = 4096;
/// So much one page of page tables describes.
const TABLE: usize = 2 << 20;
/// Large enough that a big frame does not step over it.
const LARGEST_GUARD: usize = 1 << 20;
/// For small stacks.
const SMALLEST_GUARD: usize = 16 << 10;
/// Room for graves; a seat that has used it up moves to fresh ground.
const GRAVES_BYTES: usize = 512 << 10;
pub(super) const SIGNAL_STACK_BYTES: usize = 64 << 10;

/// What every ground looks like.
pub(super) struct Plan {
    guard_bytes: usize,
    stack_bytes: usize,
    graves_bytes: usize,
    images_at: usize,
    pub(super) bytes: usize,
    alignment: usize,
    /// Where grounds begin, behind a multiple of the alignment.
    skew: usize,
    /// What may be done with stacks, and with what is around them.
    stack_protection: i32,
    protection: i32,
    /// Guards are marks in page tables; else mappings.
    marks_guards: bool,
    /// Where the images of all ranks lie, if they have no others.
    shared_images: Option<usize>,
}

/// The ground of one seat.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ground {
    start: usize,
    /// Where the next stack begins, going down.
    stack_top: usize,
    is_used: bool,
}

impl Plan {
    /// `is_for_fibers`: glibc knows nothing of those who will live there.
    pub(super) fn new(template: &Template, stack_bytes: usize, is_for_fibers: bool) -> Plan {
        let alignment = template.alignment;
        let read_write = libc::PROT_READ | libc::PROT_WRITE;
        let is_executable = template.has_executable_stack || template.is_flat;
        let images = if template.is_shared { 0 } else { template.bytes };
        let mut stack_bytes = stack_bytes.max(64 << 10).next_multiple_of(PAGE);
        let guard_bytes = (stack_bytes / 4).clamp(SMALLEST_GUARD, LARGEST_GUARD);
        let guard_bytes = guard_bytes.next_multiple_of(PAGE);
        let graves_bytes = if is_for_fibers { 0 } else { GRAVES_BYTES };
        let after = graves_bytes + SIGNAL_STACK_BYTES;
        let lies_at = |stack: usize| (guard_bytes + stack + after).next_multiple_of(alignment);
        let bytes_with = |stack: usize| (lies_at(stack) + images).next_multiple_of(alignment);
        // Stacks that take whole pages of page tables anyway get the rest of them, too, so that
        // each ground begins with its guard in the second half of what such a page describes.
        let is_spread = stack_bytes >= TABLE && alignment <= TABLE / 2;
        if is_spread {
            let bytes = bytes_with(stack_bytes);
            stack_bytes += (bytes.next_multiple_of(TABLE) - bytes) / alignment * alignment;
        }
        Plan {
            guard_bytes,
            stack_bytes,
            graves_bytes,
            images_at: lies_at(stack_bytes),
            bytes: bytes_with(stack_bytes),
            alignment: if is_spread { TABLE } else { alignment },
            skew: if is_spread { TABLE / 2 } else { 0 },
            stack_protection: read_write | if is_executable { libc::PROT_EXEC } else { 0 },
            protection: read_write | if template.is_flat { libc::PROT_EXEC } else { 0 },
            marks_guards: can_mark_guards(),
            shared_images: None,
        }
    }

    /// Finds room for images that all ranks share; where.
    pub(super) fn reserve_images(&mut self, template: &Template) -> Result<usize, Error> {
        let bytes = template.bytes + template.alignment;
        let start = map(0, bytes, libc::PROT_READ | libc::PROT_WRITE)?;
        let start = start.next_multiple_of(template.alignment);
        self.shared_images = Some(start);
        Ok(start)
    }

    /// How many mappings a ground takes besides those of the images and the one before them.
    pub(super) fn maps(&self) -> usize {
        // A stack of another kind divides what is around it.
        let is_other = self.stack_protection != self.protection;
        usize::from(is_other) * 2 + usize::from(!self.marks_guards) * 2
    }

    /// Whether guards are no mappings.
    pub(super) fn marks_guards(&self) -> bool {
        self.marks_guards
    }

    /// Grounds for `count` ranks, side by side.
    pub(super) fn reserve(&self, count: usize) -> Result<Vec<Ground>, Error> {
        let more = self.alignment + self.skew;
        let all = self.bytes.checked_mul(count).and_then(|all| all.checked_add(more));
        let all = all.ok_or_else(|| Error::from_raw_os_error(libc::ENOMEM))?;
        let start = map(0, all, self.protection)?;
        let start = start.next_multiple_of(self.alignment) + self.skew;
        Ok((0..count).map(|seat| self.fresh(start + seat * self.bytes)).collect())
    }

    fn fresh(&self, start: usize) -> Ground {
        let stack_top = start + self.guard_bytes + self.stack_bytes + self.graves_bytes;
        Ground { start, stack_top, is_used: false }
    }

    /// Makes `ground` ready for a rank: guarded and zero.
    pub(super) fn prepare(&self, ground: &mut Ground) -> Result<(), Error> {
        if ground.is_used {
            if ground.stack_top < self.stack_bottom(ground) + self.stack_bytes {
                *ground = self.reserve(1)?[0];
                return self.prepare(ground);
            }
            self.clear(ground)?;
        } else if !self.marks_guards || !mark(ground.start, self.guard_bytes) {
            // The pages are not there yet, so nothing is lost by asking for none.
            map(ground.start, self.guard_bytes, libc::PROT_NONE)?;
        }
        ground.is_used = true;
        if self.stack_protection != self.protection {
            let bottom = self.stack_bottom(ground);
            map(bottom, ground.stack_top - bottom, self.stack_protection)?;
        }
        Ok(())
    }

    /// Gives all memory back except the graves. What was mapped there, and how, stays.
    pub(super) fn give_back(&self, ground: &Ground) -> Result<(), Error> {
        let (bottom, rest) = (self.stack_bottom(ground), self.signal_stack(ground));
        match ground.stack_top == rest {
            true => discard(bottom..ground.start + self.bytes),
            false => {
                discard(bottom..ground.stack_top)?;
                discard(rest..ground.start + self.bytes)
            }
        }
    }

    /// Makes all as it was at first, except the graves.
    fn clear(&self, ground: &Ground) -> Result<(), Error> {
        let bottom = self.stack_bottom(ground);
        map(bottom, ground.stack_top - bottom, self.protection)?;
        let rest = self.signal_stack(ground);
        map(rest, ground.start + self.bytes - rest, self.protection).map(drop)
    }

    /// The page of `frame`, which lies near the top of the stack, and all above become a grave.
    pub(super) fn entomb(&self, ground: &mut Ground, frame: usize) {
        let grave = frame & !(PAGE - 1);
        assert!(self.stack(ground).contains(&grave), "a thread's first frame lies in its stack");
        ground.stack_top = grave;
    }

    /// Leaves `ground` as it is, for good.
    pub(super) fn desert(&self, ground: &mut Ground) {
        ground.stack_top = ground.start;
    }

    fn stack_bottom(&self, ground: &Ground) -> usize {
        ground.start + self.guard_bytes
    }

    /// What nobody may touch, below the stack.
    pub(super) fn guard(&self, ground: &Ground) -> Range<usize> {
        ground.start..self.stack_bottom(ground)
    }

    /// The stack of the rank that lives there now.
    pub(super) fn stack(&self, ground: &Ground) -> Range<usize> {
        self.stack_bottom(ground)..ground.stack_top
    }

    pub(super) fn signal_stack(&self, ground: &Ground) -> usize {
        ground.start + self.guard_bytes + self.stack_bytes + self.graves_bytes
    }

    pub(super) fn images(&self, ground: &Ground) -> usize {
        self.shared_images.unwrap_or(ground.start + self.images_at)
    }
}

/// Gives the memory of these pages back.
fn discard(pages: Range<usize>) -> Result<(), Error> {
    let start = std::ptr::without_provenance_mut(pages.start);
    // SAFETY: a part of a ground whose rank is dead.
    let status = unsafe { libc::madvise(start, pages.len(), libc::MADV_DONTNEED) };
    if status == 0 { Ok(()) } else { Err(Error::last_os_error()) }
}

/// Lets nobody touch these pages, without a mapping of their own; false where that cannot be.
fn mark(at: usize, bytes: usize) -> bool {
    /// `MADV_GUARD_INSTALL`, since Linux 6.13.
    const GUARD: i32 = 102;
    // SAFETY: a part of a ground, where nothing lies.
    unsafe { libc::madvise(std::ptr::without_provenance_mut(at), bytes, GUARD) == 0 }
}

/// Whether the kernel knows such guards: asked with a page of nobody's.
fn can_mark_guards() -> bool {
    let Ok(page) = map(0, PAGE, libc::PROT_READ | libc::PROT_WRITE) else { return false };
    let can = mark(page, PAGE);
    // SAFETY: the page just mapped.
    unsafe { libc::munmap(std::ptr::without_provenance_mut(page), PAGE) };
    can
}

/// Maps zeroed pages that count for nothing until they are touched; at a place of the kernel's
/// choice when `at` is 0.
fn map(at: usize, bytes: usize, protection: i32) -> Result<usize, Error> {
    let place = if at == 0 { 0 } else { libc::MAP_FIXED };
    let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_STACK;
    let target = std::ptr::without_provenance_mut(at);
    // SAFETY: a fixed place lies in a ground, which is ours.
    let start = unsafe { libc::mmap(target, bytes, protection, kind | place, -1, 0) };
    if start == libc::MAP_FAILED { Err(Error::last_os_error()) } else { Ok(start as usize) }
}
