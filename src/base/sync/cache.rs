//! Cache-conscious primitives: prefetching a line to write, and spinning on a line that another
//! core writes.

/// Prefetches a cache line that will be written soon, with the right to write. Changes nothing.
#[inline]
pub fn prefetch_to_write<T>(place: *const T) {
    #[cfg(all(target_arch = "x86_64", not(any(miri, loom))))]
    // SAFETY: a prefetch of any address is harmless; processors without it do nothing.
    unsafe {
        std::arch::asm!("prefetchw [{}]", in(reg) place, options(nostack, preserves_flags));
    }
    #[cfg(not(all(target_arch = "x86_64", not(any(miri, loom)))))]
    let _ = place;
}

/// Whether `is_there` becomes true within `looks` looks at memory that another core writes to. A
/// pause after each look is much shorter than the transfer of the line; looks without pauses crowd
/// the processor, and the news arrives half as late again.
#[inline(always)]
pub fn comes_soon(looks: u32, mut is_there: impl FnMut() -> bool) -> bool {
    // A plain loop: the compiler keeps an iterator's apart, in a function of its own.
    let mut looks_left = looks;
    while looks_left > 0 {
        if is_there() {
            return true;
        }
        std::hint::spin_loop();
        looks_left -= 1;
    }
    false
}
