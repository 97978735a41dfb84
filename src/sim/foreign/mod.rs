//! Applications in C, Fortran, C++ or any language that can make a shared library.

pub mod bluegene;
mod faults;
pub mod natural;
mod passed;
#[allow(dead_code, reason = "the launcher's ranks need more of it")]
#[path = "../../host/fiber/switch.rs"]
mod switch;
mod thread;

use std::ffi::CStr;
use std::path::{Path, PathBuf};

/// The maximum length of an application's text about a node.
const INFO_BYTES: usize = 512;

/// A library that is never unloaded.
struct Library {
    path: PathBuf,
    /// The header that describes what the library has to define.
    header: &'static str,
    library: &'static libloading::Library,
}

impl Library {
    fn load(path: &Path, header: &'static str) -> Result<Library, String> {
        // Without a slash, the loader would look elsewhere.
        let path = path.canonicalize().map_err(|why| format!("{}: {why}", path.display()))?;
        // SAFETY: a user who names an application wants its constructors to run.
        let open = || unsafe { libloading::Library::new(&path) };
        let library = faults::while_loading(open);
        let library = library.map_err(|why| format!("{why}: see {header}"))?;
        Ok(Library { path, header, library: Box::leak(Box::new(library)) })
    }

    /// # Safety
    /// The function, if it is there, has this type.
    unsafe fn function<F: Copy>(&self, name: &str) -> Option<F> {
        // SAFETY: the caller vouches for the type.
        unsafe { self.library.get::<F>(name) }.ok().map(|function| *function)
    }

    /// # Safety
    /// The function, if it is there, has this type.
    unsafe fn needed<F: Copy>(&self, name: &str) -> Result<F, String> {
        // SAFETY: the caller vouches for the type.
        unsafe { self.function(name) }.ok_or_else(|| {
            format!("{}: it does not define {name}: see {}", self.path.display(), self.header)
        })
    }
}

/// The text that an application wrote, up to a 0.
fn text(bytes: &[u8; INFO_BYTES]) -> String {
    let text = CStr::from_bytes_until_nul(bytes).expect("the last byte was left alone");
    text.to_string_lossy().into_owned()
}
