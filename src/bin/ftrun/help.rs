//! The texts of `--help` and `--version`.

/// One line: the name it was called by, the project, its version and the standard.
pub(crate) fn version(called: &str) -> String {
    format!("{called} (ftmpi-rs) {}, MPI 5.0 ABI\n", env!("CARGO_PKG_VERSION"))
}

/// The manual page.
pub(crate) fn page(called: &str) -> String {
    PAGE.replace("@NAME@", called)
}

const PAGE: &str = "\
NAME
    @NAME@ - run an MPI program whose ranks are threads of one process

SYNOPSIS
    @NAME@ -np N [OPTIONS] [--] PROGRAM [ARGUMENTS]
    @NAME@ [OPTIONS] -np N PROGRAM [ARGUMENTS] : -np N PROGRAM [ARGUMENTS] ...
    @NAME@ [OPTIONS] --app FILE
    @NAME@ explore [OPTIONS] -np N PROGRAM [ARGUMENTS]
    @NAME@ doctor
    @NAME@ calibrate [FILE]
    @NAME@ completions bash|zsh|fish

DESCRIPTION
    Runs PROGRAM as an MPI job of N ranks. Every rank is a thread of one process
    and has its own copy of the program's memory: globals, static variables,
    the state of libc, heap and stack. The program needs no change: compile it
    with mpicc, mpicxx or mpifort of this library, or with any compiler, using
    include/mpi.h and linking with -lftmpi_rs or -lmpi_abi.

    With `explore` as the first word, it runs the program with all failures and
    many orders, and tells what goes wrong: see @NAME@ explore --help. With
    `doctor`, it says what works on this machine and how to mend the rest; with
    `calibrate`, it measures this host and prints a machine file; with
    `completions`, it prints what a shell needs to complete command lines.

    Standard input goes to rank 0. A rank that ends with an error or a signal
    ends alone; --mode and --on-failure decide what happens to the others.

    ftrun, mpirun and mpiexec are one program. Options may start with one dash
    or two; a value follows after a space or after `=`. Options end at the first
    word that is not an option, or at `--`.

OPTIONS
  Ranks
    -n N, -np N       Run N ranks.
    -N N              Run N ranks if neither -n nor -np is given.
    --ranks thread|fiber|auto
                      Run each rank on a thread of the operating system, or on a
                      fiber, which the library switches itself: much faster when
                      ranks share cores. `auto`, the default, uses fibers if
                      there are more ranks than cores. Environment variable:
                      FTMPI_RANKS.
    --processes[=P]   Run each rank as a process of its own: any program will
                      do, also a script or one compiled for a sanitizer, and a
                      rank harms no other. Chosen by itself, with a word, where
                      ranks cannot be copies of the program. One process is
                      faster, and has all of MPI: see docs/PROCESSES.md.
                      With a number, the ranks share P processes: the first
                      N/P ranks are in the first one, and so on.
    --per-process N   As many processes as needed for N ranks in each at most.
    --bind-to auto|none|core|hwthread
                      If there is a core for each rank, bind each to one core or
                      hardware thread, one thread of each core first. `auto`,
                      the default, gives each rank an equal share of the cores,
                      so that threads that it starts run beside it, but binds
                      nobody if it runs alone, if other jobs are bound to cores
                      that it needs, or if other work runs on the machine. Other
                      launchers' words for larger places (socket, numa) mean
                      `auto`. Environment variable: FTMPI_BIND_TO.
    --report-bindings Tell on standard error to what each rank is bound.
    --stack SIZE      The stack of each rank: 8M by default.
    --heap SIZE       The largest heap of each rank: 1G by default. This
                      reserves address space; memory is allocated on use.
                      A SIZE has a unit: K, M, G or T. In jobs of more than
                      100,000 ranks the defaults are lower: a stack of 256K, and
                      an equal share of 64T for the heap.
    --timeout SECONDS End the job with an error after this time; with --seed
                      also after this much virtual time. Environment variable:
                      MPIEXEC_TIMEOUT.
    --deadlock on|off When all ranks wait for each other, report what each one
                      waits for and end the job: on by default. Detection takes
                      about a second.

  Several hosts (docs/CLUSTERS.md)
    --hosts A:N,B:N   Run N ranks on host A, N on host B; without numbers, as
                      many on each. Each rank is a process, unless they share
                      processes (--processes=P, --per-process N). The library
                      and the program are at the same place on all hosts. If
                      all hosts are this one, the job runs here as without
                      this option.
    --hostfile FILE   Hosts from FILE, one a line: `A slots=N` or `A:N`.
    --per-host N      Run N ranks on each host.
    --spares A,B:N    Hosts that start without ranks. Each takes the ranks of a
                      host that is lost (REBUILD), B at most N of them.
    --agent COMMAND   How to run a shell command on a host: COMMAND, in which
                      {HOST} stands for the host, gets it as its last word.
                      Default: ssh {HOST}; for this host, sh -c; for hosts of
                      the allocation in which ftrun is, srun.
    --no-takeover     End the job if ftrun is lost. Otherwise the agent of
                      another host takes over if it reaches more than half of
                      them, and output goes on in the file ftrun.PID.out (PID
                      of ftrun) in the working directory there. --report and
                      --trace go on in their files, or in ftrun.PID.report and
                      ftrun.PID.trace.* there if that host does not share them;
                      --mttf goes on, too. Signals other than SIGKILL end ftrun
                      and the job.
    In an allocation of Slurm, its hosts are used unless others are named.

  Several programs
    PROGRAM [ARGUMENTS] : -np N PROGRAM [ARGUMENTS]
                      Run several programs in one job. Ranks are numbered in the
                      order of the programs, and MPI_APPNUM is the number of a
                      rank's program. -np, --wdir, -x and -env belong to the
                      program that they precede, all other options to the job.
                      Each program has its own image and private libraries. A
                      replacement runs the program of the rank that has failed.
                      Where Python runs beside another program, or one of them
                      cannot be copied, each rank is a process. After `--`, a
                      `:` is an argument like any other.
    --universe N      Reserve room for N ranks in all, so that the program can
                      spawn the rest (MPI_UNIVERSE_SIZE). By default a program
                      that refers to MPI_Comm_spawn can spawn 64 ranks, or 16
                      where ranks are processes. Spawned ranks have the numbers
                      that follow those of all others in messages of the
                      launcher and in --kill.
    --app FILE        Read the programs from FILE: on each line options, program
                      and arguments. Quotes and backslashes work as in a shell,
                      empty lines are ignored, and so is text after `#`.

  Failure handling
    --mode abort|blank|shrink|rebuild|ulfm
                      What happens after a rank fails. `abort` ends the job. In
                      the other modes of FT-MPI the program recovers its
                      communicators: `blank` leaves gaps, `shrink` closes them,
                      `rebuild` restarts the failed ranks. With `ulfm`, calls
                      return the errors of ULFM, and the program repairs its
                      communicators itself.
                      Without --mode, the program decides: a program that
                      refers to FT_MPI_CHECK_RECOVER or has set an error handler
                      that is not fatal gets `rebuild`; one that calls MPIX_
                      functions gets `ulfm`; in all others the first failure
                      ends the job.
    --msg noop|cont   Calls between a failure and the recovery fail (`noop`,
                      also `nop` or `reset`: the default), or ranks that are
                      alive continue to communicate (`cont`, also `continue`).
    --coll non-atomic|atomic
                      A collective call that meets a failure may succeed at some
                      members and fail at others (the default), or succeeds at
                      all of them or none.
    --recovery manual|auto
                      Recover when the program asks for it (the default), or
                      inside the call that notices the failure.
    --patience SECONDS
                      How long a recovery waits for a rank that does not join.
                      After that the rank is killed and counts as failed.
                      Without this option the recovery waits for as long as the
                      rank computes.
    --on-failure end|continue|restart
                      For programs that run without a mode. When a rank fails:
                      end the job (the default), let the others continue, or let
                      them continue and restart the rank.
    --with-ft ulfm|no As in Open MPI's mpirun: `ulfm` is --mode ulfm; with `no`
                      the first failure ends the job, and the attribute MPIX_FT
                      is 0.
    --initial-errhandler NAME
                      The error handler of MPI_COMM_WORLD and MPI_COMM_SELF
                      until the program sets one: mpi_errors_are_fatal (the
                      default), mpi_errors_abort or mpi_errors_return.

  Checks
    --check on|off    Check the arguments of calls, and that all members of a
                      communicator call matching collectives: on by default.
                      Without checks, wrong arguments may crash a rank or give
                      wrong results; calls are a few nanoseconds faster.
    --leftovers       Report on standard error what each rank leaves behind at
                      MPI_Finalize: messages that were not received, and objects
                      that were not freed.

  Fault injection
    --kill RANK@WHEN  Kill RANK at a given moment, as SIGKILL ends a process.
                      May be given several times. RANK.2@WHEN means the second
                      life of that rank, RANK.every@WHEN each life. WHEN is
        250ms, 1.5s, 40us      this long after that life began, wherever it is
        compute:250ms          not before 250 ms, and outside MPI
        before:MPI_Send:3      as it enters its third MPI_Send
        inside:MPI_Bcast:3     inside that call, after its first step: a message
                               sent or a wait begun;
                               inside:MPI_Bcast:3:2 is after its second step
        after:MPI_Send:3       as it leaves that call
        before:call:17         at its 17th call of any kind (inside, after)
        recovery:2             in the second recovery in which it takes part;
                               recovery:2:3 is at the third step of it
                      The count defaults to 1, and the position to `before:`.
                      Kills that count calls happen again in the next run.
    --kill-file FILE  Read kills from FILE, one RANK@WHEN on each line. Empty
                      lines are ignored, and so is text after `#`.
    --mttf TIME       Kill ranks at random, TIME apart on average, one of all
                      ranks each time.

  Simulated machine
    --machine FILE    Place the ranks on a machine, one on each node that is not
                      a spare. FILE describes it, or names a known machine:
                      bluegene-2001, bluegene-l, bluegene-q, fat-tree, k. FILE
                      may also be a platform of SimGrid with one <cluster>. A
                      node's failure kills the rank that it runs at that time. A
                      restarted rank gets a spare node as the file says;
                      standard error and the --report tell which ranks move, and
                      how many messages between neighbours collide before and
                      after.
                      MPI_Get_processor_name returns the node. Not with several
                      hosts.
    --time-scale X    Seconds of this run for each second of the failures in
                      FILE: 1 by default.

  Virtual time
    --virtual         Show the program the time of --machine: what it computes
                      and sends takes as long as there, failures included. All
                      results are those of a real run. Standard error tells the
                      time at the end. A run repeats itself.
    --compute KIND    What computing costs: declared (the default), what the
                      program says by ftmpi_compute; measured, its processor
                      time here; or none.
    --network KIND    What messages do to each other: nothing (ideal, the
                      default); they share the bandwidth of links (flows); or
                      their packets wait for each other at every link
                      (packets).

  Deterministic replay
    --seed NUMBER     Let NUMBER decide what the system decides otherwise: which
                      rank continues at each call and each wait, and the
                      failures of --mttf. A run with equal NUMBER repeats line
                      by line, failures included; another NUMBER gives another
                      order, which may reveal other bugs. One rank runs at a
                      time. Time is virtual, also for --kill and --mttf: 10 us
                      for each MPI call, nothing for computing; sleeps take no
                      time when all ranks wait. Threads that ranks start
                      (OpenMP) and external input are not repeated.
                      With --ranks thread or --processes, only the times and
                      ranks of --mttf are repeated. Environment variable:
                      FTMPI_SEED.
    --seed random     Draw a seed and print it.
    --match RANK:N=SOURCE
                      Let the Nth receive from any source of RANK, blocking or
                      not, and probes that wait included, take a message from
                      SOURCE, a rank of its communicator. May be repeated.
    --match RANK:choiceN=INDEX
                      Let the Nth choice of RANK (a call of MPI_Waitany,
                      MPI_Waitsome, MPI_Test*, MPI_Iprobe or MPI_Improbe) find
                      request INDEX complete, or a message of rank INDEX.
                      RANK:choiceN=none: it finds nothing yet.

  Memory of each rank
    --private LIB     Give each rank its own copy of the library LIB.
    --shared LIB      Let all ranks share one copy of the library LIB.
                      By default, ranks share libc, libm, libgcc_s, libgomp and
                      this library, and have copies of all others. Both options
                      may be given several times.
    --share-image     Run all ranks in one copy of the program, for ranks by the
                      million. The program must not have variables that it
                      changes: ftrun refuses those it finds, by name. Make them
                      const or thread-local (_Thread_local). Your own libraries
                      must meet this rule too, or be named by --shared.
                      All ranks share stdin, stdout and stderr; each has its own
                      copy of all other state of libc.
    --explain         Report on standard error how each library was loaded, and
                      why.

  Environment of the program
    -x NAME=VALUE     Set an environment variable. (-x NAME is accepted: all
                      variables are passed on anyway.)
    -genv NAME VALUE, -env NAME VALUE
                      Set an environment variable.
    --wdir DIR, -wd DIR
                      Change to the directory DIR first.

  Output
    --tag-output, -l  Start each line of output with the rank in brackets.
    --report FILE     Write one line of JSON for each failure into FILE: rank,
                      time, cause, outcome, and the time of each step of the
                      recovery, in microseconds since the death.
    --watch           Show the running job in a browser on this machine: which
                      rank waits in which call for which other, failures and
                      recoveries. A click kills ranks. The address is printed on
                      standard error.
    --port N          The port of the --watch page.
    --tui             Show the running job in the terminal, on standard error:
                      redirect the program's own output. The environment
                      variables COLUMNS and LINES set the size.
    --record FILE     Record what --watch would show; `ftsim replay FILE` plays
                      it back.
    --trace FILE      Write into FILE what each rank calls, from which place in
                      the program, and with which outcome. FILE.json gets a
                      timeline for Perfetto (ui.perfetto.dev), FILE.csv a table
                      of all calls.
    -q, --quiet       Print no warnings, and nothing about failures that the job
                      survives.
    -v                Print the paths of the program and the library.
    --help            Print this page.
    --version         Print the version.

  Accepted without effect
    Options of other launchers for placing and starting processes are read with
    their values and ignored, such as --oversubscribe, --map-by, --rankfile,
    --allow-run-as-root, --mca A B, -ppn, --display-map, -genvall, -launcher.

EXIT STATUS
    0       Every rank finalized and returned 0, or every failure was repaired:
            in a mode, by the ranks that completed MPI_Finalize; with
            --on-failure restart, by a restart.
    N       The exit status of the first failed rank whose failure was not
            repaired, or the argument of MPI_Abort. Without --on-failure
            restart, a failure after the rank's own MPI_Finalize is never
            repaired. In mode ulfm, MPI_Abort ends the ranks of its
            communicator, and the ranks outside it can repair that failure.
    128+S   As N, if signal S ended that rank: 137 after a kill, including
            --kill. A rank that dies between its last MPI call and MPI_Finalize
            has failed: without a mode, in mode abort and with --on-failure
            continue this is the job's status, even if its work was done.
    1       The library is missing or broken; or the job succeeded, but its
            output, --report or --record could not be written (disk full).
    2       The command line is invalid, or the job is too large.
    123     All ranks waited for each other (see --deadlock).
    124     The job exceeded its time limit (see --timeout).
    126     The program exists but cannot be run as ranks.
    127     The program does not exist.

ENVIRONMENT
    Options take precedence over environment variables.
    FTMPI_COMM_MODE, FTMPI_MSG_MODE, FTMPI_COLL_MODE, FTMPI_RECOVERY_MODE
                      Defaults of --mode, --msg, --coll and --recovery. Case
                      does not matter, and names of constants are accepted
                      (FTMPI_COMM_MODE_REBUILD). Other accepted variables:
                      FT_MPI_COMM_MODE, FTMPI_COM_MODE, FTMPI_MODE,
                      FT_MPI_MSG_MODE, FTMPI_MESSAGE_MODE, FT_MPI_COLL_MODE and
                      FT_MPI_RECOVERY_MODE.
    FTMPI_RANKS       Default of --ranks; `process` stands for --processes,
                      and `process:P` for --processes=P where ranks are more.
    FTMPI_BIND_TO     Default of --bind-to.
    FTMPI_SEED        Default of --seed.
    MPIEXEC_TIMEOUT   Default of --timeout.
    FTMPI_JOIN_TIMEOUT
                      How many seconds to wait for other hosts: 30 by default.
    FTMPI_NET         What carries messages between hosts: `tcp`, by any
                      interface, `tcp:eth1,ib0`, by these, or `ucx`
                      (libucp.so.0; Debian: libucx0). Without it, UCX where
                      both hosts have InfiniBand or RoCE, else TCP.
    FTMPI_OPTIONS     Options for programs that another launcher has started
                      (srun, prterun, mpiexec.hydra), with spaces between them.
    COLUMNS, LINES    The size of the terminal for --tui.
    LD_PRELOAD        Kept, with the library in front. A tool may replace MPI
                      functions.
    LD_LIBRARY_PATH   Kept, with the library's directory in front.
    SLURM_JOB_NODELIST, SLURM_TASKS_PER_NODE
                      The hosts of the job, unless they are named.
    Other variables of batch systems and other MPIs (PMI_*, OMPI_*) have no
    effect. Each rank gets its number and the number of ranks in the variables
    that scripts and tools read: OMPI_COMM_WORLD_RANK and _SIZE, _LOCAL_RANK and
    _LOCAL_SIZE, PMI_RANK, PMI_SIZE, PMIX_RANK, MPI_LOCALRANKID and
    MPI_LOCALNRANKS. Values that an outer launcher has set there are removed.

EXAMPLES
    mpicc ring.c -o ring && @NAME@ -np 8 ./ring
        Compile and run on eight ranks.
    @NAME@ -np 120 --tag-output ./heat 400 400
        Start each line with the rank that wrote it.
    @NAME@ -np 40 --mode rebuild ./solver
        Restart a rank that dies, and go on with 40 ranks.
    @NAME@ -np 40 --mode shrink ./solver
        Go on with 39 ranks when one dies.
    @NAME@ -np 4 --timeout 60 -x OMP_NUM_THREADS=2 ./hybrid
        Run four ranks of two threads each, for at most a minute.

LIMITS
    The program must be for x86-64 and glibc 2.34 or newer, and position
    independent, the default of most compilers. Programs linked with -no-pie or
    -static are refused, as are scripts (but for Python) and programs compiled
    with -fsanitize=address, thread, memory or leak (undefined works). Ranks are
    not protected from wild writes of other ranks. The number of ranks is
    limited by memory and by the mappings of a process (vm.max_map_count): about
    32,000 ranks of a C program by default, any number of a very small program
    or with --share-image. A job that is too large is refused with the limit's
    name.
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_the_sections_of_a_manual_and_fits_a_terminal() {
        let page = page("ftrun");
        for section in
            ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "ENVIRONMENT", "EXAMPLES"]
        {
            assert!(page.lines().any(|line| line == section), "{section}");
        }
        assert!(page.lines().all(|line| line.len() <= 80));
        assert!(!page.contains("@NAME"));
    }
}
