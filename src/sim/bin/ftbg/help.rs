//! What `--help` prints.

pub(crate) const PAGE: &str = "\
NAME
    ftbg - emulate a Blue Gene

SYNOPSIS
    ftbg line|octtree|reduce|ring|jacobi [OPTIONS]

DESCRIPTION
    line broadcasts from the corner along x, then y, then z; octtree by splitting the machine in
    half in every dimension; reduce finds a maximum on the way back of line; ring passes a token
    through all nodes; jacobi solves Laplace's equation and compares it with a serial run.

OPTIONS
    --dims X,Y,Z          34,34,36, of jacobi 8,8,8; or those of --machine
    --cost C              published: 75 ns once for each message; physical: for each turn
    --handler NS          what a handler takes: 1000
    --communication N     of a node's threads, those that take packets in: half of them
    --machine FILE        prices and nodes from a machine file, or from one known by name
    --rounds N            of jacobi: 20
    --threads T           1; the results are the same
    --json                as JSON, on one line
    --quiet               no word of how long it took here
";
