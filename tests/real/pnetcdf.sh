# PnetCDF: its own parallel tests, in C and Fortran, which check themselves.
source_of pnetcdf
autotools
cd "$work/pnetcdf"
if [ ! -e test/built ]; then
    say "building pnetcdf"
    [ -e configure ] || step pnetcdf-autoreconf 600 autoreconf -i
    [ -e Makefile ] || step pnetcdf-configure 900 ./configure MPICC=mpicc MPICXX=mpicxx \
        MPIF77=mpifort MPIF90=mpifort CFLAGS="-O1 -w" CXXFLAGS="-O1 -w" FFLAGS="-O1 -w" \
        FCFLAGS="-O1 -w" --disable-shared "TESTMPIRUN=ftrun -np NP" TESTSEQRUN=
    step pnetcdf-build 1800 make -j2
    step pnetcdf-build-tests 1800 make -j2 tests
    touch test/built
fi

# pnetcdf_tests DIRECTORY: runs its tests on 4 ranks; it ends when one fails.
pnetcdf_tests() {
    step "pnetcdf-$1" 900 make -C "test/$1" ptest4
    good=$(grep -c 'pass$' "$log/pnetcdf-$1") || true
    [ "$good" -gt 0 ] || fail "pnetcdf: no test of $1 passes ($log/pnetcdf-$1)"
    passed "$good" "$good tests of $1"
}

for directory in testcases C F90 nonblocking cdf_format; do
    pnetcdf_tests "$directory"
done
# It broadcasts elements of different types, which MPI forbids (MPI-5.0 §6.4) and other libraries
# do not notice.
step pnetcdf-header 300 sh -c "cd test/header && ftrun -np 4 --check off ./header_consistency h.nc"
grep -q 'pass$' "$log/pnetcdf-header" || fail "pnetcdf: header_consistency ($log/pnetcdf-header)"
passed 1 "header_consistency, without checks"
