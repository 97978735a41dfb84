//! What `--help` prints.

pub(crate) const PAGE: &str = "\
NAME
    ftbg - emulate a Blue Gene

SYNOPSIS
    ftbg line|octtree|reduce|ring|jacobi|md [OPTIONS]
    ftbg run APP.so [WORDS] [OPTIONS]    a program in C or C++: include/ftbg.h

DESCRIPTION
    line broadcasts from the corner along x, then y, then z; octtree from the middle, which cuts
    the machine into eight parts; reduce finds a maximum on the way back of line; ring passes a
    token through all nodes; jacobi solves Laplace's equation, and md moves atoms that attract
    and repel each other in a periodic box, a cell on each node; both are compared with a serial
    run.

OPTIONS
    --dims X,Y,Z          34,34,36, of jacobi 8,8,8, of md 4,4,4; or those of --machine, or of
                          APP.so
    --cost C              published: 5 ns a hop, 75 ns once for each message; physical: 75 ns
                          for each turn; text: 1 ns a hop, 75 ns for each turn, at least once
    --handler NS          what a handler takes: 1000; 0 is allowed
    --starter             of octtree: a micro-task begins it, one handler more in a row
    --communication N     of a node's threads, those that take packets in: half of them
    --machine FILE        prices and nodes from a machine file, or from one known by name
    --rounds N            of jacobi: 20, of md: 100
    --seed S              of md: 1
    --fragments           a payload that is too long for a packet goes in several
    --info NODE           run: what the program says of a node
    --threads T           1; the results are the same
    --json                as JSON, on one line
    --measure             in the report too: how long it took here, the slowdown, r (how many times
                          as much the emulated processors can do as the --threads here), the ideal
                          time (r times the emulated one), and the efficiency (ideal over real)
    --clock GHZ           of this machine's processors, for r: as the system says
    --watch               a page for the browser of this machine: nodes as dots, which are as hot as
                          their links; go, halt, step, what a node has sent and received; its
                          address is told on standard error, with --port N as that port
    --tui                 the same nodes on the terminal (COLUMNS and LINES are its size)
    --record FILE         all that a page would show, for ftsim replay
    --slice NS            the emulated time from one picture to the next: 1000
    --view V              what colours are of: total (packets so far on the busiest link out of a
                          node), lately, waiting (in the node) or handlers
    --quiet               no word of how long it took here
";
