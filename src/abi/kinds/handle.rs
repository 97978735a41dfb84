//! Handles. The value is a table key in the form of a pointer, never an address; in Fortran that
//! number is an `INTEGER`.

use crate::abi::current;
use crate::abi::kinds::{Flow, Form, Fortran, Kind, NoLength, Type, Value};
use crate::abi::scope::Scope;
use crate::checkpoint::{self, Checkpoint};
use crate::mpi::comm::Comm;
use crate::mpi::comm::group::Group;
use crate::mpi::datatype::Datatype;
use crate::mpi::errhandler::Errhandler;
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::file::open_file::File;
use crate::mpi::handle_table::Held;
use crate::mpi::info::Info;
use crate::mpi::op::Op;
use crate::mpi::open_session::Session;
use crate::mpi::process::{FILE_NULL, Process};
use crate::mpi::rma::win::Win;
use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::sync::Arc;

/// A handle type: the names of its pointers and arrays in C.
#[cfg_attr(not(test), allow(dead_code, reason = "a test compares the names with the header"))]
pub(in crate::abi) trait Handle: Kind {
    const POINTER: &'static str;
    const ARRAY: &'static str;
    const CONST_ARRAY: &'static str;
    const NULL: usize;
    /// The handle's value, unchecked.
    fn key(self) -> usize;
}

macro_rules! handles {
    ($($name:ident, null $null:literal, $checked:ty, $find:expr;)*) => {$(
        #[derive(Clone, Copy)]
        #[allow(clippy::upper_case_acronyms, reason = "handles have their names from C")]
        pub(in crate::abi) struct $name(usize);

        #[allow(dead_code, reason = "not every sort of handle is made or looked at unchecked")]
        impl $name {
            /// The handle with this key.
            pub(in crate::abi) fn of(key: usize) -> Self {
                Self(key)
            }
        }

        impl Handle for $name {
            const POINTER: &'static str = concat!(stringify!($name), " *");
            const ARRAY: &'static str = concat!(stringify!($name), "[]");
            const CONST_ARRAY: &'static str = concat!("const ", stringify!($name), "[]");
            const NULL: usize = $null;
            #[inline]
            fn key(self) -> usize {
                self.0
            }
        }

        impl Kind for $name {
            const C: &'static str = stringify!($name);
            type Raw = *mut c_void;
            type Checked = $checked;
            #[inline]
            fn from_c(raw: *mut c_void) -> Self {
                Self(raw.addr())
            }
            #[inline]
            fn check(self, process: &'static Process, name: &'static str) -> Result<$checked> {
                looked_up($find, process, self.0, name)
            }
        }

        impl Fortran for $name {
            type Wire = *const c_int;
            type Length = NoLength;
            const FORM: Form = Form::new(Type::Handle(stringify!($name)), Flow::In);
            #[inline]
            unsafe fn enter(wire: *const c_int, _: NoLength) -> Self {
                // SAFETY: Fortran passes scalars by reference, and the reference is live here.
                Self(unsafe { *wire } as u32 as usize)
            }
        }

        impl Value for $name {
            const C: &'static str = stringify!($name);
            type Raw = *mut c_void;
            fn into_c(self) -> *mut c_void {
                std::ptr::without_provenance_mut(self.0)
            }
        }
    )*};
}

handles! {
    MPI_Comm, null 0x100, Held<Comm>, |process, key, name| process.comm(key, name);
    MPI_Group, null 0x108, Held<Group>, |process, key, name| process.group(key, name);
    MPI_Win, null 0x110, Held<Win>, |process, key, name| process.win(key, name);
    MPI_File, null 0x118, Arc<File>, |process, key, name| process.file(key, name);
    MPI_Session, null 0x120, Arc<Session>, |process, key, name| process.session(key, name);
    MPI_Message, null 0x128, usize, |_, key, _| Ok(key);
    MPI_Info, null 0x130, Held<Info>, |process, key, name| process.info(key, name);
    MPI_Errhandler, null 0x140, Held<Errhandler>,
        |process, key, name| process.errhandler(key, name);
    MPI_Request, null 0x180, usize, |_, key, _| Ok(key);
    MPI_Datatype, null 0x200, Held<Datatype>, |process, key, name| process.datatype(key, name);
    FTCK, null 0, Arc<Checkpoint>, checkpoint::find;
    MPI_Op, null 0x20, Held<Op>, |process, key, name| process.op(key, name);
}

/// The result of `find`: an inlined closure, where a function pointer would cost a call.
#[inline(always)]
fn looked_up<T>(
    find: impl FnOnce(&'static Process, usize, &'static str) -> Result<T>,
    process: &'static Process, key: usize, name: &'static str,
) -> Result<T> {
    find(process, key, name)
}

impl From<MPI_Comm> for Scope {
    fn from(comm: MPI_Comm) -> Scope {
        Scope::Comm(comm.0)
    }
}

impl From<MPI_File> for Scope {
    fn from(file: MPI_File) -> Scope {
        Scope::File(file.0)
    }
}

impl From<Var<MPI_File>> for Scope {
    fn from(file: Var<MPI_File>) -> Scope {
        Scope::File(if file.0.is_null() { FILE_NULL } else { file.key() })
    }
}

impl From<MPI_Win> for Scope {
    fn from(win: MPI_Win) -> Scope {
        Scope::Win(win.0)
    }
}

impl From<MPI_Session> for Scope {
    fn from(session: MPI_Session) -> Scope {
        Scope::Session(session.0)
    }
}

impl From<MPI_Errhandler> for Scope {
    fn from(errhandler: MPI_Errhandler) -> Scope {
        Scope::Handler(errhandler.0)
    }
}

/// A file on which a split collective access begins.
#[derive(Clone, Copy)]
pub(in crate::abi) struct SplitFile(MPI_File);

impl Kind for SplitFile {
    const C: &'static str = <MPI_File as Kind>::C;
    type Raw = *mut c_void;
    type Checked = Arc<File>;
    fn from_c(raw: *mut c_void) -> Self {
        Self(MPI_File::from_c(raw))
    }
    fn check(self, process: &'static Process, name: &'static str) -> Result<Arc<File>> {
        self.0.check(process, name)
    }
}

impl Fortran for SplitFile {
    type Wire = *const c_int;
    type Length = NoLength;
    const FORM: Form = MPI_File::FORM;
    unsafe fn enter(wire: *const c_int, length: NoLength) -> Self {
        // SAFETY: the caller makes the promise that the handle asks for.
        Self(unsafe { MPI_File::enter(wire, length) })
    }
    /// The request is the file's, which keeps it where it is until the access is ended.
    fn request(wire: *const c_int) -> Option<*mut c_int> {
        // SAFETY: Fortran passes scalars by reference, and the reference is live here.
        let handle = unsafe { *wire } as u32 as usize;
        let file = current::process().files.find(handle)?;
        Some(file.split_request.as_ptr())
    }
}

impl From<SplitFile> for Scope {
    fn from(file: SplitFile) -> Scope {
        file.0.into()
    }
}

/// A handle that may be the null handle of its type.
#[derive(Clone, Copy)]
pub(in crate::abi) struct OrNull<H>(H);

/// An info that may be MPI_INFO_NULL.
pub(in crate::abi) type Hints = OrNull<MPI_Info>;

impl<H: Handle> Kind for OrNull<H> {
    const C: &'static str = H::C;
    type Raw = H::Raw;
    type Checked = Option<H::Checked>;
    fn from_c(raw: H::Raw) -> Self {
        Self(H::from_c(raw))
    }
    fn check(self, process: &'static Process, name: &'static str) -> Result<Option<H::Checked>> {
        if self.0.key() == H::NULL {
            return Ok(None);
        }
        self.0.check(process, name).map(Some)
    }
}

impl<H: Handle + Fortran> Fortran for OrNull<H> {
    type Wire = H::Wire;
    type Length = H::Length;
    const FORM: Form = H::FORM;
    unsafe fn enter(wire: H::Wire, length: H::Length) -> Self {
        // SAFETY: the caller makes the promise that `H` asks for.
        Self(unsafe { H::enter(wire, length) })
    }
}

impl<H: Into<Scope>> From<OrNull<H>> for Scope {
    fn from(handle: OrNull<H>) -> Scope {
        handle.0.into()
    }
}

/// Where handles are stored: eight bytes each in C, an `INTEGER` in Fortran. The highest bit, which
/// is clear in every user-space address, says which. So the whole value fits a register.
#[derive(Clone, Copy)]
struct Place(usize);

impl Place {
    const IS_FORTRAN: usize = 1 << 63;

    #[inline]
    fn of_c(at: *mut *mut c_void) -> Place {
        Place(at.expose_provenance())
    }

    #[inline]
    fn of_fortran(at: *mut c_int) -> Place {
        Place(at.expose_provenance() | Place::IS_FORTRAN)
    }

    #[inline]
    fn in_fortran(self) -> Option<*mut c_int> {
        let is_it = self.0 & Place::IS_FORTRAN != 0;
        is_it.then(|| std::ptr::with_exposed_provenance_mut(self.0 & !Place::IS_FORTRAN))
    }

    #[inline]
    fn in_c(self) -> *mut *mut c_void {
        std::ptr::with_exposed_provenance_mut(self.0)
    }

    #[inline]
    fn is_null(self) -> bool {
        self.0 & !Place::IS_FORTRAN == 0
    }

    #[inline]
    fn key(self, index: usize) -> usize {
        match self.in_fortran() {
            // SAFETY: not null; the caller of MPI vouches for the place (§2.3).
            None => unsafe { *self.in_c().add(index) }.addr(),
            // SAFETY: not null; the caller of MPI vouches for the place (§2.3).
            Some(at) => unsafe { *at.add(index) as u32 as usize },
        }
    }

    #[inline]
    fn set(self, index: usize, key: usize) {
        let handle = std::ptr::without_provenance_mut(key);
        match self.in_fortran() {
            // SAFETY: not null; the caller of MPI vouches for the place (§2.3).
            None => unsafe { self.in_c().add(index).write(handle) },
            // SAFETY: not null; the caller of MPI vouches for the place (§2.3). A key has 31 bits.
            Some(at) => unsafe { at.add(index).write(key as c_int) },
        }
    }
}

/// A caller's variable for a handle, read or written.
#[derive(Clone, Copy)]
pub(in crate::abi) struct Var<H>(Place, PhantomData<H>);

impl<H: Handle> Var<H> {
    #[inline]
    pub(in crate::abi) fn key(self) -> usize {
        self.0.key(0)
    }

    #[inline]
    pub(in crate::abi) fn set(self, key: usize) {
        self.0.set(0, key);
    }

    pub(in crate::abi) fn set_or_null(self, key: Option<usize>) {
        self.0.set(0, key.unwrap_or(H::NULL));
    }

    /// Sets the handle if there is one.
    pub(in crate::abi) fn set_if(self, key: Option<usize>) {
        key.into_iter().for_each(|key| self.set(key));
    }

    pub(in crate::abi) fn set_null(self) {
        self.0.set(0, H::NULL);
    }
}

impl<H: Handle> Kind for Var<H> {
    const C: &'static str = H::POINTER;
    type Raw = *mut *mut c_void;
    type Checked = Self;
    fn from_c(raw: *mut *mut c_void) -> Self {
        Self(Place::of_c(raw), PhantomData)
    }
    fn check(self, _: &'static Process, name: &'static str) -> Result<Self> {
        if self.0.is_null() { Err(super::memory::null(name)) } else { Ok(self) }
    }
}

impl<H: Handle> Fortran for Var<H> {
    type Wire = *mut c_int;
    type Length = NoLength;
    const FORM: Form = Form::new(Type::Handle(H::C), Flow::Var);
    unsafe fn enter(wire: *mut c_int, _: NoLength) -> Self {
        Self(Place::of_fortran(wire), PhantomData)
    }
    #[inline]
    fn request(wire: *mut c_int) -> Option<*mut c_int> {
        (H::NULL == MPI_Request::NULL).then_some(wire)
    }
}

impl From<Var<MPI_Comm>> for Scope {
    fn from(comm: Var<MPI_Comm>) -> Scope {
        if comm.0.is_null() { Scope::Initial } else { Scope::Comm(comm.key()) }
    }
}

impl From<Var<MPI_Win>> for Scope {
    fn from(win: Var<MPI_Win>) -> Scope {
        if win.0.is_null() { Scope::Initial } else { Scope::Win(win.key()) }
    }
}

impl From<Var<MPI_Session>> for Scope {
    fn from(session: Var<MPI_Session>) -> Scope {
        if session.0.is_null() { Scope::Initial } else { Scope::Session(session.key()) }
    }
}

/// A caller's array of handles, for reading and writing.
#[derive(Clone, Copy)]
pub(in crate::abi) struct Vars<H>(Place, &'static str, PhantomData<H>);

impl<H: Handle> Vars<H> {
    pub(in crate::abi) fn set(self, index: usize, key: usize) {
        self.0.set(index, key);
    }

    /// Writes `keys` to the array, from its start.
    pub(in crate::abi) fn put(self, keys: &[usize]) -> Result {
        refuse_null(self.0, self.1, keys.len() as i64)?;
        keys.iter().enumerate().for_each(|(index, key)| self.0.set(index, *key));
        Ok(())
    }

    /// The handle at `index`, which is less than the length passed to `of_length`.
    pub(in crate::abi) fn key(self, index: usize) -> usize {
        self.0.key(index)
    }

    /// Fails if the array is null but must hold `count` handles.
    pub(in crate::abi) fn of_length(self, count: i64) -> Result<Self> {
        refuse_null(self.0, self.1, count)?;
        Ok(self)
    }
}

impl<H: Handle> Kind for Vars<H> {
    const C: &'static str = H::ARRAY;
    type Raw = *mut *mut c_void;
    type Checked = Self;
    fn from_c(raw: *mut *mut c_void) -> Self {
        Self(Place::of_c(raw), "", PhantomData)
    }
    fn check(self, _: &'static Process, name: &'static str) -> Result<Self> {
        Ok(Self(self.0, name, PhantomData))
    }
}

impl<H: Handle> Fortran for Vars<H> {
    type Wire = *mut c_int;
    type Length = NoLength;
    const FORM: Form = Form::array(Type::Handle(H::C), Flow::Var);
    unsafe fn enter(wire: *mut c_int, _: NoLength) -> Self {
        Self(Place::of_fortran(wire), "", PhantomData)
    }
}

/// A caller's array of handles, for reading.
#[derive(Clone, Copy)]
pub(in crate::abi) struct Keys<H>(Place, &'static str, PhantomData<H>);

impl<H: Handle> Keys<H> {
    /// The handle at `index`, which is less than the length passed to `of_length`.
    pub(in crate::abi) fn key(self, index: usize) -> usize {
        self.0.key(index)
    }

    /// Fails if the array is null but must hold `count` handles.
    pub(in crate::abi) fn of_length(self, count: i64) -> Result<Self> {
        refuse_null(self.0, self.1, count)?;
        Ok(self)
    }

    /// The first `count` handles.
    pub(in crate::abi) fn keys(self, count: i64) -> Result<impl Iterator<Item = usize>> {
        let list = self.of_length(count)?;
        Ok((0..usize::try_from(count).unwrap_or(0)).map(move |index| list.key(index)))
    }
}

impl<H: Handle> Kind for Keys<H> {
    const C: &'static str = H::CONST_ARRAY;
    type Raw = *mut *mut c_void;
    type Checked = Self;
    fn from_c(raw: *mut *mut c_void) -> Self {
        Self(Place::of_c(raw), "", PhantomData)
    }
    fn check(self, _: &'static Process, name: &'static str) -> Result<Self> {
        Ok(Self(self.0, name, PhantomData))
    }
}

impl<H: Handle> Fortran for Keys<H> {
    type Wire = *mut c_int;
    type Length = NoLength;
    const FORM: Form = Form::array(Type::Handle(H::C), Flow::In);
    unsafe fn enter(wire: *mut c_int, _: NoLength) -> Self {
        Self(Place::of_fortran(wire), "", PhantomData)
    }
}

fn refuse_null(place: Place, name: &str, count: i64) -> Result {
    if place.is_null() && count > 0 {
        return Err(no_array(name, count));
    }
    Ok(())
}

#[cold]
fn no_array(name: &str, count: i64) -> Failure {
    Class::ARG.because(format!("{name} is a null pointer; it must point to {count} handles"))
}
