#!/bin/sh
# Builds everything and shows it: 120 ranks of an example, then a rank that dies.
# Installs nothing; says what is missing.
set -eu
cd "$(dirname "$0")"

fail() {
    echo "demo.sh: $1" >&2
    exit 1
}
command -v cargo >/dev/null || fail "cargo is missing: install Rust from https://rustup.rs"
command -v cc >/dev/null || fail "a C compiler is missing: sudo apt-get install gcc libc6-dev"

echo "== building"
cargo build --release

tools=target/release
made=target/demo
mkdir -p "$made"
"$tools/mpicc" -O2 c_examples/heat.c -o "$made/heat" -lm
"$tools/mpicc" -O2 c_examples/nullptr.c -o "$made/nullptr"

echo
echo "== 120 ranks in one process compute how heat spreads: ftrun -np 120 ./heat 200"
"$tools/ftrun" -np 120 --timeout 120 "$made/heat" 200

echo
echo "== rank 77 of 120 writes through a null pointer: ftrun -np 120 ./nullptr 77"
status=0
"$tools/ftrun" -np 120 --timeout 120 "$made/nullptr" 77 || status=$?
echo "the exit status is $status: 128 and the number of the signal, 11"
[ "$status" -eq 139 ] || fail "the exit status should have been 139"

echo
echo "== try your own: $tools/mpicc prog.c -o prog && $tools/ftrun -np 120 ./prog"
