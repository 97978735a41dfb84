! ULFM by way of the module mpi: every call once, a death and a revocation.
program ulfm
  use mpi
  implicit none
  integer :: copy, left
  integer :: dead
  integer :: request
  integer :: rank, ranks, ierr, class, flag, acked, known, members, buffer(1)
  logical :: is_revoked, is_set
  integer(kind=MPI_ADDRESS_KIND) :: survives

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPIX_FT, survives, is_set, ierr)
  call check(is_set .and. survives == 1, 'MPIX_FT')
  flag = 7
  call MPIX_Comm_agree(MPI_COMM_WORLD, flag, ierr)
  call check(ierr == MPI_SUCCESS .and. flag == 7, 'agree')
  call MPI_Comm_dup(MPI_COMM_WORLD, copy, ierr)
  ! Nobody dies while others are still in there.
  if (rank /= 1) call MPI_Send(rank, 1, MPI_INTEGER, 1, 98, MPI_COMM_WORLD, ierr)
  do known = 1, merge(ranks - 1, 0, rank == 1)
    call MPI_Recv(buffer, 1, MPI_INTEGER, MPI_ANY_SOURCE, 98, MPI_COMM_WORLD, &
      MPI_STATUS_IGNORE, ierr)
  end do
  if (rank == 1) call abort()
  known = 0
  do while (known == 0)
    call MPIX_Comm_get_failed(copy, dead, ierr)
    call MPI_Group_size(dead, known, ierr)
  end do
  call MPI_Group_free(dead, ierr)
  call MPI_Recv(buffer, 1, MPI_INTEGER, 1, 0, copy, MPI_STATUS_IGNORE, ierr)
  call MPI_Error_class(ierr, class, ierr)
  call check(class == MPIX_ERR_PROC_FAILED .and. class == 75, 'PROC_FAILED')
  call MPI_Irecv(buffer, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, copy, request, ierr)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  call check(ierr == MPIX_ERR_PROC_FAILED_PENDING .and. ierr == 76, 'PENDING')
  flag = 5
  call MPIX_Comm_agree(copy, flag, ierr)
  call check(ierr == MPI_ERR_PROC_FAILED, 'agree, not acknowledged')
  call MPIX_Comm_ack_failed(copy, 0, acked, ierr)
  call check(acked == 0, 'ack_failed, query')
  call MPIX_Comm_ack_failed(copy, 1, acked, ierr)
  call check(acked == 1, 'ack_failed')
  call MPIX_Comm_failure_ack(copy, ierr)
  call MPIX_Comm_failure_get_acked(copy, dead, ierr)
  call MPI_Group_size(dead, known, ierr)
  call check(known == 1, 'failure_get_acked')
  call MPI_Group_free(dead, ierr)
  call MPI_Cancel(request, ierr)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  call check(ierr == MPI_SUCCESS, 'cancel')
  flag = 6
  call MPIX_Comm_iagree(copy, flag, request, ierr)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  call check(ierr == MPI_SUCCESS .and. flag == 6, 'iagree')
  if (rank == 2) call MPIX_Comm_revoke(copy, ierr)
  call MPI_Recv(buffer, 1, MPI_INTEGER, rank, 0, copy, MPI_STATUS_IGNORE, ierr)
  call check(ierr == MPIX_ERR_REVOKED .and. ierr == 77, 'REVOKED')
  call MPIX_Comm_is_revoked(copy, is_revoked, ierr)
  call check(is_revoked, 'is_revoked')
  call PMPIX_Comm_is_revoked(MPI_COMM_WORLD, is_revoked, ierr)
  call check(.not. is_revoked, 'is_revoked, the world')
  call MPIX_Comm_shrink(copy, left, ierr)
  call MPI_Comm_size(left, members, ierr)
  call check(members == ranks - 1, 'shrink')
  call MPI_Barrier(left, ierr)
  call check(ierr == MPI_SUCCESS, 'barrier')
  call MPI_Comm_free(left, ierr)
  call MPI_Comm_ishrink(copy, left, request, ierr)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  call MPI_Barrier(left, ierr)
  call check(ierr == MPI_SUCCESS, 'ishrink')
  call MPI_Comm_free(left, ierr)
  call MPI_Comm_free(copy, ierr)
  print '(a, i0, a)', 'rank ', rank, ' survived'
  call MPI_Finalize(ierr)

contains

  subroutine check(is_so, what)
    logical, intent(in) :: is_so
    character(len=*), intent(in) :: what
    if (.not. is_so) then
      print '(a, i0, 2a, i0)', 'rank ', rank, ': not so: ', what, ierr
      call MPI_Abort(MPI_COMM_WORLD, 99, ierr)
    end if
  end subroutine check
end program ulfm
