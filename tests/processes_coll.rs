//! Short collective operations of ranks in several processes: in memory that these share, without
//! messages.

use support::{Program, Run};

fn processes(program: &Program) -> Run {
    support::run(program).env("FTMPI_RANKS", "").option("--processes")
}

/// Ranks that share so many processes.
fn shared(program: &Program, ranks: usize, processes: usize) -> Run {
    let run = support::run(program).env("FTMPI_RANKS", "").ranks(ranks);
    run.option(format!("--processes={processes}"))
}

/// Ranks with cores of their own poll each other; others go through the first one, and sleep. The
/// seed of a failure is its number here.
#[test]
fn short_operations_give_what_they_must_whoever_is_late() {
    let program = support::c("coll_short.c").flags(&["-O1", "-Wall"]).build();
    let cores = ["1", "2", "16"];
    for (seed, ranks) in (0..).zip([2, 3, 2, 5, 8, 9, 16, 7, 2]) {
        let run = processes(&program).ranks(ranks).env("FTMPI_CORES", cores[seed % cores.len()]);
        run.args([seed.to_string(), "700".to_string()]).succeeds();
    }
}

/// The members of a process meet there, and the last one speaks with other processes.
#[test]
fn short_operations_by_levels_give_what_they_must_whoever_is_late() {
    let program = support::c("coll_short.c").flags(&["-O1", "-Wall"]).build();
    let cores = ["1", "2", "16"];
    let jobs = [(3, 2), (4, 2), (7, 3), (9, 2), (16, 5), (16, 15), (40, 2), (5, 3)];
    for (seed, (ranks, processes)) in (0..).zip(jobs) {
        let run = shared(&program, ranks, processes).env("FTMPI_CORES", cores[seed % cores.len()]);
        run.args([seed.to_string(), "400".to_string()]).succeeds();
    }
}

/// Communicators come and go, more of them than there are rooms, and some members are late.
#[test]
fn communicators_that_come_and_go_have_rooms_of_their_own() {
    let text = r#"
        #include "check.h"
        enum { MANY = 50, ROUNDS = 60 };
        static unsigned state;
        static unsigned draw(unsigned below)
        {
            state = state * 1103515245 + 12345;
            return (state >> 16) % below;
        }
        static void use(MPI_Comm comm, int times)
        {
            int me, count, all[16];
            MPI_Comm_rank(comm, &me);
            MPI_Comm_size(comm, &count);
            for (int i = 0; i < times; i++) {
                int root = i % count, value = me == root ? 1000 * i + root : -1, sum = 0;
                for (volatile int late = draw(8) ? 0 : draw(20000); late > 0; late--)
                    ;
                MPI_Bcast(&value, 1, MPI_INT, root, comm);
                EQUAL(value, 1000 * i + root);
                MPI_Reduce(&me, &sum, 1, MPI_INT, MPI_SUM, root, comm);
                EQUAL(sum, me == root ? count * (count - 1) / 2 : 0);
                MPI_Allgather(&i, 1, MPI_INT, all, 1, MPI_INT, comm);
                for (int k = 0; k < count; k++)
                    EQUAL(all[k], i);
            }
        }
        int main(int argc, char **argv)
        {
            MPI_Comm many[MANY], part, twin;
            MPI_Init(&argc, &argv);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            MPI_Comm_size(MPI_COMM_WORLD, &size);
            state = 77 * rank + 1;
            for (int round = 0; round < ROUNDS; round++) {
                MPI_Comm_split(MPI_COMM_WORLD, (rank + round) % 2, -rank, &part);
                MPI_Comm_dup(part, &twin);
                use(part, round % 20);
                use(twin, 8);
                /* Not before the others have read what was published last. */
                MPI_Comm_free(&part);
                use(twin, 3);
                MPI_Comm_free(&twin);
            }
            for (int round = 0; round < 2; round++) {
                for (int i = 0; i < MANY; i++)
                    MPI_Comm_dup(MPI_COMM_WORLD, &many[i]);
                for (int i = 0; i < MANY; i++)
                    use(many[i], 7);
                for (int i = 0; i < MANY; i++)
                    use(many[i], 2);
                for (int i = 0; i < MANY; i++)
                    MPI_Comm_free(&many[i]);
            }
            MPI_Finalize();
            return 0;
        }
    "#;
    let include = format!("-I{}", support::root().join("tests/programs").display());
    let program = support::c_text("rooms", text).flags(&["-O1", &include]).build();
    for (ranks, cores) in [(2, "16"), (5, "16"), (5, "1"), (16, "2")] {
        processes(&program).ranks(ranks).env("FTMPI_CORES", cores).deadline(120).succeeds();
    }
    for (ranks, count, cores) in [(5, 2, "16"), (5, 3, "1"), (16, 3, "2")] {
        shared(&program, ranks, count).env("FTMPI_CORES", cores).deadline(120).succeeds();
    }
}

/// None of these needs a message, which MPI_T would count: neither on the world nor on another
/// communicator that has been used often.
#[test]
fn short_operations_need_no_messages() {
    let program = support::c("no_messages.c").flags(&["-O1", "-Wall"]).build();
    for ranks in [2, 5, 8] {
        processes(&program).ranks(ranks).succeeds();
        processes(&program).ranks(ranks).env("FTMPI_CORES", "16").args(["cores"]).succeeds();
        if ranks > 2 {
            shared(&program, ranks, 2).args(["levels"]).succeeds();
        }
    }
}
