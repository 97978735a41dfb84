#!/bin/sh
# Real programs on this library: fetched, built with mpicc and mpifort, run under ftrun, and their
# results looked at. Slow, and needs the network: no part of test.sh.
#
#     ./test-programs.sh [fftw] [hpcc] [hypre] [mumps]
#
# Sources are those of Debian's packages, as their authors released them; they and what is made of
# them stay in target/programs (FTMPI_PROGRAMS), so that a second run only runs. Needs apt-get, but
# installs nothing. FTMPI_MIRROR names another mirror, FTMPI_SUITE another release.
set -eu
cd "$(dirname "$0")"
root=$PWD
work=${FTMPI_PROGRAMS:-$root/target/programs}
mirror=${FTMPI_MIRROR:-http://deb.debian.org/debian}
suite=${FTMPI_SUITE:-bookworm}
log=$work/log
mkdir -p "$work/fetched" "$log"
PATH=$root/target/release:$PATH
export PATH

say() {
    printf '== %s\n' "$*"
}

fail() {
    printf 'test-programs.sh: %s\n' "$*" >&2
    exit 1
}

# Runs a step with its output in a log; shows the end of that if it fails.
step() {
    name=$1
    shift
    if ! "$@" >"$log/$name" 2>&1; then
        tail -n 30 "$log/$name" >&2
        fail "$name failed; all of its output is in $log/$name"
    fi
}

# apt-get with lists and sources of its own, so that nothing of the machine's is touched.
apt() {
    tool=$1
    shift
    APT_CONFIG=$work/apt/apt.conf "$tool" "$@"
}

lists() {
    [ ! -e "$work/apt/done" ] || return 0
    mkdir -p "$work/apt/lists/partial" "$work/apt/cache/archives/partial"
    for kind in deb deb-src; do
        echo "$kind $mirror $suite main"
    done >"$work/apt/sources.list"
    cat >"$work/apt/apt.conf" <<END
Dir::Etc::SourceList "$work/apt/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::State::Lists "$work/apt/lists";
Dir::Cache "$work/apt/cache";
APT::Sandbox::User "$(id -un)";
END
    say "package lists of $mirror $suite"
    step lists apt apt-get update
    touch "$work/apt/done"
}

# The source of a package as its authors released it, in $work/PACKAGE.
source_of() {
    [ ! -e "$work/$1" ] || return 0
    lists
    say "fetching $1"
    (cd "$work/fetched" && step "fetch-$1" apt apt-get source --download-only --tar-only "$1")
    rm -rf "$work/unpacked"
    mkdir "$work/unpacked"
    tar -xf "$work/fetched/$1"_*.orig.tar.* -C "$work/unpacked"
    mv "$work/unpacked"/* "$work/$1"
    rm -r "$work/unpacked"
}

# The reference BLAS and LAPACK, as archives.
algebra() {
    blas=$work/algebra/usr/lib/x86_64-linux-gnu/blas/libblas.a
    lapack=$work/algebra/usr/lib/x86_64-linux-gnu/lapack/liblapack.a
    [ ! -e "$lapack" ] || return 0
    lists
    say "fetching BLAS and LAPACK"
    (cd "$work/fetched" && step algebra apt apt-get download libblas-dev liblapack-dev)
    for package in "$work"/fetched/lib*-dev_*.deb; do
        dpkg-deb -x "$package" "$work/algebra"
    done
}

# run SECONDS RANKS PROGRAM ARGUMENT…: a run that hangs fails, too.
run() {
    patience=$1
    ranks=$2
    shift 2
    timeout "$patience" ftrun -np "$ranks" "$@"
}

programs=${*:-fftw hpcc hypre mumps}
for program in $programs; do
    [ -e "tests/real/$program.sh" ] || fail "there is no tests/real/$program.sh"
done
for tool in apt-get dpkg-deb make timeout cc gfortran; do
    command -v "$tool" >/dev/null || fail "$tool is missing"
done
say "building the library"
step library cargo build --release
failed=""
for program in $programs; do
    # In a shell of its own, and in no condition, where `set -e` would not hold: one that fails ends
    # there, and does not keep the others from being tried.
    set +e
    (
        set -e
        . "$root/tests/real/$program.sh"
    )
    status=$?
    set -e
    if [ "$status" -eq 0 ]; then
        say "$program is well"
    else
        failed="$failed $program"
    fi
done
[ -z "$failed" ] || fail "failed:$failed"
