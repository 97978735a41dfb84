//! Tells the linker where the library is: in FTMPI_LIBDIR, otherwise where this workspace builds
//! it.

use std::env;
use std::path::Path;

fn main() {
    println!("cargo::rerun-if-env-changed=FTMPI_LIBDIR");
    let given = env::var("FTMPI_LIBDIR").ok();
    let here = env::var("CARGO_MANIFEST_DIR").expect("cargo says where the package is");
    let built = Path::new(&here).join("../../target/release");
    let directory = given.unwrap_or_else(|| built.display().to_string());
    println!("cargo::rustc-link-search=native={directory}");
}
