//! Attributes and their keyvals (MPI-5.0 §7.7), also under their MPI-1 names (§16.1).

use crate::abi::kinds::*;
use crate::mpi::attributes::{self, Bearer, Keyval};

mpi!(
    /// Creates a keyval for attributes of communicators.
    #[fortran(mpi_comm_create_keyval_)]
    fn MPI_Comm_create_keyval(
        process: &Process, comm_copy_attr_fn: CommCopyFunction,
        comm_delete_attr_fn: CommDeleteFunction, comm_keyval: OutInt, extra_state: ExtraState,
    ) {
        let (copy, delete) = (comm_copy_attr_fn, comm_delete_attr_fn);
        let keyval = Keyval { bearer: Bearer::Comm, copy, delete, extra_state };
        comm_keyval.set(process.keyvals.create(keyval)?);
        Ok(())
    }
);

mpi!(
    /// Frees a keyval for attributes of communicators.
    #[fortran(mpi_comm_free_keyval_)]
    fn MPI_Comm_free_keyval(process: &Process, comm_keyval: InOutInt) {
        process.keyvals.free(comm_keyval.value(), Bearer::Comm)?;
        comm_keyval.set(attributes::INVALID);
        Ok(())
    }
);

mpi!(
    /// Sets an attribute of `comm`.
    #[fortran(mpi_comm_set_attr_)]
    #[raises_on(comm)]
    fn MPI_Comm_set_attr(
        process: &Process, comm: MPI_Comm, comm_keyval: Int, attribute_val: InAttribute,
    ) {
        comm.set_attribute(process, comm_keyval, attribute_val)
    }
);

mpi!(
    /// The attribute of `comm` under a keyval, if it is set.
    #[fortran(mpi_comm_get_attr_)]
    #[raises_on(comm)]
    fn MPI_Comm_get_attr(
        process: &Process, comm: MPI_Comm, comm_keyval: Int, attribute_val: OutAttribute,
        flag: OutFlag,
    ) {
        attribute_val.set_if(comm.attribute(process, comm_keyval)?, flag);
        Ok(())
    }
);

mpi!(
    /// Deletes an attribute of `comm`.
    #[fortran(mpi_comm_delete_attr_)]
    #[raises_on(comm)]
    fn MPI_Comm_delete_attr(process: &Process, comm: MPI_Comm, comm_keyval: Int) {
        comm.delete_attribute(process, comm_keyval)
    }
);

mpi!(
    /// Creates a keyval for attributes of datatypes.
    #[fortran(mpi_type_create_keyval_)]
    fn MPI_Type_create_keyval(
        process: &Process, type_copy_attr_fn: TypeCopyFunction,
        type_delete_attr_fn: TypeDeleteFunction, type_keyval: OutInt, extra_state: ExtraState,
    ) {
        let (copy, delete) = (type_copy_attr_fn, type_delete_attr_fn);
        let keyval = Keyval { bearer: Bearer::Datatype, copy, delete, extra_state };
        type_keyval.set(process.keyvals.create(keyval)?);
        Ok(())
    }
);

mpi!(
    /// Frees a keyval for attributes of datatypes.
    #[fortran(mpi_type_free_keyval_)]
    fn MPI_Type_free_keyval(process: &Process, type_keyval: InOutInt) {
        process.keyvals.free(type_keyval.value(), Bearer::Datatype)?;
        type_keyval.set(attributes::INVALID);
        Ok(())
    }
);

mpi!(
    /// Sets an attribute of `datatype`.
    #[fortran(mpi_type_set_attr_)]
    fn MPI_Type_set_attr(
        process: &Process, datatype: MPI_Datatype, type_keyval: Int, attribute_val: InAttribute,
    ) {
        process.notes(&datatype).set_attribute(
            &process.keyvals,
            &datatype,
            type_keyval,
            attribute_val,
        )
    }
);

mpi!(
    /// The attribute of `datatype` under a keyval, if it is set.
    #[fortran(mpi_type_get_attr_)]
    fn MPI_Type_get_attr(
        process: &Process, datatype: MPI_Datatype, type_keyval: Int, attribute_val: OutAttribute,
        flag: OutFlag,
    ) {
        attribute_val
            .set_if(process.notes(&datatype).attribute(&process.keyvals, type_keyval)?, flag);
        Ok(())
    }
);

mpi!(
    /// Deletes an attribute of `datatype`.
    #[fortran(mpi_type_delete_attr_)]
    fn MPI_Type_delete_attr(process: &Process, datatype: MPI_Datatype, type_keyval: Int) {
        process.notes(&datatype).delete_attribute(&process.keyvals, &datatype, type_keyval)
    }
);

mpi!(
    /// MPI_Comm_create_keyval under its MPI-1 name.
    #[fortran(mpi_keyval_create_)]
    fn MPI_Keyval_create(
        process: &Process, copy_fn: CopyFunction, delete_fn: DeleteFunction, keyval: OutInt,
        extra_state: ExtraStateOld,
    ) {
        let (copy, delete) = (copy_fn, delete_fn);
        let made = Keyval { bearer: Bearer::Comm, copy, delete, extra_state };
        keyval.set(process.keyvals.create(made)?);
        Ok(())
    }
);

mpi!(
    /// MPI_Comm_free_keyval under its MPI-1 name.
    #[fortran(mpi_keyval_free_)]
    fn MPI_Keyval_free(process: &Process, keyval: InOutInt) {
        process.keyvals.free(keyval.value(), Bearer::Comm)?;
        keyval.set(attributes::INVALID);
        Ok(())
    }
);

mpi!(
    /// MPI_Comm_set_attr under its MPI-1 name.
    #[fortran(mpi_attr_put_)]
    #[raises_on(comm)]
    fn MPI_Attr_put(process: &Process, comm: MPI_Comm, keyval: Int, attribute_val: InAttributeOld) {
        comm.set_attribute(process, keyval, attribute_val)
    }
);

mpi!(
    /// MPI_Comm_get_attr under its MPI-1 name.
    #[fortran(mpi_attr_get_)]
    #[raises_on(comm)]
    fn MPI_Attr_get(
        process: &Process, comm: MPI_Comm, keyval: Int, attribute_val: OutAttributeOld,
        flag: OutFlag,
    ) {
        attribute_val.set_if(comm.attribute(process, keyval)?, flag);
        Ok(())
    }
);

mpi!(
    /// MPI_Comm_delete_attr under its MPI-1 name.
    #[fortran(mpi_attr_delete_)]
    #[raises_on(comm)]
    fn MPI_Attr_delete(process: &Process, comm: MPI_Comm, keyval: Int) {
        comm.delete_attribute(process, keyval)
    }
);
