//! What `libpmix.so.2` offers: its functions, found at run time, and the layouts that they take,
//! which are those of version 4 and later ones.

use crate::host::symbols::functions;
use std::ffi::{CStr, CString, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// `pmix_status_t`
pub(super) type Status = c_int;
pub(super) const OK: Status = 0;

/// `pmix_proc_t`: the name of a job, and a rank in it.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Process {
    pub(super) namespace: [u8; 256],
    pub(super) rank: u32,
}

/// Instead of a rank: what concerns all.
pub(super) const ALL_RANKS: u32 = u32::MAX - 1;

/// `pmix_value_t`: a type, and what is of this type.
#[repr(C)]
pub(super) struct Value {
    pub(super) kind: u16,
    pub(super) data: u64,
    rest: [u64; 2],
}

pub(super) const BOOL: u16 = 1;
pub(super) const STRING: u16 = 3;
pub(super) const INT: u16 = 6;
pub(super) const UINT32: u16 = 14;

impl Value {
    pub(super) fn new(kind: u16, data: u64) -> Value {
        Value { kind, data, rest: [0; 2] }
    }
}

/// `pmix_info_t`: a value with a name.
#[repr(C)]
pub(super) struct Info {
    pub(super) key: [u8; 512],
    pub(super) flags: u32,
    pub(super) value: Value,
}

impl Info {
    pub(super) fn new(name: &CStr, value: Value) -> Info {
        let (mut key, name) = ([0; 512], name.to_bytes());
        key[..name.len()].copy_from_slice(name);
        Info { key, flags: 0, value }
    }
}

/// Published for all processes, wherever they are.
pub(super) const GLOBAL: u8 = 3;

functions! {
    PMIx_Init: fn(*mut Process, *const Info, usize) -> Status;
    PMIx_Finalize: fn(*const Info, usize) -> Status;
    PMIx_Get: fn(
        *const Process, *const c_char, *const Info, usize, *mut *mut Value
    ) -> Status;
    PMIx_Put: fn(u8, *const c_char, *const Value) -> Status;
    PMIx_Commit: fn() -> Status;
    PMIx_Fence: fn(*const Process, usize, *const Info, usize) -> Status;
    PMIx_Error_string: fn(Status) -> *const c_char;
}

/// The library's name.
const NAME: &str = "libpmix.so.2";

impl Symbols {
    /// Opens the library: the one that the launcher itself uses, if that can be seen, since others
    /// may be too old or too new for it; or that of the system. Or says why that is impossible, and
    /// what to do.
    pub(super) fn open() -> Result<Symbols, String> {
        let of_launcher = of_ancestors().map(|path| path.as_os_str().to_owned());
        let names = of_launcher.chain([OsStr::new(NAME).to_owned()]);
        for name in names {
            let Ok(name) = CString::new(name.as_bytes()) else { continue };
            // SAFETY: a name that ends with a zero; the library's constructors are harmless.
            let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW) };
            if !handle.is_null() {
                // SAFETY: it has the name of that library.
                return unsafe { Symbols::find(handle) }
                    .map_err(|name| format!("{NAME} has no {name}: version 4 or newer is needed"));
            }
        }
        Err(format!(
            "{NAME} is not found, by which the launcher tells ranks of each other: install it on \
             each host (Debian, Ubuntu: apt-get install libpmix2), or start the program by ftrun"
        ))
    }

    /// What a status means.
    pub(super) fn words(&self, status: Status) -> String {
        // SAFETY: takes any number, and returns a constant or nothing.
        let text = unsafe { (self.PMIx_Error_string)(status) };
        if text.is_null() {
            return format!("status {status}");
        }
        // SAFETY: a constant that ends with a zero.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    }
}

/// The library as the processes have loaded it that have started this one: first its parent.
fn of_ancestors() -> impl Iterator<Item = PathBuf> {
    const GENERATIONS: usize = 8;
    let ancestors = std::iter::successors(parent("self"), |pid| parent(&pid.to_string()));
    ancestors.take(GENERATIONS).filter_map(|pid| {
        let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).ok()?;
        let mut files = maps.lines().filter_map(|line| Some(&line[line.find('/')?..]));
        files.find(|file| file.contains("/libpmix.so")).map(PathBuf::from)
    })
}

fn parent(pid: &str) -> Option<i32> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
    line.trim().parse().ok().filter(|pid| *pid > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::offset_of;
    use std::process::Command;

    const PROGRAM: &str = r#"
        #include <pmix.h>
        #include <stddef.h>
        #include <stdio.h>
        int main(void) {
            printf("%zu %zu %zu %zu %zu %zu %zu\n", sizeof(pmix_proc_t),
                   offsetof(pmix_proc_t, rank), sizeof(pmix_value_t),
                   offsetof(pmix_value_t, data), sizeof(pmix_info_t),
                   offsetof(pmix_info_t, flags), offsetof(pmix_info_t, value));
            printf("%d %d %d %d %d %u\n", PMIX_BOOL, PMIX_STRING, PMIX_INT, PMIX_UINT32,
                   PMIX_GLOBAL, PMIX_RANK_WILDCARD);
            return 0;
        }
    "#;

    #[test]
    fn layouts_are_those_of_the_header() {
        let flags = Command::new("pkg-config").args(["--cflags", "pmix"]).output();
        let Some(flags) = flags.ok().filter(|seen| seen.status.success()) else {
            eprintln!("skipped: there is no header of PMIx (Debian: apt-get install libpmix-dev)");
            return;
        };
        let directory = std::env::temp_dir().join(format!("ftmpi-pmix-{}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("there is room");
        let (source, program) = (directory.join("layouts.c"), directory.join("layouts"));
        std::fs::write(&source, PROGRAM).expect("there is room");
        let mut compiler = Command::new("cc");
        compiler.args(String::from_utf8_lossy(&flags.stdout).split_whitespace());
        let built = compiler.arg(&source).arg("-o").arg(&program).status();
        assert!(built.is_ok_and(|status| status.success()), "it is compiled");
        let seen = Command::new(&program).output().expect("it was just built");
        std::fs::remove_dir_all(&directory).expect("it is ours");
        let sizes = [
            size_of::<Process>(),
            offset_of!(Process, rank),
            size_of::<Value>(),
            offset_of!(Value, data),
            size_of::<Info>(),
            offset_of!(Info, flags),
            offset_of!(Info, value),
        ];
        let sizes = sizes.map(|size| size.to_string()).join(" ");
        let codes = format!("{BOOL} {STRING} {INT} {UINT32} {GLOBAL} {ALL_RANKS}");
        assert_eq!(String::from_utf8_lossy(&seen.stdout), format!("{sizes}\n{codes}\n"));
    }
}
