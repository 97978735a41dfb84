/* One thread of Python's holds the lock of its interpreter, while another one comes to want it. */

#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <unistd.h>

static _Atomic int is_held;

/* Called with the lock, which it keeps: tells by a file that the other one must be waiting. */
void hold(const char *sign, int sleeps)
{
    is_held = 1;
    usleep(100000);
    close(creat(sign, 0600));
    while (sleeps)
        sleep(1000);
}

/* Called without it: wants it back when it returns, and in a traced call of MPI, too. */
void wait_until_held(int calls)
{
    while (!is_held)
        sched_yield();
    if (calls)
        MPI_Barrier(MPI_COMM_WORLD);
}
