//! Ranks die and the others recover, by FT-MPI's rules.

use support::Run;

fn run(program: &str, ranks: usize, mode: &str, args: &[&str]) -> Run {
    let program = support::c(program).flags(&["-O1", "-Wall"]).build();
    support::run(&program).ranks(ranks).args(args).option(format!("--mode={mode}"))
}

#[test]
fn a_rank_that_died_is_started_again_and_the_world_is_whole() {
    for how in ["raise", "exit", "segv"] {
        let seen = run("rebuild.c", 4, "rebuild", &["5", "1", how]).succeeds();
        assert_eq!(seen.stdout, "5 rounds, 4 ranks\n", "{how}: {seen}");
    }
}

#[test]
fn all_but_one_may_die_at_once_and_again_and_again() {
    let seen = run("rebuild.c", 16, "rebuild", &["40", "15"]).succeeds();
    assert_eq!(seen.stdout, "40 rounds, 16 ranks\n", "{seen}");
}

#[test]
fn the_others_close_ranks_until_one_is_left() {
    for first in ["0", "3"] {
        let seen = run("survive_modes.c", 8, "shrink", &["shrink", first]).succeeds();
        assert_eq!(seen.lines_with("is left"), 1, "{seen}");
    }
}

#[test]
fn the_dead_leave_gaps_until_one_is_left() {
    for first in ["0", "3"] {
        let seen = run("survive_modes.c", 8, "blank", &["blank", first]).succeeds();
        assert_eq!(seen.lines_with("is left"), 1, "{seen}");
    }
}

#[test]
fn a_master_hears_of_every_death_once_and_needs_no_recovery() {
    for (tasks, deaths) in [("20", "0"), ("20", "1"), ("60", "3"), ("100", "7")] {
        let run = run("masterworker.c", 9, "blank", &[tasks, deaths]).option("--msg=cont");
        let seen = run.succeeds();
        let expected = format!("{deaths} deaths told, all {tasks} tasks done\n");
        assert_eq!(seen.stdout, expected, "{seen}");
    }
}

#[test]
fn what_is_under_way_between_the_living_goes_on() {
    for (mode, line) in [("shrink", "5 of 5"), ("blank", "5 of 6"), ("rebuild", "6 of 6")] {
        let seen = run("goes_on.c", 6, mode, &[]).option("--msg=cont").succeeds();
        assert_eq!(seen.stdout, format!("{line} go on\n"), "{mode}: {seen}");
        // The same where the program says so, and the launcher does not.
        let seen = run("goes_on.c", 6, mode, &["attribute"]).succeeds();
        assert_eq!(seen.stdout, format!("{line} go on\n"), "{mode}: {seen}");
    }
}

#[test]
fn the_library_recovers_by_itself_and_handlers_hear_once() {
    for args in [&["5"][..], &["5", "jump"]] {
        let run = run("automatic.c", 4, "rebuild", args).option("--recovery=auto");
        assert_eq!(run.succeeds().stdout, "5 rounds\n");
    }
}

#[test]
fn atomic_collectives_end_alike_everywhere() {
    for kill in ["1@inside:MPI_Bcast:3", "0@before:MPI_Reduce:2", "4@inside:MPI_Wait:2:1"] {
        let run = run("atomic.c", 6, "shrink", &[]).option("--coll=atomic");
        let seen = run.option(format!("--kill={kill}")).succeeds();
        assert_eq!(seen.stdout, "5 live\n", "{kill}: {seen}");
    }
}

/// One has begun to free a window when it hears of a death; another waits, in a collective
/// operation, for all to agree on its failure, which only a recovery ends.
#[test]
fn whoever_frees_a_window_waits_for_no_vote_of_those_who_wait_for_the_recovery() {
    let text = r#"
        #include <ftmpi.h>
        #include <mpi.h>
        #include <signal.h>
        #include <stdio.h>
        #include <unistd.h>
        int main(int argc, char **argv)
        {
            int rank, *mine, is_fresh = MPI_Init(&argc, &argv) == MPI_INIT_RESTARTED_PROCS;
            MPI_Comm again = FT_MPI_CHECK_RECOVER;
            MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            if (!is_fresh) {
                MPI_Win win;
                MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
                if (rank == 2) {
                    usleep(100000);
                    raise(SIGKILL);
                }
                if (rank == 1 && MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS)
                    return 1;
                MPI_Win_free(&win);
            }
            MPI_Comm_dup(MPI_COMM_WORLD, &again);
            printf("rank %d: %d\n", rank, MPI_Barrier(MPI_COMM_WORLD));
            return MPI_Finalize();
        }"#;
    let program = support::c_text("atomic_window", text).build();
    for form in ["--ranks=fiber", "--ranks=thread", "--processes"] {
        let run = support::run(&program).env("FTMPI_RANKS", "").ranks(3).option(form);
        let seen = run.option("--mode=rebuild").option("--coll=atomic").succeeds();
        assert_eq!(seen.lines_with(": 0"), 3, "{form}: {seen}");
    }
}

#[test]
fn halves_of_the_world_have_atomic_collectives_each_for_itself() {
    let text = r#"
        #include <mpi.h>
        #include <stdio.h>
        int main(int argc, char **argv)
        {
            int rank, good = 0, sum;
            MPI_Comm half;
            MPI_Init(&argc, &argv);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
            for (int i = 0; i < 100; i++) {
                int value = rank < 2 ? i * 2 + rank : -1;
                MPI_Bcast(&value, 1, MPI_INT, 0, half);
                good += value == i * 2 + rank % 2;
            }
            MPI_Reduce(&good, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
            if (rank == 0)
                printf("%d are right\n", sum);
            return MPI_Finalize();
        }"#;
    let run = support::run(&support::c_text("atomic_halves", text).build());
    let seen = run.ranks(8).option("--coll=atomic").succeeds();
    assert_eq!(seen.stdout, "800 are right\n", "{seen}");
}

#[test]
fn deaths_in_the_midst_of_a_recovery_are_absorbed() {
    for kill in ["0@recovery:1", "2@recovery:1:1", "1.2@recovery:1"] {
        let run = run("rebuild.c", 6, "rebuild", &["4", "1"]).option(format!("--kill={kill}"));
        let seen = run.succeeds();
        assert_eq!(seen.stdout, "4 rounds, 6 ranks\n", "{kill}: {seen}");
    }
}

#[test]
fn a_rank_that_cannot_be_started_is_given_up() {
    let dies_at_once = r#"
        #include <mpi.h>
        #include <signal.h>
        #include <stdio.h>
        #include "ftmpi.h"
        int main(int argc, char **argv) {
            if (ftmpi_incarnation() > 0)
                raise(SIGKILL);
            MPI_Init(&argc, &argv);
            if (ftmpi_rank_in_job() == 1)
                raise(SIGKILL);
            while (MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS)
                ;
            MPI_Comm again;
            int code = MPI_Comm_dup(MPI_COMM_WORLD, &again);
            printf("%d\n", code == MPI_ERR_SPAWN);
            fflush(stdout);
            MPI_Finalize();
            return 0;
        }
    "#;
    let program = support::c_text("dies_at_once", dies_at_once).build();
    let run = support::run(&program).ranks(3).option("--mode=rebuild");
    assert_eq!(run.outcome().stdout, "1\n1\n");
}

#[test]
fn whoever_has_finalized_is_gone_but_has_not_failed() {
    let text = r#"
        #include <mpi.h>
        #include <signal.h>
        #include <stdio.h>
        #include "ftmpi.h"
        int main(int argc, char **argv) {
            int fresh = MPI_Init(&argc, &argv) != MPI_SUCCESS, me = ftmpi_rank_in_job();
            MPI_Comm again;
            if (!fresh) {
                MPI_Barrier(MPI_COMM_WORLD);
                if (me == 1)
                    raise(SIGKILL);
                if (me > 1) {
                    while (MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS)
                        ;
                    if (MPI_Comm_dup(MPI_COMM_WORLD, &again) != MPI_SUCCESS)
                        return 3;
                }
            }
            if (me > 0) {
                int one = 1, sum, size;
                MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
                MPI_Comm_size(MPI_COMM_WORLD, &size);
                printf("%d of %d\n", sum, size);
            }
            return MPI_Finalize();
        }
    "#;
    let program = support::c_text("leaves_early", text).build();
    let run = support::run(&program).ranks(4).option("--mode=rebuild");
    assert_eq!(run.succeeds().stdout, "3 of 4\n3 of 4\n3 of 4\n");
}

#[test]
fn modes_that_the_program_has_chosen_hold_for_everybody() {
    let seen = run("modes_chosen.c", 5, "blank", &[]).succeeds();
    assert_eq!(seen.stdout, "4 of 5 ranks\n", "{seen}");
}

fn rule(case: &str, ranks: usize, options: &[&str]) {
    let program = support::c("rules.c").flags(&["-O1"]).build();
    let run = support::run(&program).ranks(ranks).args([case]).deadline(60);
    let run = options.iter().fold(run, |run, option| run.option(*option));
    assert_eq!(run.succeeds().stdout, format!("{case}: done\n"));
}

#[test]
fn a_world_that_has_lost_nobody_is_checked_again_and_again() {
    rule("healthy", 6, &["--mode=rebuild"]);
}

#[test]
fn while_one_recovers_the_others_hear_of_it_in_whatever_call_they_are() {
    for msg in ["noop", "cont"] {
        rule("promptly", 6, &["--mode=rebuild", &format!("--msg={msg}")]);
    }
}

#[test]
fn communicators_of_before_a_recovery_are_to_be_made_again() {
    rule("derived", 5, &["--mode=rebuild"]);
}

#[test]
fn topologies_have_gaps_where_the_world_has() {
    rule("grids", 7, &["--mode=blank"]);
}

#[test]
fn what_is_under_way_goes_on_when_a_communicator_is_made_again() {
    for mode in ["rebuild", "shrink", "blank"] {
        rule("again", 5, &["--msg=cont", &format!("--mode={mode}")]);
    }
}

#[test]
fn a_replacement_knows_its_generation_from_its_environment() {
    let text = r#"
        #include <mpi.h>
        #include <signal.h>
        #include <stdio.h>
        #include <stdlib.h>
        int main(int argc, char **argv) {
            const char *own = getenv("FTMPI_GENERATION");
            int rank, generation = own ? atoi(own) : 0, most;
            MPI_Comm again;
            MPI_Init(&argc, &argv);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            for (;;) {
                MPI_Allreduce(&generation, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
                if (rank == 1 && generation != most)
                    MPI_Abort(MPI_COMM_WORLD, 3);
                if (most == 3)
                    break;
                if (rank == 1) {
                    MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                    raise(SIGKILL);
                }
                MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
                while (MPI_Recv(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == 0)
                    ;
                if (MPI_Comm_dup(MPI_COMM_WORLD, &again) != MPI_SUCCESS)
                    return 3;
            }
            if (rank == 0)
                printf("generation %d\n", most);
            return MPI_Finalize();
        }
    "#;
    let program = support::c_text("generation", text).build();
    let run = support::run(&program).ranks(2).option("--mode=rebuild").deadline(60);
    assert_eq!(run.succeeds().stdout, "generation 3\n");
}

/// What a rank keeps over a death and a recovery.
fn keeps(case: &str, ranks: usize, options: &[&str]) {
    let program = support::c("keeps.c").flags(&["-O1", "-pthread", "-Wall"]).build();
    let run = support::run(&program).ranks(ranks).args([case, "two words"]).deadline(60);
    let run = run.option("-x=KEPT=in all lives").option("--wdir=/").option("--mode=rebuild");
    let run = options.iter().fold(run, |run, option| run.option(*option));
    assert_eq!(run.succeeds().stdout, format!("{case}: done\n"));
}

#[test]
fn what_needs_nobody_else_works_before_in_and_after_a_recovery() {
    for msg in ["--msg=noop", "--msg=cont"] {
        keeps("alone", 5, &[msg]);
    }
}

#[test]
fn survivors_keep_their_objects_and_replacements_have_none() {
    keeps("objects", 5, &[]);
}

#[test]
fn messages_under_way_are_forgotten_by_noop_and_kept_by_cont() {
    for msg in ["--msg=noop", "--msg=cont"] {
        keeps("messages", 5, &[msg]);
    }
}

#[test]
fn whatever_makes_a_communicator_begins_the_recovery() {
    keeps("constructors", 7, &[]);
    keeps("constructors", 7, &["--msg=cont"]);
    keeps("unaware", 7, &[]);
    keeps("unaware", 7, &["--msg=cont"]);
}

#[test]
fn each_death_is_recorded_once_and_by_all_alike() {
    keeps("record", 7, &[]);
}

#[test]
fn a_handler_hears_once_of_which_communicator_and_may_recover() {
    keeps("handler", 5, &[]);
}

#[test]
fn threads_of_a_rank_recover_together() {
    for msg in ["--msg=noop", "--msg=cont"] {
        keeps("threads", 5, &[msg]);
    }
}

#[test]
fn persistent_operations_fail_on_what_is_broken_and_go_on_where_nobody_died() {
    keeps("persistent", 4, &[]);
}

#[test]
fn an_error_that_is_no_death_is_as_fatal_as_ever() {
    let text = r#"
        #include <mpi.h>
        int main(int argc, char **argv) {
            MPI_Init(&argc, &argv);
            MPI_Send(&argc, 1, MPI_INT, 4711, 0, MPI_COMM_WORLD);
            return MPI_Finalize();
        }
    "#;
    let program = support::c_text("other_error", text).build();
    let run = support::run(&program).ranks(2).option("--mode=rebuild");
    let seen = run.fails_with(6);
    assert!(seen.stderr.contains("MPI_Send on MPI_COMM_WORLD failed"), "{seen}");
}

#[test]
fn whoever_keeps_a_recovery_waiting_for_too_long_is_voted_out() {
    let text = r#"
        #include <mpi.h>
        #include <signal.h>
        #include <stdio.h>
        #include <string.h>
        #include <unistd.h>
        #include "ftmpi.h"
        int main(int argc, char **argv) {
            int me = ftmpi_rank_in_job(), one = 1, sum = 0;
            MPI_Comm again;
            if (MPI_Init(&argc, &argv) == MPI_SUCCESS) {
                MPI_Barrier(MPI_COMM_WORLD);
                if (me == 1)
                    raise(SIGKILL);
                while (me == 2 && strcmp(argv[1], "computes") == 0)
                    __asm__ volatile("");
                while (me == 2)
                    pause();
                while (MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS)
                    ;
                if (MPI_Comm_dup(MPI_COMM_WORLD, &again) != MPI_SUCCESS)
                    return 3;
            }
            MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            if (me == 0)
                printf("%d live\n", sum);
            MPI_Finalize();
            return 0;
        }
    "#;
    let program = support::c_text("late", text).build();
    for (mode, left) in [("rebuild", 4), ("shrink", 2), ("blank", 2)] {
        for word in ["computes", "sleeps"] {
            let run = support::run(&program).ranks(4).args([word]).option("--patience=0.3");
            let seen = run.option(format!("--mode={mode}")).deadline(60).succeeds();
            assert_eq!(seen.stdout, format!("{left} live\n"), "{mode}: {seen}");
            let said = "rank 2 has not joined the recovery for 0.3 s";
            assert_eq!(seen.stderr.matches(said).count(), 1, "{seen}");
        }
    }
}

#[test]
fn a_duplicate_is_no_recovery_for_who_has_not_heard_of_a_death() {
    let text = r#"
        #include "check.h"
        #include <signal.h>
        int main(int argc, char **argv)
        {
            int failed = 0, flag, fresh = MPI_Init(&argc, &argv) == MPI_INIT_RESTARTED_PROCS;
            MPI_Comm other;
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            MPI_Comm_size(MPI_COMM_WORLD, &size);
            if (rank == 2 && !fresh)
                raise(SIGKILL);
            /* Rank 0 hears of it by a call; rank 1 by none, and wants a duplicate. */
            if (rank == 0)
                EQUAL(MPI_Recv(NULL, 0, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                      MPI_ERR_OTHER);
            while (rank == 1 && !failed)
                MPI_Comm_get_attr(MPI_COMM_WORLD, FT_MPI_LIST_NUM_FAILED, &failed, &flag);
            if (rank == 1)
                EQUAL(MPI_Comm_dup(MPI_COMM_WORLD, &other), MPI_ERR_OTHER);
            if (rank != 2) {
                EQUAL(MPI_Comm_dup(MPI_COMM_WORLD, &other), MPI_SUCCESS);
                MPI_Comm_free(&other);
            }
            int one = 1, sum = 0;
            EQUAL(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
            EQUAL(sum, 3);
            MPI_Finalize();
            return 0;
        }
    "#;
    let include = format!("-I{}", support::root().join("tests/programs").display());
    let program = support::c_text("unaware", text).flags(&["-O1", &include]).build();
    support::run(&program).ranks(3).option("--mode=rebuild").succeeds();
}

#[test]
fn what_the_library_leaves_on_the_stack_asks_for_no_recovery() {
    // At a function's first call, ld.so would write down registers that the program has left.
    let program = support::c("stack_left.c").flags(&["-O1", "-Wall", "-Wl,-z,now"]).build();
    support::run(&program).ranks(3).option("--mode=blank").succeeds();
}
