# hypre's driver of solvers and preconditioners for sparse systems, with the jobs of its own test
# suite: as many iterations as its authors saw, and as small a residual. HYPRE_JOBS names other jobs
# of that suite (air, amgdd, fsai, ilu).
source_of hypre
cd "$work/hypre/src"
if [ ! -x test/ij ]; then
    say "building hypre"
    step hypre-configure 600 env CC=mpicc CXX=mpicxx FC=mpifort F77=mpifort ./configure --with-MPI \
        --disable-fortran
    step hypre-build 3600 make -j2
    step hypre-driver 600 make -C test ij
fi
rm -rf "$work/run/hypre"
mkdir -p "$work/run"
cp -r test/TEST_ij "$work/run/hypre"
cd "$work/run/hypre"
ln -s "$work/hypre/src/test/ij" ij

# The jobs of a file: ranks, output, arguments.
jobs_of() {
    sed -e ':join' -e '/\\$/{N;s/\\\n/ /;b join' -e '}' "$1.jobs" |
        sed -n 's/^mpirun *-np *\([0-9]*\) *\.\/ij *\(.*\)> *\([^ ]*\) *$/\1 \3 \2/p'
}

# What hypre's authors saw (saved FILE OUTPUT), and whether a report says so, too (agrees OUTPUT):
# as many iterations, but for a few that rounding makes, as small residuals, the same ratios.
saved() {
    awk -v file="$2" '/^# Output file:/ { is = $4 == file } is && / = / && NF' "$1.saved"
}

agrees() {
    awk '
        function name_of(line) {
            # Some of what is saved is older than this word in the report.
            sub(/ *=.*/, "", line); gsub(/^ +|Relative /, "", line); return line
        }
        function is_near(name, saved, seen) {
            if (name ~ /Iterations/) return (saved - seen) ^ 2 <= 4 + saved * saved / 100
            if (name ~ /[Rr]esidual/) return seen <= 10 * saved + 1e-6
            return (saved - seen) ^ 2 <= (0.05 * saved) ^ 2 + 1e-12
        }
        FNR == NR { if (/ = /) values[name_of($0)] = values[name_of($0)] " " $NF; next }
        / = / {
            name = name_of($0); is = 0; count = split(values[name], all, " ")
            for (i = 1; i <= count; i++) if (is_near(name, $NF, all[i])) is = 1
            if (!is) { print name ":" values[name] ", not " $NF; bad = 1 }
        }
        END { exit bad }' "$1" -
}

# hypre_jobs FILE
hypre_jobs() {
    jobs_of "$1" >"$1.list"
    count=0
    while read -r ranks output arguments; do
        # shellcheck disable=SC2086  # the arguments are words
        if ! timeout -k 10 300 ftrun -np "$ranks" ./ij $arguments \
            >"$output" 2>"$output.err" </dev/null; then
            tail -n 5 "$output" "$output.err" >&2
            fail "hypre: ij $arguments on $ranks ranks failed ($PWD/$output)"
        fi
        saved "$1" "$output" | agrees "$output" ||
            fail "hypre: ij $arguments on $ranks ranks ($PWD/$output)"
        count=$((count + 1))
    done <"$1.list"
    # All that the file has, so that a job that is not understood is noticed.
    all=$(grep -c '^mpirun' "$1.jobs")
    [ "$count" -eq "$all" ] || fail "hypre: only $count of $all jobs of $1 were understood"
    passed "$count" "$count runs of the jobs of $1"
}

usual="default solvers smoother coarsening interp agg_interp elast matrix vector"
for jobs in ${HYPRE_JOBS:-$usual}; do
    hypre_jobs "$jobs"
done
