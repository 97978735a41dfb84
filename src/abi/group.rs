//! Groups: ordered sets of processes, and set operations on them (MPI-5.0 §7.3).

use crate::abi::kinds::*;

mpi!(
    /// The number of members of `group`.
    #[fortran(mpi_group_size_)]
    fn MPI_Group_size(process: &Process, group: MPI_Group, size: OutInt) {
        size.set(group.size());
        Ok(())
    }
);

mpi!(
    /// The caller's rank in `group`, or MPI_UNDEFINED.
    #[fortran(mpi_group_rank_)]
    fn MPI_Group_rank(process: &Process, group: MPI_Group, rank: OutInt) {
        rank.set(group.rank_or_undefined());
        Ok(())
    }
);

mpi!(
    /// Translates ranks of `group1` to ranks of `group2`.
    #[fortran(mpi_group_translate_ranks_)]
    fn MPI_Group_translate_ranks(
        process: &Process, group1: MPI_Group, n: Size, ranks1: Ints, group2: MPI_Group,
        ranks2: OutInts,
    ) {
        ranks2.put(&group1.translate(&ranks1.read(n)?, &group2)?)
    }
);

mpi!(
    /// Compares two groups.
    #[fortran(mpi_group_compare_)]
    fn MPI_Group_compare(process: &Process, group1: MPI_Group, group2: MPI_Group, result: OutInt) {
        result.set(group1.compare(&group2) as i32);
        Ok(())
    }
);

mpi!(
    /// The union of two groups.
    #[fortran(mpi_group_union_)]
    fn MPI_Group_union(
        process: &Process, group1: MPI_Group, group2: MPI_Group, newgroup: Var<MPI_Group>,
    ) {
        newgroup.set(process.make_group(&group1, group1.union(&group2))?);
        Ok(())
    }
);

mpi!(
    /// The intersection of two groups.
    #[fortran(mpi_group_intersection_)]
    fn MPI_Group_intersection(
        process: &Process, group1: MPI_Group, group2: MPI_Group, newgroup: Var<MPI_Group>,
    ) {
        newgroup.set(process.make_group(&group1, group1.intersection(&group2))?);
        Ok(())
    }
);

mpi!(
    /// The members of the first group that are not in the second.
    #[fortran(mpi_group_difference_)]
    fn MPI_Group_difference(
        process: &Process, group1: MPI_Group, group2: MPI_Group, newgroup: Var<MPI_Group>,
    ) {
        newgroup.set(process.make_group(&group1, group1.difference(&group2))?);
        Ok(())
    }
);

mpi!(
    /// The members with these ranks, in this order.
    #[fortran(mpi_group_incl_)]
    fn MPI_Group_incl(
        process: &Process, group: MPI_Group, n: Size, ranks: Ints, newgroup: Var<MPI_Group>,
    ) {
        newgroup.set(process.make_group(&group, group.incl(&ranks.read(n)?)?)?);
        Ok(())
    }
);

mpi!(
    /// All members except those with these ranks.
    #[fortran(mpi_group_excl_)]
    fn MPI_Group_excl(
        process: &Process, group: MPI_Group, n: Size, ranks: Ints, newgroup: Var<MPI_Group>,
    ) {
        newgroup.set(process.make_group(&group, group.excl(&ranks.read(n)?)?)?);
        Ok(())
    }
);

mpi!(
    /// The members with the ranks in triplets of first, last and stride.
    #[fortran(mpi_group_range_incl_)]
    fn MPI_Group_range_incl(
        process: &Process, group: MPI_Group, n: Size, ranges: Ranges, newgroup: Var<MPI_Group>,
    ) {
        let ranks = group.expand(&ranges.read(n)?)?;
        newgroup.set(process.make_group(&group, group.incl(&ranks)?)?);
        Ok(())
    }
);

mpi!(
    /// All members except those with the ranks in triplets of first, last and stride.
    #[fortran(mpi_group_range_excl_)]
    fn MPI_Group_range_excl(
        process: &Process, group: MPI_Group, n: Size, ranges: Ranges, newgroup: Var<MPI_Group>,
    ) {
        let ranks = group.expand(&ranges.read(n)?)?;
        newgroup.set(process.make_group(&group, group.excl(&ranks)?)?);
        Ok(())
    }
);

mpi!(
    /// Frees `group`.
    #[fortran(mpi_group_free_)]
    fn MPI_Group_free(process: &Process, group: Var<MPI_Group>) {
        process.free_group(group.key())?;
        group.set_null();
        Ok(())
    }
);
