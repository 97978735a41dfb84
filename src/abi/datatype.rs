//! Datatypes (MPI-5.0 §5): queries, commit, duplication and release.

use crate::abi::kinds::*;
use crate::mpi::datatype::constructors::{self, Room};
use crate::mpi::{datatype, env};

mpi!(
    /// Duplicates `oldtype`; its attributes follow their copy functions.
    #[fortran(mpi_type_dup_)]
    fn MPI_Type_dup(process: &Process, oldtype: MPI_Datatype, newtype: Var<MPI_Datatype>) {
        newtype.set(constructors::duplicate(process, &oldtype)?);
        Ok(())
    }
);

mpi!(
    /// Commits `datatype`, so that communication may use it.
    #[fortran(mpi_type_commit_)]
    fn MPI_Type_commit(process: &Process, datatype: Var<MPI_Datatype>) {
        process.datatype(datatype.key(), "datatype")?.commit();
        Ok(())
    }
);

mpi!(
    /// Frees `datatype`; types derived from it and pending messages keep what they need.
    #[fortran(mpi_type_free_)]
    fn MPI_Type_free(process: &Process, datatype: Var<MPI_Datatype>) {
        constructors::free(process, datatype.key())?;
        datatype.set_null();
        Ok(())
    }
);

mpi!(
    /// The bytes of data in one item.
    #[large(MPI_Type_size_c)]
    #[fortran(mpi_type_size_)]
    fn MPI_Type_size(process: &Process, datatype: MPI_Datatype, size: OutCount) {
        size.set(datatype.shape.size);
        Ok(())
    }
);

mpi!(
    /// MPI_Type_size with a large count (deprecated).
    #[fortran(mpi_type_size_x_)]
    fn MPI_Type_size_x(process: &Process, datatype: MPI_Datatype, size: OutCount64) {
        size.set(datatype.shape.size);
        Ok(())
    }
);

mpi!(
    /// The lower bound and extent of an item.
    #[large(MPI_Type_get_extent_c)]
    #[fortran(mpi_type_get_extent_)]
    fn MPI_Type_get_extent(
        process: &Process, datatype: MPI_Datatype, lb: OutAint, extent: OutAint,
    ) {
        lb.set(datatype.shape.lb);
        extent.set(datatype.shape.extent);
        Ok(())
    }
);

mpi!(
    /// MPI_Type_get_extent with large counts (deprecated).
    #[fortran(mpi_type_get_extent_x_)]
    fn MPI_Type_get_extent_x(
        process: &Process, datatype: MPI_Datatype, lb: OutCount64, extent: OutCount64,
    ) {
        lb.set(datatype.shape.lb);
        extent.set(datatype.shape.extent);
        Ok(())
    }
);

mpi!(
    /// The true lower bound and true extent of an item.
    #[large(MPI_Type_get_true_extent_c)]
    #[fortran(mpi_type_get_true_extent_)]
    fn MPI_Type_get_true_extent(
        process: &Process, datatype: MPI_Datatype, true_lb: OutAint, true_extent: OutAint,
    ) {
        true_lb.set(datatype.shape.true_lb);
        true_extent.set(datatype.shape.true_extent);
        Ok(())
    }
);

mpi!(
    /// MPI_Type_get_true_extent with large counts (deprecated).
    #[fortran(mpi_type_get_true_extent_x_)]
    fn MPI_Type_get_true_extent_x(
        process: &Process, datatype: MPI_Datatype, true_lb: OutCount64, true_extent: OutCount64,
    ) {
        true_lb.set(datatype.shape.true_lb);
        true_extent.set(datatype.shape.true_extent);
        Ok(())
    }
);

mpi!(
    /// The envelope: how `datatype` was made, and the size of each list in its contents.
    #[fortran(mpi_type_get_envelope_)]
    fn MPI_Type_get_envelope(
        process: &Process, datatype: MPI_Datatype, num_integers: OutInt, num_addresses: OutInt,
        num_datatypes: OutInt, combiner: OutInt,
    ) {
        constructors::judge_small(&datatype)?;
        let recipe = &datatype.recipe;
        num_integers.set(recipe.integers.len() as i32);
        num_addresses.set(recipe.addresses.len() as i32);
        num_datatypes.set(recipe.datatypes.len() as i32);
        combiner.set(recipe.combiner as i32);
        Ok(())
    }
);

mpi!(
    /// Like MPI_Type_get_envelope, for types with large counts.
    #[twin_of(mpi_type_get_envelope_)]
    fn MPI_Type_get_envelope_c(
        process: &Process, datatype: MPI_Datatype, num_integers: OutCount64,
        num_addresses: OutCount64, num_large_counts: OutCount64, num_datatypes: OutCount64,
        combiner: OutInt,
    ) {
        let recipe = &datatype.recipe;
        num_integers.set(recipe.integers.len() as i64);
        num_addresses.set(recipe.addresses.len() as i64);
        num_large_counts.set(recipe.large_counts.len() as i64);
        num_datatypes.set(recipe.datatypes.len() as i64);
        combiner.set(recipe.combiner as i32);
        Ok(())
    }
);

mpi!(
    /// The contents: the arguments that `datatype` was made from.
    #[fortran(mpi_type_get_contents_)]
    fn MPI_Type_get_contents(
        process: &Process, datatype: MPI_Datatype, max_integers: Size, max_addresses: Size,
        max_datatypes: Size, array_of_integers: OutInts, array_of_addresses: OutAints,
        array_of_datatypes: Vars<MPI_Datatype>,
    ) {
        constructors::judge_small(&datatype)?;
        let room = Room {
            integers: max_integers,
            addresses: max_addresses,
            large_counts: 0,
            datatypes: max_datatypes,
        };
        let datatypes = constructors::contents(process, &datatype, &room)?;
        array_of_integers.put(&datatype.recipe.integers)?;
        array_of_addresses.put(&datatype.recipe.addresses)?;
        array_of_datatypes.put(&datatypes)
    }
);

mpi!(
    /// Like MPI_Type_get_contents, for types with large counts.
    #[twin_of(mpi_type_get_contents_)]
    fn MPI_Type_get_contents_c(
        process: &Process, datatype: MPI_Datatype, max_integers: Count64, max_addresses: Count64,
        max_large_counts: Count64, max_datatypes: Count64, array_of_integers: OutInts,
        array_of_addresses: OutAints, array_of_large_counts: OutCounts64,
        array_of_datatypes: Vars<MPI_Datatype>,
    ) {
        let room = Room {
            integers: max_integers,
            addresses: max_addresses,
            large_counts: max_large_counts,
            datatypes: max_datatypes,
        };
        let datatypes = constructors::contents(process, &datatype, &room)?;
        array_of_integers.put(&datatype.recipe.integers)?;
        array_of_addresses.put(&datatype.recipe.addresses)?;
        array_of_large_counts.put(&datatype.recipe.large_counts)?;
        array_of_datatypes.put(&datatypes)
    }
);

mpi!(
    /// Sets the name of `datatype`.
    #[fortran(mpi_type_set_name_)]
    fn MPI_Type_set_name(process: &Process, datatype: MPI_Datatype, type_name: InText) {
        *process.notes(&datatype).name.lock() = Some(env::name_of(type_name));
        Ok(())
    }
);

mpi!(
    /// The name of `datatype`.
    #[fortran(mpi_type_get_name_)]
    fn MPI_Type_get_name(
        process: &Process, datatype: OrNull<MPI_Datatype>, type_name: OutText, resultlen: OutInt,
    ) {
        let name = constructors::name(process, datatype.as_deref());
        resultlen.set(type_name.set(&name, env::MAX_OBJECT_NAME));
        Ok(())
    }
);

mpi!(
    /// How many whole items were received, or MPI_UNDEFINED (MPI-5.0 §3.2.5).
    #[large(MPI_Get_count_c)]
    #[fortran(mpi_get_count_)]
    fn MPI_Get_count(process: &Process, status: InStatus, datatype: MPI_Datatype, count: OutCount) {
        count.set(datatype.count(status.bytes()).unwrap_or(datatype::UNDEFINED));
        Ok(())
    }
);

mpi!(
    /// How many basic elements were received, or MPI_UNDEFINED (MPI-5.0 §5.1.11).
    #[large(MPI_Get_elements_c)]
    #[fortran(mpi_get_elements_)]
    fn MPI_Get_elements(
        process: &Process, status: InStatus, datatype: MPI_Datatype, count: OutCount,
    ) {
        count.set(datatype.elements(status.bytes()).unwrap_or(datatype::UNDEFINED));
        Ok(())
    }
);

mpi!(
    /// MPI_Get_elements with a large count (deprecated).
    #[fortran(mpi_get_elements_x_)]
    fn MPI_Get_elements_x(
        process: &Process, status: InStatus, datatype: MPI_Datatype, count: OutCount64,
    ) {
        count.set(datatype.elements(status.bytes()).unwrap_or(datatype::UNDEFINED));
        Ok(())
    }
);

mpi!(
    /// The address of `location`, as an integer (MPI-5.0 §5.1.5).
    #[fortran(mpi_get_address_)]
    fn MPI_Get_address(process: &Process, location: Location, address: OutAint64) {
        address.set(location.0 as i64);
        Ok(())
    }
);

mpi!(
    /// Sets the number of basic elements in a status (MPI-5.0 §13.3).
    #[large(MPI_Status_set_elements_c)]
    #[fortran(mpi_status_set_elements_)]
    fn MPI_Status_set_elements(
        process: &Process, status: VarStatus, datatype: MPI_Datatype, count: Count,
    ) {
        let bytes = datatype.bytes_of(count)?;
        status.change(|status| status.set_bytes(bytes));
        Ok(())
    }
);

mpi!(
    /// MPI_Status_set_elements with a large count (deprecated).
    #[fortran(mpi_status_set_elements_x_)]
    fn MPI_Status_set_elements_x(
        process: &Process, status: VarStatus, datatype: MPI_Datatype, count: Count64,
    ) {
        let bytes = datatype.bytes_of(count)?;
        status.change(|status| status.set_bytes(bytes));
        Ok(())
    }
);
