"""In each of 100 steps every rank contributes 1. When a rank dies, the others recover as the mode
of the job says, agree on where they are, and go on."""

import ftmpi  # before mpi4py.MPI
import numpy as np
from mpi4py import MPI

STEPS = 100
world = MPI.COMM_WORLD
# How many steps are complete, and what has been added up in them.
done = np.zeros(2, "l")


def compute():
    # A replacement knows nothing yet: the furthest rank tells all others.
    world.Allreduce(done.copy(), done, MPI.MAX)
    one, living = np.ones(1, "l"), np.zeros(1, "l")
    while done[0] < STEPS:
        world.Allreduce(one, living)
        done[:] += 1, living[0]


if ftmpi.is_replacement:
    print(f"rank {world.rank} is a replacement", flush=True)
while True:
    try:
        compute()
        break
    except MPI.Exception as error:
        ftmpi.recover(error)
if world.rank == 0:
    print(f"{world.size} ranks, {done[0]} steps, sum {done[1]}", flush=True)
