! The global maximum as an application of the simulator: each node's value is its number.
!
!     gfortran -shared -fPIC -o max.so include/ftsim.f90 fortran_examples/ftsim/max.f90
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

    subroutine init(own, here) bind(C, name="ftsim_init")
        type(state), intent(inout) :: own
        type(ftsim_here), intent(in) :: here
        own%best = here%node
        call tell(own, here)
    end subroutine init

    subroutine on_message(own, here, from, value, bytes) bind(C, name="ftsim_on_message")
        type(state), intent(inout) :: own
        type(ftsim_here), intent(in) :: here
        integer(c_int32_t), value :: from
        integer(c_int32_t), intent(in) :: value
        integer(c_size_t), value :: bytes
        if (bytes /= c_sizeof(value) .or. from < 0) return
        if (value > own%best) then
            own%best = value
            call tell(own, here)
        end if
    end subroutine on_message

    subroutine on_failure(own, here, who) bind(C, name="ftsim_on_failure")
        type(state), intent(inout) :: own
        type(ftsim_here), intent(in) :: here
        integer(c_int32_t), value :: who
        if (who /= here%node) own%missed = own%missed + 1
    end subroutine on_failure

    integer(c_int8_t) function colour(own) bind(C, name="ftsim_colour")
        type(state), intent(in) :: own
        integer :: rest
        rest = mod(int(own%best), 256)
        if (rest > 127) rest = rest - 256
        colour = int(rest, c_int8_t)
    end function colour

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
