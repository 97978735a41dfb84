# SUNDIALS: its tests (by ctest), then the solutions that its parallel examples print on four ranks,
# beside what the same binaries print on MPICH.
source_of sundials
mpich
cd "$work/sundials"
if [ ! -e build/Makefile.done ]; then
    say "building sundials"
    step sundials-configure 600 cmake -B build -DENABLE_MPI=ON -DMPI_C_COMPILER=mpicc \
        -DMPI_CXX_COMPILER=mpicxx -DMPIEXEC_EXECUTABLE="$root/target/release/ftrun" \
        -DEXAMPLES_ENABLE_C=ON -DEXAMPLES_ENABLE_CXX=OFF -DEXAMPLES_INSTALL=OFF \
        -DBUILD_SHARED_LIBS=OFF -DCMAKE_BUILD_TYPE=Release
    step sundials-build 1800 make -C build -j2
    touch build/Makefile.done
fi
cd build
step sundials-ctest 600 ctest -j2
tests=$(sed -n 's/^100% tests passed, 0 tests failed out of \([0-9]*\)$/\1/p' "$log/sundials-ctest")
[ "${tests:-0}" -ge 60 ] || fail "sundials: ${tests:-0} tests ($log/sundials-ctest)"
passed "$tests" "$tests tests of ctest"

# How many steps an adaptive solver takes depends on the last bits of its sums, and so on the order
# in which an MPI adds them up: statistics are left out, and solutions may differ by its tolerance.
solution() {
    sed -n -e "s/|.*//" -e "/[Ff]inal [Ss]tat/q;/nst\\|step\\|ncfn/d;p" "$1"
}

cases=0
for program in arkode/C_parallel/ark_brusselator1D_task_local_nls \
    cvode/parallel/cvAdvDiff_diag_p cvode/parallel/cvAdvDiff_non_p \
    cvodes/parallel/cvsAtmDisp_ASAi_kry_bbd_p cvodes/parallel/cvsAdvDiff_ASAp_non_p \
    ida/parallel/idaFoodWeb_kry_p ida/parallel/idaFoodWeb_kry_bbd_p ida/parallel/idaHeat2D_kry_p \
    idas/parallel/idasBruss_kry_bbd_p idas/parallel/idasBruss_ASAp_kry_bbd_p \
    idas/parallel/idasFoodWeb_kry_p idas/parallel/idasHeat2D_kry_p \
    kinsol/parallel/kinFoodWeb_kry_p kinsol/parallel/kinFoodWeb_kry_bbd_p; do
    name=sundials-${program##*/}
    step "$name" 300 ftrun -np 4 "examples/$program"
    step "$name-mpich" 300 "$work/on-mpich" 4 "examples/$program"
    solution "$log/$name" >"$log/$name.solution"
    solution "$log/$name-mpich" >"$log/$name-mpich.solution"
    [ -s "$log/$name.solution" ] || fail "sundials: $program says nothing ($log/$name)"
    same_numbers "$log/$name-mpich.solution" "$log/$name.solution" 1e-2 1e-5 ||
        fail "sundials: $program differs from MPICH ($log/$name)"
    cases=$((cases + 1))
done
passed "$cases" "$cases examples give the solutions that they give on MPICH"
