//! PMIx: its client library speaks with the launcher's daemon of this host.

use super::board::{Absent, Launcher, Position, numbered};
use super::symbols::{
    ALL_RANKS, BOOL, GLOBAL, INT, Info, OK, Process, STRING, Status, Symbols, UINT32, Value,
};
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr;

/// The conversation with the launcher.
#[derive(Clone, Copy)]
pub(super) struct Pmix {
    symbols: Symbols,
    own: Process,
    size: u32,
}

/// What is known of the job and its ranks.
const SIZE: &CStr = c"pmix.job.size";
const HOST: &CStr = c"pmix.hname";
/// What a fence is to do, and how many seconds a question may take.
const COLLECT: &CStr = c"pmix.collect";
const TIMEOUT: &CStr = c"pmix.timeout";

impl Pmix {
    pub(super) fn open() -> Result<Pmix, String> {
        let symbols = Symbols::open()?;
        let mut own = Process { namespace: [0; 256], rank: 0 };
        // SAFETY: it writes which process this is.
        let status = unsafe { (symbols.PMIx_Init)(&mut own, ptr::null(), 0) };
        check(&symbols, "PMIx_Init", status)?;
        Ok(Pmix { symbols, own, size: 0 })
    }

    fn of(&self, rank: u32) -> Process {
        Process { namespace: self.own.namespace, rank }
    }

    /// What is known of a rank by this name.
    fn look_up(&self, rank: u32, key: &CStr, how: &[Info]) -> Result<Found, String> {
        let (of, mut value) = (self.of(rank), ptr::null_mut());
        // SAFETY: all of this is read, and `value` is written to, before it returns.
        let status = unsafe {
            (self.symbols.PMIx_Get)(&of, key.as_ptr(), how.as_ptr(), how.len(), &mut value)
        };
        check(&self.symbols, &format!("PMIx_Get of {}", key.to_string_lossy()), status)?;
        if value.is_null() {
            return Err(format!("PMIx: {} has no value", key.to_string_lossy()));
        }
        Ok(Found(value))
    }

    fn text(&self, rank: u32, key: &CStr) -> Result<String, String> {
        let found = self.look_up(rank, key, &[])?;
        found.text().ok_or_else(|| format!("PMIx: {} is no text", key.to_string_lossy()))
    }
}

fn check(symbols: &Symbols, what: &str, status: Status) -> Result<(), String> {
    match status {
        OK => Ok(()),
        bad => Err(format!("PMIx: {what}: {}", symbols.words(bad))),
    }
}

/// A value that PMIx has allocated for us.
struct Found(*mut Value);

impl Found {
    fn value(&self) -> &Value {
        // SAFETY: PMIx has written it, and it is freed with `self`.
        unsafe { &*self.0 }
    }

    fn text(&self) -> Option<String> {
        let value = self.value();
        let text = ptr::with_exposed_provenance::<c_char>(value.data as usize);
        if value.kind != STRING || text.is_null() {
            return None;
        }
        // SAFETY: by its type, it is a string that ends with a zero.
        Some(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
    }

    fn number(&self) -> Option<u32> {
        let value = self.value();
        (value.kind == UINT32).then_some(value.data as u32)
    }
}

impl Drop for Found {
    fn drop(&mut self) {
        let (kind, data) = (self.value().kind, self.value().data);
        if kind == STRING {
            let text = ptr::with_exposed_provenance_mut::<c_void>(data as usize);
            // SAFETY: it belongs to the value, which nobody uses any more.
            unsafe { libc::free(text) };
        }
        // SAFETY: PMIx has allocated it for its caller.
        unsafe { libc::free(self.0.cast()) };
    }
}

fn word(text: &str) -> Result<CString, String> {
    CString::new(text).map_err(|_| "PMIx: a word with a zero in it".to_string())
}

impl Launcher for Pmix {
    fn position(&mut self) -> Result<Position, String> {
        let size = self.look_up(ALL_RANKS, SIZE, &[])?.number();
        let size = size.ok_or("PMIx: the size of the job is no number")?;
        self.size = size;
        let rank = self.own.rank as usize;
        if size == 1 {
            return Ok(Position { rank, hosts: vec![0] });
        }
        let names: Vec<String> =
            (0..size).map(|rank| self.text(rank, HOST)).collect::<Result<_, _>>()?;
        match rank < names.len() {
            true => Ok(Position { rank, hosts: numbered(names) }),
            false => Err(format!("PMIx: there is no rank {rank} of {size}")),
        }
    }

    fn publish(&mut self, key: &str, text: &str) -> Result<(), String> {
        let (key, text) = (word(key)?, word(text)?);
        let value = Value::new(STRING, text.as_ptr().expose_provenance() as u64);
        // SAFETY: both are read before it returns.
        let status = unsafe { (self.symbols.PMIx_Put)(GLOBAL, key.as_ptr(), &value) };
        check(&self.symbols, "PMIx_Put", status)?;
        // SAFETY: has no preconditions once PMIx is initialized.
        let status = unsafe { (self.symbols.PMIx_Commit)() };
        check(&self.symbols, "PMIx_Commit", status)
    }

    fn fence(&mut self) -> Result<(), String> {
        let info = Info::new(COLLECT, Value::new(BOOL, 1));
        // SAFETY: the one piece of information is read before it returns.
        let status = unsafe { (self.symbols.PMIx_Fence)(ptr::null(), 0, &info, 1) };
        check(&self.symbols, "PMIx_Fence", status)
    }

    fn find(&mut self, rank: usize, key: &str) -> Result<String, String> {
        self.text(rank as u32, &word(key)?)
    }

    fn absent(&self, key: &str) -> Option<Absent> {
        const MOST: usize = 8;
        let (asked, key) = (*self, word(key).ok()?);
        Some(Box::new(move || {
            let how = [Info::new(TIMEOUT, Value::new(INT, 1))];
            let is_absent = |rank: &u32| asked.look_up(*rank, &key, &how).is_err();
            let absent = (0..asked.size).filter(is_absent).map(|rank| rank as usize);
            absent.take(MOST).collect()
        }))
    }

    fn part(&mut self) {
        // SAFETY: nothing of PMIx is used afterwards.
        let _gone = unsafe { (self.symbols.PMIx_Finalize)(ptr::null(), 0) };
    }
}
