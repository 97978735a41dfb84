# OpenCoarrays: Fortran's coarrays over one-sided communication. Its own tests, by ctest, with this
# library's launcher.
source_of open-coarrays
cd "$work/open-coarrays"
if [ ! -e build/Makefile.done ]; then
    say "building opencoarrays"
    step opencoarrays-configure 600 env CC=gcc FC=gfortran cmake -B build \
        -DCMAKE_BUILD_TYPE=Release -DMPI_C_COMPILER="$root/target/release/mpicc" \
        -DMPI_Fortran_COMPILER="$root/target/release/mpifort" \
        -DMPIEXEC_EXECUTABLE="$root/target/release/ftrun"
    step opencoarrays-build 1800 make -C build -j2
    touch build/Makefile.done
fi
cd build
step opencoarrays-ctest 900 ctest -j2
tests=$(sed -n 's/^100% tests passed, 0 tests failed out of \([0-9]*\)$/\1/p' \
    "$log/opencoarrays-ctest")
[ "${tests:-0}" -ge 80 ] || fail "opencoarrays: ${tests:-0} tests ($log/opencoarrays-ctest)"
passed "$tests" "$tests tests of ctest"
