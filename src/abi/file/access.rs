//! Reading and writing files (MPI-5.0 §14.4), in all forms. A line declares a call: the names of C,
//! of its large-count twin and of Fortran, the direction, and where the access begins.

use super::*;
use crate::host::disk::Direction::{Read, Write};
use crate::mpi::file::transfer::{self, Start, Wish};

/// Calls that return when the access is complete.
macro_rules! blocking {
    ($(
        $name:ident $large:ident $fortran:ident: $direction:ident $buf:ident, $start:ident,
        $how:ident;
    )*) => {$(
        mpi!(
            #[large($large)]
            #[fortran($fortran)]
            #[raises_on(fh)]
            fn $name(
                process: &Process, fh: MPI_File, buf: $buf, count: Count, datatype: MPI_Datatype,
                status: OutStatus,
            ) {
                let wish = Wish::new($direction, Start::$start, buf, count, datatype);
                status.end(transfer::$how(process, &fh, &wish)?)
            }
        );
    )*};
}

/// The same, at explicit offsets.
macro_rules! blocking_at {
    ($($name:ident $large:ident $fortran:ident: $direction:ident $buf:ident, $how:ident;)*) => {$(
        mpi!(
            #[large($large)]
            #[fortran($fortran)]
            #[raises_on(fh)]
            fn $name(
                process: &Process, fh: MPI_File, offset: Offset, buf: $buf, count: Count,
                datatype: MPI_Datatype, status: OutStatus,
            ) {
                let wish = Wish::new($direction, Start::At(offset), buf, count, datatype);
                status.end(transfer::$how(process, &fh, &wish)?)
            }
        );
    )*};
}

/// Calls that return a request.
macro_rules! nonblocking {
    ($(
        $name:ident $large:ident $fortran:ident: $direction:ident $buf:ident, $start:ident,
        $how:ident;
    )*) => {$(
        mpi!(
            #[large($large)]
            #[fortran($fortran)]
            #[raises_on(fh)]
            fn $name(
                process: &Process, fh: MPI_File, buf: $buf, count: Count, datatype: MPI_Datatype,
                request: Var<MPI_Request>,
            ) {
                let wish = Wish::new($direction, Start::$start, buf, count, datatype);
                request.set(transfer::$how(process, &fh, &wish)?);
                Ok(())
            }
        );
    )*};
}

/// The same, at explicit offsets.
macro_rules! nonblocking_at {
    ($($name:ident $large:ident $fortran:ident: $direction:ident $buf:ident, $how:ident;)*) => {$(
        mpi!(
            #[large($large)]
            #[fortran($fortran)]
            #[raises_on(fh)]
            fn $name(
                process: &Process, fh: MPI_File, offset: Offset, buf: $buf, count: Count,
                datatype: MPI_Datatype, request: Var<MPI_Request>,
            ) {
                let wish = Wish::new($direction, Start::At(offset), buf, count, datatype);
                request.set(transfer::$how(process, &fh, &wish)?);
                Ok(())
            }
        );
    )*};
}

/// The two halves of a split collective access; the first name is that of both without their ends.
macro_rules! split {
    ($($what:literal $begin:ident $large:ident $fortran:ident, $end:ident $end_fortran:ident:
        $direction:ident $buf:ident $end_buf:ident, $start:ident;)*) => {$(
        mpi!(
            #[large($large)]
            #[fortran($fortran)]
            #[raises_on(fh)]
            fn $begin(
                process: &Process, fh: SplitFile, buf: $buf, count: Count, datatype: MPI_Datatype,
            ) {
                let wish = Wish::new($direction, Start::$start, buf, count, datatype);
                transfer::begin_split(process, &fh, &wish, $what)
            }
        );
        split_end!($what $end $end_fortran: $end_buf);
    )*};
}

/// The same, at explicit offsets.
macro_rules! split_at {
    ($($what:literal $begin:ident $large:ident $fortran:ident, $end:ident $end_fortran:ident:
        $direction:ident $buf:ident $end_buf:ident;)*) => {$(
        mpi!(
            #[large($large)]
            #[fortran($fortran)]
            #[raises_on(fh)]
            fn $begin(
                process: &Process, fh: SplitFile, offset: Offset, buf: $buf, count: Count,
                datatype: MPI_Datatype,
            ) {
                let wish = Wish::new($direction, Start::At(offset), buf, count, datatype);
                transfer::begin_split(process, &fh, &wish, $what)
            }
        );
        split_end!($what $end $end_fortran: $end_buf);
    )*};
}

macro_rules! split_end {
    ($what:literal $end:ident $fortran:ident: $buf:ident) => {
        mpi!(
            #[fortran($fortran)]
            #[raises_on(fh)]
            fn $end(process: &Process, fh: MPI_File, buf: $buf, status: OutStatus) {
                status.end(transfer::end_split(process, &fh, $what)?)
            }
        );
    };
}

blocking! {
    MPI_File_read MPI_File_read_c mpi_file_read_: Read OutBuf, Individual, perform;
    MPI_File_read_all MPI_File_read_all_c mpi_file_read_all_: Read OutBuf, Individual, perform_all;
    MPI_File_read_shared MPI_File_read_shared_c mpi_file_read_shared_: Read OutBuf, Shared, perform;
    MPI_File_read_ordered MPI_File_read_ordered_c mpi_file_read_ordered_:
        Read OutBuf, Shared, perform_all;
    MPI_File_write MPI_File_write_c mpi_file_write_: Write InBuf, Individual, perform;
    MPI_File_write_all MPI_File_write_all_c mpi_file_write_all_:
        Write InBuf, Individual, perform_all;
    MPI_File_write_shared MPI_File_write_shared_c mpi_file_write_shared_:
        Write InBuf, Shared, perform;
    MPI_File_write_ordered MPI_File_write_ordered_c mpi_file_write_ordered_:
        Write InBuf, Shared, perform_all;
}

blocking_at! {
    MPI_File_read_at MPI_File_read_at_c mpi_file_read_at_: Read OutBuf, perform;
    MPI_File_read_at_all MPI_File_read_at_all_c mpi_file_read_at_all_: Read OutBuf, perform_all;
    MPI_File_write_at MPI_File_write_at_c mpi_file_write_at_: Write InBuf, perform;
    MPI_File_write_at_all MPI_File_write_at_all_c mpi_file_write_at_all_: Write InBuf, perform_all;
}

nonblocking! {
    MPI_File_iread MPI_File_iread_c mpi_file_iread_: Read OutBuf, Individual, start;
    MPI_File_iread_all MPI_File_iread_all_c mpi_file_iread_all_: Read OutBuf, Individual, start_all;
    MPI_File_iread_shared MPI_File_iread_shared_c mpi_file_iread_shared_:
        Read OutBuf, Shared, start;
    MPI_File_iwrite MPI_File_iwrite_c mpi_file_iwrite_: Write InBuf, Individual, start;
    MPI_File_iwrite_all MPI_File_iwrite_all_c mpi_file_iwrite_all_:
        Write InBuf, Individual, start_all;
    MPI_File_iwrite_shared MPI_File_iwrite_shared_c mpi_file_iwrite_shared_:
        Write InBuf, Shared, start;
}

nonblocking_at! {
    MPI_File_iread_at MPI_File_iread_at_c mpi_file_iread_at_: Read OutBuf, start;
    MPI_File_iread_at_all MPI_File_iread_at_all_c mpi_file_iread_at_all_: Read OutBuf, start_all;
    MPI_File_iwrite_at MPI_File_iwrite_at_c mpi_file_iwrite_at_: Write InBuf, start;
    MPI_File_iwrite_at_all MPI_File_iwrite_at_all_c mpi_file_iwrite_at_all_: Write InBuf, start_all;
}

split! {
    "MPI_File_read_all" MPI_File_read_all_begin MPI_File_read_all_begin_c mpi_file_read_all_begin_,
        MPI_File_read_all_end mpi_file_read_all_end_: Read OutBuf Room, Individual;
    "MPI_File_read_ordered" MPI_File_read_ordered_begin MPI_File_read_ordered_begin_c
        mpi_file_read_ordered_begin_,
        MPI_File_read_ordered_end mpi_file_read_ordered_end_: Read OutBuf Room, Shared;
    "MPI_File_write_all" MPI_File_write_all_begin MPI_File_write_all_begin_c
        mpi_file_write_all_begin_,
        MPI_File_write_all_end mpi_file_write_all_end_: Write InBuf InBuf, Individual;
    "MPI_File_write_ordered" MPI_File_write_ordered_begin MPI_File_write_ordered_begin_c
        mpi_file_write_ordered_begin_,
        MPI_File_write_ordered_end mpi_file_write_ordered_end_: Write InBuf InBuf, Shared;
}

split_at! {
    "MPI_File_read_at_all" MPI_File_read_at_all_begin MPI_File_read_at_all_begin_c
        mpi_file_read_at_all_begin_,
        MPI_File_read_at_all_end mpi_file_read_at_all_end_: Read OutBuf Room;
    "MPI_File_write_at_all" MPI_File_write_at_all_begin MPI_File_write_at_all_begin_c
        mpi_file_write_at_all_begin_,
        MPI_File_write_at_all_end mpi_file_write_at_all_end_: Write InBuf InBuf;
}
