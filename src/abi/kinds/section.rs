//! Noncontiguous array sections, which `mpi_f08` may pass as buffers.
//!
//! The rest of the library expects contiguous elements. So a section gets a contiguous copy, made
//! before the operation starts and written back when it is complete. Only what the operation
//! changed is written back: the rest of the section belongs to the program all the time.

use crate::abi::current;
use crate::abi::fortran::Descriptor;
use crate::base::layout::Layout;
use crate::host::memory::{Region, Span, transfer};
use crate::mpi::p2p::request;
use crate::mpi::p2p::request_table::Attendant;
use parking_lot::Mutex;
use std::ffi::c_int;
use std::sync::Arc;

/// The copies of one call.
#[derive(Default)]
pub(in crate::abi) struct Sections(Vec<Section>);

struct Section {
    /// The section in the program's memory.
    own: Region,
    /// The copy, which is accessed by its address only.
    copy: Box<[u8]>,
    at: Span,
    element_bytes: usize,
    /// The copy's contents when the operation began; nothing if the call only reads.
    before: Mutex<Option<Vec<u8>>>,
    is_read: bool,
}

impl Sections {
    /// The address of the array that `descriptor` describes, or of its contiguous copy.
    #[inline]
    pub(in crate::abi) fn address(&mut self, descriptor: &Descriptor, is_read: bool) -> usize {
        if descriptor.is_in_one_piece() {
            return descriptor.base.expose_provenance();
        }
        self.copy(descriptor, is_read)
    }

    #[cold]
    fn copy(&mut self, descriptor: &Descriptor, is_read: bool) -> usize {
        let Some(own) = region(descriptor) else { return descriptor.base.expose_provenance() };
        let mut copy = vec![0; own.bytes()].into_boxed_slice();
        let at = Span::of_mut(&mut copy);
        let element_bytes = descriptor.element_bytes;
        let section = Section { own, copy, at, element_bytes, before: Mutex::new(None), is_read };
        section.begin();
        self.0.push(section);
        at.address()
    }

    /// Ends the call, which returned `code`; `request` is where it stored a request, if it did.
    #[inline]
    pub(in crate::abi) fn settle(self, code: c_int, request: Option<*mut c_int>) {
        if !self.0.is_empty() {
            self.hand_over(code, request);
        }
    }

    #[cold]
    fn hand_over(self, code: c_int, request: Option<*mut c_int>) {
        let Some(request) = request.filter(|_| code == 0) else { return self.after() };
        // SAFETY: the call succeeded, so it stored a handle.
        let handle = unsafe { request.read() } as u32 as usize;
        request::attend(current::process(), handle, Arc::new(self));
    }
}

impl Attendant for Sections {
    fn before(&self) {
        self.0.iter().for_each(Section::begin);
    }

    fn meanwhile(&self) {
        self.0.iter().for_each(|section| section.write_back(true));
    }

    fn after(&self) {
        self.0.iter().for_each(|section| section.write_back(false));
    }
}

impl Section {
    fn begin(&self) {
        // If the descriptor names invalid memory, the copy keeps its contents.
        let _ = transfer(&self.own, &self.at.into());
        if !self.is_read {
            *self.before.lock() = Some(self.bytes());
        }
    }

    fn write_back(&self, goes_on: bool) {
        let mut contents = self.before.lock();
        let Some(before) = contents.take() else { return };
        let now = self.bytes();
        if goes_on {
            *contents = Some(now.clone());
        }
        drop(contents);
        let size = self.element_bytes;
        let differs = |index: usize| {
            let bytes = index * size..(index + 1) * size;
            now[bytes.clone()] != before[bytes]
        };
        let count = now.len() / size;
        let mut index = 0;
        while index < count {
            if !differs(index) {
                index += 1;
                continue;
            }
            let first = index;
            while index < count && differs(index) {
                index += 1;
            }
            let (offset, bytes) = (first * size, (index - first) * size);
            let part = self.at.part(offset, bytes).into();
            let _ = transfer(&part, &self.own.part(offset, bytes));
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.copy.len()];
        let _ = transfer(&self.at.into(), &Span::of_mut(&mut bytes).into());
        bytes
    }
}

/// The memory of the section that `descriptor` describes.
fn region(descriptor: &Descriptor) -> Option<Region> {
    let element = descriptor.element_bytes;
    let mut layout = Layout::basic(&[(0, element as u64)], element as i64, 1);
    let mut bytes = element;
    for dimension in descriptor.dimensions() {
        let extent = u64::try_from(dimension.extent).ok()?;
        layout = layout.vector(extent, 1, dimension.stride).ok()?;
        bytes = bytes.checked_mul(extent as usize)?;
    }
    Some(Region::new(descriptor.base.expose_provenance(), bytes, Arc::new(layout)))
}
