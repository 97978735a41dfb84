"""In each of 100 steps every rank contributes 1. When a rank dies, the others revoke the
communicator, agree that the step has failed, and repeat it in a smaller communicator."""

import numpy as np
from mpi4py import MPI

STEPS = 100
comm = MPI.COMM_WORLD
started = comm.size
one, living = np.ones(1, "l"), np.zeros(1, "l")
steps = total = 0


def agree(is_well):
    """Whether all living ranks say so; a death that some have not noticed yet is an exception."""
    try:
        return comm.Agree(int(is_well)) == 1
    except MPI.Exception:
        return False


while steps < STEPS:
    try:
        comm.Allreduce(one, living)
        is_well = True
    except MPI.Exception:
        # Nobody is to wait for a rank that has given up this step.
        comm.Revoke()
        is_well = False
    # The step counts for all or for none.
    if agree(is_well):
        steps += 1
        total += int(living[0])
    else:
        smaller = comm.Shrink()
        if comm != MPI.COMM_WORLD:
            comm.Free()
        comm = smaller
if comm.rank == 0:
    print(f"{comm.size} of {started} ranks, {steps} steps, sum {total}", flush=True)
