# LAMMPS: its benchmark `in.lj`, a Lennard-Jones melt of 32,000 atoms, on several numbers of ranks.
# The energies, the pressure and the neighbor counts are those that the same binary gives on MPICH.
source_of lammps
mpich
cd "$work/lammps/src"
if [ ! -x lmp_mpi ]; then
    say "building lammps"
    step lammps-build 3600 make -j2 mpi CCFLAGS="-O2 -std=c++11" LINKFLAGS=-O2
fi
cd "$work/lammps/bench"

# What a log says of the physics, without its timings.
physics() {
    sed -n '/^Step Temp/,/^Loop time/{/^Loop time/!p}
        /^Total # of neighbors\|^Ave neighs\|^Neighbor list builds/p' "$1"
}

for ranks in 1 2 3 4 8 12; do
    step "lammps-$ranks" 600 ftrun -np "$ranks" ../src/lmp_mpi -log none -in in.lj
    step "lammps-mpich-$ranks" 600 "$work/on-mpich" "$ranks" ../src/lmp_mpi -log none -in in.lj
    physics "$log/lammps-$ranks" >"$log/lammps-$ranks.physics"
    physics "$log/lammps-mpich-$ranks" >"$log/lammps-mpich-$ranks.physics"
    [ "$(wc -l <"$log/lammps-$ranks.physics")" -eq 6 ] ||
        fail "lammps on $ranks ranks: not the lines expected ($log/lammps-$ranks)"
    same_numbers "$log/lammps-mpich-$ranks.physics" "$log/lammps-$ranks.physics" 1e-7 0 ||
        fail "lammps on $ranks ranks differs from MPICH ($log/lammps-$ranks)"
    passed 1 "$ranks ranks: energies, pressure and neighbors as on MPICH"
done
