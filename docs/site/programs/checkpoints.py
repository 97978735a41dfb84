"""Heat spreads around a ring that is divided among the ranks. Every 20 steps all ranks save their
pieces in each other's memory; after a death they go back to what was saved last. The result is the
same with failures as without."""

import ftmpi  # before mpi4py.MPI
import numpy as np
from mpi4py import MPI

CELLS, STEPS, INTERVAL = 10, 200, 20
world = MPI.COMM_WORLD
rank, size = world.rank, world.size
left, right = (rank - 1) % size, (rank + 1) % size
# A piece of the ring, between the neighbours' nearest cells.
heat = np.zeros(CELLS + 2)
step = np.zeros(1, "i")
# Replacements make this call, too.
saved = ftmpi.Checkpoint(world, "rs:1", step, heat)


def begin():
    """From the last checkpoint, or from the start: one hot cell."""
    if saved.restore() is None:
        step[0], heat[:] = 0, 0
        heat[1] = 1000 if rank == 0 else 0


def compute():
    while step[0] < STEPS:
        if step[0] % INTERVAL == 0:
            saved.take(int(step[0]))
        world.Sendrecv(heat[1:2], left, 0, heat[CELLS + 1 :], right)
        world.Sendrecv(heat[CELLS : CELLS + 1], right, 0, heat[:1], left)
        heat[1:-1] = heat[1:-1] / 2 + (heat[:-2] + heat[2:]) / 4
        step[0] += 1
    hottest = np.zeros(1)
    world.Allreduce(heat[1:2], hottest, MPI.MAX)
    return hottest[0]


while True:
    try:
        begin()
        hottest = compute()
        break
    except MPI.Exception as error:
        ftmpi.recover(error)
if rank == 0:
    print(f"{size} ranks, {step[0]} steps, hottest {hottest:.9f}", flush=True)
