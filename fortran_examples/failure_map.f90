! Who has failed, in which order, and how often: attributes (Fagg & Dongarra 2000). Rank 3 dies, and
! rank 1 as soon as it hears of that.
!
!     ftrun -np 5 --mode rebuild ./failure_map
program failure_map
  use mpi
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: rank, ranks, code, error, repaired
  integer(MPI_ADDRESS_KIND) :: failed, place
  integer(c_int), pointer :: list(:), map(:)
  logical :: flag
  interface
    subroutine c_abort() bind(c, name='abort')
    end subroutine
  end interface

  call MPI_INIT(code)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, error)
  if (ranks < 4) call MPI_ABORT(MPI_COMM_WORLD, 2, error)
  if (code /= MPI_INIT_RESTARTED_PROCS) then
    call MPI_BARRIER(MPI_COMM_WORLD, code)
    if (rank == 3) call c_abort()
    do while (code == MPI_SUCCESS)
      call MPI_BARRIER(MPI_COMM_WORLD, code)
    end do
    if (rank == 1) call c_abort()
    repaired = FT_MPI_CHECK_RECOVER
    call MPI_COMM_DUP(MPI_COMM_WORLD, repaired, code)
    if (code /= MPI_SUCCESS) call MPI_ABORT(MPI_COMM_WORLD, 3, error)
    call MPI_COMM_FREE(repaired, error)
  end if
  call MPI_COMM_GET_ATTR(MPI_COMM_WORLD, FT_MPI_LIST_NUM_FAILED, failed, flag, error)
  call MPI_COMM_GET_ATTR(MPI_COMM_WORLD, FT_MPI_LIST_FAILED, place, flag, error)
  call c_f_pointer(transfer(place, c_null_ptr), list, [failed])
  call MPI_COMM_GET_ATTR(MPI_COMM_WORLD, FT_MPI_COM_FAILED, place, flag, error)
  call c_f_pointer(transfer(place, c_null_ptr), map, [ranks])
  if (rank == 0) then
    print '(A,*(1X,I0))', 'failed in this order:', list
    print '(A,*(1X,I0))', 'how often each rank:', map
  end if
  call MPI_FINALIZE(error)
end program
