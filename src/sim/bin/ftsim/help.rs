//! What `--help` prints.

pub(crate) const PAGE: &str = "\
NAME
    ftsim - simulate algorithms that survive the failure of nodes

SYNOPSIS
    ftsim max|poisson [OPTIONS]
    ftsim run APP.so [OPTIONS]
    ftsim replay FILE [OPTIONS]

DESCRIPTION
    Simulates an algorithm on a network whose nodes fail during the run.
    max        find the global maximum by messages between neighbours
    poisson    solve Poisson's equation without a mesh, by relaxation
    run        run an application in C, Fortran or Rust that is built with
               include/ftsim.h
    replay     show a file of --record, including one of ftrun, in a browser, or
               convert it
    A run ends when the network is at rest: no message is under way, and no
    scheduled failure is to come. poisson reports the factor by which changes
    shrink in each tick of the later half of the run, and how many ticks reduce
    them to a tenth.

OPTIONS
  Network
    --nodes N         100000 by default for max, 2500 for poisson, 10000 for
                      run. Memory is the limit.
    --topology T      random (default of max): K links out and K in, to random
                      nodes; nearest (default of poisson and run): the K nearest
                      of random places, in both directions; far: links become
                      rarer with distance, as 1/r2; mesh, torus, hypercube; a
                      file with lines `0: 3 5`, a node and its neighbours; or
                      hashed (max): neighbours computed from the seed, so that
                      2^27 nodes (--nodes allows 2^31) need 1 GB.
    --neighbours K    4 by default, 8 for nearest.
    --dims 100,100    The size of a mesh or torus.
    --machine FILE    Take the network and its failures from a machine file, or
                      from a known machine.

  Fault injection
    --kill NODES[@TICK]
                      Kill 10% of the nodes, 100 nodes, node 3 17, box
                      0,0..0.5,0.5, ball 0.5,0.5 0.1, or part of a region, such
                      as 50% of ball 0.5,0.5 0.1. May be given several times, or
                      with `;` between kills.
    --at TICK         The time of kills without @TICK: 0 by default.
    --kill-every TICKS
                      Kill one node at a time until the network is at rest.
    --mttf TICKS      Kill one node at a time after random intervals with this
                      mean, until the network is at rest.
    --node-mttf TICKS As --mttf, with the mean lifetime of each node.
    --weibull SHAPE   The shape of these intervals, 0.1 to 100: 1 by default,
                      which is exponential.
    --through         Continue the failures, and the run, until --ticks.
    --kill-file FILE  Read kills from FILE: lines of tick and node.
    --deaths FILE     Write the failures of this run to FILE, for --kill-file.
    --tick TIME       The length of a tick, for times in a machine file: 1us by
                      default.

  Run
    --seed S          The source of all random choices: 1 by default.
    --threads T       1 by default. Results do not depend on it.
    --ticks N         End the run after N ticks at the latest.
    --tolerance X     poisson: do not send changes up to X: 1e-6 by default.
    --border B        poisson: x2-y2, or the values of the sides as
                      left,right,lower,upper; run: the sides.
    --source F        poisson: the right side of -Laplace u = F.
    --solve yes|no    poisson: also solve the equations directly, for the error
                      at rest: yes by default up to 100000 nodes.
    --stack KILOBYTES run: the stack of each node, if the application uses
                      threads: 64 by default.
    --info NODE       run: print what the application reports about a node.

  Output
    --json            Print the report as JSON, on one line.
    --csv FILE        Write counters at every tick. The last column is the
                      number of nodes that know the result (max) or the error
                      (poisson); with another border or a source, the residual:
                      how much a node changes in a tick.
    --every N         Write --csv and --record every N ticks.
    --watch           Show the nodes in a browser on this machine: run, pause,
                      step, kill nodes or part of a region, change the border,
                      set up another run. The address is printed on standard
                      error.
    --port N          The port of the page of --watch or replay.
    --tui             Show the nodes in the terminal.
    --record FILE     Record what --watch would show, for ftsim replay.
    --frames DIRECTORY
                      Write pictures as PNG files.
    --size POINTS     The size of pictures: 600 by default.
    --quiet           Print no progress.
    --help            Print this page.

  Options of replay
    --apng OUT        Write a moving picture instead of showing a page.
    --frames DIRECTORY
                      Write PNG files.
    --csv OUT         Write counters.
    --size POINTS     The size of pictures: 400 by default.
    --every N         Use every Nth picture: 1 by default.

EXIT STATUS
    0    The run is done.
    1    The result could not be written.
    2    The command line is invalid, or the run failed.

ENVIRONMENT
    COLUMNS, LINES    The size of the terminal for --tui.

EXAMPLES
    ftsim max --nodes 1000 --kill 10%@5
        Find the maximum although a tenth of the nodes dies at tick 5.
    ftsim poisson --nodes 2500 --mttf 50 --watch
        Watch a relaxation while nodes fail.
";
