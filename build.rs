//! Compiles the functions that only C can define, sets the library's soname, links the further
//! names of the library and its programs, and writes `ftmpi.h`.

use std::os::unix::fs::symlink;
use std::path::Path;

/// Names for which cargo has no target: links, which dangle until the rest is built.
const LINKS: [(&str, &str); 4] = [
    ("libmpi_abi.so.1", "libftmpi_rs.so"),
    ("libmpi_abi.so.0", "libftmpi_rs.so"),
    ("mpic++", "mpicxx"),
    ("mpiCC", "mpicxx"),
];

/// What stable Rust cannot define: variadic functions, and arithmetic on 128-bit floats.
const IN_C: [&str; 2] = ["src/host/shims/variadic.c", "src/mpi/op/kernels/quad.c"];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    IN_C.iter().for_each(|file| println!("cargo:rerun-if-changed={file}"));
    cc::Build::new().files(IN_C).std("gnu11").opt_level(2).pic(true).compile("ftmpi_in_c");
    // Without a soname, a program linked with the library's path would store that path.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libftmpi_rs.so");
    // Makes ld.so run this library's constructor before all others (see `host::loader::template`).
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,initfirst");
    // Tests that count instructions are meaningful only in optimised builds.
    println!("cargo:rustc-check-cfg=cfg(is_optimised)");
    if std::env::var("OPT_LEVEL").is_ok_and(|level| level == "3") {
        println!("cargo:rustc-cfg=is_optimised");
    }
    let out = std::env::var_os("OUT_DIR").expect("cargo sets it for build scripts");
    write_own_header(Path::new(&out));
    // `out` is target/<profile>/build/<package>/out; the build's output is three levels up.
    if let Some(profile) = Path::new(&out).ancestors().nth(3) {
        for (name, target) in LINKS {
            let link = profile.join(name);
            if link.symlink_metadata().is_err() {
                // If links are not allowed here, `ftrun` makes up for it.
                let _ = symlink(target, link);
            }
        }
    }
}

/// Writes the header of this library's extensions. A test compares it with `include/ftmpi.h`.
fn write_own_header(out: &Path) {
    const SOURCE: &str = "src/abi/extensions.rs";
    println!("cargo:rerun-if-changed={SOURCE}");
    let head = "/* Functions of this library beside MPI's. Written by cbindgen from\n * \
                src/abi/extensions.rs: change it there. */";
    let mut config = cbindgen::Config {
        language: cbindgen::Language::C,
        header: Some(head.into()),
        include_guard: Some("FTMPI_H".into()),
        cpp_compat: true,
        includes: vec!["ftck.h".into()],
        no_includes: true,
        documentation_style: cbindgen::DocumentationStyle::C,
        ..cbindgen::Config::default()
    };
    config.function.args = cbindgen::Layout::Horizontal;
    let bindings = cbindgen::Builder::new().with_config(config).with_src(SOURCE).generate();
    bindings.expect("the extensions are plain functions").write_to_file(out.join("ftmpi.h"));
}
