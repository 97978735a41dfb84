from mpi4py import MPI

total = MPI.COMM_WORLD.allreduce(1)
if MPI.COMM_WORLD.Get_rank() == 0:
    print(total, "ranks say hello")
