//! Datatype constructors (MPI-5.0 §5.1, §19.1.9).

use crate::abi::kinds::*;
use crate::mpi::datatype::subarray::{self, Block, Deal};
use crate::mpi::datatype::{constructors, parametric};

mpi!(
    /// `count` consecutive items.
    #[large(MPI_Type_contiguous_c)]
    #[fortran(mpi_type_contiguous_)]
    fn MPI_Type_contiguous(
        process: &Process, count: Count, oldtype: MPI_Datatype, newtype: Var<MPI_Datatype>,
    ) {
        newtype.set(constructors::contiguous(process, WIDTH, count, &oldtype)?);
        Ok(())
    }
);

mpi!(
    /// Blocks at a regular stride, counted in items.
    #[large(MPI_Type_vector_c)]
    #[fortran(mpi_type_vector_)]
    fn MPI_Type_vector(
        process: &Process, count: Count, blocklength: Length, stride: Number,
        oldtype: MPI_Datatype, newtype: Var<MPI_Datatype>,
    ) {
        newtype.set(constructors::vector(process, WIDTH, count, blocklength, stride, &oldtype)?);
        Ok(())
    }
);

mpi!(
    /// Blocks at a regular stride, counted in bytes.
    #[large(MPI_Type_create_hvector_c)]
    #[fortran(mpi_type_create_hvector_)]
    fn MPI_Type_create_hvector(
        process: &Process, count: Count, blocklength: Length, stride: Distance,
        oldtype: MPI_Datatype, newtype: Var<MPI_Datatype>,
    ) {
        newtype.set(constructors::hvector(process, WIDTH, count, blocklength, stride, &oldtype)?);
        Ok(())
    }
);

mpi!(
    /// Blocks of several lengths at any displacements, counted in items.
    #[large(MPI_Type_indexed_c)]
    #[fortran(mpi_type_indexed_)]
    fn MPI_Type_indexed(
        process: &Process, count: Count, array_of_blocklengths: Numbers,
        array_of_displacements: Numbers, oldtype: MPI_Datatype, newtype: Var<MPI_Datatype>,
    ) {
        let lengths = array_of_blocklengths.read(count)?;
        let displacements = array_of_displacements.read(count)?;
        newtype.set(constructors::indexed(process, WIDTH, &lengths, &displacements, &oldtype)?);
        Ok(())
    }
);

mpi!(
    /// Blocks of several lengths at any displacements, counted in bytes.
    #[large(MPI_Type_create_hindexed_c)]
    #[fortran(mpi_type_create_hindexed_)]
    fn MPI_Type_create_hindexed(
        process: &Process, count: Count, array_of_blocklengths: Numbers,
        array_of_displacements: Distances, oldtype: MPI_Datatype, newtype: Var<MPI_Datatype>,
    ) {
        let lengths = array_of_blocklengths.read(count)?;
        let displacements = array_of_displacements.read(count)?;
        newtype.set(constructors::hindexed(process, WIDTH, &lengths, &displacements, &oldtype)?);
        Ok(())
    }
);

mpi!(
    /// Blocks of one length at any displacements, counted in items.
    #[large(MPI_Type_create_indexed_block_c)]
    #[fortran(mpi_type_create_indexed_block_)]
    fn MPI_Type_create_indexed_block(
        process: &Process, count: Count, blocklength: Length, array_of_displacements: Numbers,
        oldtype: MPI_Datatype, newtype: Var<MPI_Datatype>,
    ) {
        let displacements = array_of_displacements.read(count)?;
        newtype.set(constructors::indexed_block(
            process,
            WIDTH,
            blocklength,
            &displacements,
            &oldtype,
        )?);
        Ok(())
    }
);

mpi!(
    /// Blocks of one length at any displacements, counted in bytes.
    #[large(MPI_Type_create_hindexed_block_c)]
    #[fortran(mpi_type_create_hindexed_block_)]
    fn MPI_Type_create_hindexed_block(
        process: &Process, count: Count, blocklength: Length, array_of_displacements: Distances,
        oldtype: MPI_Datatype, newtype: Var<MPI_Datatype>,
    ) {
        let displacements = array_of_displacements.read(count)?;
        let made =
            constructors::hindexed_block(process, WIDTH, blocklength, &displacements, &oldtype)?;
        newtype.set(made);
        Ok(())
    }
);

mpi!(
    /// Blocks of several types at any displacements.
    #[large(MPI_Type_create_struct_c)]
    #[fortran(mpi_type_create_struct_)]
    fn MPI_Type_create_struct(
        process: &Process, count: Count, array_of_blocklengths: Numbers,
        array_of_displacements: Distances, array_of_types: Keys<MPI_Datatype>,
        newtype: Var<MPI_Datatype>,
    ) {
        let lengths = array_of_blocklengths.read(count)?;
        let displacements = array_of_displacements.read(count)?;
        let types = constructors::all(process, array_of_types.keys(count)?)?;
        newtype.set(constructors::structure(process, WIDTH, &lengths, &displacements, &types)?);
        Ok(())
    }
);

mpi!(
    /// A block of a multidimensional array.
    #[large(MPI_Type_create_subarray_c)]
    #[fortran(mpi_type_create_subarray_)]
    fn MPI_Type_create_subarray(
        process: &Process, ndims: Int, array_of_sizes: Numbers, array_of_subsizes: Numbers,
        array_of_starts: Numbers, order: Int, oldtype: MPI_Datatype, newtype: Var<MPI_Datatype>,
    ) {
        let block = Block {
            sizes: &array_of_sizes.read(ndims.into())?,
            subsizes: &array_of_subsizes.read(ndims.into())?,
            starts: &array_of_starts.read(ndims.into())?,
        };
        newtype.set(subarray::subarray(process, WIDTH, &block, order, &oldtype)?);
        Ok(())
    }
);

mpi!(
    /// A process's part of a distributed array.
    #[large(MPI_Type_create_darray_c)]
    #[fortran(mpi_type_create_darray_)]
    fn MPI_Type_create_darray(
        process: &Process, size: Int, rank: Int, ndims: Int, array_of_gsizes: Numbers,
        array_of_distribs: Ints32, array_of_dargs: Ints32, array_of_psizes: Ints32, order: Int,
        oldtype: MPI_Datatype, newtype: Var<MPI_Datatype>,
    ) {
        let deal = Deal {
            size,
            rank,
            sizes: &array_of_gsizes.read(ndims.into())?,
            distributions: &array_of_distribs.read(ndims.into())?,
            arguments: &array_of_dargs.read(ndims.into())?,
            grid: &array_of_psizes.read(ndims.into())?,
            order,
        };
        newtype.set(subarray::darray(process, WIDTH, &deal, &oldtype)?);
        Ok(())
    }
);

mpi!(
    /// `oldtype` with another lower bound and extent.
    #[large(MPI_Type_create_resized_c)]
    #[fortran(mpi_type_create_resized_)]
    fn MPI_Type_create_resized(
        process: &Process, oldtype: MPI_Datatype, lb: Distance, extent: Distance,
        newtype: Var<MPI_Datatype>,
    ) {
        newtype.set(constructors::resized(process, WIDTH, lb, extent, &oldtype)?);
        Ok(())
    }
);

mpi!(
    /// The type of a REAL with `p` digits and exponents up to `r`.
    #[fortran(mpi_type_create_f90_real_)]
    fn MPI_Type_create_f90_real(process: &Process, p: Int, r: Int, newtype: Var<MPI_Datatype>) {
        newtype.set(parametric::real(process, p, r)?);
        Ok(())
    }
);

mpi!(
    /// The type of a COMPLEX with `p` digits and exponents up to `r`.
    #[fortran(mpi_type_create_f90_complex_)]
    fn MPI_Type_create_f90_complex(process: &Process, p: Int, r: Int, newtype: Var<MPI_Datatype>) {
        newtype.set(parametric::complex(process, p, r)?);
        Ok(())
    }
);

mpi!(
    /// The type of an INTEGER with `r` digits.
    #[fortran(mpi_type_create_f90_integer_)]
    fn MPI_Type_create_f90_integer(process: &Process, r: Int, newtype: Var<MPI_Datatype>) {
        newtype.set(parametric::integer(process, r)?);
        Ok(())
    }
);

mpi!(
    /// The predefined type of a class that is `size` bytes long.
    #[fortran(mpi_type_match_size_)]
    fn MPI_Type_match_size(
        process: &Process, typeclass: Int, size: Int, datatype: Var<MPI_Datatype>,
    ) {
        datatype.set(parametric::match_size(typeclass, size)?);
        Ok(())
    }
);

mpi!(
    /// The predefined pair type of a value and an index, or MPI_DATATYPE_NULL.
    #[fortran(mpi_type_get_value_index_)]
    fn MPI_Type_get_value_index(
        process: &Process, value_type: MPI_Datatype, index_type: MPI_Datatype,
        pair_type: Var<MPI_Datatype>,
    ) {
        pair_type.set_or_null(parametric::value_index(&value_type, &index_type));
        Ok(())
    }
);
