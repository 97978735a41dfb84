# petsc4py: PETSc for Python, from PyPI's source packages of both, with PETSc as a shared library. Its own
# tests, but those that look for libraries which this PETSc was built without.
python_with_mpi
made=$work/petsc4py
solvers=$made/installed
if [ ! -e "$made/done" ]; then
    mkdir -p "$made"
    cd "$made"
    lists
    say "fetching petsc4py"
    step petsc4py-tools 300 "$python" -m pip install --upgrade cython setuptools wheel
    step petsc4py-source 600 "$python" -m pip download --no-deps --no-build-isolation \
        --no-binary petsc,petsc4py --dest "$made" petsc petsc4py
    for name in petsc petsc4py; do
        mkdir -p "$name"
        tar -xf "$made/$name"-*.tar.gz -C "$name" --strip-components 1
    done
    step petsc4py-algebra 600 env APT_CONFIG="$work/apt/apt.conf" apt-get download libblas3 liblapack3
    for package in "$made"/lib*_*.deb; do
        dpkg-deb -x "$package" "$made/algebra"
    done
    libraries=$made/algebra/usr/lib/x86_64-linux-gnu
    cd "$made/petsc"
    unset PETSC_DIR PETSC_ARCH
    say "building a shared petsc"
    step petsc4py-configure 1200 ./configure --prefix="$solvers" --with-cc=mpicc --with-cxx=mpicxx \
        --with-fc=mpifort --with-fortran-bindings=0 --with-mpiexec=ftrun --with-debugging=0 --with-x=0 \
        --with-blaslapack-lib="[$libraries/lapack/liblapack.so.3,$libraries/blas/libblas.so.3]" \
        COPTFLAGS=-O1 CXXOPTFLAGS=-O1 FOPTFLAGS=-O1
    step petsc4py-petsc 5400 make MAKE_NP=2 all
    step petsc4py-install 600 make install
    step petsc4py-build 1800 env PETSC_DIR="$solvers" CFLAGS=-O1 "$python" -m pip install --no-deps \
        --no-cache-dir --no-build-isolation "$made"/petsc4py-*.tar.gz
    touch "$made/done"
fi
cd "$made/petsc4py"
total=0
for ranks in 1 2 4; do
    step "petsc4py-$ranks" 1800 ftrun -np $ranks -x OPENBLAS_NUM_THREADS=1 "$python" test/runtests.py
    ran=$(sed -n 's/^Ran \([0-9]*\) tests in .*/\1/p' "$log/petsc4py-$ranks" | head -n 1)
    [ "${ran:-0}" -ge 1000 ] || fail "petsc4py: ${ran:-0} tests on $ranks ranks ($log/petsc4py-$ranks)"
    total=$((total + ran))
done
passed "$total" "$total tests on 1, 2 and 4 ranks"
