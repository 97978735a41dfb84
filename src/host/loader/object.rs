//! One private object: read once from its file, mapped once per rank.

use super::elf::{Array, PAGE, PF_W, PF_X, PT_GNU_EH_FRAME, PT_LOAD, PT_TLS};
use super::reloc_program::{Base, Program};
use super::scope::Loaded;
use libc::Elf64_Phdr;
use std::ffi::CString;
use std::fs::File;
use std::io::Error;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;

/// A private object, ready to be mapped any number of times.
///
/// Addresses are relative to the *images*: the stretch of a rank's memory that holds the copies of
/// all private objects, laid out alike in every rank.
pub(super) struct Object {
    pub(super) name: CString,
    /// The range of ld.so's copy: the template, never run.
    pub(super) template: Range<usize>,
    pub(super) template_base: usize,
    /// What is added to an address in the file to get one relative to the images.
    pub(super) bias: usize,
    pub(super) headers: &'static [Elf64_Phdr],
    pub(super) frame_header: Option<usize>,
    pub(super) tls: Option<Tls>,
    pub(super) init: Option<usize>,
    pub(super) fini: Option<usize>,
    pub(super) preinit_array: Array,
    pub(super) init_array: Array,
    pub(super) fini_array: Array,
    pub(super) program: Program,
    pub(super) pieces: Vec<Piece>,
    /// Its pages of code, relative to the images.
    pub(super) code: Vec<Range<usize>>,
    pub(super) source: Source,
}

/// The initial image of an object's thread-local variables.
pub(super) struct Tls {
    pub(super) module: usize,
    /// Relative to the images.
    pub(super) at: usize,
    pub(super) bytes: usize,
    /// With the variables that are zero.
    pub(super) whole: usize,
    /// It holds addresses, which differ between ranks.
    pub(super) has_relocs: bool,
    /// Those of a further program take the place of the first one's, right below the thread
    /// pointer: its code counts on that. So many bytes, of which the rest is zero.
    pub(super) below_thread: Option<usize>,
}

/// A part of an image, and the source of its content. The rest of an image is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Pages of the file, never written.
    Text { at: usize, bytes: usize, offset: usize },
    /// Pages of the file, mapped privately and written to; zero from `zero_from` to the end of its
    /// page.
    Data { at: usize, bytes: usize, offset: usize, zero_from: usize, executable: bool },
    /// Bytes of the file, copied: cheaper where nearly every page is written to anyway.
    Copied { at: usize, bytes: usize, offset: usize },
}

/// The file of an object, open and mapped as a whole.
pub(super) struct Source {
    file: File,
    start: usize,
    bytes: usize,
}

impl Source {
    pub(super) fn open(object: &Loaded) -> Result<Source, String> {
        let failed = |error: Error| format!("cannot read {}: {error}", object.path.display());
        let path = std::path::Path::new("/proc/self/exe");
        let is_program = std::env::current_exe().is_ok_and(|program| program == object.path);
        let file = File::open(if is_program { path } else { &object.path }).map_err(failed)?;
        let bytes = file.metadata().map_err(failed)?.len() as usize;
        let (read, private) = (libc::PROT_READ, libc::MAP_PRIVATE);
        // SAFETY: a new mapping at a place of the kernel's choice.
        let start =
            unsafe { libc::mmap(std::ptr::null_mut(), bytes, read, private, file.as_raw_fd(), 0) };
        if start == libc::MAP_FAILED {
            return Err(failed(Error::last_os_error()));
        }
        Ok(Source { file, start: start as usize, bytes })
    }

    /// How long the file is.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The file's content; empty where the file has been cut short.
    pub(super) fn content(&self, offset: usize, bytes: usize) -> &[u8] {
        if offset.checked_add(bytes).is_none_or(|end| end > self.bytes) {
            return &[];
        }
        let start = std::ptr::with_exposed_provenance(self.start + offset);
        // SAFETY: inside the mapping, which lives as long as `self`.
        unsafe { std::slice::from_raw_parts(start, bytes) }
    }

    /// Maps pages of the file over whatever is at `address`.
    fn map(
        &self, address: usize, bytes: usize, offset: usize, protection: i32,
    ) -> Result<(), Error> {
        let flags = libc::MAP_PRIVATE | libc::MAP_FIXED;
        let (target, file) = (std::ptr::without_provenance_mut(address), self.file.as_raw_fd());
        // SAFETY: the caller owns the ground that is mapped over.
        let mapped =
            unsafe { libc::mmap(target, bytes, protection, flags, file, offset as libc::off_t) };
        if mapped == libc::MAP_FAILED { Err(Error::last_os_error()) } else { Ok(()) }
    }
}

impl Object {
    /// The object without its relocations, its lowest page `at` into the images.
    pub(super) fn new(loaded: &Loaded, at: usize) -> Result<Object, String> {
        let source = Source::open(loaded)?;
        let low = loaded.span.start - loaded.base;
        let bias = at.wrapping_sub(low);
        let find = |kind| loaded.headers.iter().find(move |header| header.p_type == kind);
        let tls = find(PT_TLS).map(|header| Tls {
            module: loaded.tls_module,
            at: bias.wrapping_add(header.p_vaddr as usize),
            bytes: header.p_filesz as usize,
            whole: header.p_memsz as usize,
            has_relocs: false,
            below_thread: None,
        });
        let dynamic = &loaded.dynamic;
        let moved = |array: Array| Array { at: bias.wrapping_add(array.at), ..array };
        Ok(Object {
            name: CString::new(loaded.path.as_os_str().as_bytes()).unwrap_or_default(),
            template: loaded.span.clone(),
            template_base: loaded.base,
            bias,
            headers: loaded.headers,
            frame_header: find(PT_GNU_EH_FRAME)
                .map(|header| bias.wrapping_add(header.p_vaddr as usize)),
            tls,
            init: dynamic.init.map(|at| bias.wrapping_add(at)),
            fini: dynamic.fini.map(|at| bias.wrapping_add(at)),
            preinit_array: moved(dynamic.preinit_array),
            init_array: moved(dynamic.init_array),
            fini_array: moved(dynamic.fini_array),
            program: Program::default(),
            pieces: Vec::new(),
            code: Vec::new(),
            source,
        })
    }

    /// Where the copy of the template's `address` is.
    pub(super) fn moved(&self, address: usize) -> usize {
        (address - self.template_base).wrapping_add(self.bias)
    }

    /// Its part of the images.
    pub(super) fn span(&self) -> Range<usize> {
        let start = self.bias.wrapping_add(self.template.start - self.template_base);
        start..start + self.template.len()
    }

    /// The word that the file holds for the address `value` (as the file counts).
    pub(super) fn word_in_file(&self, value: usize) -> Option<u64> {
        let load = self.loads().find(|load| {
            let start = load.p_vaddr as usize;
            value >= start && value + 8 <= start + load.p_filesz as usize
        })?;
        let offset = load.p_offset as usize + value - load.p_vaddr as usize;
        let word = self.source.content(offset, 8).first_chunk::<8>()?;
        Some(u64::from_le_bytes(*word))
    }

    /// Whether the program may write at the address `value` (as the file counts).
    pub(super) fn is_writable(&self, value: usize) -> bool {
        self.loads().any(|load| {
            let start = load.p_vaddr as usize;
            load.p_flags & PF_W != 0 && (start..start + load.p_memsz as usize).contains(&value)
        })
    }

    fn loads(&self) -> impl Iterator<Item = &'static Elf64_Phdr> {
        self.headers.iter().filter(|header| header.p_type == PT_LOAD)
    }

    /// Decides how its pages are made, once the relocations are known.
    pub(super) fn cut(&mut self) {
        let mut pieces: Vec<Piece> = Vec::new();
        for load in self.loads().filter(|load| load.p_filesz > 0) {
            let start = self.bias.wrapping_add(load.p_vaddr as usize);
            let offset = load.p_offset as usize;
            let (bytes, skew) = (load.p_filesz as usize, start % PAGE);
            let end = start + bytes;
            let (at, whole) = (start - skew, (end - start + skew).next_multiple_of(PAGE));
            let executable = load.p_flags & PF_X != 0;
            pieces.push(if load.p_flags & PF_W == 0 {
                Piece::Text { at, bytes: whole, offset: offset - skew }
            } else if !executable && self.is_mostly_written(at..at + whole) {
                Piece::Copied { at: start, bytes, offset }
            } else {
                let zero_from = if load.p_memsz > load.p_filesz { end } else { at + whole };
                Piece::Data { at, bytes: whole, offset: offset - skew, zero_from, executable }
            });
        }
        self.pieces = merged(pieces);
        let code = self.pieces.iter().filter_map(|piece| match *piece {
            Piece::Text { at, bytes, .. } => Some(at..at + bytes),
            _ => None,
        });
        self.code = code.collect();
    }

    /// How many bytes of its file make an image.
    pub(super) fn bytes_of_file(&self) -> usize {
        let bytes = |piece: &Piece| match *piece {
            Piece::Text { bytes, .. } | Piece::Data { bytes, .. } | Piece::Copied { bytes, .. } => {
                bytes
            }
        };
        self.pieces.iter().map(bytes).sum()
    }

    /// From now on everything is copied, and nothing mapped.
    pub(super) fn flatten(&mut self) {
        let end = self.source.bytes();
        for piece in &mut self.pieces {
            if let Piece::Text { at, bytes, offset } = *piece {
                *piece = Piece::Copied { at, bytes: bytes.min(end - offset), offset };
            } else if let Piece::Data { at, offset, zero_from, .. } = *piece {
                *piece = Piece::Copied { at, bytes: (zero_from - at).min(end - offset), offset };
            }
        }
    }

    fn is_mostly_written(&self, pages: Range<usize>) -> bool {
        const ALWAYS: usize = 4;
        let count = pages.len() / PAGE;
        count <= ALWAYS || self.program.pages_written(&pages) * 2 >= count
    }

    /// Maps the object's pages into the images at `base`, which are zero before.
    pub(super) fn place(&self, base: Base) -> Result<(), Error> {
        let (r, w, x) = (libc::PROT_READ, libc::PROT_WRITE, libc::PROT_EXEC);
        for &piece in &self.pieces {
            match piece {
                Piece::Text { at, bytes, offset } => {
                    self.source.map(base.at(at), bytes, offset, r | x)?;
                }
                Piece::Data { at, bytes, offset, zero_from, executable } => {
                    let protection = if executable { r | w | x } else { r | w };
                    self.source.map(base.at(at), bytes, offset, protection)?;
                    let rest = at + bytes - zero_from;
                    let tail = std::ptr::with_exposed_provenance_mut::<u8>(base.at(zero_from));
                    // SAFETY: `rest` bytes of the page just mapped follow.
                    unsafe { tail.write_bytes(0, rest) };
                }
                Piece::Copied { at, bytes, offset } => {
                    let content = self.source.content(offset, bytes);
                    let target = std::ptr::with_exposed_provenance_mut::<u8>(base.at(at));
                    // SAFETY: the images are the rank's own, and long enough for every object.
                    unsafe { target.copy_from_nonoverlapping(content.as_ptr(), content.len()) };
                }
            }
        }
        Ok(())
    }
}

/// Neighbours in memory that are neighbours in the file become one mapping.
fn merged(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut merged: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match (merged.last_mut(), piece) {
            (
                Some(Piece::Text { at, bytes, offset }),
                Piece::Text { at: next, bytes: more, offset: next_offset },
            ) if *at + *bytes == next && *offset + *bytes == next_offset => *bytes += more,
            _ => merged.push(piece),
        }
    }
    merged
}
