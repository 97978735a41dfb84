//! The text of `ftrun explore --help`.

pub(super) const PAGE: &str = "\
NAME
    @NAME@ explore - find the failure that an MPI program does not survive

SYNOPSIS
    @NAME@ explore [OPTIONS] -np N PROGRAM [ARGUMENTS]
    @NAME@ explore --resume DIR [OPTIONS] -np N PROGRAM [ARGUMENTS]
    @NAME@ explore --replay DIR/NUMBER [--times N]
    @NAME@ explore --show DIR

DESCRIPTION
    Runs PROGRAM once without failures. Then runs it again and again, each time
    with other failures: ranks die before, inside and after each of their calls,
    alone and together with others, most of all while the others recover. Other
    runs have no failure but another order of messages. Of loops only some
    iterations are tried. Runs go side by side on all cores, each in a directory
    of its own.

    A run has failed if it ends with another exit status, in a deadlock, not at
    all, with another output (if --expect says what is right), or leaves objects
    behind that the first run frees. What was found is made small and told with
    the source lines (compile with -g) and the command that repeats it.

    All options of @NAME@ for the job, such as --mode, may be given as well.

OPTIONS
  What is right
    --expect status   Any output: the default.
    --expect same     The output of the first run; lines may not change places.
    --expect sorted   The output of the first run, its lines in any order.
    --expect set      As `sorted`, but lines may come any number of times: a
                      restarted rank may repeat some.
    --expect file FILE
                      What is in FILE.
    --expect command COMMAND
                      What COMMAND accepts: a shell runs it in the directory of
                      the run, with the output of the run as standard input.
    --tolerance X     By which part numbers in the output may differ: 1e-9 is a
                      billionth. 0 by default.
    --lines TEXT      Compare only lines of the output that contain TEXT.
    --status LIST     The exit statuses of success: 0 by default.
    --leaks on|off    Whether objects that are not freed are failures: on by
                      default.

  How far to go
    --faults N        At most N ranks die in a run: 2 by default. With 0 only
                      orders are tried.
    --orders N        Try at most N orders without failures: 200 by default.
                      Fewer if they do not differ for any rank. Orders that
                      do not come about are made up for.
    --minutes M       Stop after this time. When all has been tried before that,
                      go on with failures and orders at random.
    --runs N          Stop after N runs; otherwise as --minutes.
    --jobs N          Make N runs at a time: as many as there are cores.
    --timeout SECONDS End a run after this time, real or virtual: by default
                      after ten times that of the first run, but at least 3 s
                      of real and 0.3 s of virtual time.
    --memory SIZE     End a run that takes more memory: 4G by default.
    --copy FILE       Put a copy of FILE into the directory of each run. Files
                      that ARGUMENTS name are there anyway.
    --seed NUMBER     The order of the runs that try no orders: 1 by default.

  What to write
    --state DIR       Keep findings and all that is needed to go on in DIR:
                      ftrun-explore by default. What was in it is replaced.
    --resume DIR      Go on with the exploration whose state is in DIR.
    --replay DIR/N    Run finding N again, and show its output.
    --times N         Run it N times, and say how many runs show it.
    --show DIR        Print the findings and the coverage again.
    --json FILE       Write a line of JSON for each run and each finding.
    --junit FILE      Write the findings as JUnit XML.
    --lcov FILE       Write which calls failures have met, for lcov.
    --html FILE       Write the same as a page, beside the source.
    --quiet           Print findings only.

EXIT STATUS
    0    Nothing was found.
    1    Something was found.
    2    The command line is invalid.
    3    The run without failures fails: there is nothing to explore.
    4    Some runs of --times show the finding, and others do not.
    126  The program exists but cannot be run as ranks.
    127  The program does not exist.

EXAMPLES
    mpicc -g rebuild.c -o rebuild
    @NAME@ explore -np 4 --mode rebuild ./rebuild 20
        Try all failures of one rank, then of two.
    @NAME@ explore -np 8 --expect same --faults 1 --junit out.xml ./solver
        In CI: one failure must not change the output.
    @NAME@ explore -np 4 --faults 0 --orders 1000 ./ring
        Look for message races in a program without fault tolerance.
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_the_sections_of_a_manual_and_fits_a_terminal() {
        for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLES"] {
            assert!(PAGE.lines().any(|line| line == section), "{section}");
        }
        assert!(PAGE.lines().all(|line| line.len() <= 80));
    }
}
