//! Error codes: the standard's classes, and those that the program adds (MPI-5.0 §9.5).

use crate::mpi::error::{Class, Result};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI32, Ordering};

/// The last code that is the library's own.
pub const LASTCODE: i32 = 16383;

/// The codes of one process.
pub struct Codes {
    added: Mutex<BTreeMap<i32, Added>>,
    /// The attribute MPI_LASTUSEDCODE: the largest code there is.
    pub last_used: AtomicI32,
}

struct Added {
    class: i32,
    words: Vec<u8>,
}

impl Default for Codes {
    fn default() -> Codes {
        Codes { added: Mutex::default(), last_used: AtomicI32::new(LASTCODE) }
    }
}

impl Codes {
    /// A new class.
    pub fn add_class(&self) -> i32 {
        let mut added = self.added.lock();
        let code = self.next(&added);
        added.insert(code, Added { class: code, words: Vec::new() });
        code
    }

    /// A new code of `class`.
    pub fn add_code(&self, class: i32) -> Result<i32> {
        let mut added = self.added.lock();
        let is_class = added.get(&class).is_some_and(|known| known.class == class);
        if !is_class && standard(class).is_none() {
            return Err(no_class(class));
        }
        let code = self.next(&added);
        added.insert(code, Added { class, words: Vec::new() });
        Ok(code)
    }

    /// Says what an added code means.
    pub fn set_words(&self, code: i32, words: &[u8]) -> Result {
        let mut added = self.added.lock();
        let known = added.get_mut(&code).ok_or_else(|| not_added(code))?;
        known.words = words.to_vec();
        Ok(())
    }

    /// Takes the words off an added code that has some.
    pub fn remove_words(&self, code: i32) -> Result {
        let mut added = self.added.lock();
        let known = added.get_mut(&code).ok_or_else(|| not_added(code))?;
        if known.words.is_empty() {
            return Err(Class::ARG.because(format!("errorcode {code} has no string")));
        }
        known.words.clear();
        Ok(())
    }

    /// Takes an added code away, which must be a class or not, as the caller says.
    pub fn remove(&self, code: i32, is_class: bool) -> Result {
        let mut added = self.added.lock();
        let known = added.get(&code).filter(|known| (known.class == code) == is_class);
        let Some(known) = known else { return Err(not_added(code)) };
        if !known.words.is_empty() {
            let words = format!("{code} still has an error string; remove the string first");
            return Err(Class::ARG.because(words));
        }
        let has_codes = added.iter().any(|(other, known)| *other != code && known.class == code);
        if has_codes {
            let words = format!("class {code} still has error codes; remove the codes first");
            return Err(Class::ARG.because(words));
        }
        added.remove(&code);
        let last = added.keys().last().copied().unwrap_or(LASTCODE);
        self.last_used.store(last, Ordering::Relaxed);
        Ok(())
    }

    /// The class of `code`.
    pub fn class(&self, code: i32) -> Result<i32> {
        if standard(code).is_some() || code == 0 {
            return Ok(code);
        }
        let added = self.added.lock();
        added.get(&code).map(|known| known.class).ok_or_else(|| {
            Class::ARG.because(format!("errorcode is {code}, which is not an error code"))
        })
    }

    /// What `code` means, in words.
    pub fn words(&self, code: i32) -> Result<Vec<u8>> {
        if code == 0 {
            return Ok(b"MPI_SUCCESS: no error".to_vec());
        }
        if let Some((name, words)) = standard(code) {
            return Ok(format!("{name}: {words}").into_bytes());
        }
        let added = self.added.lock();
        added.get(&code).map(|known| known.words.clone()).ok_or_else(|| {
            Class::ARG.because(format!("errorcode is {code}, which is not an error code"))
        })
    }

    fn next(&self, added: &BTreeMap<i32, Added>) -> i32 {
        let code = added.keys().last().copied().unwrap_or(LASTCODE) + 1;
        self.last_used.store(code, Ordering::Relaxed);
        code
    }
}

/// Whether only the program can have added `code`.
pub fn is_of_the_program(code: i32) -> bool {
    code > LASTCODE
}

/// Name and words of one of the standard's classes.
pub fn standard(class: i32) -> Option<(&'static str, &'static str)> {
    let known = Class::ALL.iter().find(|(known, _, _)| known.0 == class);
    let known = known.map(|(_, name, words)| (*name, *words));
    let known = known.or((class == RESTARTED).then_some(STARTED_ANEW));
    let known = known.or((class == DATA_LOST.0).then_some(LOST));
    known.or_else(|| TOOLS.get(usize::try_from(class.checked_sub(FIRST_OF_TOOLS)?).ok()?).copied())
}

const STARTED_ANEW: (&str, &str) =
    ("MPI_INIT_RESTARTED_PROCS", "this rank replaces one that failed (not an error)");

/// What MPI_Init returns in a replacement: MPI_INIT_RESTARTED_PROCS. No error class, and larger
/// than all of the standard's; codes that programs add are larger still.
pub const RESTARTED: i32 = 2001;

/// More has failed than a checkpoint makes up for: FTCK_ERR_LOST.
pub const DATA_LOST: Class = Class(2002);
const LOST: (&str, &str) =
    ("FTCK_ERR_LOST", "more ranks have failed than the checkpoint can rebuild");

/// The classes of the tools interface (MPI-5.0 §15.3.10), from 1001.
const FIRST_OF_TOOLS: i32 = 1001;
const TOOLS: [(&str, &str); 18] = [
    ("MPI_T_ERR_CANNOT_INIT", "the interface cannot be initialized"),
    ("MPI_T_ERR_NOT_ACCESSIBLE", "the feature is not accessible"),
    ("MPI_T_ERR_NOT_INITIALIZED", "the interface is not initialized"),
    ("MPI_T_ERR_NOT_SUPPORTED", "the feature is not supported"),
    ("MPI_T_ERR_MEMORY", "out of memory"),
    ("MPI_T_ERR_INVALID", "invalid use of the interface"),
    ("MPI_T_ERR_INVALID_INDEX", "invalid index"),
    ("MPI_T_ERR_INVALID_ITEM", "invalid item index"),
    ("MPI_T_ERR_INVALID_SESSION", "invalid session"),
    ("MPI_T_ERR_INVALID_HANDLE", "invalid handle"),
    ("MPI_T_ERR_INVALID_NAME", "invalid name"),
    ("MPI_T_ERR_OUT_OF_HANDLES", "out of handles"),
    ("MPI_T_ERR_OUT_OF_SESSIONS", "out of sessions"),
    ("MPI_T_ERR_CVAR_SET_NOT_NOW", "the variable cannot be set now"),
    ("MPI_T_ERR_CVAR_SET_NEVER", "the variable can never be set"),
    ("MPI_T_ERR_PVAR_NO_WRITE", "the variable cannot be written or reset"),
    ("MPI_T_ERR_PVAR_NO_STARTSTOP", "the variable cannot be started or stopped"),
    ("MPI_T_ERR_PVAR_NO_ATOMIC", "the variable cannot be read and reset at once"),
];

fn no_class(class: i32) -> crate::mpi::error::Failure {
    Class::ARG.because(format!("errorclass is {class}, which is not an error class"))
}

fn not_added(code: i32) -> crate::mpi::error::Failure {
    Class::ARG.because(format!("{code} was not added by this program"))
}
