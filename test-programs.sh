#!/bin/sh
# Real programs on this library: fetched, built with mpicc and mpifort, run under ftrun, and their
# results looked at. Slow, and needs the network: no part of test.sh.
#
#     ./test-programs.sh [PROGRAM…]
#
#     abi        this project's own tests, compiled with MPICH's ABI header and run on this library
#     arpack     PARPACK: eigenvalues of large sparse matrices (Fortran 77)
#     boost      Boost.MPI's own tests (C++)
#     espresso   Quantum ESPRESSO: electrons in crystals (a big Fortran code)
#     fftw       FFTW: distributed transforms (C)
#     h5py       h5py over parallel HDF5 and mpi4py: its own parallel tests (Python)
#     hdf5       parallel HDF5: its own tests of files that ranks share (C)
#     hpcc       HPC Challenge: HPL, PTRANS, RandomAccess, FFT, latency, bandwidth (C)
#     hypre      hypre's `ij`: solvers and preconditioners for sparse systems (C)
#     lammps     LAMMPS: molecular dynamics, a Lennard-Jones melt (C++)
#     mpi4py     mpi4py: its own tests, and a Python program that survives
#     mumps      MUMPS: a direct solver for sparse systems (Fortran)
#     netcdf     NetCDF-4 over parallel HDF5: its own parallel tests (C)
#     opencoarrays  OpenCoarrays: coarrays of Fortran over one-sided communication
#     pnetcdf    PnetCDF: its own parallel tests of files that ranks share (C, Fortran)
#     petsc      PETSc: `make check` and tests of communication patterns (C, Fortran)
#     petsc4py   petsc4py over a shared PETSc: its own tests (Python)
#     rsmpi      rsmpi: the examples of the crate `mpi` (Rust)
#     sundials   SUNDIALS: time integrators, their tests and examples (C)
#
# Without a name, all of them. It ends with a line for each, and with 0 if all are well.
#
# Sources are those of Debian's packages, as their authors released them, and crates; MPICH is the wheel
# of PyPI.
# They and what is made of them stay in target/programs (FTMPI_PROGRAMS), with all output in its
# `log`; a second run goes on where the first one ended. Needs apt-get and pip, but installs nothing
# outside. FTMPI_MIRROR names another mirror, FTMPI_SUITES the releases that are asked, in order.
set -eu
cd "$(dirname "$0")"
root=$PWD
usual="abi arpack boost espresso fftw h5py hdf5 hpcc hypre lammps mpi4py mumps netcdf opencoarrays petsc petsc4py pnetcdf rsmpi sundials"
case ${1:-} in
-h | --help)
    sed -n '2,/^set/{/^set/!s/^# \{0,1\}//p}' "$0"
    exit 0
    ;;
esac
work=${FTMPI_PROGRAMS:-$root/target/programs}
mirror=${FTMPI_MIRROR:-http://deb.debian.org/debian}
suites=${FTMPI_SUITES:-bookworm trixie sid}
log=$work/log
peer=$root/target/peers/mpich
began=$(date +%s)
PATH=$root/target/release:$PATH
export PATH

say() {
    now=$(($(date +%s) - began))
    printf '== %3d:%02d %s\n' $((now / 60)) $((now % 60)) "$*"
}

fail() {
    printf 'test-programs.sh: %s\n' "$*" >&2
    exit 1
}

# passed COUNT WORDS…: so many checks of a program more have passed.
passed() {
    checks=$((checks + $1))
    shift
    echo "           $*"
}

# step NAME SECONDS COMMAND…: all of its output goes to a log, whose end is shown if it fails, or
# takes longer.
step() {
    step=$1
    patience=$2
    shift 2
    if ! timeout -k 10 "$patience" "$@" >"$log/$step" 2>&1 </dev/null; then
        tail -n 30 "$log/$step" >&2
        fail "$step failed, or took longer than $patience s; all of its output: $log/$step"
    fi
}

# apt-get with lists and sources of its own, so that nothing of the machine's is touched.
lists() {
    [ ! -e "$work/apt/done" ] || return 0
    mkdir -p "$work/apt/lists/partial" "$work/apt/cache/archives/partial"
    for suite in $suites; do
        echo "deb-src $mirror $suite main"
    done >"$work/apt/sources.list"
    echo "deb $mirror ${suites%% *} main" >>"$work/apt/sources.list"
    cat >"$work/apt/apt.conf" <<END
Dir::Etc::SourceList "$work/apt/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::State::Lists "$work/apt/lists";
Dir::Cache "$work/apt/cache";
APT::Sandbox::User "$(id -un)";
END
    say "package lists of $mirror: $suites"
    step lists 600 env APT_CONFIG="$work/apt/apt.conf" apt-get update
    touch "$work/apt/done"
}

# The source of a package as its authors released it, in $work/PACKAGE: of the first release whose
# file the mirror really has.
source_of() {
    [ ! -e "$work/$1" ] || return 0
    lists
    say "fetching $1"
    for suite in $suites; do
        rm -f "$work/fetched/$1"_*
        (
            cd "$work/fetched"
            APT_CONFIG=$work/apt/apt.conf timeout 1200 \
                apt-get source --download-only --tar-only "$1/$suite"
        ) >"$log/fetch-$1-$suite" 2>&1 || continue
        rm -rf "$work/unpacked"
        mkdir "$work/unpacked"
        tar -xf "$work/fetched/$1"_*.orig.tar.* -C "$work/unpacked" || continue
        mv "$work/unpacked"/* "$work/$1"
        rm -r "$work/unpacked"
        return 0
    done
    tail -n 3 "$log/fetch-$1-$suite" >&2
    fail "$mirror does not give the source of $1 for any of: $suites ($log/fetch-$1-*)"
}

# parallel_hdf5 [DIRECTORY OPTION]: parallel HDF5, static unless the option says otherwise, installed
# in `$hdf5`.
parallel_hdf5() {
    made=$work/hdf5/${1:-build}
    hdf5=$made/installed
    [ ! -e "$hdf5/done" ] || return 0
    source_of hdf5
    say "building hdf5"
    mkdir -p "$made"
    cd "$made"
    [ -e Makefile ] || step hdf5-configure 900 env CC=mpicc ../configure --enable-parallel \
        "${2:---disable-shared}" --disable-tools --enable-build-mode=production \
        --prefix="$hdf5" CFLAGS="-O1 -w"
    step hdf5-build 1800 make -C src -j2 install
    step hdf5-build-hl 900 make -C hl/src -j2 install
    touch "$hdf5/done"
}

# An interpreter with numpy and mpi4py, as `$python`.
python_with_mpi() {
    python=$work/python/bin/python
    [ -x "$python" ] || {
        say "making an environment for python"
        step python-venv 300 python3 -m venv "$work/python"
        step python-numpy 600 "$work/python/bin/pip" install numpy
    }
    [ ! -e "$work/mpi4py/done" ] || return 0
    say "building mpi4py"
    step mpi4py-source 300 "$python" -m pip download --no-deps --no-binary mpi4py \
        --dest "$work/mpi4py" mpi4py
    for name in Comm_revoke Comm_is_revoked Comm_get_failed Comm_ack_failed Comm_agree Comm_iagree \
        Comm_shrink Comm_ishrink ERR_REVOKED ERR_PROC_FAILED ERR_PROC_FAILED_PENDING; do
        flags="${flags:-} -DPyMPI_HAVE_MPI_$name=1"
    done
    step mpi4py-build 1800 env CFLAGS="-O1 $flags" MPICC="$root/target/release/mpicc" \
        "$python" -m pip install --no-deps --force-reinstall --no-cache-dir "$work"/mpi4py/mpi4py-*.tar.gz
    tar -xf "$work"/mpi4py/mpi4py-*.tar.gz -C "$work/mpi4py" --strip-components 1
    touch "$work/mpi4py/done"
}

# autoconf, automake and libtool, where the machine has none: those of Debian, which are told where
# they are now.
autotools() {
    ! command -v autoreconf >/dev/null || return 0
    tools=$work/autotools
    if [ ! -e "$tools/done" ]; then
        lists
        say "fetching autotools"
        cd "$work/fetched"
        step autotools 600 env APT_CONFIG="$work/apt/apt.conf" apt-get download \
            autoconf automake autotools-dev libtool m4 libsigsegv2
        for package in autoconf_*.deb automake_*.deb autotools-dev_*.deb libtool_*.deb m4_*.deb \
            libsigsegv2_*.deb; do
            dpkg-deb -x "$package" "$tools"
        done
        own='m4\|auto[a-z0-9]*\|aclocal\|libtoolize'
        grep -rlI '/usr/\(share\|bin\)' "$tools/usr/bin" "$tools/usr/share" | xargs sed -i \
            -e "s#/usr/share#$tools/usr/share#g" -e "s#/usr/bin/\($own\)#$tools/usr/bin/\1#g"
        for tool in aclocal automake; do
            ln -sf "$(basename "$tools"/usr/bin/$tool-*)" "$tools/usr/bin/$tool"
        done
        touch "$tools/done"
    fi
    PATH=$PATH:$tools/usr/bin
    LD_LIBRARY_PATH=$tools/usr/lib/x86_64-linux-gnu${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    M4=$tools/usr/bin/m4
    export PATH LD_LIBRARY_PATH M4
}

# The reference BLAS and LAPACK, as archives.
algebra() {
    blas=$work/algebra/usr/lib/x86_64-linux-gnu/blas/libblas.a
    lapack=$work/algebra/usr/lib/x86_64-linux-gnu/lapack/liblapack.a
    [ ! -e "$lapack" ] || return 0
    lists
    say "fetching BLAS and LAPACK"
    cd "$work/fetched"
    step algebra 600 env APT_CONFIG="$work/apt/apt.conf" apt-get download libblas-dev liblapack-dev
    for package in "$work"/fetched/lib*-dev_*.deb; do
        dpkg-deb -x "$package" "$work/algebra"
    done
}

# MPICH of PyPI, for its ABI header and its compiler wrapper; the benchmarks use the same. And
# `$work/on-mpich RANKS COMMAND…` runs there what was built with this project's wrappers: it asks for
# libftmpi_rs.so and speaks the standard's ABI, so MPICH's library serves it under that name.
mpich() {
    if [ ! -x "$peer/bin/mpicc_abi" ]; then
        say "fetching MPICH"
        step mpich-home 120 python3 -m venv "$peer"
        step mpich 600 "$peer/bin/pip" install mpich
        [ -x "$peer/bin/mpicc_abi" ] || fail "MPICH's wheel has no mpicc_abi"
    fi
    mkdir -p "$work/as-mpich"
    ln -sf "$peer/lib/libmpi_abi.so.1" "$work/as-mpich/libftmpi_rs.so"
    cat >"$work/on-mpich" <<END
#!/bin/sh
LD_LIBRARY_PATH="$work/as-mpich:$peer/lib/mpich:$peer/lib"
export LD_LIBRARY_PATH
exec "$peer/bin/mpiexec" -np "\$@"
END
    chmod +x "$work/on-mpich"
}

# same_numbers FILE FILE RELATIVE ABSOLUTE: the same words, and numbers that differ by no more.
same_numbers() {
    awk -v relative="$3" -v absolute="$4" '
        function size_of(x) { return x < 0 ? -x : x }
        function is_number(word) { return word ~ /^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$/ }
        function is_near(a, b) {
            return size_of(a - b) <= absolute + relative * (size_of(a) > size_of(b) ? size_of(a) : size_of(b))
        }
        FNR == NR { line[FNR] = $0; lines = FNR; next }
        {
            count = split(line[FNR], wanted); bad = count != NF
            for (i = 1; i <= NF && !bad; i++)
                bad = is_number($i) && is_number(wanted[i]) ? !is_near($i, wanted[i]) : $i != wanted[i]
            if (bad) { print "wanted: " line[FNR] "\nseen:   " $0; failed = 1 }
        }
        END { exit failed || lines != FNR }' "$1" "$2"
}

# A program, in a shell of its own: its checks are counted, and one that fails ends there.
tried() (
    set -e
    checks=0
    # shellcheck disable=SC1090  # one of tests/real
    . "$root/tests/real/$1.sh"
    echo "$checks" >"$log/$1.checks"
)

programs=${*:-$usual}
for program in $programs; do
    [ -e "tests/real/$program.sh" ] || fail "there is no tests/real/$program.sh"
done
for tool in cargo apt-get dpkg-deb make cmake timeout cc gfortran python3; do
    command -v "$tool" >/dev/null || fail "$tool is missing"
done
mkdir -p "$work/fetched" "$work/run" "$log"
say "building the library"
step library 3600 cargo build --release
failed=""
: >"$log/summary"
for program in $programs; do
    say "$program"
    start=$(date +%s)
    rm -f "$log/$program.checks"
    # In no condition, where `set -e` would not hold.
    set +e
    tried "$program"
    status=$?
    set -e
    word=well
    [ "$status" -eq 0 ] || { word=FAILED && failed="$failed $program"; }
    checks=$(cat "$log/$program.checks" 2>/dev/null || echo -)
    printf '%-12s %-6s %5s checks %5d s\n' \
        "$program" "$word" "$checks" $(($(date +%s) - start)) | tee -a "$log/summary"
done
say "done; all output is in $log"
cat "$log/summary"
[ -z "$failed" ] || fail "failed:$failed"
