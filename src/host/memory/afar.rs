//! Memory of other processes: copies through the kernel, and blocks that several processes map.

use super::{Region, Span, copy};
use std::ffi::CStr;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::ptr::{self, NonNull};

/// Why a copy between processes failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The other process has ended.
    Process,
    /// Its memory at this address.
    There(usize),
    /// It does not, or no longer, let others change that memory.
    Hidden,
    /// Memory of this process at this address.
    Here(usize),
}

/// The way of a copy.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// From the other process.
    In,
    /// To the other process.
    Out,
}

/// Copies `theirs`, memory of the process `pid`, to `own`, which is as long.
pub fn fetch(pid: i32, theirs: &Region, own: &Region) -> Result<(), Missing> {
    run(Way::In, pid, theirs, own)
}

/// Copies `own` to `theirs`, memory of the process `pid`, which is as long.
pub fn store(pid: i32, own: &Region, theirs: &Region) -> Result<(), Missing> {
    run(Way::Out, pid, theirs, own)
}

/// Whether this process is allowed to read the memory of that one. Containers may forbid it.
pub fn may_read(pid: i32) -> io::Result<()> {
    /// Nothing is mapped there.
    const NOWHERE: usize = 8;
    let mut byte = [0];
    let (own, theirs) = (iovec(Span::of_mut(&mut byte).address(), 1), iovec(NOWHERE, 1));
    match call(Way::In, pid, &[own], &[theirs]) {
        Err(error) if matches!(error.raw_os_error(), Some(libc::EPERM | libc::ENOSYS)) => {
            Err(error)
        }
        // It is not there, as it should be; or the process has ended.
        _ => Ok(()),
    }
}

fn iovec(address: usize, bytes: usize) -> libc::iovec {
    libc::iovec { iov_base: ptr::with_exposed_provenance_mut(address), iov_len: bytes }
}

/// Copies a batch of pieces, which are as long on both sides; returns how many bytes.
fn call(way: Way, pid: i32, own: &[libc::iovec], theirs: &[libc::iovec]) -> io::Result<usize> {
    let (local, locals) = (own.as_ptr(), own.len() as libc::c_ulong);
    let (remote, remotes) = (theirs.as_ptr(), theirs.len() as libc::c_ulong);
    // SAFETY: the kernel checks the addresses on both sides, and tells how far it came; the program
    // vouches for its own memory (§2.3).
    let copied = unsafe {
        match way {
            Way::In => libc::process_vm_readv(pid, local, locals, remote, remotes, 0),
            Way::Out => libc::process_vm_writev(pid, local, locals, remote, remotes, 0),
        }
    };
    usize::try_from(copied).map_err(|_| io::Error::last_os_error())
}

/// How many pieces are copied at once. The kernel takes 1,024.
const PIECES: usize = 64;

/// Pieces of memory on both sides, in the same order and equally long.
struct Batch {
    own: [libc::iovec; PIECES],
    theirs: [libc::iovec; PIECES],
    count: usize,
}

fn run(way: Way, pid: i32, theirs: &Region, own: &Region) -> Result<(), Missing> {
    assert_eq!(theirs.bytes(), own.bytes(), "both sides are as long");
    let (mut left, mut from, mut to) = (own.bytes(), theirs.cursor_at(0), own.cursor_at(0));
    let at = |region: &Region, offset: i64| region.address().wrapping_add_signed(offset as isize);
    let pieces = std::iter::from_fn(|| {
        let bytes = from.run_bytes().min(to.run_bytes()).min(left);
        let piece = Piece { own: at(own, to.offset()), theirs: at(theirs, from.offset()), bytes };
        left -= bytes;
        if left > 0 {
            from.pass(bytes, 1);
            to.pass(bytes, 1);
        }
        (bytes > 0).then_some(piece)
    });
    copy_all(way, pid, pieces)
}

/// Memory on both sides.
struct Piece {
    own: usize,
    theirs: usize,
    bytes: usize,
}

fn copy_all(way: Way, pid: i32, pieces: impl Iterator<Item = Piece>) -> Result<(), Missing> {
    let none = [iovec(0, 0); PIECES];
    let mut batch = Batch { own: none, theirs: none, count: 0 };
    for Piece { own, theirs, bytes } in pieces {
        (batch.own[batch.count], batch.theirs[batch.count]) =
            (iovec(own, bytes), iovec(theirs, bytes));
        batch.count += 1;
        if batch.count == PIECES {
            copy_batch(way, pid, &mut batch)?;
            batch.count = 0;
        }
    }
    copy_batch(way, pid, &mut batch)
}

/// Copies stretches of memory of this process, which the kernel has to find there, to `into`, which
/// is as long: no signal is needed for that.
pub fn gather(stretches: &[Span], into: Span) -> Result<(), Missing> {
    copy_own(Way::In, stretches, into)
}

/// Copies `from` to stretches of memory of this process, as [`gather`] does.
pub fn scatter(from: Span, stretches: &[Span]) -> Result<(), Missing> {
    copy_own(Way::Out, stretches, from)
}

fn copy_own(way: Way, stretches: &[Span], whole: Span) -> Result<(), Missing> {
    let mut rest = whole.address();
    let pieces = stretches.iter().filter(|stretch| stretch.bytes() > 0).map(|stretch| {
        let piece = Piece { own: rest, theirs: stretch.address(), bytes: stretch.bytes() };
        rest += piece.bytes;
        piece
    });
    copy_all(way, std::process::id().cast_signed(), pieces)
}

fn copy_batch(way: Way, pid: i32, batch: &mut Batch) -> Result<(), Missing> {
    let mut first = 0;
    while first < batch.count {
        let (own, theirs) = (&batch.own[first..batch.count], &batch.theirs[first..batch.count]);
        let mut copied = match call(way, pid, own, theirs) {
            Err(error) if error.raw_os_error() == Some(libc::EFAULT) => 0,
            Err(_) => return Err(Missing::Process),
            Ok(copied) => copied,
        };
        if copied == 0 {
            let address = |piece: &libc::iovec| piece.iov_base.addr();
            return Err(blame(way, address(&batch.theirs[first]), address(&batch.own[first])));
        }
        while first < batch.count && copied >= batch.own[first].iov_len {
            copied -= batch.own[first].iov_len;
            first += 1;
        }
        for piece in [batch.own.get_mut(first), batch.theirs.get_mut(first)].into_iter().flatten() {
            *piece = iovec(piece.iov_base.addr() + copied, piece.iov_len.saturating_sub(copied));
        }
    }
    Ok(())
}

/// Gives what is in these spans to a socket, which takes so much of it. The kernel reads it, and
/// has to find it there.
pub fn send(socket: i32, spans: &[Span]) -> io::Result<usize> {
    const MOST: usize = 64;
    let mut all = [iovec(0, 0); MOST];
    let count = spans.len().min(MOST);
    for (one, span) in all.iter_mut().zip(spans) {
        *one = iovec(span.address(), span.bytes());
    }
    // SAFETY: all zeroes are valid.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    (message.msg_iov, message.msg_iovlen) = (all.as_mut_ptr(), count);
    // SAFETY: the kernel reads so many spans, and checks the addresses of what they name.
    let sent = unsafe { libc::sendmsg(socket, &message, libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL) };
    usize::try_from(sent).map_err(|_| io::Error::last_os_error())
}

/// Whose memory is not there, where a copy does not get any further.
fn blame(way: Way, there: usize, here: usize) -> Missing {
    let mut byte = [0];
    let (ours, spare) = (Span::new(ptr::with_exposed_provenance(here), 1), Span::of_mut(&mut byte));
    let read = copy(ours, spare);
    let written = read.and_then(|()| if way == Way::In { copy(spare, ours) } else { Ok(()) });
    written.map_or_else(|fault| Missing::Here(fault.address), |()| Missing::There(there))
}

/// A file without a name, which vanishes with the last process that has it open or mapped.
pub fn anonymous(name: &CStr, bytes: usize) -> io::Result<File> {
    // SAFETY: the name is a string, and the kernel returns a descriptor of ours.
    let file = unsafe {
        let fd = libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC);
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        File::from_raw_fd(fd)
    };
    file.set_len(bytes as u64)?;
    Ok(file)
}

/// The file that the process `pid` has open by this descriptor.
pub fn opened(pid: i32, descriptor: i32) -> io::Result<File> {
    let path = format!("/proc/{pid}/fd/{descriptor}");
    OpenOptions::new().read(true).write(true).open(path)
}

/// As [`opened`]; fails if the file is not exactly as long as this.
pub fn opened_by(pid: i32, descriptor: i32, bytes: usize) -> io::Result<File> {
    let file = opened(pid, descriptor)?;
    match file.metadata()?.len() == bytes as u64 {
        true => Ok(file),
        false => Err(io::Error::other("it is not the memory of a process of this job")),
    }
}

/// A part of a file, mapped into this process.
#[derive(Debug)]
pub struct Mapping {
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: only its address leads to the memory, and whoever uses that is in charge of the order.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    pub fn new(file: &File, offset: usize, bytes: usize) -> io::Result<Mapping> {
        Mapping::with(libc::PROT_READ | libc::PROT_WRITE, file, offset, bytes)
    }

    /// One that cannot be written to.
    pub fn to_read(file: &File, offset: usize, bytes: usize) -> io::Result<Mapping> {
        Mapping::with(libc::PROT_READ, file, offset, bytes)
    }

    fn with(access: i32, file: &File, offset: usize, bytes: usize) -> io::Result<Mapping> {
        let flags = libc::MAP_SHARED;
        let (fd, offset) = (file.as_raw_fd(), offset as libc::off_t);
        // SAFETY: a new mapping, wherever the kernel finds room.
        let start = unsafe { libc::mmap(ptr::null_mut(), bytes, access, flags, fd, offset) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = NonNull::new(start.cast()).expect("the kernel maps nothing at zero");
        Ok(Mapping { start, bytes })
    }

    pub fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: whoever has the mapping has the only references into it.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}

/// Memory that several processes map. It stays as long as one of them does.
#[derive(Debug)]
pub struct SharedBlock {
    mapping: Mapping,
    bytes: usize,
    /// In the process that has made it, for the others to open.
    file: Option<File>,
}

impl SharedBlock {
    /// A zeroed block.
    pub fn zeroed(bytes: usize) -> io::Result<SharedBlock> {
        let file = anonymous(c"ftmpi window", bytes.max(1))?;
        let mapping = Mapping::new(&file, 0, bytes.max(1))?;
        Ok(SharedBlock { mapping, bytes, file: Some(file) })
    }

    /// The block that the process `pid` has open by this descriptor.
    pub fn open(pid: i32, descriptor: i32, bytes: usize) -> io::Result<SharedBlock> {
        let file = opened_by(pid, descriptor, bytes.max(1))?;
        Ok(SharedBlock { mapping: Mapping::new(&file, 0, bytes.max(1))?, bytes, file: None })
    }

    /// By which descriptor the process that has made it has it open.
    pub fn descriptor(&self) -> Option<i32> {
        self.file.as_ref().map(File::as_raw_fd)
    }

    pub fn span(&self) -> Span {
        Span { address: self.mapping.start().expose_provenance(), bytes: self.bytes }
    }
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;
    use crate::host::signals;

    fn own() -> i32 {
        std::process::id() as i32
    }

    #[test]
    fn bytes_come_and_go_and_whose_memory_is_missing_is_known() {
        let mut there: Vec<u8> = (0..10_000).map(|index| index as u8).collect();
        let mut here = vec![0; there.len()];
        let theirs = Region::from(Span::of_mut(&mut there));
        let ours = Region::from(Span::of_mut(&mut here));
        assert_eq!(fetch(own(), &theirs, &ours), Ok(()));
        assert_eq!(there, here);
        here.fill(7);
        assert_eq!(store(own(), &ours, &theirs), Ok(()));
        assert!(there.iter().all(|byte| *byte == 7));
        let nowhere = Region::from(Span::new(ptr::without_provenance(8), here.len()));
        assert_eq!(fetch(own(), &nowhere, &ours), Err(Missing::There(8)));
        assert_eq!(store(own(), &ours, &nowhere), Err(Missing::There(8)));
        assert!(may_read(own()).is_ok());
    }

    #[test]
    fn a_hole_in_the_middle_is_found_to_the_byte() {
        const PAGE: usize = 4096;
        signals::install();
        let kept = SharedBlock::zeroed(3 * PAGE).expect("there is memory");
        let block = kept.span();
        let hole = block.address() + PAGE;
        let start = ptr::with_exposed_provenance_mut(hole);
        // SAFETY: of the block, which nothing else uses.
        assert_eq!(unsafe { libc::mprotect(start, PAGE, libc::PROT_NONE) }, 0);
        let mut bytes = vec![0; 3 * PAGE - 100];
        let whole = Region::from(Span::of_mut(&mut bytes));
        let holed = Region::from(block.part(100, whole.bytes()));
        assert_eq!(fetch(own(), &holed, &whole), Err(Missing::There(hole)));
        assert_eq!(fetch(own(), &whole, &holed), Err(Missing::Here(hole)));
        assert_eq!(store(own(), &whole, &holed), Err(Missing::There(hole)));
        assert_eq!(store(own(), &holed, &whole), Err(Missing::Here(hole)));
    }

    #[test]
    fn a_block_is_the_same_wherever_it_is_mapped() {
        let block = SharedBlock::zeroed(5000).expect("there is memory");
        let descriptor = block.descriptor().expect("it was made here");
        let other = SharedBlock::open(own(), descriptor, 5000).expect("it is there");
        let mine = *b"something";
        let mut read = [0; 9];
        assert_eq!(copy(Span::of(&mine), block.span()), Ok(()));
        assert_eq!(copy(other.span().part(0, 9), Span::of_mut(&mut read)), Ok(()));
        assert_eq!(mine, read);
        assert!(SharedBlock::open(own(), descriptor, 5001).is_err());
    }
}
