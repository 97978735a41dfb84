//! Dynamic processes: spawned worlds, ports, names, and connections (MPI-5.0 §11.8 to §11.11).

use crate::abi::kinds::*;
use crate::mpi::dynamic::hints::Command;
use crate::mpi::dynamic::spawn::{self, Orders};
use crate::mpi::dynamic::{connect, join, ports};

mpi!(
    /// Opens a port, at which this process can accept connections.
    #[fortran(mpi_open_port_)]
    fn MPI_Open_port(process: &Process, info: Hints, port_name: OutText) {
        port_name.set(&ports::open(process)?, ports::MAX_PORT_NAME);
        Ok(())
    }
);

mpi!(
    /// Closes a port.
    #[fortran(mpi_close_port_)]
    fn MPI_Close_port(process: &Process, port_name: InText) {
        connect::close(process, &port_name)
    }
);

mpi!(
    /// Publishes a port under a name.
    #[fortran(mpi_publish_name_)]
    fn MPI_Publish_name(process: &Process, service_name: InText, info: Hints, port_name: InText) {
        ports::publish(process, service_name, port_name)
    }
);

mpi!(
    /// Takes a published name back.
    #[fortran(mpi_unpublish_name_)]
    fn MPI_Unpublish_name(process: &Process, service_name: InText, info: Hints, port_name: InText) {
        ports::unpublish(process, service_name, port_name)
    }
);

mpi!(
    /// Finds the port that is published under a name.
    #[fortran(mpi_lookup_name_)]
    fn MPI_Lookup_name(process: &Process, service_name: InText, info: Hints, port_name: OutText) {
        port_name.set(&ports::look_up(process, service_name)?, ports::MAX_PORT_NAME);
        Ok(())
    }
);

mpi!(
    /// Waits for a group that connects to a port.
    #[fortran(mpi_comm_accept_)]
    #[raises_on(comm)]
    fn MPI_Comm_accept(
        process: &Process, port_name: Late<InText>, info: Late<Hints>, root: Int, comm: MPI_Comm,
        newcomm: Var<MPI_Comm>,
    ) {
        newcomm.set(connect::accept(process, &comm, root, port_name)?);
        Ok(())
    }
);

mpi!(
    /// Connects to the group that accepts at a port.
    #[fortran(mpi_comm_connect_)]
    #[raises_on(comm)]
    fn MPI_Comm_connect(
        process: &Process, port_name: Late<InText>, info: Late<Hints>, root: Int, comm: MPI_Comm,
        newcomm: Var<MPI_Comm>,
    ) {
        newcomm.set(connect::connect(process, &comm, root, port_name)?);
        Ok(())
    }
);

mpi!(
    /// Joins the process at the other end of a socket.
    #[fortran(mpi_comm_join_)]
    fn MPI_Comm_join(process: &Process, fd: Int, intercomm: Var<MPI_Comm>) {
        intercomm.set_or_null(join::join(process, fd)?);
        Ok(())
    }
);

mpi!(
    /// Starts ranks that run a program, as a world of their own (MPI-5.0 §11.8).
    #[fortran(mpi_comm_spawn_)]
    #[raises_on(comm)]
    fn MPI_Comm_spawn(
        process: &Process, command: Late<InText>, argv: Arguments, maxprocs: Int,
        info: Late<Hints>, root: Int, comm: MPI_Comm, intercomm: Var<MPI_Comm>,
        array_of_errcodes: OutCodes,
    ) {
        let one = || {
            let (name, info) = (command?, info?);
            Ok(vec![Command { name, arguments: argv.read(), most: maxprocs, info }])
        };
        let orders = Orders::of(&comm, root, one);
        let spawned = spawn::spawn(process, &comm, root, &orders);
        array_of_errcodes.fill(&orders.codes(&spawned));
        intercomm.set(spawned?.handle);
        Ok(())
    }
);

mpi!(
    /// Starts ranks that run several programs, as a world of their own.
    #[fortran(mpi_comm_spawn_multiple_)]
    #[raises_on(comm)]
    fn MPI_Comm_spawn_multiple(
        process: &Process, count: Int, array_of_commands: Commands, array_of_argv: ArgumentLists,
        array_of_maxprocs: Ints32, array_of_info: Keys<MPI_Info>, root: Int, comm: MPI_Comm,
        intercomm: Var<MPI_Comm>, array_of_errcodes: OutCodes,
    ) {
        let all = || {
            let names = array_of_commands.read(count)?.into_iter().enumerate();
            let most = array_of_maxprocs.read(count.into())?.into_iter();
            let infos = array_of_info.keys(count.into())?;
            let each = names.zip(most).zip(infos);
            each.map(|(((index, name), most), info)| {
                let info = spawn::hints(process, info)?;
                Ok(Command { name, arguments: array_of_argv.read(index, count), most, info })
            })
            .collect()
        };
        let orders = Orders::of(&comm, root, all);
        let spawned = spawn::spawn(process, &comm, root, &orders);
        array_of_errcodes.fill(&orders.codes(&spawned));
        intercomm.set(spawned?.handle);
        Ok(())
    }
);
