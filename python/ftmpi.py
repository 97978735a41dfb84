"""What this MPI has beside the standard, for programs that use mpi4py.

Import it before `mpi4py.MPI`: it initializes MPI, since a replacement is told in MPI_Init that it is
one, and mpi4py takes that for an error. `ftrun` lets Python find this module.

    import ftmpi
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    while True:
        try:
            ...
            break
        except MPI.Exception as error:      # a rank has died
            ftmpi.recover(error)
"""

import atexit
import ctypes

import mpi4py



def _opened():
    """The library, which is there already where ranks are copies of Python."""
    here = ctypes.CDLL(None)
    if hasattr(here, "MPI_Initialized"):
        return here
    return ctypes.CDLL("libftmpi_rs.so", mode=ctypes.RTLD_GLOBAL)


_library = _opened()
_WORLD = ctypes.c_void_p(0x101)
_BYTE = ctypes.c_void_p(0x247)
_THREAD_MULTIPLE = 4096
_RESTARTED = 2001
_OTHER = 16
_NONE = -1

#: Names of attributes of communicators, for `attribute`.
ATTRIBUTES = {
    "num_failed": 7005,
    "comm_mode": 7006,
    "msg_mode": 7007,
    "coll_mode": 7008,
    "recovery_mode": 7009,
    "comm_state": 7011,
}


class Lost(Exception):
    """More ranks have died than a checkpoint can make up for."""


def _begin():
    started = ctypes.c_int()
    _library.MPI_Initialized(ctypes.byref(started))
    if started.value:
        raise ImportError("import ftmpi before mpi4py.MPI: it has to initialize MPI")
    level = ctypes.c_int()
    code = _library.MPI_Init_thread(None, None, _THREAD_MULTIPLE, ctypes.byref(level))
    if code not in (0, _RESTARTED):
        raise ImportError(f"MPI_Init_thread has failed with {code}")
    mpi4py.rc.initialize = False
    mpi4py.rc.finalize = False
    atexit.register(_library.MPI_Finalize)
    return code == _RESTARTED


#: Whether this rank is a replacement for one that has died.
is_replacement = _begin()


def incarnation():
    """How often this rank has been started again: 0 in its first life."""
    return _library.ftmpi_incarnation()


def kill(rank):
    """Kills a rank as `kill -9` kills a process; killing itself, it does not return."""
    _library.ftmpi_kill(ctypes.c_int(rank))


def recover(error=None):
    """Repairs MPI_COMM_WORLD after a death, together with all living ranks and the replacements.

    `error`: what a call has raised; it is raised again unless it tells of a death."""
    if error is not None and error.Get_error_class() != _OTHER:
        raise error
    check = ctypes.addressof(ctypes.c_char.in_dll(_library, "ftmpi_check_recover"))
    while True:
        fresh = ctypes.c_void_p(check)
        if _library.MPI_Comm_dup(_WORLD, ctypes.byref(fresh)) == 0:
            _library.MPI_Comm_free(ctypes.byref(fresh))
            return


def attribute(comm, name):
    """An attribute of a communicator by its name in `ATTRIBUTES`."""
    value, found = ctypes.c_void_p(), ctypes.c_int()
    key = ctypes.c_int(ATTRIBUTES[name])
    _check(_library.MPI_Comm_get_attr(_handle(comm), key, ctypes.byref(value), ctypes.byref(found)))
    return ctypes.c_int.from_address(value.value).value if found.value else None


class Checkpoint:
    """Copies of arrays in the memory of all ranks, from which those of dead ranks are restored.

        saved = ftmpi.Checkpoint(MPI.COMM_WORLD, "rs:1", x, step)
        version = saved.restore()           # after each recovery; None: nothing was saved yet
        saved.take(version)                 # from time to time

    All ranks, and replacements, make the same calls. Arrays are contiguous and writable, and stay
    where they are. docs/CHECKPOINTS.md explains the schemes."""

    def __init__(self, comm, scheme, *arrays):
        self._saved = ctypes.c_void_p()
        created = _library.FTCK_Create(_handle(comm), scheme.encode(), ctypes.byref(self._saved))
        _check(created)
        self._views = []
        for number, array in enumerate(arrays):
            view = memoryview(array).cast("B")
            place = (ctypes.c_char * view.nbytes).from_buffer(view)
            self._views.append(place)
            count = ctypes.c_int64(view.nbytes)
            _check(_library.FTCK_Register_c(self._saved, number, place, count, _BYTE))

    def take(self, version):
        """Saves all arrays, under a number that is not negative."""
        _check(_library.FTCK_Checkpoint(self._saved, ctypes.c_int(version)))

    def restore(self):
        """Brings the arrays back as they were last saved by all; returns the number, or None."""
        version = ctypes.c_int()
        _check(_library.FTCK_Restore(self._saved, ctypes.byref(version)))
        return None if version.value == _NONE else version.value

    def free(self):
        """Gives the copies up."""
        _check(_library.FTCK_Free(ctypes.byref(self._saved)))
        self._views.clear()


def _handle(comm):
    from mpi4py import MPI

    return ctypes.c_void_p.from_address(MPI._addressof(comm))


def _check(code):
    """Raises what mpi4py would raise."""
    if code == 0:
        return
    if code == 2002:
        raise Lost("more ranks have died than the checkpoint can make up for")
    from mpi4py import MPI

    raise MPI.Exception(code)
