! What the Fortran test programs of mpi_f08 share.

module checks08
    use mpi_f08
    implicit none
    integer :: rank = -1, ranks = -1

contains

    subroutine start()
        call MPI_Init()
        call MPI_Comm_rank(MPI_COMM_WORLD, rank)
        call MPI_Comm_size(MPI_COMM_WORLD, ranks)
        call expect(rank >= 0 .and. rank < ranks, 'there is a rank')
    end subroutine start

    ! Every rank says so; the test counts the lines.
    subroutine finish()
        call MPI_Finalize()
        print '(a)', 'all is well'
    end subroutine finish

    subroutine expect(is_so, what)
        logical, intent(in) :: is_so
        character(*), intent(in) :: what
        if (is_so) return
        print '(a, i0, 2a)', 'rank ', rank, ': not so: ', what
        flush (6)
        error stop 1
    end subroutine expect

    subroutine equal(found, wanted, what)
        integer, intent(in) :: found, wanted
        character(*), intent(in) :: what
        if (found == wanted) return
        print '(a, i0, 3a, i0, a, i0)', 'rank ', rank, ': ', what, ' is ', found, ', not ', wanted
        flush (6)
        error stop 1
    end subroutine equal

end module checks08
