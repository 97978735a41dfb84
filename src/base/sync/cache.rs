//! Hints to the processor's caches.

/// A cache line will be written soon: asks for it, and for the right to write. Touches nothing.
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
