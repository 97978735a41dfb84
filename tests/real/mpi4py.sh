# mpi4py: MPI for Python, from its source package, with its own tests and with numpy. Left out are one
# that asks for an error where the standard has a null group, and those of its own packaging.
python_with_mpi
cd "$work/mpi4py"
all=$(cd test && ls test_*.py | sed 's/\.py$//' | grep -v -x test_package)
universe="--universe 500"
case ${FTMPI_RANKS:-} in
process:*)
    # docs/PROCESSES.md says that these do not work there.
    all=$(echo "$all" | grep -v -x -e test_spawn -e test_util_pool)
    universe=""
    ;;
process) universe="--universe 200" ;;
esac
total=0
for ranks in 1 2 4 7; do
    # shellcheck disable=SC2086
    step "mpi4py-$ranks" 900 ftrun -np $ranks --mode ulfm $universe -x OPENBLAS_NUM_THREADS=1 "$python" \
        test/main.py -x TestExcSession.testCreateGroup $all
    ran=$(sed -n 's/^Ran \([0-9]*\) tests in .*/\1/p' "$log/mpi4py-$ranks" | head -n 1)
    [ "${ran:-0}" -ge 1500 ] || fail "mpi4py: ${ran:-0} tests on $ranks ranks"
    total=$((total + ran))
done
step mpi4py-rebuild 300 ftrun -np 6 --mode rebuild "$python" "$root/python_examples/rebuild.py" \
    60 2@31 0@47
grep -q '^6 ranks, 2 restarted, 60 steps: 9.296717873$' "$log/mpi4py-rebuild" ||
    fail "mpi4py: another result ($log/mpi4py-rebuild)"
passed "$total" "$total tests on 1, 2, 4 and 7 ranks, and a job that survives two deaths"
