# PARPACK: eigenvalues of large sparse matrices, in Fortran 77. Its own examples say how far each
# eigenpair that they find is from being one.
source_of arpack
algebra
cd "$work/arpack"
if [ ! -e built ]; then
    say "building arpack"
    flags="-O1 -w -std=legacy -I. -IPARPACK/SRC/MPI"
    # shellcheck disable=SC2086  # the flags are words
    for file in SRC/*.f UTIL/*.f PARPACK/SRC/MPI/*.f PARPACK/UTIL/MPI/*.f; do
        echo "$file"
    done | step arpack-build 1800 xargs -P 2 -n 8 sh -c '
        flags=$0
        for file in "$@"; do mpifort $flags -c "$file" -o "${file%.f}.o" || exit 255; done
    ' "$flags"
    ar cr libparpack.a SRC/*.o UTIL/*.o PARPACK/SRC/MPI/*.o PARPACK/UTIL/MPI/*.o
    # shellcheck disable=SC2086  # the flags are words
    for example in PARPACK/EXAMPLES/MPI/p*.f PARPACK/TESTS/MPI/issue46.f; do
        step arpack-example 60 mpifort $flags "$example" -o "${example%.f}" libparpack.a \
            "$lapack" "$blas"
    done
    touch built
fi
mkdir -p "$work/run/arpack"
