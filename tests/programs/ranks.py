#!/usr/bin/env python3
"""Ranks of Python without mpi4py: each has an interpreter, modules in C and threads of its own.

Arguments: what to do besides: `exit`, `raise`, or a rank to kill and a mode that brings it back."""

import ctypes
import decimal
import hashlib
import json
import os
import sys
import threading

mpi = ctypes.CDLL(None)
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


code = mpi.MPI_Init(None, None)
number, count = ctypes.c_int(), ctypes.c_int()
mpi.MPI_Comm_rank(WORLD, ctypes.byref(number))
mpi.MPI_Comm_size(WORLD, ctypes.byref(count))
rank, size = number.value, count.value

# State of modules in C, which each rank has opened for itself.
decimal.getcontext().prec = 5 + rank
sys.setrecursionlimit(1000 + rank)
seen = []
threads = [threading.Thread(target=lambda: seen.append(rank)) for _ in range(3)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
victim = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else None
if rank == victim and code != RESTARTED:
    mpi.ftmpi_kill(rank)
while True:
    error, total = allreduce(rank)
    if error == 0:
        break
    recover()

assert total == size * (size - 1) // 2
assert seen == [rank] * 3
assert sys.getrecursionlimit() == 1000 + rank
assert len(str(decimal.Decimal(1) / 3)) == 2 + 5 + rank
name = hashlib.sha256(json.dumps({"rank": rank}).encode()).hexdigest()[:8]
path = os.path.basename(sys.argv[0])
os.write(1, f"rank {rank} of {size}: {path} {sys.argv[1:]} {name} {code}\n".encode())
mpi.MPI_Finalize()
if "exit" in sys.argv:
    sys.exit(3)
if "raise" in sys.argv and rank == 0:
    raise ValueError("on purpose")
