//! What `--help` prints.

pub(crate) const PAGE: &str = "\
NAME
    ftbg - emulate a Blue Gene

SYNOPSIS
    ftbg line|octtree|reduce|ring|jacobi|md [OPTIONS]
    ftbg run APP.so [ARGUMENTS] [OPTIONS]

DESCRIPTION
    Runs a built-in program, or one of your own, on an emulated machine, and
    reports its emulated time. The programs are
    line       broadcast from a corner along x, then y, then z
    octtree    broadcast from the centre, which divides the machine into eight
    reduce     find a maximum on the way back of line
    ring       pass a token through all nodes
    jacobi     solve Laplace's equation, and compare with a serial run
    md         move atoms that attract and repel each other in a periodic box,
               one cell on each node, and compare with a serial run
    run        run a program in C or C++ that is built with include/ftbg.h

OPTIONS
  Emulated machine
    --dims X,Y,Z      The size of the machine: 34,34,36 by default, 8,8,8 for
                      jacobi, 4,4,4 for md; --machine and APP.so may set it.
    --machine FILE    Take prices and nodes from a machine file, or from a known
                      machine.
    --cost C          The price of a message. published: 5 ns a hop, and 75 ns
                      once; physical: 75 ns for each turn; text: 1 ns a hop, and
                      75 ns for each turn, at least once.
    --handler NS      The time that a handler takes: 1000 by default; may be 0.
    --communication N Threads of a node that receive packets: half of them by
                      default.
    --fragments       Split payloads that are too long for one packet.

  Program
    --starter         octtree: begin with a micro-task, one more handler in a
                      row.
    --rounds N        jacobi: 20 by default; md: 100.
    --seed S          md: 1 by default.
    --info NODE       run: print what the program reports about a node.
    --threads T       Threads of the emulator: 1 by default. Results do not
                      depend on it.

  Output
    --json            Print the report as JSON, on one line.
    --measure         Add to the report: the real time, the slowdown, r (the
                      capacity of the emulated processors relative to that of
                      the --threads), the ideal time (r times the emulated
                      time), and the efficiency (ideal over real time).
    --clock GHZ       The clock of this machine's processors, for r: by default
                      as the system says.
    --watch           Show the machine in a browser on this machine: nodes as
                      dots, coloured by the load of their links. Run, pause,
                      step, and see what a node has sent and received. The
                      address is printed on standard error.
    --port N          The port of the --watch page.
    --tui             Show the nodes in the terminal.
    --record FILE     Record what --watch would show, for ftsim replay.
    --slice NS        Emulated time between two pictures: 1000 by default.
    --view V          The meaning of colours. total: packets so far on the
                      busiest link out of a node; lately; waiting: packets in
                      the node; handlers.
    --quiet           Do not print how long the run took.
    --help            Print this page.

EXIT STATUS
    0    The run is done.
    1    The result could not be written.
    2    The command line is invalid, or the run failed.

ENVIRONMENT
    COLUMNS, LINES    The size of the terminal for --tui.

EXAMPLES
    ftbg line --cost published
        Broadcast along the axes, with the published prices.
    ftbg jacobi --dims 16,16,16 --rounds 50 --threads 4
        Solve Laplace's equation on 4096 nodes, with four threads.
";
