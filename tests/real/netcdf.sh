# NetCDF-4 over parallel HDF5: its own parallel tests, which check themselves.
parallel_hdf5
source_of netcdf
# Its configure script wants m4.
if ! command -v m4 >/dev/null; then
    if [ ! -x "$work/m4/usr/bin/m4" ]; then
        lists
        mkdir -p "$work/fetched"
        cd "$work/fetched"
        step netcdf-m4 600 env APT_CONFIG="$work/apt/apt.conf" apt-get download m4 libsigsegv2
        for package in m4_*.deb libsigsegv2_*.deb; do
            dpkg-deb -x "$package" "$work/m4"
        done
    fi
    PATH=$PATH:$work/m4/usr/bin
    LD_LIBRARY_PATH=$work/m4/usr/lib/x86_64-linux-gnu${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export PATH LD_LIBRARY_PATH
fi
mkdir -p "$work/netcdf/build"
cd "$work/netcdf/build"
if [ ! -e nc_test4/tst_parallel5 ]; then
    say "building netcdf"
    [ -e Makefile ] || step netcdf-configure 900 env CC=mpicc CFLAGS="-O1 -w" \
        CPPFLAGS="-I$hdf5/include" LDFLAGS="-L$hdf5/lib" LIBS="-lz -lm -ldl" ../configure \
        --enable-parallel-tests --disable-shared --disable-dap --disable-byterange \
        --disable-nczarr --disable-libxml2 --disable-pnetcdf \
        --with-mpiexec=ftrun
    step netcdf-build 1800 make -j2
    step netcdf-build-h5 900 make -C h5_test -j2 check TESTS=
    step netcdf-build-nc 900 make -C nc_test4 -j2 check TESTS=
fi

# netcdf_tests DIRECTORY SCRIPT: runs it; it ends when a test fails.
netcdf_tests() {
    step "netcdf-$1" 900 sh -c "cd $1 && bash $2"
    good=$(grep -c 'ok\.$' "$log/netcdf-$1") || true
    [ "$good" -gt 0 ] || fail "netcdf: $2 says of no test that it is well ($log/netcdf-$1)"
    passed "$good" "$good tests of $1/$2"
}

netcdf_tests h5_test run_par_tests.sh
netcdf_tests nc_test4 run_par_test.sh
