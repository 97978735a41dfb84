//! Symbol lookup as ld.so does it: the same objects in the same order by the same rules.
//!
//! `dlsym` will not do. It cannot ask for a version as a reference does (our own unversioned `exit`
//! satisfies a reference to `exit@GLIBC_2.2.5`, but `dlvsym` passes it by), and it is slow.

use super::elf::{
    Dynamic, PAGE, PT_DYNAMIC, PT_LOAD, PT_TLS, SHN_ABS, Symbol, Version, kind, read,
};
use libc::{Elf64_Phdr, dl_phdr_info};
use std::ffi::{CStr, OsStr, c_int, c_void};
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An object that ld.so loaded.
#[derive(Clone)]
pub(super) struct Loaded {
    pub(super) path: PathBuf,
    /// What ld.so adds to the addresses in the file.
    pub(super) base: usize,
    pub(super) span: Range<usize>,
    pub(super) headers: &'static [Elf64_Phdr],
    pub(super) dynamic: Dynamic,
    /// The module's number in thread-local storage; 0 where it has none.
    pub(super) tls_module: usize,
    /// Whether a further program has brought it along, or a rank has opened it.
    pub(super) is_late: bool,
    /// What ld.so returned for it, if it was opened.
    pub(super) handle: usize,
}

/// All objects in the order of symbol lookup, the program first.
#[derive(Clone)]
pub(super) struct Scope {
    pub(super) objects: Vec<Arc<Loaded>>,
    /// The program that the process has started with, if it is another one.
    pub(super) host: Option<Arc<Loaded>>,
}

/// A reference to be resolved.
#[derive(Clone, Copy)]
pub(super) struct Reference {
    pub(super) name: &'static CStr,
    pub(super) version: Option<Version>,
}

impl Reference {
    /// The reference by symbol `index` of the object with this dynamic section.
    pub(super) fn of(dynamic: &Dynamic, index: usize) -> Reference {
        let version = dynamic.version_index(index).map(|tagged| usize::from(tagged & 0x7fff));
        let own = |index: usize| dynamic.defined_versions.get(index).copied().flatten();
        let wanted = |index: usize| dynamic.wanted_versions.get(index).copied().flatten();
        Reference {
            name: dynamic.string(dynamic.symbol(index).name as usize),
            version: version.and_then(|index| wanted(index).or_else(|| own(index))),
        }
    }
}

#[derive(Clone, Copy)]
pub(super) struct Definition {
    pub(super) object: usize,
    pub(super) symbol: &'static Symbol,
}

impl Loaded {
    pub(super) fn file_name(&self) -> String {
        self.path.file_name().unwrap_or(OsStr::new("")).to_string_lossy().into_owned()
    }

    /// Whether other objects know it by this name: its soname, or the name of its file.
    pub(super) fn is_called(&self, name: &CStr) -> bool {
        self.dynamic.soname == Some(name)
            || self.path.file_name().is_some_and(|file| file.as_bytes() == name.to_bytes())
            || self.path.as_os_str().as_bytes() == name.to_bytes()
    }

    /// The first place from `end` on where an image of it may begin.
    pub(super) fn aligned(&self, end: usize) -> usize {
        let align = self.alignment();
        let low = self.span.start - self.base;
        (end + align - low % align).next_multiple_of(align) - (align - low % align)
    }

    /// What its lowest address is a multiple of, as the file counts.
    pub(super) fn alignment(&self) -> usize {
        let loads = self.headers.iter().filter(|header| header.p_type == PT_LOAD);
        loads.map(|load| load.p_align as usize).max().unwrap_or(PAGE).max(PAGE)
    }

    /// The thread-local variables of a program are that long, and end at a multiple of that.
    pub(super) fn tls_block(&self) -> (usize, usize) {
        let segment = self.headers.iter().find(|header| header.p_type == PT_TLS);
        segment.map_or((0, 1), |it| {
            let alignment = (it.p_align as usize).max(1);
            ((it.p_memsz as usize).next_multiple_of(alignment), alignment)
        })
    }

    /// The address ld.so gave to `definition`'s symbol of this object.
    pub(super) fn address(&self, symbol: &Symbol) -> usize {
        match symbol.section {
            SHN_ABS => symbol.value as usize,
            _ => self.base.wrapping_add(symbol.value as usize),
        }
    }
}

impl Scope {
    /// The objects of this process, except the kernel's.
    pub(super) fn of_process() -> Scope {
        let mut scope = Scope { objects: Vec::new(), host: None };
        let data = (&raw mut scope).cast::<c_void>();
        // SAFETY: `note` is called with the scope, and only during this call.
        unsafe { libc::dl_iterate_phdr(Some(note), data) };
        scope
    }

    /// The spans of the objects whose file name begins with `name`.
    pub(super) fn spans_of(&self, name: &str) -> Vec<Range<usize>> {
        let meant = self.objects.iter().filter(|object| object.file_name().starts_with(name));
        meant.map(|object| object.span.clone()).collect()
    }

    /// The span of the object that has this address; empty if none has.
    pub(super) fn span_around(&self, address: usize) -> Range<usize> {
        let around = self.objects.iter().find(|object| object.span.contains(&address));
        around.map_or(0..0, |object| object.span.clone())
    }

    /// The definition to which ld.so would bind `reference`; `skip` excludes an object, for COPY
    /// relocations.
    pub(super) fn find(&self, reference: Reference, skip: Option<usize>) -> Option<Definition> {
        self.find_among(reference, |object| Some(object) != skip)
    }

    /// The same, in those objects that are meant.
    pub(super) fn find_among(
        &self, reference: Reference, is_meant: impl Fn(usize) -> bool,
    ) -> Option<Definition> {
        let hashes = Hashes::of(reference.name);
        let in_order = || {
            (0..self.objects.len())
                .filter(|&object| is_meant(object))
                .filter_map(|object| self.find_in(object, reference, hashes))
        };
        if is_call_of_mpi(reference.name)
            && let Some(tool) = in_order().find(|found| self.is_tool(found.object))
        {
            return Some(tool);
        }
        in_order().next()
    }

    /// Whether an object may come between a program and MPI although this library, which is
    /// preloaded, precedes it: every MPI has the name-shifted functions, and a tool has not.
    fn is_tool(&self, object: usize) -> bool {
        let reference = Reference { name: c"PMPI_Init", version: None };
        self.find_at_home(object, reference).is_none()
    }

    /// Like [`Scope::find`], in one object only.
    pub(super) fn find_at_home(&self, object: usize, reference: Reference) -> Option<Definition> {
        self.find_in(object, reference, Hashes::of(reference.name))
    }

    fn find_in(&self, object: usize, wanted: Reference, hashes: Hashes) -> Option<Definition> {
        let dynamic = &self.objects[object].dynamic;
        let mut choice = Choice { dynamic, wanted, default: None, defaults: 0 };
        let exact = if let Some(table) = dynamic.gnu_hash {
            // SAFETY: the table belongs to a loaded object.
            unsafe { gnu_chain(table, hashes.gnu, |index| choice.offer(index)) }
        } else if let Some(table) = dynamic.sysv_hash {
            // SAFETY: the table belongs to a loaded object.
            unsafe { sysv_chain(table, hashes.sysv, |index| choice.offer(index)) }
        } else {
            None
        };
        // Several default versions of one name, and no version requested: ld.so takes none of them.
        let symbol = exact.or(choice.default.filter(|_| choice.defaults == 1))?;
        (!symbol.is_hidden() && !symbol.is_local()).then_some(Definition { object, symbol })
    }
}

/// The rules by which a symbol of the right name is accepted or rejected.
struct Choice<'a> {
    dynamic: &'a Dynamic,
    wanted: Reference,
    default: Option<&'static Symbol>,
    defaults: usize,
}

impl Choice<'_> {
    fn offer(&mut self, index: usize) -> Option<&'static Symbol> {
        let symbol = self.dynamic.symbol(index);
        let has_value =
            symbol.value != 0 || symbol.section == SHN_ABS || symbol.kind() == kind::TLS;
        let is_of_a_kind = matches!(
            symbol.kind(),
            kind::NONE | kind::OBJECT | kind::FUNCTION | kind::COMMON | kind::TLS | kind::IFUNC
        );
        if !has_value || !is_of_a_kind || !symbol.is_defined() {
            return None;
        }
        if self.dynamic.string(symbol.name as usize) != self.wanted.name {
            return None;
        }
        let Some(tagged) = self.dynamic.version_index(index) else {
            return Some(symbol);
        };
        let (version, is_old) = (usize::from(tagged & 0x7fff), tagged & 0x8000 != 0);
        match self.wanted.version {
            Some(wanted) => {
                let defined = self.dynamic.defined_versions.get(version).copied().flatten();
                let matches = match defined {
                    Some(defined) => defined.is_same(&wanted),
                    // Unversioned definitions satisfy any reference that does not insist on its
                    // version.
                    None => !wanted.is_hidden && !is_old,
                };
                matches.then_some(symbol)
            }
            // Without a requested version: the base version, or the first; else the only default
            // one.
            None if version < 3 => Some(symbol),
            None => {
                if !is_old {
                    self.defaults += 1;
                    self.default.get_or_insert(symbol);
                }
                None
            }
        }
    }
}

/// Whether tools may replace functions of this name (MPI-5.0 §15.2).
fn is_call_of_mpi(name: &CStr) -> bool {
    let name = name.to_bytes();
    name.starts_with(b"MPI_") || name.starts_with(b"mpi_")
}

#[derive(Clone, Copy)]
struct Hashes {
    gnu: u32,
    sysv: u32,
}

impl Hashes {
    fn of(name: &CStr) -> Hashes {
        let (mut gnu, mut sysv) = (5381u32, 0u32);
        for &byte in name.to_bytes() {
            gnu = gnu.wrapping_mul(33).wrapping_add(byte.into());
            sysv = (sysv << 4).wrapping_add(byte.into());
            let high = sysv & 0xf000_0000;
            sysv = (sysv ^ high >> 24) & !high;
        }
        Hashes { gnu, sysv }
    }
}

/// # Safety
/// `table` is the DT_GNU_HASH of a loaded object.
unsafe fn gnu_chain<T>(
    table: usize, hash: u32, mut offer: impl FnMut(usize) -> Option<T>,
) -> Option<T> {
    // SAFETY: the head: buckets, first symbol in the table, words and shift of the Bloom filter.
    let [buckets, first, words, shift] = unsafe { read::<[u32; 4]>(table) };
    let filter = table + 16;
    let (one, two) = (hash % 64, (hash >> shift) % 64);
    // SAFETY: the filter has `words` words, a power of two.
    let word = unsafe { read::<u64>(filter + ((hash / 64) & (words - 1)) as usize * 8) };
    let may_hold = (word >> one) & (word >> two) & 1;
    if may_hold == 0 {
        return None;
    }
    let bucket = filter + words as usize * 8;
    // SAFETY: there are `buckets` buckets.
    let mut index = unsafe { read::<u32>(bucket + (hash % buckets) as usize * 4) };
    if index == 0 {
        return None;
    }
    let chain = bucket + buckets as usize * 4;
    loop {
        // SAFETY: a chain runs on until an entry with its lowest bit set.
        let entry = unsafe { read::<u32>(chain + (index - first) as usize * 4) };
        if entry | 1 == hash | 1
            && let Some(found) = offer(index as usize)
        {
            return Some(found);
        }
        if entry & 1 == 1 {
            return None;
        }
        index += 1;
    }
}

/// # Safety
/// `table` is the DT_HASH of a loaded object.
unsafe fn sysv_chain<T>(
    table: usize, hash: u32, mut offer: impl FnMut(usize) -> Option<T>,
) -> Option<T> {
    // SAFETY: the head of the table.
    let [buckets, _symbols] = unsafe { read::<[u32; 2]>(table) };
    let chain = table + 8 + buckets as usize * 4;
    // SAFETY: there are `buckets` buckets.
    let mut index = unsafe { read::<u32>(table + 8 + (hash % buckets) as usize * 4) };
    while index != 0 {
        if let Some(found) = offer(index as usize) {
            return Some(found);
        }
        // SAFETY: a chain links symbols and ends with 0.
        index = unsafe { read::<u32>(chain + index as usize * 4) };
    }
    None
}

extern "C" fn note(info: *mut dl_phdr_info, _bytes: usize, scope: *mut c_void) -> c_int {
    // SAFETY: dl_iterate_phdr passes a valid description, and `of_process` its scope.
    let (info, scope) = unsafe { (&*info, &mut *scope.cast::<Scope>()) };
    let (start, count) = (info.dlpi_phdr, usize::from(info.dlpi_phnum));
    // SAFETY: the headers are in the object, which stays.
    let headers = unsafe { std::slice::from_raw_parts(start, count) };
    // SAFETY: dl_iterate_phdr passes a string.
    let name = unsafe { CStr::from_ptr(info.dlpi_name) };
    let is_program = scope.objects.is_empty();
    let section = headers.iter().find(|header| header.p_type == PT_DYNAMIC);
    let base = info.dlpi_addr as usize;
    let Some(section) = section.filter(|_| name != c"linux-vdso.so.1") else { return 0 };
    let path = match is_program {
        true => std::env::current_exe().unwrap_or_default(),
        false => Path::new(OsStr::from_bytes(name.to_bytes())).to_path_buf(),
    };
    let loads = || headers.iter().filter(|header| header.p_type == PT_LOAD);
    let low = loads().map(|load| load.p_vaddr as usize & !(PAGE - 1)).min().unwrap_or(0);
    let high = loads().map(|load| (load.p_vaddr + load.p_memsz) as usize).max().unwrap_or(0);
    let has_tls = headers.iter().any(|header| header.p_type == PT_TLS);
    scope.objects.push(Arc::new(Loaded {
        path,
        base,
        span: base + low..base + high.next_multiple_of(PAGE),
        headers,
        // SAFETY: ld.so loaded this object; objects present at start are never unloaded.
        dynamic: unsafe { Dynamic::read(base, headers, section) },
        tls_module: if has_tls { info.dlpi_tls_modid } else { 0 },
        is_late: false,
        handle: 0,
    }));
    0
}
