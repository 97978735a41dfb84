//! What ranks order while nobody coordinates their job: the next coordinator carries it out, once.
//! All hosts are this one (`--agent 'sh -c'`).

use support::takeover::{Job, comes_to_its_end, deaths, right};

const HOSTS: &str = "a:2,b:2,c:2";

/// Rank 2 kills `ftrun`. Then, at once, it ends its half of the ranks (`group`), or once another
/// host has taken over, rank 5 ends with a session open (`session`).
const ORDERS: &str = r#"
    #include <glob.h>
    #include <mpi.h>
    #include <signal.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <unistd.h>
    static void kill_ftrun(void)
    {
        char name[64], line[256];
        int parent = 0;
        snprintf(name, sizeof name, "/proc/%d/status", getppid());
        FILE *file = fopen(name, "r");
        while (file && fgets(line, sizeof line, file))
            sscanf(line, "PPid: %d", &parent);
        kill(parent, SIGKILL);
    }
    static void await_successor(void)
    {
        char text[200] = "";
        glob_t found;
        while (!strstr(text, "goes on with the job")) {
            usleep(1000);
            if (glob("ftrun.*.out", 0, NULL, &found))
                continue;
            FILE *file = fopen(found.gl_pathv[0], "r");
            if (file && !fgets(text, sizeof text, file))
                text[0] = 0;
            if (file)
                fclose(file);
        }
    }
    int main(int argc, char **argv)
    {
        int rank = atoi(getenv("PMI_RANK")), code, class;
        if (!strcmp(argv[1], "session")) {
            MPI_Session session;
            MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
            MPI_Group group;
            MPI_Comm comm;
            MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
            MPI_Comm_create_from_group(group, "all", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
            if (rank == 2)
                kill_ftrun();
            await_successor();
            MPI_Barrier(comm);
            MPI_Comm_free(&comm);
            MPI_Group_free(&group);
            if (rank == 5)
                _exit(0);
            MPI_Session_finalize(&session);
            return 0;
        }
        MPI_Comm half;
        MPI_Init(&argc, &argv);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_split(MPI_COMM_WORLD, rank / 3, rank, &half);
        if (rank == 2) {
            kill_ftrun();
            MPI_Abort(half, 3);
        }
        do
            code = MPI_Barrier(MPI_COMM_WORLD);
        while (code == MPI_SUCCESS);
        MPI_Error_class(code, &class);
        printf("rank %d: %s\n", rank, class == MPIX_ERR_PROC_FAILED ? "failed" : "another error");
        return MPI_Finalize();
    }
"#;

fn ordered(mode: &str, word: &str) -> String {
    let program = support::c_text("takeover_orders", ORDERS).build();
    let mut job = Job::of(&program, word, HOSTS, &[mode], word);
    job.end();
    job.rest()
}

#[test]
fn an_abort_counts_that_no_coordinator_has_heard() {
    let mut job = Job::start("abort", HOSTS, "2 150 ftrun 2 150 abort", &[]);
    let (said, _) = job.end();
    let rest = job.rest();
    assert!(rest.contains("ftrun: rank 2 called MPI_Abort on MPI_COMM_WORLD with 7\n"), "{rest}");
    assert!(rest.contains("ftrun: the job has ended with exit status 7\n"), "{said}\n{rest}");
    assert_eq!(deaths(&rest), [""; 0], "{rest}");
}

#[test]
fn a_kill_counts_once_that_no_coordinator_has_heard() {
    let right = right();
    for kills in [
        "2 150 ftrun 2 150 kill4",
        // It dies in another way at the same time.
        "4 150 self 2 150 ftrun 2 150 kill4",
        // The first coordinator has heard that, the second one hears it, too.
        "2 100 kill4 2 150 ftrun",
        "2 100 kill4 2 100 ftrun",
    ] {
        let mut job = Job::start("kill", HOSTS, kills, &[]);
        let (said, rest) = comes_to_its_end(&mut job, &right);
        assert_eq!(deaths(&(said + &rest)), ["4.0"], "{kills}: {rest}");
    }
}

#[test]
fn a_kill_outlasts_two_coordinators() {
    let kills = "2 100 ftrun 2 100 kill4 0 130 next";
    let mut job = Job::start("kill_twice", "a:2,b:2,c:1,d:1", kills, &[]);
    let (said, rest) = comes_to_its_end(&mut job, &right());
    assert_eq!(deaths(&(said + &rest)), ["0.0", "1.0", "4.0"], "{rest}");
}

#[test]
fn an_abort_of_a_group_counts_that_no_coordinator_has_heard() {
    let rest = ordered("--mode=ulfm", "group");
    for words in [
        "ftrun: rank 2 called MPI_Abort on ",
        "ftrun: rank 0 was ended by rank 2, which called MPI_Abort on ",
        "ftrun: rank 1 was ended by rank 2, which called MPI_Abort on ",
        "rank 3: failed\n",
        "rank 4: failed\n",
        "rank 5: failed\n",
        "ftrun: the job has ended with exit status 0\n",
    ] {
        assert_eq!(rest.matches(words).count(), 1, "{words}: {rest}");
    }
}

#[test]
fn a_session_that_was_open_before_a_takeover_is_missed_after_it() {
    let rest = ordered("--mode=abort", "session");
    assert!(rest.contains("without MPI_Session_finalize"), "{rest}");
    assert!(rest.contains("ftrun: the job has ended with exit status 1\n"), "{rest}");
}
