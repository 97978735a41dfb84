//! What `--help` prints.

pub(crate) const PAGE: &str = "\
NAME
    ftspare - substitute failed nodes by spare ones, and count the collisions

SYNOPSIS
    ftspare share [MACHINE]          how many nodes are spare
    ftspare worst [MACHINE]          the worst that so many failures can do
    ftspare sample [MACHINE]         failures at random, many times
    ftspare figure N [--svg FILE]    a figure of the paper, as CSV and as a picture: 1 to 22,
                                     or fat-tree
    ftspare figures --out DIR        all of them, and the tables, as DIR/figure-03.svg and so on
    ftspare table N [--svg FILE]     1: machines; 2: what they send at once, and how much slower
                                     collisions make them

MACHINE
    --dims 24,24,24      of a mesh, or with --torus of a torus
    --alloc 3D(2,1)      spares in the last layer of each of two of three dimensions
    --machine FILE       both from a machine file, or from a machine known by name
    --method M           0D, 1D, 2D, 3D, several as in 1D+0D, hybrid(all), hybrid(-2D)
    --choose C           dimension: slides in the last dimension in which there is one, as the
                         paper advises; nearest: the shortest of all; collisions: of all
                         substitutions the one after which messages collide least
    --stencil S          5P or 9P in two dimensions, 7P or 27P in three, or offsets: 1,0,0;0,0,2
    --fat-tree 19,2      messages go through a fat tree whose switches have 19 ports down and up,
                         in 2 levels; a node has the number there that it has in the mesh

RUN
    --failures F         how many, 9 or 20; `all` (sample) until no spare is left
    --orders N           worst: so many orders of failures are all looked at: 20000000
    --width W            worst: how many beginnings go on where not all can be looked at: 30
    --cases N            sample: how many, 100; figure, figures, table: other than usual
    --seed S             1: everything drawn follows from it
    --threads T          as many as there are cores; the results are the same

LOOKING ON
    --watch              sample, worst: a page for the browser of this machine, on which the nodes
                         of the first case, or of the worst, fail one by one, step by step: who
                         moves where, and what collides before and after; or those that are clicked
                         at; its address is told on standard error, with --port N as that port
    --tui                the same on the terminal (COLUMNS and LINES are its size)
    --record FILE        all that a page would show, for ftsim replay

RESULTS
    --json               as JSON, on one line
    --csv FILE           sample: a line for every failure
    --svg FILE           figure, table: the picture
    --csv                figures: a file of data beside each picture
";
