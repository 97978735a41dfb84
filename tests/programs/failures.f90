! What Fortran is told of failures: the record by attributes, the modes, MPI_INIT's code.
program failures
  use, intrinsic :: iso_c_binding
  implicit none
  include 'mpif.h'
  integer :: rank, size, code, again, child, one, total
  integer(kind=MPI_ADDRESS_KIND) :: value
  logical :: flag
  integer(c_int), pointer :: list(:)

  call MPI_INIT(code)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, again)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, size, again)
  if (code /= MPI_INIT_RESTARTED_PROCS) then
    call expect(int(attribute(FT_MPI_LIST_NUM_FAILED)), 0)
    call MPI_BARRIER(MPI_COMM_WORLD, code)
    if (rank == 1) call die()
    code = MPI_SUCCESS
    do while (code == MPI_SUCCESS)
      call MPI_BARRIER(MPI_COMM_WORLD, code)
    end do
    call expect(code, MPI_ERR_OTHER)
    call expect(int(attribute(FT_MPI_COM_NUM_FAILED)), 1)
    again = FT_MPI_CHECK_RECOVER
    call MPI_COMM_DUP(MPI_COMM_WORLD, again, code)
    call expect(code, MPI_SUCCESS)
    if (again == FT_MPI_CHECK_RECOVER) call expect(0, 1)
  end if
  one = 1
  call MPI_ALLREDUCE(one, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
  call expect(code, MPI_SUCCESS)
  call expect(total, size)
  call expect(int(attribute(FT_MPI_LIST_NUM_FAILED)), 1)
  value = attribute(FT_MPI_LIST_FAILED)
  call c_f_pointer(transfer(value, c_null_ptr), list, [1])
  call expect(int(list(1)), 1)
  call MPI_COMM_DUP(MPI_COMM_WORLD, child, code)
  value = FTMPI_COMM_MODE_BLANK
  call MPI_COMM_SET_ATTR(child, FTMPI_COMM_MODE, value, code)
  call MPI_COMM_GET_ATTR(child, FTMPI_COMM_MODE, value, flag, code)
  call expect(int(value), FTMPI_COMM_MODE_BLANK)
  call expect(int(attribute(FTMPI_COMM_MODE)), FTMPI_COMM_MODE_REBUILD)
  call MPI_COMM_FREE(child, code)
  if (rank == 0) print '(A)', 'done'
  call MPI_FINALIZE(code)

contains

  function attribute(key) result(value)
    integer, intent(in) :: key
    integer(kind=MPI_ADDRESS_KIND) :: value
    logical :: flag
    integer :: code
    call MPI_COMM_GET_ATTR(MPI_COMM_WORLD, key, value, flag, code)
    if (.not. flag) call expect(0, 1)
  end function

  subroutine expect(seen, wanted)
    integer, intent(in) :: seen, wanted
    integer :: code
    if (seen == wanted) return
    print *, 'rank', rank, 'sees', seen, 'not', wanted
    call MPI_ABORT(MPI_COMM_WORLD, 3, code)
  end subroutine

  subroutine die()
    interface
      subroutine c_abort() bind(c, name='abort')
      end subroutine
    end interface
    call c_abort()
  end subroutine
end program
