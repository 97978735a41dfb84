# FFTW: distributed transforms, which its own benchmark compares with the sums that define them.
# Complex, real, cosines and sines; in place and not; "[" and "]": input or output left transposed.
source_of fftw3
cd "$work/fftw3"
if [ ! -x mpi/mpi-bench ]; then
    say "building fftw"
    [ -e Makefile ] || step fftw-configure 600 \
        ./configure CC=mpicc MPICC=mpicc --enable-mpi --disable-fortran CFLAGS=-O1
    step fftw-build 1800 make -j2
fi

# fftw_run RANKS PROBLEM…
fftw_run() {
    ranks=$1
    shift
    list=""
    for problem in "$@"; do
        list="$list --verify $problem"
    done
    # shellcheck disable=SC2086  # the list is words
    step "fftw-$ranks" 600 ftrun -np "$ranks" mpi/mpi-bench -v2 -oestimate $list
    # A line for each: the problem and its three errors, relative to its size.
    verified=$(grep -c ' [0-9.]*e-1[5-9] [0-9.]*e-1[4-9] [0-9.]*e-1[5-9]$' "$log/fftw-$ranks")
    [ "$verified" -eq $# ] || fail "fftw on $ranks ranks: $verified of $# ($log/fftw-$ranks)"
    passed "$verified" "$ranks ranks: $verified transforms"
}

for ranks in 1 2 3 4 8; do
    fftw_run "$ranks" ocf64x32 icb30x21x7 orf24x25 orb16x16x16 irf32x18 icf1024 ocb1260 \
        ocf8x9x10v3 ok12e00x10e00 ik9o00x14o10 "]ocf64x32" "]icb30x21x7" "]orf24x25" "[icf12x14" \
        "[orb24x25" "[ocb40x3x5"
done
