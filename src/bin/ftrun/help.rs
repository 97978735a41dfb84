//! What `--help` and `--version` print.

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
    @NAME@ - run an MPI program as many ranks in one process

SYNOPSIS
    @NAME@ -np N [OPTIONS] [--] PROGRAM [ARGUMENTS]

DESCRIPTION
    Runs PROGRAM as an MPI job of N ranks. Every rank is a thread of one process
    and has its own copy of the program's memory: globals, static variables,
    the state of libc, heap and stack. The program needs no change; it is
    compiled with mpicc, mpicxx or mpifort of this library, or with any compiler
    that is given include/mpi.h and links -lftmpi_rs or -lmpi_abi.

    Standard input goes to rank 0. A rank that ends by an error or a signal ends
    only itself; what becomes of the others is told by --mode.

    ftrun, mpirun and mpiexec are one program. An option may be written with one
    dash or with two, and its value after a space or after `=`. Options end at
    the first word that is none, or at `--`.

OPTIONS
  How many, and how they live
    -n N, -np N       Run N ranks.
    -N N              The same, where neither -n nor -np is given.
    --ranks thread|fiber|auto
                      Run every rank on a thread of the operating system, or on
                      a fiber, which the library switches: that is far faster
                      where ranks share cores. `auto`, the default, takes fibers
                      where there are more ranks than cores. FTMPI_RANKS in the
                      environment is the same.
    --mode abort|blank|shrink|rebuild|ulfm
                      When a rank fails, do as FT-MPI does: end the job, or let
                      the program recover what is left: with gaps, without, or
                      with the failed ranks started afresh. With `ulfm`, calls
                      fail as in ULFM, and the program repairs what it wants.
                      Without --mode, a program shows what it can do: if it
                      refers to FT_MPI_CHECK_RECOVER or has set an error handler
                      that is not fatal, that is `rebuild`; if it calls MPIX_
                      functions, `ulfm`; else the first failure ends the job.
    --msg noop|cont   Between a failure and the recovery, let every call fail
                      (`noop`, also `nop` or `reset`: the default), or let the
                      others go on talking (`cont`, also `continue`).
    --coll non-atomic|atomic
                      Let a collective call that meets a failure end well at
                      some members (the default), or at all or none.
    --recovery manual|auto
                      Recover when the program asks for it (the default), or
                      inside of the call that notices the failure.
    --patience SECONDS
                      How long those who recover wait for a rank that does not
                      come: then it is killed, and counts as one more death.
                      Without this they wait for as long as it computes.
    --on-failure end|continue|restart
                      For programs that run without a mode.
                      When a rank fails: end the job at once (the default), let
                      the others go on, or let them go on and start the rank
                      afresh.
    --with-ft ulfm|no As Open MPI's mpirun: `ulfm` is --mode ulfm; with
                      `no` the first failure ends the job, and the attribute
                      MPIX_FT is 0.
    --initial-errhandler NAME
                      What MPI_COMM_WORLD and MPI_COMM_SELF do with errors until
                      the program says otherwise: mpi_errors_are_fatal (the
                      default), mpi_errors_abort or mpi_errors_return.
    --stack SIZE      The stack of each rank: 8M by default.
    --heap SIZE       The largest heap that a rank may grow to: 1G by default.
                      It is address space; memory is taken as it is used.
                      A SIZE has a unit: K, M, G or T. Of more than 100,000
                      ranks each gets less: a stack of 256K, and an equal share
                      of 64T for its heap.
    --timeout SECONDS End the job with an error when it has run that long.
    --deadlock on|off When all ranks wait for each other, say what each waits
                      for and end the job: on by default. It takes about a
                      second until that is certain.

  How careful, how fast
    --check on|off    Check the arguments of calls, and that the members of a
                      communicator call the same collectives: on by default.
                      Where it is off, wrong arguments may end a rank or bring
                      wrong results, and calls are a few nanoseconds faster.
    --leftovers       Say on standard error what each rank leaves behind in
                      MPI_Finalize: messages that nobody received, and objects
                      that were not freed.

  Failures to order
    --kill RANK@WHEN  End RANK at a moment, as SIGKILL ends a process. May be
                      given several times. RANK.2@WHEN means the second life of
                      that rank, RANK.every@WHEN each life. WHEN is one of
        250ms, 1.5s, 40us      so long after that life began, wherever it is
        compute:250ms          the same, but not before it is outside of MPI
        before:MPI_Send:3      as it enters its third MPI_Send
        inside:MPI_Bcast:3     in the midst of that call: after its first step,
                               which is a message sent or a wait begun;
                               inside:MPI_Bcast:3:2 is after its second
        after:MPI_Send:3       as it leaves that call
        before:call:17         at its 17th call of any kind (inside, after)
        recovery:2             in the second recovery in which it takes part;
                               recovery:2:3 is at the third step of it
                      A count that is left out is 1, and so is `before:`.
                      Events that count calls happen again in the next run.
    --kill-file FILE  The same from a file: one RANK@WHEN a line; empty lines
                      and what follows `#` do not count.
    --mttf TIME       Let ranks fail by chance, TIME apart on average, each
                      time one of all ranks.

  A machine nobody could buy
    --machine FILE    Let the ranks sit on a machine, one on each node that is
                      no spare. FILE describes it; a known name will do as well:
                      bluegene-2001, bluegene-l, bluegene-q, k. Its failures hit
                      whoever sits on a node then. What starts again does so on
                      a spare node, as the file says how: who moves, and how
                      many messages between neighbours collide before and after,
                      stands on standard error and in the --report.
                      MPI_Get_processor_name gives the node.
    --time-scale X    How many seconds here a second of FILE's failures is: 1.

  The same run again
    --seed NUMBER     Let a seed decide what the system decides otherwise: who
                      of the ranks goes on at each call and each wait, and what
                      --mttf does. The same NUMBER gives the same run, line by
                      line, failures included; another NUMBER another order, in
                      which other mistakes of a program may show. One rank runs
                      at a time. Time is counted, also for --kill and --mttf:
                      10 us for each call of MPI, nothing for computing; sleeps
                      take no time when all ranks wait. Threads that ranks start
                      (OpenMP), and what comes from outside, are not repeated.
                      With --ranks thread it repeats times and ranks of --mttf
                      and nothing else.
    --seed random     Draw a seed, and say which. FTMPI_SEED in the environment
                      is the same as --seed.

  What a rank has for itself
    --private LIB     Give every rank its own copy of the library LIB.
    --shared LIB      Let all ranks use the library LIB together.
                      Without these, ranks share libc, libm, libgcc_s, libgomp
                      and this library, and have copies of everything else. Both
                      may be given several times.
    --share-image     Let all ranks run in one copy of the program, which has no
                      variables that it changes: for ranks by the million. What
                      ftrun sees of such variables, it refuses, by name; make
                      them const or thread-local (_Thread_local). Libraries of
                      your own must be as clean, or be named by --shared.
                      stdin, stdout and stderr are one for all ranks; all else
                      that libc keeps, each has for itself.
    --explain         Say on standard error what was loaded how, and why.

  Surroundings
    -x NAME=VALUE     Set an environment variable. (-x NAME is accepted: all
                      variables are passed on anyway.)
    -genv NAME VALUE, -env NAME VALUE
                      The same.
    --wdir DIR, -wd DIR
                      Enter the directory DIR first.
    --host localhost, --hostfile FILE
                      Accepted if this host is meant; any other is refused.

  What is printed
    --tag-output, -l  Start every line of output with the rank in brackets.
    --report FILE     Write one line of JSON for each failure into FILE: who,
                      when, why, what became of it, and how long each step of
                      the recovery took, in microseconds from the death on.
    --watch           A page for the browser of this machine shows the job as it
                      goes: who waits in which call for whom, failures and
                      recoveries; there a click kills ranks. Its address stands
                      on standard error, with --port N as that port.
    --tui             The same on the terminal, by standard error: send the
                      program's own words elsewhere. COLUMNS and LINES in the
                      environment are its size.
    --record FILE     Keep what such a page shows: `ftsim replay FILE` shows it
                      again.
    -q, --quiet       Print no warnings, and nothing about failures that the job
                      survives.
    -v                Say which program is run with which library.
    --help            Print this page.
    --version         Print the version.

  Accepted without effect
    Options of other launchers that place processes or tell how to start them
    are read with their values and have no effect, such as --oversubscribe,
    --map-by, --bind-to, --allow-run-as-root, --mca A B, -ppn, --rankfile,
    --report-bindings, --display-map, -genvall, -launcher. Several programs
    separated by `:` are not supported yet.

EXIT STATUS
    0       every rank finalized and returned 0, or what failed was made up for:
            in a mode, by those who came to the end of MPI_Finalize; under
            --on-failure restart, by starting again.
    N       the status of the first rank that failed and that nobody has made up
            for, or what was given to MPI_Abort. Without --on-failure restart,
            nobody makes up for a rank that fails after its own MPI_Finalize.
            In mode ulfm, MPI_Abort ends the ranks of its communicator, whom
            those make up for who are left.
    128+S   the same where signal S ended that rank: 137 for one that was
            killed, by --kill as well. A rank that dies between its last call
            of MPI and MPI_Finalize has failed like any other: without a mode,
            in mode abort and under --on-failure continue that is the job's
            status, though its work was done.
    1       the library is missing or broken; or all went well but for output,
            --report or --record that could not be written (a full disk).
    2       the command line makes no sense, or the job is too large.
    123     all ranks waited for each other (see --deadlock).
    124     the job was not done in time (see --timeout).
    126     the program is there but cannot be run as ranks.
    127     the program does not exist.

ENVIRONMENT
    FTMPI_COMM_MODE, FTMPI_MSG_MODE, FTMPI_COLL_MODE, FTMPI_RECOVERY_MODE
                      As --mode, --msg, --coll and --recovery, which go before
                      them. Any case will do, and so will the names of the
                      constants (FTMPI_COMM_MODE_REBUILD); FT_MPI_COMM_MODE,
                      FTMPI_COM_MODE, FTMPI_MODE, FT_MPI_MSG_MODE,
                      FTMPI_MESSAGE_MODE, FT_MPI_COLL_MODE and
                      FT_MPI_RECOVERY_MODE are read, too.
    MPIEXEC_TIMEOUT   Seconds after which the job is ended, if --timeout is not
                      given.
    LD_PRELOAD        Is kept; the library goes in front of it. Functions of MPI
                      that a tool takes over are the tool's.
    LD_LIBRARY_PATH   Is kept; the library's directory goes in front of it.
    Variables of batch systems and of other MPIs (SLURM_*, PMI_*, OMPI_*) have
    no effect. Each rank finds its number and the number of ranks where scripts
    and tools look for them: OMPI_COMM_WORLD_RANK and _SIZE, _LOCAL_RANK and
    _LOCAL_SIZE, PMI_RANK, PMI_SIZE, PMIX_RANK, MPI_LOCALRANKID and
    MPI_LOCALNRANKS. What an outer launcher has set there is taken away.

EXAMPLES
    mpicc ring.c -o ring && @NAME@ -np 8 ./ring
        Compile and run on eight ranks.
    @NAME@ -np 120 --tag-output ./heat 400 400
        Start every line with the rank that wrote it.
    @NAME@ -np 40 --mode rebuild ./solver
        Go on with 39 ranks when one dies.
    @NAME@ -np 4 --timeout 60 -x OMP_NUM_THREADS=2 ./hybrid
        Four ranks of two threads each, for a minute at most.

LIMITS
    The program is for x86-64 and glibc 2.34 or newer. It is position
    independent, as compilers make it by default: those linked with -no-pie or
    -static are refused, and so are scripts and programs compiled with
    -fsanitize=address, thread, memory or leak (undefined works). A library
    opened by dlopen is one for all ranks; it is refused if it refers to the
    program or to a library of which each rank has its own. Ranks are not
    protected from each other's wild writes. A job has as many ranks as the
    machine allows mappings (vm.max_map_count; some 32,000 ranks of a C program
    where nobody has raised it; any number of a very small one, or with
    --share-image) and has memory for; a job that is too large is refused with
    the limit's name.
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
