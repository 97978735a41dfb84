#!/bin/sh
# conda-build runs this in the source; PREFIX is where the package's files go.
set -eu
cargo build --release --locked
target/release/ftmpi-install "$PREFIX"
# These are of the compiler that builds the package: mpifort makes those of the user's.
rm -rf "$PREFIX/lib/ftmpi_rs-modules"
