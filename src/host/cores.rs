//! What the kernel is asked about OS threads: on which core one begins, and how long it runs at a
//! stretch.

/// Moves the calling thread to the core of this number, among those that it may use.
pub(super) fn begin_on(number: usize) {
    const BYTES: usize = size_of::<libc::cpu_set_t>();
    // SAFETY: sets are plain bits; zero is the thread itself, whose own set is put back.
    unsafe {
        let mut allowed: libc::cpu_set_t = std::mem::zeroed();
        if libc::sched_getaffinity(0, BYTES, &mut allowed) != 0 {
            return;
        }
        let is_allowed = |core: &usize| libc::CPU_ISSET(*core, &allowed);
        if let Some(core) = (0..8 * BYTES).filter(is_allowed).nth(number) {
            let mut own: libc::cpu_set_t = std::mem::zeroed();
            libc::CPU_SET(core, &mut own);
            libc::sched_setaffinity(0, BYTES, &own);
            libc::sched_setaffinity(0, BYTES, &allowed);
        }
    }
}

/// For threads with little work, for which others wait.
pub(super) const PROMPT: u64 = 100_000;

/// Sets how long the kernel lets the calling thread run at a stretch while others want its core: a
/// thread with short slices runs soon after it is woken. 0: the default. Old kernels ignore this.
pub(super) fn ask_for_slices_of(nanoseconds: u64) {
    #[repr(C)]
    struct Attributes {
        bytes: u32,
        policy: u32,
        flags: u64,
        nice: i32,
        priority: u32,
        slice: u64,
        rest: [u64; 2],
    }
    let mut own = Attributes {
        bytes: size_of::<Attributes>() as u32,
        policy: 0,
        flags: 0,
        nice: 0,
        priority: 0,
        slice: 0,
        rest: [0; 2],
    };
    let policy = libc::SCHED_OTHER as u32;
    // SAFETY: the kernel reads and writes attributes of this size; 0 is the calling thread.
    unsafe {
        let (read, bytes) = (&raw mut own, size_of::<Attributes>());
        let got = libc::syscall(libc::SYS_sched_getattr, 0, read, bytes, 0);
        if got == 0 && own.policy == policy {
            own.slice = nanoseconds;
            libc::syscall(libc::SYS_sched_setattr, 0, &raw const own, 0);
        }
    }
}

/// Lets other OS threads run on this core.
pub(super) fn let_threads_run() {
    #[cfg(loom)]
    loom::thread::yield_now();
    #[cfg(not(loom))]
    // SAFETY: has no preconditions.
    unsafe {
        libc::sched_yield()
    };
}
