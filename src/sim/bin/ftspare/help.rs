//! What `--help` prints.

pub(crate) const PAGE: &str = "\
NAME
    ftspare - substitute failed nodes by spare ones, and count the collisions

SYNOPSIS
    ftspare share [MACHINE]          how many nodes are spare
    ftspare worst [MACHINE]          the worst that so many failures can do
    ftspare sample [MACHINE]         failures at random, many times
    ftspare figure N [--svg FILE]    a figure of the paper, as CSV and as a picture:
                                     3, 8, or 10 to 19
    ftspare figures --out DIR        all of them, as DIR/figure-03.svg and so on
    ftspare table 2                  what the paper's machines send at once, and how much slower
                                     collisions make them

MACHINE
    --dims 24,24,24      of a mesh, or with --torus of a torus
    --alloc 3D(2,1)      spares in the last layer of each of two of three dimensions
    --machine FILE       both from a machine file, or from a machine known by name
    --method M           0D, 1D, 2D, 3D, several as in 1D+0D, hybrid(all), hybrid(-2D)
    --choose C           nearest, as in the paper, or collisions: of all substitutions the one
                         after which messages collide least
    --stencil S          5P or 9P in two dimensions, 7P or 27P in three, or offsets: 1,0,0;0,0,2

RUN
    --failures F         how many; `all` (sample) until no spare is left
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
    --svg FILE           figure: the picture
    --csv                figures: a file of data beside each picture
";
