"""The mistake: messages of all workers are taken to come in the order of their ranks. `mended` as an
argument mends it."""

import ctypes
import sys

mpi = ctypes.CDLL(None)
world, integer = ctypes.c_void_p(0x101), ctypes.c_void_p(0x209)
any_source = -1


class Status(ctypes.Structure):
    _fields_ = [("source", ctypes.c_int), ("tag", ctypes.c_int), ("error", ctypes.c_int),
                ("reserved", ctypes.c_int * 5)]


def number(call):
    value = ctypes.c_int()
    call(world, ctypes.byref(value))
    return value.value


mpi.MPI_Init(None, None)
rank, size = number(mpi.MPI_Comm_rank), number(mpi.MPI_Comm_size)
if rank:
    answer = ctypes.c_int(rank)
    mpi.MPI_Send(ctypes.byref(answer), 1, integer, 0, 0, world)
else:
    answers = [0] * size
    for worker in range(1, size):
        answer, status = ctypes.c_int(), Status()
        mpi.MPI_Recv(ctypes.byref(answer), 1, integer, any_source, 0, world, ctypes.byref(status))
        answers[status.source if "mended" in sys.argv else worker] = answer.value
    print(answers[1:], flush=True)
mpi.MPI_Finalize()
