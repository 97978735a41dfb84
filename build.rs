//! Gives the library its soname, and its programs and itself the further names they go by.

use std::os::unix::fs::symlink;
use std::path::Path;

/// Names that cargo has no target for: links, which dangle until the rest is built.
const LINKS: [(&str, &str); 4] = [
    ("libmpi_abi.so.1", "libftmpi_rs.so"),
    ("libmpi_abi.so.0", "libftmpi_rs.so"),
    ("mpic++", "mpicxx"),
    ("mpiCC", "mpicxx"),
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // Without it, a program that is linked with the library's path would keep that path.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libftmpi_rs.so");
    // ld.so runs its constructor before all others (see `host::loader::template`).
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,initfirst");
    let out = std::env::var_os("OUT_DIR").expect("cargo sets it for build scripts");
    // target/<profile>/build/<package>/out: what is built goes three levels up.
    if let Some(profile) = Path::new(&out).ancestors().nth(3) {
        for (name, target) in LINKS {
            let link = profile.join(name);
            if link.symlink_metadata().is_err() {
                // Where this is not allowed, `ftrun` makes up for it.
                let _ = symlink(target, link);
            }
        }
    }
}
