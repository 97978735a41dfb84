//! Short collective operations of ranks that are processes: in memory that they share, without
//! messages.

mod support;

use support::{Program, Run};

fn processes(program: &Program) -> Run {
    support::run(program).env("FTMPI_RANKS", "").option("--processes")
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

/// None of these needs a message: no process maps the memory of another one, as it does to send to
/// it.
#[test]
fn short_operations_need_no_messages() {
    let text = r#"
        #include "check.h"
        static int mappings(void)
        {
            char line[1000];
            int count = 0;
            FILE *maps = fopen("/proc/self/maps", "r");
            while (fgets(line, sizeof line, maps))
                count += strstr(line, "memfd:ftmpi ") != NULL;
            fclose(maps);
            return count;
        }
        int main(int argc, char **argv)
        {
            MPI_Init(&argc, &argv);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            MPI_Comm_size(MPI_COMM_WORLD, &size);
            int before = mappings();
            for (int i = 0; i < 1000; i++) {
                int mine = rank, sum = 0, all[8], root = i % size;
                MPI_Barrier(MPI_COMM_WORLD);
                MPI_Bcast(&mine, 1, MPI_INT, root, MPI_COMM_WORLD);
                EQUAL(mine, root);
                MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
                EQUAL(sum, rank == root ? size * (size - 1) / 2 : 0);
                MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
                EQUAL(sum, size * (size - 1) / 2);
                MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, root, MPI_COMM_WORLD);
                /* Only where each rank has a core. */
                if (argc > 1) {
                    MPI_Scatter(all, 1, MPI_INT, &mine, 1, MPI_INT, root, MPI_COMM_WORLD);
                    EQUAL(mine, rank);
                }
                MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
                EQUAL(all[size - 1], size - 1);
            }
            EQUAL(mappings(), before);
            MPI_Finalize();
            return 0;
        }
    "#;
    let include = format!("-I{}", support::root().join("tests/programs").display());
    let program = support::c_text("no_messages", text).flags(&["-O1", &include]).build();
    for ranks in [2, 5, 8] {
        processes(&program).ranks(ranks).succeeds();
        processes(&program).ranks(ranks).env("FTMPI_CORES", "16").args(["cores"]).succeeds();
    }
}
