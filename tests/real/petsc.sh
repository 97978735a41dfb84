# PETSc: `make check`, and its tests of communication patterns (star forests), by its own harness.
# Some exchange messages, the others use windows: fence, post and start, lock.
source_of petsc
algebra
cd "$work/petsc"
PETSC_DIR=$PWD
PETSC_ARCH=ftmpi
export PETSC_DIR PETSC_ARCH
if [ ! -e ftmpi/lib/libpetsc.a ]; then
    say "building petsc"
    step petsc-configure 1200 ./configure --with-cc=mpicc --with-cxx=mpicxx --with-fc=mpifort \
        --with-mpiexec=ftrun --with-debugging=0 --with-x=0 --with-shared-libraries=0 \
        --with-blaslapack-lib="[$lapack,$blas,libgfortran.so]" \
        COPTFLAGS=-O1 CXXOPTFLAGS=-O1 FOPTFLAGS=-O1
    step petsc-build 3600 make MAKE_NP=2 all
fi
step petsc-check 600 make check
good=$(grep -c 'run successfully with' "$log/petsc-check")
[ "$good" -eq 3 ] || fail "petsc: $good of 3 examples of make check ($log/petsc-check)"
passed 3 "make check: 3 examples in C and Fortran"

# star_forests WORD LEAST: its tests with this word in their names, of which there are so many.
star_forests() {
    step "petsc-sf-$1" 1800 make -j2 -f gmakefile.test test MPIEXEC=ftrun \
        search='vec_is_sf_t*' searchin="*$1*"
    good=$(grep '^ ok' "$log/petsc-sf-$1" | grep -vc SKIP) || true
    bad=$(grep -c '^not ok' "$log/petsc-sf-$1") || true
    [ "$bad" -eq 0 ] && [ "$good" -ge "$2" ] ||
        fail "petsc: $good tests of star forests passed, $bad did not ($log/petsc-sf-$1)"
    passed "$good" "$good results of tests of star forests, $1"
}

star_forests basic 20
star_forests window 150
