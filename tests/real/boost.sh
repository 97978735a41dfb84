# Boost.MPI: its own tests, each on the numbers of ranks that its authors name. They check themselves.
source_of boost1.74
cd "$work/boost1.74"
includes=""
for directory in libs/*/include libs/numeric/*/include; do
    includes="$includes -I$directory"
done
if [ ! -e ftmpi/libboost.a ]; then
    say "building boost"
    mkdir -p ftmpi
    # The workers of xargs are words of this shell's, so that -I options need no quotes.
    step boost-build 1800 sh -ec '
        ls libs/mpi/src/*.cpp libs/serialization/src/*.cpp | xargs -P2 -I{} sh -ec \
            "mpicxx -O1 -w '"$includes"' -c {} -o ftmpi/\$(basename {} .cpp).o"
        ar rcs ftmpi/libboost.a ftmpi/*.o'
fi

# boost_test NAME RANKS…
boost_test() {
    name=$1
    shift
    if [ ! -x "ftmpi/$name" ]; then
        # shellcheck disable=SC2086  # the list is words
        step "boost-build-$name" 600 mpicxx -O1 -w $includes "libs/mpi/test/$name.cpp" \
            libs/mpi/test/debugger.cpp ftmpi/libboost.a -o "ftmpi/$name"
    fi
    for ranks in "$@"; do
        step "boost-$name-$ranks" 120 ftrun -np "$ranks" "ftmpi/$name"
    done
    passed $# "$name on $* ranks"
}

for name in version_test cartesian_topology_init_test is_mpi_op_test mt_level_test; do
    boost_test "$name" 1
done
for name in all_gather_test all_reduce_test all_to_all_test gather_test; do
    boost_test "$name" 1 2 11
done
for name in reduce_test scan_test scatter_test groups_test; do
    boost_test "$name" 1 2 4 11
done
for name in block_nonblock_test broadcast_stl_test wait_all_vector_test pointer_test \
    sendrecv_vector; do
    boost_test "$name" 2
done
boost_test broadcast_test 2 17
boost_test mt_init_test 1 4
boost_test nonblocking_test 2 11 24
boost_test ring_test 2 3 4 7 8 13 17
boost_test sendrecv_test 1 4 7 48
boost_test wait_any_test 1 4 7 20
boost_test wait_all_on_null 1 2
boost_test skeleton_content_test 2 3 4 7 8 13 17
boost_test graph_topology_test 2 7 13
boost_test cartesian_topology_test 24
boost_test non_blocking_any_source 2 17
