# rsmpi (crate `mpi`): MPI from Rust. Its examples assert what they receive.
# Not run: `spawn` and `spawn_multiple` (processes cannot be spawned yet); `comm_name`, which panics
# on MPICH as well; those that panic on purpose; on one rank, what asks for more of them.
if [ ! -e "$work/rsmpi/Cargo.toml" ]; then
    say "fetching rsmpi"
    mkdir -p "$work/fetched/rsmpi/src"
    cat >"$work/fetched/rsmpi/Cargo.toml" <<'END'
[package]
name = "fetch"
version = "0.0.0"
[dependencies]
mpi = "=0.8.2"
[workspace]
END
    touch "$work/fetched/rsmpi/src/lib.rs"
    step rsmpi-fetch 600 cargo vendor --manifest-path "$work/fetched/rsmpi/Cargo.toml" \
        "$work/fetched/rsmpi/vendor"
    cp -r "$work/fetched/rsmpi/vendor/mpi" "$work/rsmpi"
    printf '\n[workspace]\n' >>"$work/rsmpi/Cargo.toml"
fi
cd "$work/rsmpi"
step rsmpi-build 1800 env MPICC=mpicc cargo build --release --examples --features derive,complex
runs=0
for source in examples/*.rs; do
    name=${source##*/}
    name=${name%.rs}
    case $name in
    spawn | spawn_multiple | comm_name | *_panic) continue ;;
    all_gather_bool | immediate_multiple_requests) numbers="2 4 7" ;;
    cartesian_map) numbers="4 8" ;;
    *) numbers="1 2 4 7" ;;
    esac
    for ranks in $numbers; do
        step "rsmpi-$name-$ranks" 120 ftrun -np "$ranks" "target/release/examples/$name"
        runs=$((runs + 1))
    done
done
[ "$runs" -ge 140 ] || fail "rsmpi: only $runs runs"
passed "$runs" "$runs runs of its examples"
