# PARPACK: eigenvalues of large sparse matrices, in Fortran 77. Its own examples say how far each
# eigenpair that they find is from being one.
source_of arpack
algebra
cd "$work/arpack"
if [ ! -e built ]; then
    say "building arpack"
    flags="-O1 -w -std=legacy -I. -IPARPACK/SRC/MPI"
    ls SRC/*.f UTIL/*.f PARPACK/SRC/MPI/*.f PARPACK/UTIL/MPI/*.f >sources
    step arpack-build 1800 xargs -a sources -P 2 -n 8 sh -c '
        for file in "$@"; do mpifort $0 -c "$file" -o "${file%.f}.o" || exit 255; done
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

# arpack_run RANKS: every example; what it says of its four eigenpairs, or of four and a conjugate.
arpack_run() {
    pairs=0
    for example in "$work"/arpack/PARPACK/EXAMPLES/MPI/p*.f "$work"/arpack/PARPACK/TESTS/MPI/*.f; do
        name=$(basename "$example" .f)
        # There its residuals depend on the order of sums, in every MPI: 3e-5 to 9e-3.
        [ "$name-$1" != pcndrv1-5 ] || continue
        step "arpack-$name-$1" 120 ftrun -np "$1" "${example%.f}"
        case $name in p[sc]*) near=1e-3 ;; *) near=1e-10 ;; esac
        # The last table of rows: an eigenpair in each, its residual last; D is Fortran's E.
        found=$(sed 's/D\([-+]\)/E\1/g' "$log/arpack-$name-$1" | awk -v near="$near" '
            /residuals/ { on = 1 }
            on && $1 == "Row" { n++; if (!($NF + 0 == $NF && $NF >= 0 && $NF < near)) bad = 1 }
            /number of converged Ritz values/ { converged = $NF }
            END { print bad || n < converged || converged < 4 ? 0 : n }')
        [ "$found" -ge 4 ] || fail "arpack: $name on $1 ranks ($log/arpack-$name-$1)"
        pairs=$((pairs + found))
    done
    passed "$pairs" "$1 ranks: $pairs eigenpairs"
}

for ranks in 1 2 4 5; do
    arpack_run "$ranks"
done
