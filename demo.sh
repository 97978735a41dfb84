#!/bin/sh
# Builds everything and shows it: 120 ranks of an example, a rank that dies, and a job that survives.
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
"$tools/mpicc" -O2 c_examples/rebuild.c -o "$made/rebuild"

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
echo "== three ranks are killed, start again and get their state back:"
echo "   ftrun -np 120 --mode rebuild --kill 7@before:MPI_Allreduce:20 --kill 0@inside:MPI_Sendrecv:4"
echo "        --kill 99@5ms ./rebuild 100"
"$tools/ftrun" -np 120 --timeout 120 --mode rebuild --kill 7@before:MPI_Allreduce:20 \
    --kill 0@inside:MPI_Sendrecv:4 --kill 99@5ms "$made/rebuild" 100 | tee "$made/survived"
echo "and when nobody is killed:"
"$tools/ftrun" -np 120 --timeout 120 "$made/rebuild" 100 | tee "$made/unharmed"
[ "$(sed 's/.*: //' "$made/survived")" = "$(sed 's/.*: //' "$made/unharmed")" ] ||
    fail "the results should have been the same"

echo
echo "== try your own: $tools/mpicc prog.c -o prog && $tools/ftrun -np 120 ./prog"
