#!/bin/sh
# use.sh: uses the installation that PATH leads to, and says what it does. /stage/examples holds the
# programs. The first difference ends it.
set -eu
cd /tmp

step() {
    echo "== $*"
}

expect() {
    if [ "$1" != "$2" ]; then
        printf 'expected: %s\nseen: %s\n' "$1" "$2" >&2
        exit 1
    fi
}

step "no checkout: $(ls -A /home/user /root | tr '\n' ' ')"
step "version: $(ftrun --version)"
step "C: mpicc, 8 ranks, one is killed and started again"
mpicc -O2 /stage/examples/rebuild.c -o rebuild
expect "8 ranks, 1 restarted, 100 steps: 3579696" \
    "$(ftrun -np 8 --mode rebuild --kill 3@before:MPI_Allreduce:20 ./rebuild 100)"
step "C++: mpicxx, mpirun -n 16"
cat >hello.cpp <<'SOURCE'
#include <iostream>
#include <mpi.h>
int main() {
    MPI_Init(nullptr, nullptr);
    int one = 1, all = 0, rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) std::cout << all << " ranks" << std::endl;
    MPI_Finalize();
}
SOURCE
mpicxx hello.cpp -o hello
expect "16 ranks" "$(mpirun -n 16 ./hello)"
step "Fortran: mpifort with mpi_f08, 7 ranks, one dies and the others do its work"
mpifort -O2 /stage/examples/survive.f90 -o survive
status=0
said=$(ftrun -np 7 --on-failure continue ./survive 2>survive.err) || status=$?
expect 137 $status
expect "rank 2 is dead; another does its piece
pi is about 3.1415926536" "$said"
step "CMake: find_package(MPI) for C, C++ and Fortran"
mkdir cmake
cat >cmake/CMakeLists.txt <<'SOURCE'
cmake_minimum_required(VERSION 3.18)
project(uses LANGUAGES C CXX Fortran)
find_package(MPI REQUIRED)
add_executable(c /stage/examples/rebuild.c)
target_link_libraries(c MPI::MPI_C)
add_executable(cxx ../hello.cpp)
target_link_libraries(cxx MPI::MPI_CXX)
add_executable(fortran /stage/examples/survive.f90)
target_link_libraries(fortran MPI::MPI_Fortran)
enable_testing()
add_test(NAME rebuild COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} 8 $<TARGET_FILE:c> 100)
SOURCE
cmake -S cmake -B cmake/build >cmake.log 2>&1 || { cat cmake.log >&2; exit 1; }
cmake --build cmake/build >cmake.log 2>&1 || { cat cmake.log >&2; exit 1; }
(cd cmake/build && ctest) >cmake.log 2>&1 || { cat cmake.log >&2; exit 1; }
step "the standard's name: a program that another MPI built, which asks for libmpi_abi.so.1"
incdir=$(mpicc -showme:incdirs)
libdir=$(mpicc -showme:libdirs)
mkdir other
for name in MPI_Init MPI_Comm_rank MPI_Allreduce MPI_Finalize; do
    echo "int $name(void) { return 1; }"
done >other/mpi.c
gcc -shared -fPIC other/mpi.c -o other/libmpi_abi.so -Wl,-soname,libmpi_abi.so.1
g++ -O2 -I"$incdir" hello.cpp -o hello_abi -Lother -lmpi_abi
readelf -d hello_abi | grep -q 'NEEDED.*libmpi_abi.so.1'
expect "16 ranks" "$(ftrun -np 16 ./hello_abi)"
expect "1 ranks" "$(LD_LIBRARY_PATH=$libdir ./hello_abi)"
step "the standard's name: -lmpi_abi"
g++ -O2 -I"$incdir" hello.cpp -o hello_named -L"$libdir" -lmpi_abi
expect "16 ranks" "$(ftrun -np 16 ./hello_named)"
if command -v pkg-config >/dev/null; then
    step "pkg-config"
    # shellcheck disable=SC2046  # each is a word
    g++ hello.cpp -o hello_pc $(PKG_CONFIG_PATH=$libdir/pkgconfig pkg-config --cflags --libs ftmpi_rs)
    expect "16 ranks" "$(ftrun -np 16 ./hello_pc)"
fi
python=$(command -v /usr/bin/python3 || command -v python3)
"$python" -m venv python
python/bin/pip install -q numpy
MPICC=$(command -v mpicc) python/bin/pip install -q --no-binary mpi4py mpi4py
step "Python: mpi4py $(python/bin/python -c 'import mpi4py; print(mpi4py.__version__)') is" \
    "compiled here; 6 ranks, two are killed and started again"
ftrun -np 6 --mode rebuild python/bin/python /stage/examples/rebuild.py 60 2@31 0@47 >said
tail -1 said
expect "6 ranks, 2 restarted, 60 steps: 9.296717873" "$(grep 'ranks, .* restarted' said)"
step "all is well"
