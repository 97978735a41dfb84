! As spawn.f90, with mpif.h.
program spawn
    implicit none
    include 'mpif.h'
    integer :: parent, inter, infos(2), ierror
    integer :: rank, errors, one, total, app_wanted, code, class
    integer :: codes(3), most(2)
    integer(MPI_ADDRESS_KIND) :: app
    logical :: flag
    character(512) :: self, word, commands(2)
    character(16) :: args(3), lists(2, 3)

    errors = 0
    one = 1
    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_get_parent(parent, ierror)
    if (parent /= MPI_COMM_NULL) then
        call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, app, flag, ierror)
        call get_command_argument(1, word)
        if (word /= 'none') then
            read (word, *) app_wanted
            call get_command_argument(2, word)
            if (word /= 'two words') errors = errors + 1
            if (app /= app_wanted) errors = errors + 1
        end if
        call MPI_Allreduce(one, total, 1, MPI_INTEGER, MPI_SUM, parent, ierror)
        if (errors > 0) print '(a)', 'a child is wrong'
        call MPI_Comm_disconnect(parent, ierror)
    else
        call get_command_argument(0, self)
        args = [character(16) :: '0', 'two words', ' ']
        call MPI_Comm_spawn(self, args, 3, MPI_INFO_NULL, 0, MPI_COMM_WORLD, inter, codes, ierror)
        if (any(codes /= MPI_SUCCESS)) errors = errors + 1
        call MPI_Allreduce(one, total, 1, MPI_INTEGER, MPI_SUM, inter, ierror)
        if (total /= 3) errors = errors + 1
        call MPI_Comm_disconnect(inter, ierror)
        commands = self
        lists(1, :) = [character(16) :: '0', 'two words', ' ']
        lists(2, :) = [character(16) :: '1', 'two words', ' ']
        most = [1, 2]
        infos = MPI_INFO_NULL
        call MPI_Comm_spawn_multiple(2, commands, lists, most, infos, 0, MPI_COMM_WORLD, inter, &
                                     MPI_ERRCODES_IGNORE, ierror)
        call MPI_Allreduce(one, total, 1, MPI_INTEGER, MPI_SUM, inter, ierror)
        if (total /= 3) errors = errors + 1
        call MPI_Comm_disconnect(inter, ierror)
        call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierror)
        call MPI_Comm_spawn('./nowhere', MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &
                            inter, MPI_ERRCODES_IGNORE, code)
        call MPI_Error_class(code, class, ierror)
        if (class /= MPI_ERR_SPAWN) errors = errors + 1
        if (rank == 0) print '(i0,a)', errors, ' errors'
    end if
    call MPI_Finalize(ierror)
end program
