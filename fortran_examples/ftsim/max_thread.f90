! The global maximum as a thread of each node, which waits for messages: what max.f90 does with
! handlers.
!
!     gfortran -shared -fPIC -o max.so include/ftsim.f90 fortran_examples/ftsim/max_thread.f90
!     ftsim run ./max.so --topology random --nodes 100000 --kill 1%@3
module maximum
    use, intrinsic :: iso_c_binding
    use ftsim
    implicit none

    type, bind(C) :: state
        integer(c_int32_t) :: best, missed
    end type state

contains

    integer(c_size_t) function state_bytes() bind(C, name="ftsim_state_bytes")
        type(state) :: one
        state_bytes = c_sizeof(one)
    end function state_bytes

    subroutine tell(own, here)
        type(state), intent(in), target :: own
        type(ftsim_here), intent(in) :: here
        if (ftsim_send_all(here, c_loc(own%best), c_sizeof(own%best)) /= 0) error stop "not sent"
    end subroutine tell

    subroutine thread(own, here) bind(C, name="ftsim_thread")
        type(state), intent(inout) :: own
        type(ftsim_here), intent(in) :: here
        type(ftsim_event) :: event
        integer(c_int32_t) :: value
        own%best = here%node
        call tell(own, here)
        do
            if (ftsim_receive(here, event) == FTSIM_FAILURE) then
                own%missed = own%missed + 1
                cycle
            end if
            value = transfer(event%data(1:4), value)
            if (event%bytes == c_sizeof(value) .and. value > own%best) then
                own%best = value
                call tell(own, here)
            end if
        end do
    end subroutine thread

    subroutine info(own, text, room) bind(C, name="ftsim_info")
        type(state), intent(in) :: own
        integer(c_size_t), value :: room
        character(kind=c_char), intent(out) :: text(room)
        character(len=60) :: line
        integer :: i
        write (line, '(a, i0, a, i0)') "knows ", own%best, ", misses ", own%missed
        do i = 1, len_trim(line)
            text(i) = line(i:i)
        end do
        text(len_trim(line) + 1) = c_null_char
    end subroutine info
end module maximum
