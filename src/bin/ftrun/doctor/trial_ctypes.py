import ctypes

mpi = ctypes.CDLL(None)
world = ctypes.c_void_p(0x101)
rank, size = ctypes.c_int(), ctypes.c_int()
mpi.MPI_Init(None, None)
mpi.MPI_Comm_rank(world, ctypes.byref(rank))
mpi.MPI_Comm_size(world, ctypes.byref(size))
if rank.value == 0:
    print(size.value, "ranks say hello")
mpi.MPI_Finalize()
