//! Creation of communicators with topologies (MPI-5.0 §8.5).
//!
//! Ranks keep their order even with `reorder`: in one process all neighbours are equally near.

use crate::host::memory::Span;
use crate::mpi::coll::claim::Kind;
use crate::mpi::coll::{lane, unite};
use crate::mpi::comm::Comm;
use crate::mpi::comm::create::agree;
use crate::mpi::comm::prepared::{Draft, Reader, Words};
use crate::mpi::error::{Class, Failure, Result, is_death};
use crate::mpi::info::Info;
use crate::mpi::lane::Lane;
use crate::mpi::process::Process;
use crate::mpi::run;
use crate::mpi::topology::Topology;
use crate::mpi::topology::cart::Cart;
use crate::mpi::topology::graph::{Adjacency, Edge, Ends, Graph, distribute};
use std::sync::Arc;

const UNDEFINED: i32 = -32766;

/// A grid of the first ranks of `comm`, as many as it has places; the others get none.
pub fn grid(process: &Process, comm: &Comm, cart: Cart) -> Result<Option<usize>> {
    let size = cart.size();
    shape(process, comm, Kind::CartCreate, size, Topology::Cart(cart))
}

/// A graph of the first ranks of `comm`, as many as it has nodes; the others get none.
pub fn graph(process: &Process, comm: &Comm, graph: Graph) -> Result<Option<usize>> {
    let size = graph.size();
    shape(process, comm, Kind::GraphCreate, size, Topology::Graph(graph))
}

/// The rank that `comm`'s own rank would have in a topology of `size`.
pub fn map(comm: &Comm, size: i32) -> i32 {
    if comm.rank < size { comm.rank } else { UNDEFINED }
}

fn shape(
    process: &Process, comm: &Comm, kind: Kind, size: i32, topology: Topology,
) -> Result<Option<usize>> {
    let context = agree(process, comm, kind)?;
    if comm.rank >= size {
        return Ok(None);
    }
    let group = match size == comm.size() {
        true => comm.group.clone(),
        false => {
            let members = comm.group.members().take(size as usize).collect();
            Arc::new(process.derive_group(&comm.group, members))
        }
    };
    let topology = Some(Arc::new(topology));
    let draft = Draft { topology, ..Draft::child(comm, context, group) };
    draft.make(process).map(|made| Some(made.handle))
}

/// The part of the grid of `comm` that the caller is in when only some dimensions remain.
pub fn sub_grid(process: &Process, comm: &Comm, remains: &[bool]) -> Result<usize> {
    let (cart, ranks) = comm.cart()?.slice(comm.rank, remains);
    // The parts are disjoint, so they may share a context.
    let context = agree(process, comm, Kind::CartSub)?;
    let members = ranks.into_iter().map(|rank| comm.member(rank)).collect();
    let group = Arc::new(process.derive_group(&comm.group, members));
    let topology = Some(Arc::new(Topology::Cart(cart)));
    let draft = Draft { topology, ..Draft::child(comm, context, group) };
    draft.make(process).map(|made| made.handle)
}

/// A distributed graph of which every process says its own edges.
pub fn adjacent(
    process: &Process, comm: &Comm, adjacency: Adjacency, info: Option<&Info>,
) -> Result<usize> {
    let context = agree(process, comm, Kind::DistGraphAdjacent)?;
    connect(process, comm, context, adjacency, info)
}

fn connect(
    process: &Process, comm: &Comm, context: u32, adjacency: Adjacency, info: Option<&Info>,
) -> Result<usize> {
    let topology = Some(Arc::new(Topology::Dist(adjacency)));
    let draft = Draft::child(comm, context, comm.group.clone());
    Draft { topology, info, ..draft }.make(process).map(|made| made.handle)
}

/// A distributed graph of which every process says some edges, whoever's they are. The first rank
/// hears them all and tells each its own. Whoever has none to say for an error of its own goes
/// through with it, and all hear of that.
pub fn distributed(
    process: &Process, comm: &Comm, edges: Result<(Vec<Edge>, bool)>, info: Option<&Info>,
) -> Result<usize> {
    if is_death(&edges) {
        return Err(Failure::died());
    }
    let lane = lane(process, comm, Kind::DistGraph)?;
    if process.world.is_of_several_processes() {
        // What is read below is of a graph only if all members have called this.
        run::block(unite(&lane, &[], |_| Ok(())))?;
    }
    let mine = say(&edges);
    let answer = match lane.rank() {
        0 => tell_all(process, comm, &lane, &mine)?,
        _ => {
            post(&lane, 0, &mine)?;
            hear(&lane, 0)?
        }
    };
    // All have their answers now, or nobody goes on.
    run::block(unite(&lane.union(), &[], |_| Ok(())))?;
    edges?;
    let mut answer = answer.read();
    match answer.number() as i32 {
        0 => {}
        class => {
            let words = "another process passed invalid edges, or weights unlike the others";
            return Err(Class(class).because(words));
        }
    }
    let (context, is_weighted) = (answer.number(), answer.number() != 0);
    let sources = read_ends(&mut answer, is_weighted);
    let destinations = read_ends(&mut answer, is_weighted);
    connect(process, comm, context, Adjacency { sources, destinations }, info)
}

/// The first rank's part: what everybody says, put together and given to those it is about.
fn tell_all(process: &Process, comm: &Comm, lane: &Lane<'_>, mine: &Words) -> Result<Words> {
    let mut said = vec![mine.clone()];
    for rank in 1..comm.living().size() {
        said.push(hear(lane, rank)?);
    }
    let mut edges = Vec::new();
    let mut class = 0;
    let is_weighted = is_weighted(mine);
    for words in &said {
        let mut reader = words.read();
        class = if class == 0 { reader.number() as i32 } else { class };
        if class == 0 && reader.number() != u32::from(is_weighted) {
            class = Class::NOT_SAME.0;
        }
        if class == 0 {
            edges.extend(read_edges(&mut reader, is_weighted));
        }
    }
    let start = Words::default().number(class as u32).number(process.world.fresh_context());
    let start = start.number(u32::from(is_weighted));
    let parts = match class {
        0 => distribute(&edges, comm.group.len(), is_weighted),
        _ => vec![Adjacency::default(); comm.group.len()],
    };
    let lives = |rank: &usize| comm.gaps().is_none_or(|gaps| !gaps.has(*rank as i32));
    let parts = (0..parts.len()).filter(lives).map(|rank| &parts[rank]);
    let mut answers = parts.map(|part| {
        let words = say_ends(start.clone(), &part.sources);
        say_ends(words, &part.destinations)
    });
    let own = answers.next().expect("the first rank is one of them");
    (1..).zip(answers).try_for_each(|(rank, answer)| post(lane, rank, &answer))?;
    Ok(own)
}

/// Error class, whether there are weights, and the edges.
fn say(edges: &Result<(Vec<Edge>, bool)>) -> Words {
    let (edges, is_weighted) = match edges {
        Ok(said) => said,
        Err(failure) => {
            let class = failure.error().map(|error| error.class.0 as u32);
            return class
                .map_or_else(Words::default, |class| Words::default().number(class).number(0));
        }
    };
    let start = Words::default().number(0).number(u32::from(*is_weighted));
    edges.iter().fold(start, |words, edge| {
        let words = words.number(edge.source as u32).number(edge.destination as u32);
        if *is_weighted { words.number(edge.weight.unwrap_or(0) as u32) } else { words }
    })
}

fn is_weighted(words: &Words) -> bool {
    let mut reader = words.read();
    reader.number() == 0 && reader.number() != 0
}

fn read_edges(reader: &mut Reader<'_>, is_weighted: bool) -> Vec<Edge> {
    let mut edges = Vec::new();
    while !reader.is_empty() {
        let (source, destination) = (reader.number() as i32, reader.number() as i32);
        let weight = is_weighted.then(|| reader.number() as i32);
        edges.push(Edge { source, destination, weight });
    }
    edges
}

fn say_ends(words: Words, ends: &Ends) -> Words {
    let words = words.number(ends.ranks.len() as u32);
    let numbers = ends.ranks.iter().chain(ends.weights.iter().flatten());
    numbers.fold(words, |words, number| words.number(*number as u32))
}

fn read_ends(reader: &mut Reader<'_>, is_weighted: bool) -> Ends {
    let count = reader.number();
    let mut list = || (0..count).map(|_| reader.number() as i32).collect();
    let ranks = list();
    Ends { ranks, weights: is_weighted.then(list) }
}

/// Sends words, their length first.
fn post(lane: &Lane<'_>, to: i32, words: &Words) -> Result {
    let length = (words.bytes().len() as u64).to_ne_bytes();
    run::block(lane.send(to, &Span::of(&length).into()))?;
    run::block(lane.send(to, &Span::of(words.bytes()).into()))
}

fn hear(lane: &Lane<'_>, from: i32) -> Result<Words> {
    let mut length = [0; 8];
    run::block(lane.recv(from, &Span::of_mut(&mut length).into()))?;
    let length = usize::try_from(u64::from_ne_bytes(length)).expect("a list that fits into memory");
    let mut bytes = vec![0; length];
    run::block(lane.recv(from, &Span::of_mut(&mut bytes).into()))?;
    Ok(Words::new(bytes))
}
