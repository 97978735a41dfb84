//! Packing items into contiguous buffers, and unpacking them (MPI-5.0 §5.2).

use crate::abi::kinds::*;
use crate::mpi::datatype::pack::{self, Packed};

mpi!(
    /// Packs items into a buffer, behind what is there.
    #[large(MPI_Pack_c)]
    #[fortran(mpi_pack_)]
    #[raises_on(comm)]
    fn MPI_Pack(
        process: &Process, inbuf: InBuf, incount: Count, datatype: MPI_Datatype, outbuf: OutBuf,
        outsize: Length, position: Position, comm: MPI_Comm,
    ) {
        let packed = Packed { buf: outbuf, size: outsize, position: position.value() };
        position.set(pack::pack(process, &datatype, inbuf, incount, &packed)?);
        Ok(())
    }
);

mpi!(
    /// Unpacks items from a packed buffer.
    #[large(MPI_Unpack_c)]
    #[fortran(mpi_unpack_)]
    #[raises_on(comm)]
    fn MPI_Unpack(
        process: &Process, inbuf: InBuf, insize: Length, position: Position, outbuf: OutBuf,
        outcount: Count, datatype: MPI_Datatype, comm: MPI_Comm,
    ) {
        let packed = Packed { buf: inbuf, size: insize, position: position.value() };
        position.set(pack::unpack(process, &datatype, outbuf, outcount, &packed)?);
        Ok(())
    }
);

mpi!(
    /// The bytes that items need in a packed buffer.
    #[large(MPI_Pack_size_c)]
    #[fortran(mpi_pack_size_)]
    #[raises_on(comm)]
    fn MPI_Pack_size(
        process: &Process, incount: Count, datatype: MPI_Datatype, comm: MPI_Comm, size: OutCount,
    ) {
        size.set(pack::size(&datatype, incount)?);
        Ok(())
    }
);

mpi!(
    /// Packs items in external32, the portable representation.
    #[large(MPI_Pack_external_c)]
    #[fortran(mpi_pack_external_)]
    fn MPI_Pack_external(
        process: &Process, datarep: InText, inbuf: InBuf, incount: Count, datatype: MPI_Datatype,
        outbuf: OutBuf, outsize: FarLength, position: FarPosition,
    ) {
        let packed = Packed { buf: outbuf, size: outsize, position: position.value() };
        let end = pack::pack_external(process, &datarep, &datatype, inbuf, incount, &packed)?;
        position.set(end);
        Ok(())
    }
);

mpi!(
    /// Unpacks items from external32.
    #[large(MPI_Unpack_external_c)]
    #[fortran(mpi_unpack_external_)]
    fn MPI_Unpack_external(
        process: &Process, datarep: InTextArray, inbuf: InBuf, insize: FarLength,
        position: FarPosition, outbuf: OutBuf, outcount: Count, datatype: MPI_Datatype,
    ) {
        let packed = Packed { buf: inbuf, size: insize, position: position.value() };
        let end = pack::unpack_external(process, &datarep, &datatype, outbuf, outcount, &packed)?;
        position.set(end);
        Ok(())
    }
);

mpi!(
    /// The bytes that items need in external32.
    #[large(MPI_Pack_external_size_c)]
    #[fortran(mpi_pack_external_size_)]
    fn MPI_Pack_external_size(
        process: &Process, datarep: InText, incount: Count, datatype: MPI_Datatype, size: OutAint,
    ) {
        size.set(pack::external_size(&datarep, &datatype, incount)?);
        Ok(())
    }
);
