//! Seals: the last word of each block, by which the heap knows its own blocks again.

use super::ground::ground;

pub(super) const SEAL: usize = size_of::<usize>();

/// A block that has lost its seal: freed twice, overrun, or never a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::host) struct Broken {
    pub(in crate::host) address: usize,
}

/// Where the seal of a block stands: at the end of the chunk whose size is in front of the block.
/// `None` when what stands there is no size.
#[inline]
pub(super) fn seal_of(block: *mut u8) -> Option<*mut usize> {
    const IN_USE: usize = 2;
    const FLAGS: usize = 7;
    if block.addr() & 15 != 0 {
        return None;
    }
    // SAFETY: all addresses between the ends of the ground can be read.
    let head = unsafe { block.cast::<usize>().sub(1).read() };
    let bytes = head & !FLAGS;
    let end = ground()?.end();
    if head & IN_USE == 0 || bytes < 32 || bytes & 15 != 0 || bytes > end - block.addr() {
        return None;
    }
    Some(block.wrapping_add(bytes - 2 * SEAL).cast())
}

/// Seals a block that was just made. In a heap that was overrun it may have no sensible size.
#[inline]
pub(super) fn seal(block: *mut u8, key: usize) -> Result<(), Broken> {
    let seal = seal_of(block).ok_or(Broken { address: block.addr() })?;
    // SAFETY: the word lies in the block, after what the program asked for.
    unsafe { seal.write(key ^ block.addr()) };
    Ok(())
}

/// The bytes of a block whose seal is whole.
#[inline]
pub(super) fn check_seal(block: *mut u8, key: usize) -> Result<usize, Broken> {
    let address = block.addr();
    let seal = seal_of(block).ok_or(Broken { address })?;
    // SAFETY: it lies on the ground, which can be read everywhere.
    match unsafe { seal.read() } == key ^ address {
        true => Ok(seal.addr() - address),
        false => Err(Broken { address }),
    }
}

/// Whether `block` has `chunk` bytes in all and a broken seal: whether it was freed and left alone.
#[inline]
pub(super) fn is_freed(block: *mut u8, chunk: usize, key: usize) -> bool {
    let seal = seal_of(block).filter(|seal| seal.addr() - block.addr() + 2 * SEAL == chunk);
    // SAFETY: it lies on the ground, which can be read everywhere.
    seal.is_some_and(|seal| unsafe { seal.read() } == !key)
}

/// Breaks the seal, so that freeing the block once more is noticed.
#[inline]
pub(super) fn break_seal(block: *mut u8, key: usize) -> Result<usize, Broken> {
    let bytes = check_seal(block, key)?;
    // SAFETY: the seal stands there.
    unsafe { block.add(bytes).cast::<usize>().write(!key) };
    Ok(bytes)
}
