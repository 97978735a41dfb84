//! What `--help` prints.

pub(crate) const PAGE: &str = "\
NAME
    ftsim - simulate algorithms that go on when nodes die

SYNOPSIS
    ftsim max [OPTIONS]             the global maximum, by telling one's neighbours
    ftsim poisson [OPTIONS]         Poisson's equation without a mesh, by relaxation
    ftsim run APP.so [OPTIONS]      an application in C, Fortran or Rust: include/ftsim.h
    ftsim replay FILE [--port N]    a page that shows what --record has kept, of ftrun as well; or
                                    files of it: --apng OUT, a moving picture, --frames DIRECTORY,
                                    PNG files, --csv OUT, counters; --size 400, --every 1

NETWORK
    --nodes N             100000 for max, 2500 for poisson, 10000 for run; as many as memory has
                          room for
    --topology T          random (max): K out, K in, whoever; nearest (poisson, run): the K nearest
                          of random places, and those among whose nearest one is; far: the
                          farther the rarer, as 1/r2; mesh, torus, hypercube; or a file with
                          lines `0: 3 5`, who: to whom; or hashed, for max: lists by arithmetic
                          from the seed, so that 2^27 nodes (or --nodes, up to 2^31) take 1 GB
    --neighbours K        4, and 8 for nearest
    --dims 100,100        of a mesh or torus
    --machine FILE        a machine's network and its failures; or the name of one that is known

FAILURES
    --kill WHO[@TICK]     10%, 100, node 3 17, box 0,0..0.5,0.5, ball 0.5,0.5 0.1, or a part such as
                          50% of ball 0.5,0.5 0.1; may be said more than once, or with `;` between
    --at TICK             when --kill says no time: 0
    --kill-every TICKS    one node, again and again, until the network is at rest
    --mttf TICKS          one node after random times, with this mean; --node-mttf for each node;
                          until the network is at rest
    --weibull SHAPE       of these times: 1, which is exponential; 0.1 to 100
    --through             they go on until --ticks, and so does the run
    --kill-file FILE      lines of tick and node; --deaths FILE writes those of this run
    --tick TIME           what a tick is for the times in a machine file: 1us

RUN
    --seed S              1: everything drawn follows from it
    --threads T           1; the results are the same
    --ticks N             at the most: a run ends before when the network is at rest: no message is
                          under way, and no failure that was set for a tick is to come
    --tolerance X         poisson: changes up to this are not told: 1e-6
    --border B            poisson: x2-y2, or the sides left,right,lower,upper; run: the sides
    --source F            poisson: the right side of -Laplace u = F
    --solve yes|no        poisson: solve the equations directly as well, for the error at rest: yes,
                          with more than 100000 nodes no
    --stack KILOBYTES     run: of each node, if the application is threads: 64
    --watch               a page for the browser of this machine: go, halt, step, kill nodes or a
                          part of a region, move the border and back, set up another run; its
                          address is told on standard error, with --port N as that port
    --tui                 the same nodes on the terminal (COLUMNS and LINES are its size)
    --info NODE           run: what the application says of a node

RESULTS
    poisson tells by which factor changes shrink with each tick in the later half of the run, and
    how many ticks that is for a tenth.
    --json                as JSON, on one line
    --csv FILE            counters at every tick, or --every N ticks; the last column is the number
                          of those who know (max), the error (poisson), or with another border
                          or a source the residual: by how much a node changes in a tick
    --record FILE         all that a page would show, --every N ticks, for ftsim replay
    --frames DIRECTORY    pictures as PNG files of --size 600 points
    --quiet               no word on the way
";
