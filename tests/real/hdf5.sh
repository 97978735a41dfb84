# Parallel HDF5: its own tests of files that many ranks write and read together. They check
# themselves. (Left out: t_cache_image, which takes more than five minutes on MPICH, too, where ranks
# share two cores.)
parallel_hdf5
mkdir -p "$work/run/hdf5"
cd "$work/hdf5/build"
if [ ! -x testpar/testphdf5 ]; then
    say "building the tests of hdf5"
    step hdf5-build-test 900 make -C test -j2 libh5test.la
    step hdf5-build-testpar 900 make -C testpar -j2 testphdf5 t_mpi t_cache t_pread \
        t_pshutdown t_prestart t_init_term t_shapesame t_filters_parallel
fi

# hdf5_test PROGRAM WORDS RANKS…: runs it, and looks for the words with which it says that all is well.
hdf5_test() {
    program=$1
    words=$2
    shift 2
    for ranks in "$@"; do
        name=hdf5-$program-$ranks
        step "$name" 600 env HDF5_PARAPREFIX="$work/run/hdf5" \
            ftrun -np "$ranks" "testpar/$program"
        grep -q "$words" "$log/$name" || fail "hdf5: $program on $ranks ranks ($log/$name)"
    done
    passed $# "$program on $* ranks"
}

hdf5_test t_mpi "MPI tests finished with no errors" 2 4 7
hdf5_test testphdf5 "PHDF5 tests finished with no errors" 2 4 7
hdf5_test t_cache "metadata cache tests finished with no failures" 4
hdf5_test t_pread "optimization tests finished with no failures" 3 6
# The second opens what the first has left open.
hdf5_test t_pshutdown PASSED 4
hdf5_test t_prestart PASSED 4
hdf5_test t_init_term PASSED 4
hdf5_test t_shapesame "Shape Same tests finished with no errors" 4
hdf5_test t_filters_parallel "All Parallel Filters tests passed" 4
