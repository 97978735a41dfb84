"""Rank 1 dies while it waits for the lock of its interpreter, which another thread of it has.

Arguments: a library of held.c, a file to be made, and what happens: `call`, then rank 1 is in a call of MPI; `sleep`, then
the thread sleeps with the lock instead of computing."""

import ctypes
import os
import sys
import threading
import time

library, sign, *how = sys.argv[1:]
# Functions of the second give up the interpreter's lock while they run, those of the first do not.
keeping, mpi, free = ctypes.PyDLL(library), ctypes.CDLL(None), ctypes.CDLL(library)
WORLD, INT, SUM = (ctypes.c_void_p(number) for number in (0x101, 0x209, 0x21))
RESTARTED = 2001


def allreduce(value):
    own, total = ctypes.c_int(value), ctypes.c_int()
    code = mpi.MPI_Allreduce(ctypes.byref(own), ctypes.byref(total), 1, INT, SUM, WORLD)
    return code, total.value


def recover():
    check = ctypes.addressof(ctypes.c_char.in_dll(mpi, "ftmpi_check_recover"))
    while mpi.MPI_Comm_dup(WORLD, ctypes.byref(ctypes.c_void_p(check))):
        pass


def keep():
    keeping.hold(sign.encode(), "sleep" in how)
    while True:
        pass


code = mpi.MPI_Init(None, None)
number = ctypes.c_int()
mpi.MPI_Comm_rank(WORLD, ctypes.byref(number))
rank = number.value
if rank == 1 and code != RESTARTED:
    # No thread is asked to give the lock up.
    sys.setswitchinterval(1000)
    threading.Thread(target=keep, daemon=True).start()
    free.wait_until_held("call" in how)
    os.write(1, b"rank 1 has the lock\n")
if rank == 0:
    while not os.path.exists(sign):
        time.sleep(0.01)
    mpi.ftmpi_kill(1)
while True:
    error, total = allreduce(rank)
    if error == 0:
        break
    recover()
os.write(1, f"rank {rank}: {total}\n".encode())
mpi.MPI_Finalize()
