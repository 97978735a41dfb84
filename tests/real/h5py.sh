# h5py: HDF5 for Python, compiled with parallel HDF5 and mpi4py. Its own tests that need several ranks,
# and a file that all ranks write and read, together and one by one.
python_with_mpi
parallel_hdf5 shared --disable-static
if [ ! -e "$work/h5py/done" ]; then
    say "building h5py"
    mkdir -p "$work/h5py"
    step h5py-tools 600 "$python" -m pip install --upgrade pytest pytest-mpi cython \
        pkgconfig setuptools
    step h5py-build 1800 env CC=mpicc HDF5_MPI=ON HDF5_DIR="$hdf5" "$python" -m pip install \
        --no-deps --no-cache-dir --no-build-isolation --no-binary h5py h5py
    touch "$work/h5py/done"
fi
mkdir -p "$work/run/h5py"
cd "$work/run/h5py"
total=0
for ranks in 2 4; do
    step "h5py-tests-$ranks" 600 ftrun -np $ranks -x OPENBLAS_NUM_THREADS=1 "$python" -m pytest \
        -p no:cacheprovider --only-mpi --pyargs h5py
    ran=$(sed -n 's/.* \([0-9]*\) passed.*/\1/p' "$log/h5py-tests-$ranks" | head -n 1)
    [ "${ran:-0}" -ge 2 ] ||
        fail "h5py: ${ran:-0} tests passed on $ranks ranks ($log/h5py-tests-$ranks)"
    total=$((total + ran))
done
cat >parts.py <<'END'
import h5py
import numpy
from mpi4py import MPI
comm, each = MPI.COMM_WORLD, 1000
mine = numpy.arange(each) + each * comm.rank
with h5py.File("parts.h5", "w", driver="mpio", comm=comm) as file:
    alone = file.create_dataset("alone", (each * comm.size,), dtype="i8")
    together = file.create_dataset("together", (comm.size, each), dtype="f8")
    alone[each * comm.rank : each * (comm.rank + 1)] = mine
    with together.collective:
        together[comm.rank] = mine / 2
with h5py.File("parts.h5", "r", driver="mpio", comm=comm) as file:
    other = (comm.rank + 1) % comm.size
    expected = numpy.arange(each) + each * other
    assert (file["alone"][each * other : each * (other + 1)] == expected).all()
    with file["together"].collective:
        assert (file["together"][other] == expected / 2).all()
total = comm.allreduce(1)
if comm.rank == 0:
    print("parts", total)
END
for ranks in 1 3 7; do
    step "h5py-parts-$ranks" 120 ftrun -np $ranks -x OPENBLAS_NUM_THREADS=1 "$python" parts.py
    grep -q "^parts $ranks$" "$log/h5py-parts-$ranks" ||
        fail "h5py: parts of $ranks ranks ($log/h5py-parts-$ranks)"
done
passed $((total + 3)) "$total tests on 2 and 4 ranks, and a file of 1, 3 and 7 ranks"
