# FFTW's distributed transforms: its own benchmark compares each with the sums that define it, for
# complex, real and odd/even data, in one place and two, with and without transposed results.
source_of fftw3
cd "$work/fftw3"
if [ ! -x mpi/mpi-bench ]; then
    say "building fftw"
    step fftw-configure ./configure CC=mpicc MPICC=mpicc --enable-mpi --disable-fortran \
        CFLAGS=-O1
    step fftw-build make -j2
fi

# fftw_run RANKS FLAGS PROBLEM…
fftw_run() {
    ranks=$1
    flags=$2
    shift 2
    # shellcheck disable=SC2086  # the flags are words
    step "fftw-$ranks" run 600 "$ranks" mpi/mpi-bench $flags -oestimate --verify "$*"
    seen=$(grep -c '^[a-z0-9/x\[\]*]* [0-9.e-]* [0-9.e-]* [0-9.e-]*$' "$log/fftw-$ranks")
    [ "$seen" -eq $# ] || fail "fftw on $ranks ranks: $seen of $# transforms ($log/fftw-$ranks)"
    echo "fftw on $ranks ranks: $# transforms"
}

say "fftw"
for ranks in 1 2 3 4 8; do
    fftw_run "$ranks" "" ocf64x32 icb30x21x7 orf24x25 orb16x16x16 irf32x18 icf1024 ocb1260 \
        ocf8x9x10v3 ok12e00x10e00 ik9o00x14o10
    fftw_run "$ranks" "-obflag=31" ocf64x32 icb30x21x7 orf24x25 icf12x14
    fftw_run "$ranks" "-obflag=30" ocf64x32 icb30x21x7 orb24x25 icf12x14
done
