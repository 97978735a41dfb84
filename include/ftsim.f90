! Applications of the simulator of natural fault tolerance in Fortran: what ftsim.h is for C.
! The functions that an application defines are bind(C) and named as there.
module ftsim
    use, intrinsic :: iso_c_binding
    implicit none
    private
    public :: ftsim_here, ftsim_event, ftsim_send, ftsim_send_all, ftsim_receive
    public :: FTSIM_MESSAGE, FTSIM_FAILURE, FTSIM_BOUNDARY

    type, bind(C) :: ftsim_here
        integer(c_int64_t) :: now
        integer(c_int32_t) :: node, nodes
        integer(c_int32_t) :: sends, receives
        type(c_ptr) :: send_to, receive_from
        real(c_double) :: x, y
        type(c_funptr) :: send
        type(c_ptr) :: simulator
        type(c_funptr) :: receive
    end type ftsim_here

    ! What comes for a thread.
    integer(c_int), parameter :: FTSIM_MESSAGE = 0, FTSIM_FAILURE = 1, FTSIM_BOUNDARY = 2
    type, bind(C) :: ftsim_event
        integer(c_int32_t) :: kind, from
        integer(c_int64_t) :: bytes
        real(c_double) :: value
        integer(c_int8_t) :: data(48)
    end type ftsim_event

    abstract interface
        integer(c_int) function sender(here, to, data, bytes) bind(C)
            import :: c_int, c_int32_t, c_ptr, c_size_t, ftsim_here
            type(ftsim_here), intent(in) :: here
            integer(c_int32_t), value :: to
            type(c_ptr), value :: data
            integer(c_size_t), value :: bytes
        end function sender
        integer(c_int) function receiver(here, event) bind(C)
            import :: c_int, ftsim_here, ftsim_event
            type(ftsim_here), intent(in) :: here
            type(ftsim_event), intent(out) :: event
        end function receiver
    end interface

contains

    ! Returns 0, or -1 if there is no such node or the message is too long.
    integer function ftsim_send(here, to, data, bytes) result(failed)
        type(ftsim_here), intent(in) :: here
        integer(c_int32_t), intent(in) :: to
        type(c_ptr), intent(in) :: data
        integer(c_size_t), intent(in) :: bytes
        procedure(sender), pointer :: send
        call c_f_procpointer(here%send, send)
        failed = int(send(here, to, data, bytes))
    end function ftsim_send

    integer function ftsim_send_all(here, data, bytes) result(failed)
        type(ftsim_here), intent(in) :: here
        type(c_ptr), intent(in) :: data
        integer(c_size_t), intent(in) :: bytes
        integer(c_int32_t), pointer :: list(:)
        integer :: i
        failed = 0
        call c_f_pointer(here%send_to, list, [here%sends])
        do i = 1, int(here%sends)
            failed = min(failed, ftsim_send(here, list(i), data, bytes))
        end do
    end function ftsim_send_all

    ! Waits for what comes next, and returns its kind. Meanwhile others run.
    integer function ftsim_receive(here, event) result(kind)
        type(ftsim_here), intent(in) :: here
        type(ftsim_event), intent(out) :: event
        procedure(receiver), pointer :: receive
        call c_f_procpointer(here%receive, receive)
        kind = int(receive(here, event))
    end function ftsim_receive
end module ftsim
