! Extensions of MPI: `mpif.h` has all of them already, so that there is
! nothing to add here.
