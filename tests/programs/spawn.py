#!/usr/bin/env python3
"""Spawns two ranks of this script by its name; all of them meet."""

import ctypes
import os
import sys

mpi = ctypes.CDLL(None)
WORLD, NULL, INFO_NULL = (ctypes.c_void_p(number) for number in (0x101, 0x100, 0x130))
mpi.MPI_Init(None, None)
other, count = ctypes.c_void_p(), ctypes.c_int()
mpi.MPI_Comm_get_parent(ctypes.byref(other))
is_child = other.value != NULL.value
if not is_child:
    words = (ctypes.c_char_p * 2)(b"a child", None)
    name = os.path.abspath(sys.argv[0]).encode()
    code = mpi.MPI_Comm_spawn(name, words, 2, INFO_NULL, 0, WORLD, ctypes.byref(other), None)
    assert code == 0
mpi.MPI_Comm_remote_size(other, ctypes.byref(count))
mpi.MPI_Barrier(other)
os.write(1, f"{sys.argv[1:]} meets {count.value}\n".encode())
mpi.MPI_Comm_disconnect(ctypes.byref(other))
mpi.MPI_Finalize()
