//! What `--help` prints.

pub(crate) const PAGE: &str = "\
NAME
    ftspare - replace failed nodes by spare nodes, and count the collisions

SYNOPSIS
    ftspare share|worst|sample [MACHINE OPTIONS] [OPTIONS]
    ftspare figure N [OPTIONS]
    ftspare figures --out DIR [OPTIONS]
    ftspare table N [OPTIONS]

DESCRIPTION
    Counts how many messages between neighbours collide after failed nodes were
    replaced by spare nodes.
    share      how many nodes are spares
    worst      the worst effect of a given number of failures
    sample     random failures, many times
    figure     a figure of the paper, as CSV and as a picture: 1 to 22, or
               fat-tree
    figures    all figures and tables, as DIR/figure-03.svg and so on
    table      1: machines; 2: what they send at a time, and how much slower
               collisions make them

OPTIONS
  Machine
    --dims 24,24,24   The size of a mesh.
    --torus           Make it a torus.
    --alloc 3D(2,1)   Put spares in the last layer of each of two of three
                      dimensions.
    --machine FILE    Take both from a machine file, or from a known machine.
    --method M        0D, 1D, 2D, 3D, several as in 1D+0D, hybrid(all),
                      hybrid(-2D).
    --choose C        dimension: slide in the last dimension with a spare, as
                      the paper advises; nearest: the shortest slide;
                      collisions: the substitution after which the fewest
                      messages collide.
    --stencil S       5P or 9P in two dimensions, 7P or 27P in three, or
                      offsets: 1,0,0;0,0,2.
    --fat-tree 19,2   Send messages through a fat tree with 2 levels of switches
                      with 19 ports down and up. Nodes have the numbers that
                      they have in the mesh.

  Run
    --failures F      The number of failures: 9 or 20 by default; `all`
                      (sample): until no spare is left.
    --orders N        worst: examine all orders of failures if there are at most
                      N: 20000000 by default.
    --width W         worst: how many partial orders to extend otherwise: 30 by
                      default.
    --cases N         sample: 100 by default; also for figure, figures and
                      table.
    --seed S          The source of all random choices: 1 by default.
    --threads T       The number of cores by default. Results do not depend on
                      it.

  Output
    --json            Print the report as JSON, on one line.
    --csv FILE        sample: write one line for each failure. figures: without
                      FILE, write data beside each picture.
    --svg FILE        figure, table: write the picture.
    --out DIR         figures: the directory for all files.
    --watch           sample, worst: show in a browser on this machine how the
                      nodes of the first or worst case fail one by one, which
                      nodes move where, and what collides before and after. A
                      click makes a node fail. The address is printed on
                      standard error.
    --port N          The port of the --watch page.
    --tui             Show the nodes in the terminal.
    --record FILE     Record what --watch would show, for ftsim replay.
    --help            Print this page.

EXIT STATUS
    0    The result is printed.
    1    The result could not be written.
    2    The command line is invalid, or the run failed.

ENVIRONMENT
    COLUMNS, LINES    The size of the terminal for --tui.

EXAMPLES
    ftspare sample --dims 24,24,24 --alloc '3D(2,1)' --failures 9
        Count collisions after nine random failures.
    ftspare figure 3 --svg figure.svg
        Draw figure 3 of the paper.
";
