//! Virtual topologies: Cartesian grids, graphs, distributed graphs (MPI-5.0 §8).

use crate::abi::kinds::*;
use crate::mpi::topology::create;
use crate::mpi::topology::shape::Topology;
use crate::mpi::topology::{self, dims};

mpi!(
    /// The type of topology that `comm` has.
    #[fortran(mpi_topo_test_)]
    #[raises_on(comm)]
    fn MPI_Topo_test(process: &Process, comm: MPI_Comm, status: OutInt) {
        status.set(Topology::kind(comm.topology()));
        Ok(())
    }
);

mpi!(
    /// Chooses the dimensions of a balanced grid (MPI-5.0 §8.5.2).
    #[fortran(mpi_dims_create_)]
    #[season(Always)]
    fn MPI_Dims_create(process: &Process, nnodes: Int, ndims: Dimensions, dims: VarInts) {
        dims.put(&dims::create(nnodes, &dims.read(ndims)?)?)
    }
);

mpi!(
    /// Creates a communicator with a Cartesian grid (MPI-5.0 §8.5.1).
    #[fortran(mpi_cart_create_)]
    #[raises_on(comm_old)]
    fn MPI_Cart_create(
        process: &Process, comm_old: MPI_Comm, ndims: Dimensions, dims: Ints, periods: Flags,
        reorder: Logical, comm_cart: Var<MPI_Comm>,
    ) {
        let (dims, periods) = (dims.read(ndims)?, periods.read(ndims)?);
        let cart = topology::grid(&comm_old, &dims, &periods)?;
        comm_cart.set_or_null(create::grid(process, &comm_old, cart)?);
        Ok(())
    }
);

mpi!(
    /// The number of dimensions of the grid.
    #[fortran(mpi_cartdim_get_)]
    #[raises_on(comm)]
    fn MPI_Cartdim_get(process: &Process, comm: MPI_Comm, ndims: OutInt) {
        ndims.set(comm.cart()?.dims().len() as i32);
        Ok(())
    }
);

mpi!(
    /// The grid of `comm` and the caller's coordinates in it.
    #[fortran(mpi_cart_get_)]
    #[raises_on(comm)]
    fn MPI_Cart_get(
        process: &Process, comm: MPI_Comm, maxdims: Dimensions, dims: OutInts, periods: OutFlags,
        coords: OutInts,
    ) {
        let cart = comm.cart_within(maxdims)?;
        dims.put(&cart.lengths())?;
        periods.put(&cart.periods())?;
        coords.put(&cart.coords(comm.rank))
    }
);

mpi!(
    /// The rank at given coordinates in the grid.
    #[fortran(mpi_cart_rank_)]
    #[raises_on(comm)]
    fn MPI_Cart_rank(process: &Process, comm: MPI_Comm, coords: Ints, rank: OutInt) {
        let cart = comm.cart()?;
        rank.set(cart.rank(&coords.read(cart.dims().len() as i64)?)?);
        Ok(())
    }
);

mpi!(
    /// The coordinates of a rank in the grid.
    #[fortran(mpi_cart_coords_)]
    #[raises_on(comm)]
    fn MPI_Cart_coords(
        process: &Process, comm: MPI_Comm, rank: Rank, maxdims: Dimensions, coords: OutInts,
    ) {
        coords.put(&comm.cart_within(maxdims)?.coords(comm.place(rank)?))
    }
);

mpi!(
    /// The ranks that a shift along the grid receives from and sends to.
    #[fortran(mpi_cart_shift_)]
    #[raises_on(comm)]
    fn MPI_Cart_shift(
        process: &Process, comm: MPI_Comm, direction: Int, disp: Int, rank_source: OutInt,
        rank_dest: OutInt,
    ) {
        let (source, dest) = comm.shift(direction, disp)?;
        rank_source.set(source);
        rank_dest.set(dest);
        Ok(())
    }
);

mpi!(
    /// Splits a grid into subgrids that keep only some of the dimensions.
    #[fortran(mpi_cart_sub_)]
    #[raises_on(comm)]
    fn MPI_Cart_sub(process: &Process, comm: MPI_Comm, remain_dims: Flags, newcomm: Var<MPI_Comm>) {
        let remains = remain_dims.read(comm.cart()?.dims().len() as i64)?;
        newcomm.set(create::sub_grid(process, &comm, &remains)?);
        Ok(())
    }
);

mpi!(
    /// The rank that the caller would have in a grid.
    #[fortran(mpi_cart_map_)]
    #[raises_on(comm)]
    fn MPI_Cart_map(
        process: &Process, comm: MPI_Comm, ndims: Dimensions, dims: Ints, periods: Flags,
        newrank: OutInt,
    ) {
        let (dims, periods) = (dims.read(ndims)?, periods.read(ndims)?);
        newrank.set(create::map(&comm, topology::grid(&comm, &dims, &periods)?.size()));
        Ok(())
    }
);

mpi!(
    /// Creates a communicator with a graph that every process passes in full.
    #[fortran(mpi_graph_create_)]
    #[raises_on(comm_old)]
    fn MPI_Graph_create(
        process: &Process, comm_old: MPI_Comm, nnodes: Size, indx: Ints, edges: Ints,
        reorder: Logical, comm_graph: Var<MPI_Comm>,
    ) {
        let index = indx.read(nnodes)?;
        let edges = edges.read(topology::count_edges(&index))?;
        let graph = topology::graph(&comm_old, &index, &edges)?;
        comm_graph.set_or_null(create::graph(process, &comm_old, graph)?);
        Ok(())
    }
);

mpi!(
    /// The number of nodes and edges of the graph.
    #[fortran(mpi_graphdims_get_)]
    #[raises_on(comm)]
    fn MPI_Graphdims_get(process: &Process, comm: MPI_Comm, nnodes: OutInt, nedges: OutInt) {
        let graph = comm.graph()?;
        nnodes.set(graph.index().len() as i32);
        nedges.set(graph.edges().len() as i32);
        Ok(())
    }
);

mpi!(
    /// The graph of `comm`, as much as there is room for.
    #[fortran(mpi_graph_get_)]
    #[raises_on(comm)]
    fn MPI_Graph_get(
        process: &Process, comm: MPI_Comm, maxindex: Size, maxedges: Size, indx: OutInts,
        edges: OutInts,
    ) {
        let graph = comm.graph()?;
        indx.put_most(graph.index(), maxindex)?;
        edges.put_most(graph.edges(), maxedges)
    }
);

mpi!(
    /// The number of neighbours of a rank in the graph.
    #[fortran(mpi_graph_neighbors_count_)]
    #[raises_on(comm)]
    fn MPI_Graph_neighbors_count(
        process: &Process, comm: MPI_Comm, rank: Rank, nneighbors: OutInt,
    ) {
        nneighbors.set(comm.graph()?.neighbours(comm.place(rank)?).len() as i32);
        Ok(())
    }
);

mpi!(
    /// The neighbours of a rank in the graph, as many as there is room for.
    #[fortran(mpi_graph_neighbors_)]
    #[raises_on(comm)]
    fn MPI_Graph_neighbors(
        process: &Process, comm: MPI_Comm, rank: Rank, maxneighbors: Size, neighbors: OutInts,
    ) {
        neighbors.put_most(comm.graph()?.neighbours(comm.place(rank)?), maxneighbors)
    }
);

mpi!(
    /// The rank that the caller would have in a graph.
    #[fortran(mpi_graph_map_)]
    #[raises_on(comm)]
    fn MPI_Graph_map(
        process: &Process, comm: MPI_Comm, nnodes: Size, indx: Ints, edges: Ints, newrank: OutInt,
    ) {
        let index = indx.read(nnodes)?;
        let edges = edges.read(topology::count_edges(&index))?;
        newrank.set(create::map(&comm, topology::graph(&comm, &index, &edges)?.size()));
        Ok(())
    }
);

mpi!(
    /// Creates a distributed graph; each process passes its own edges.
    #[fortran(mpi_dist_graph_create_adjacent_)]
    #[raises_on(comm_old)]
    fn MPI_Dist_graph_create_adjacent(
        process: &Process, comm_old: MPI_Comm, indegree: Size, sources: Ints,
        sourceweights: Weights, outdegree: Size, destinations: Ints, destweights: Weights,
        info: Hints, reorder: Logical, comm_dist_graph: Var<MPI_Comm>,
    ) {
        let sources = (sources.read(indegree)?, sourceweights.read(indegree)?);
        let destinations = (destinations.read(outdegree)?, destweights.read(outdegree)?);
        let adjacency = topology::adjacency(&comm_old, sources, destinations)?;
        let info = info.as_deref();
        comm_dist_graph.set(create::adjacent(process, &comm_old, adjacency, info)?);
        Ok(())
    }
);

mpi!(
    /// Creates a distributed graph; each process passes any of the edges.
    #[fortran(mpi_dist_graph_create_)]
    #[raises_on(comm_old)]
    fn MPI_Dist_graph_create(
        process: &Process, comm_old: MPI_Comm, n: Late<Size>, sources: Ints, degrees: Ints,
        destinations: Ints, weights: Weights, info: Hints, reorder: Logical,
        comm_dist_graph: Var<MPI_Comm>,
    ) {
        let edges = n.and_then(|n| {
            let (sources, degrees) = (sources.read(n)?, degrees.read(n)?);
            let count = topology::count_degrees(&degrees)?;
            let (destinations, weights) = (destinations.read(count)?, weights.read(count)?);
            topology::edges(&comm_old, &sources, &degrees, &destinations, weights)
        });
        let info = info.as_deref();
        comm_dist_graph.set(create::distributed(process, &comm_old, edges, info)?);
        Ok(())
    }
);

mpi!(
    /// The number of the caller's edges in the distributed graph.
    #[fortran(mpi_dist_graph_neighbors_count_)]
    #[raises_on(comm)]
    fn MPI_Dist_graph_neighbors_count(
        process: &Process, comm: MPI_Comm, indegree: OutInt, outdegree: OutInt, weighted: OutFlag,
    ) {
        let own = comm.adjacency()?;
        indegree.set(own.sources.ranks.len() as i32);
        outdegree.set(own.destinations.ranks.len() as i32);
        weighted.set(own.is_weighted());
        Ok(())
    }
);

mpi!(
    /// The caller's edges in the distributed graph, as many as there is room for.
    #[fortran(mpi_dist_graph_neighbors_)]
    #[raises_on(comm)]
    fn MPI_Dist_graph_neighbors(
        process: &Process, comm: MPI_Comm, maxindegree: Size, sources: OutInts,
        sourceweights: OutWeights, maxoutdegree: Size, destinations: OutInts,
        destweights: OutWeights,
    ) {
        let own = comm.adjacency()?;
        sources.put_most(&own.sources.ranks, maxindegree)?;
        sourceweights.put_most(own.sources.weights.as_deref(), maxindegree)?;
        destinations.put_most(&own.destinations.ranks, maxoutdegree)?;
        destweights.put_most(own.destinations.weights.as_deref(), maxoutdegree)
    }
);
