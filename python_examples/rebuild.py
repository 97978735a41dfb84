"""Power iteration that survives: the rows of a matrix are spread over the ranks; a rank that dies is
started again, and all go back to the last checkpoint. The result is the same with failures as
without.

    ftrun -np 6 --mode rebuild python3 rebuild.py 60 2@31 0@47     (rank 2 dies in step 31, …)
"""

import sys

import ftmpi  # before mpi4py.MPI
import numpy as np
from mpi4py import MPI

ROWS, INTERVAL = 40, 10
world = MPI.COMM_WORLD
rank, size = world.rank, world.size
steps = int(sys.argv[1]) if len(sys.argv) > 1 else 60
deaths = [tuple(map(int, word.split("@"))) for word in sys.argv[2:]]

# The same matrix in every life: rank r has rows r * ROWS to (r + 1) * ROWS - 1 of it.
n = ROWS * size
row = np.arange(rank * ROWS, (rank + 1) * ROWS)[:, None]
matrix = 1.0 / (1.0 + np.abs(row - np.arange(n)[None, :]))
own = np.empty(ROWS)
step = np.zeros(1, "i")
saved = ftmpi.Checkpoint(world, "rs:1", own, step)


def begin():
    """From the last checkpoint, or from the start."""
    if saved.restore() is None:
        own[:], step[0] = 1.0, 0


def compute():
    largest = np.zeros(1)
    while step[0] < steps:
        if step[0] % INTERVAL == 0:
            saved.take(int(step[0]))
        if (rank, step[0]) in deaths and not ftmpi.is_replacement:
            ftmpi.kill(rank)
        whole = np.empty(n)
        world.Allgather(own, whole)
        own[:] = matrix @ whole
        largest[0] = np.abs(own).max()
        world.Allreduce(MPI.IN_PLACE, largest, MPI.MAX)
        own[:] /= largest
        step[0] += 1
    return largest[0]


while True:
    try:
        begin()
        eigenvalue = compute()
        again = sum(world.allgather(ftmpi.is_replacement))
        break
    except MPI.Exception as error:
        ftmpi.recover(error)

if rank == 0:
    print(f"{size} ranks, {again} restarted, {steps} steps: {eigenvalue:.9f}", flush=True)
