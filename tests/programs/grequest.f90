! Generalized requests from Fortran: state by its address-sized number, statuses as arrays.
module work
  implicit none
  include 'mpif.h'
  integer :: queries = 0, frees = 0, cancels = 0
  logical :: was_complete = .true.
contains
  subroutine query(extra, status, ierror)
    integer(kind=mpi_address_kind) :: extra
    integer :: status(mpi_status_size), ierror
    queries = queries + 1
    status(mpi_source) = int(extra)
    status(mpi_tag) = 7
    call mpi_status_set_cancelled(status, cancels > 0, ierror)
    ierror = mpi_success
  end subroutine
  subroutine release(extra, ierror)
    integer(kind=mpi_address_kind) :: extra
    integer :: ierror
    if (extra /= 77) stop 3
    frees = frees + 1
    ierror = mpi_success
  end subroutine
  subroutine give_up(extra, complete, ierror)
    integer(kind=mpi_address_kind) :: extra
    logical :: complete
    integer :: ierror
    if (extra /= 77) stop 4
    cancels = cancels + 1
    was_complete = complete
    ierror = mpi_success
  end subroutine
end module

program main
  use work
  implicit none
  integer :: request, ierror, status(mpi_status_size)
  integer(kind=mpi_address_kind) :: extra = 77
  logical :: flag
  call mpi_init(ierror)
  call mpi_grequest_start(query, release, give_up, extra, request, ierror)
  call mpi_test(request, flag, status, ierror)
  if (flag) stop 5
  call mpi_cancel(request, ierror)
  if (cancels /= 1 .or. was_complete) stop 6
  call mpi_grequest_complete(request, ierror)
  call mpi_wait(request, status, ierror)
  if (status(mpi_source) /= 77 .or. status(mpi_tag) /= 7) stop 7
  call mpi_test_cancelled(status, flag, ierror)
  if (.not. flag .or. request /= mpi_request_null) stop 8
  if (queries /= 1 .or. frees /= 1) stop 9
  call mpi_finalize(ierror)
end program
