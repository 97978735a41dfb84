# hypre's driver of solvers and preconditioners for sparse systems, with the jobs of its own test suite:
# as many iterations as its authors saw, and as small a residual.
source_of hypre
cd "$work/hypre/src"
if [ ! -x test/ij ]; then
    say "building hypre"
    step hypre-configure env CC=mpicc CXX=mpicxx FC=mpifort F77=mpifort ./configure --with-MPI \
        --disable-fortran
    step hypre-build make -j2
    step hypre-driver make -C test ij
fi
rm -rf "$work/run/hypre"
mkdir -p "$work/run"
cp -r test/TEST_ij "$work/run/hypre"
cd "$work/run/hypre"
ln -s "$work/hypre/src/test/ij" ij

# The jobs of a file: ranks, output, arguments.
jobs_of() {
    sed -n 's/^mpirun *-np *\([0-9]*\) *\.\/ij *\(.*\)> *\([^ ]*\) *$/\1 \3 \2/p' "$1.jobs"
}

# The first count of iterations and the first residual in a report, or in its part of the saved ones.
figures() {
    awk '/Iterations *=/ && !n { n = $NF } /Residual Norm *=/ && !r { r = $NF } END { print n, r }'
}

saved() {
    awk -v file="$2" '/^# Output file:/ { is = $4 == file } is' "$1.saved"
}

# hypre_jobs FILE
hypre_jobs() {
    say "hypre: jobs of $1"
    jobs_of "$1" >"$1.list"
    count=0
    while read -r ranks output arguments; do
        # shellcheck disable=SC2086  # the arguments are words
        if ! run 300 "$ranks" ./ij $arguments >"$output" 2>"$output.err" </dev/null; then
            tail -n 5 "$output" "$output.err" >&2
            fail "hypre: ij $arguments on $ranks ranks failed ($PWD/$output)"
        fi
        expected=$(saved "$1" "$output" | figures)
        seen=$(figures <"$output")
        # Rounding differs with the order of sums: a few iterations more or less are no error.
        echo "$expected $seen" | awk '
            NF == 4 { d = $1 - $3; exit !(d * d <= 4 + $1 * $1 / 100 && $4 < 10 * $2 + 1e-6) }' ||
            fail "hypre: ij $arguments on $ranks ranks: $seen, not $expected ($PWD/$output)"
        count=$((count + 1))
    done <"$1.list"
    echo "$count runs"
}

for jobs in default solvers smoother coarsening interp agg_interp elast matrix vector; do
    hypre_jobs "$jobs"
done
