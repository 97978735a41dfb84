//! Very many ranks: what each of them costs in memory, mappings and time; and one image for all.

use std::time::{Duration, Instant};
use support::{Program, Run};

/// Rank 0 says how much memory the job takes at most (in kB), and how many mappings it has, once
/// all ranks have come together in MPI_Finalize.
const COUNT: &str = r#"
    #include <mpi.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    static __attribute__((noinline)) void count_maps(void)
    {
        char line[512];
        int maps = 0;
        FILE *file = fopen("/proc/self/maps", "r");
        while (fgets(line, sizeof line, file)) maps++;
        fclose(file);
        printf("maps %d\n", maps);
        file = fopen("/proc/self/status", "r");
        while (fgets(line, sizeof line, file))
            if (!strncmp(line, "VmHWM:", 6)) printf("peak %ld\n", atol(line + 6));
        fclose(file);
    }
"#;

const COME_AND_GO: &str = r#"
    static __attribute__((noinline)) void add_up(int rank)
    {
        long one = 1, all = 0;
        MPI_Allreduce(&one, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        if (rank == 0) printf("sum %ld\n", all);
    }
    int main(int count, char **words)
    {
        int rank, size;
        MPI_Init(&count, &words);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        if (count > 1) add_up(rank);
        MPI_Finalize();
        /* Nobody leaves before all have come. */
        if (rank == 0) count_maps();
        return 0;
    }
"#;

fn counted() -> Program {
    support::c_text("counted", &format!("{COUNT}{COME_AND_GO}")).flags(&["-O1"]).build()
}

fn fibers(program: &Program, ranks: usize) -> Run {
    support::run(program).ranks(ranks).option("--ranks=fiber")
}

/// The number that stands behind `word` in the output.
#[track_caller]
fn said(stdout: &str, word: &str) -> usize {
    let line = stdout.lines().find_map(|line| line.strip_prefix(word));
    let number = line.and_then(|line| line.trim().parse().ok());
    number.unwrap_or_else(|| panic!("nobody says `{word}`: {stdout}"))
}

/// What so many more ranks add to a number of the output, each.
#[track_caller]
fn each(run: impl Fn(usize) -> Run, word: &str) -> f64 {
    const FEW: usize = 200;
    const MANY: usize = 2200;
    let [few, many] = [FEW, MANY].map(|ranks| said(&run(ranks).succeeds().stdout, word) as f64);
    (many - few) / (MANY - FEW) as f64
}

/// Three ranks die between two checkpoints, and come back with their data.
const SURVIVE: &str = r#"
    #include <ftmpi.h>
    #include <signal.h>
    static int survive(FTCK ck, int rank, int size, int may_die, double *mine)
    {
        int version;
        double all;
        int code = FTCK_Restore(ck, &version);
        if (code == MPI_SUCCESS && version == FTCK_NONE) code = FTCK_Checkpoint(ck, 1);
        if (code != MPI_SUCCESS) return code;
        if (may_die && (rank == 7 || rank == 8 || rank == size - 1)) raise(SIGKILL);
        code = MPI_Allreduce(mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (code == MPI_SUCCESS && rank == 0) printf("sum %.0f\n", all);
        return code;
    }
    int main(int count, char **words)
    {
        int rank, size, code = MPI_Init(&count, &words), is_new = code != MPI_SUCCESS;
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        double mine[16] = {is_new ? 0 : 1};
        FTCK ck;
        if (FTCK_Create(MPI_COMM_WORLD, "rs:2", &ck) != MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 3);
        FTCK_Register(ck, 0, mine, 16, MPI_DOUBLE);
        while (survive(ck, rank, size, !is_new, mine) != MPI_SUCCESS) {
            is_new = 1;
            MPI_Comm again = FT_MPI_CHECK_RECOVER;
            while (MPI_Comm_dup(MPI_COMM_WORLD, &again) != MPI_SUCCESS)
                again = FT_MPI_CHECK_RECOVER;
            MPI_Comm_free(&again);
        }
        MPI_Finalize();
        if (rank == 0) count_maps();
        return 0;
    }
"#;

#[test]
fn checkpoints_and_recoveries_of_very_many_take_no_more_of_each_than_of_few() {
    let program = support::c_text("survive", &format!("{COUNT}{SURVIVE}")).flags(&["-O1"]).build();
    let run = |ranks: usize| fibers(&program, ranks).option("--mode=rebuild");
    let seen = run(4000).succeeds();
    assert_eq!(said(&seen.stdout, "sum"), 4000, "{seen}");
    // With lists of all at each of them it was five times as much.
    let kilobytes = each(run, "peak");
    assert!(kilobytes < 110.0, "each rank takes {kilobytes:.0} kB");
}

/// Whether the kernel knows guards without mappings.
fn can_mark_guards() -> bool {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let mut numbers = release.split(['.', '-']).map_while(|part| part.parse::<u32>().ok());
    (numbers.next(), numbers.next()) >= (Some(6), Some(13))
}

/// In an environment with nothing in it but the way to programs: every rank has a copy.
fn in_short(run: Run) -> Run {
    let others = std::env::vars_os().map(|(name, _)| name).filter(|name| name != "PATH");
    others.fold(run, |run, name| run.env_remove(name))
}

#[test]
fn ten_thousand_ranks_come_and_go_at_default_limits_within_0_4_gb() {
    let program = counted();
    let (begun, most) = (Instant::now(), Duration::from_secs(2));
    loop {
        let seen = in_short(fibers(&program, 10_000)).succeeds();
        let peak = said(&seen.stdout, "peak");
        // Others use the machine, too, and then the library starts some more workers: once in some
        // minutes it has time.
        if seen.took < most && peak < 400_000 {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(300), "{peak} kB, {:?}\n{seen}", seen.took);
    }
}

/// Mappings for each rank that come from elsewhere: a busy machine makes the library start some
/// more workers, and libc takes some memory more, in one of the two runs and not in the other.
const STRAY_MAPS: f64 = 0.05;
/// How often the two runs are made until there are few of those.
const TRIES: usize = 10;

#[test]
fn a_rank_takes_two_mappings_and_its_guard_none() {
    let program = counted();
    let most = if can_mark_guards() { 2.0 } else { 4.0 } + STRAY_MAPS;
    let maps = || each(|ranks| fibers(&program, ranks), "maps");
    let seen: Vec<f64> = (0..TRIES).map(|_| maps()).take_while(|maps| *maps > most).collect();
    assert!(seen.len() < TRIES, "mappings a rank: {seen:?}");
}

/// The kernel meets the guard, too, when a program passes it such an address.
#[test]
fn the_kernel_does_not_write_into_a_guard() {
    let text = r#"
        #include <errno.h>
        #include <stdio.h>
        #include <unistd.h>
        int main(int count, char **words)
        {
            enum { PAGE = 4096, MOST = 1 << 14 };
            char *low = (char *)&count;
            int ends[2], pages = 0;
            if (pipe(ends)) return 1;
            while (pages < MOST && write(ends[1], low - (long)pages * PAGE, 1) == 1) {
                char byte;
                if (read(ends[0], &byte, 1) != 1) return 2;
                pages++;
            }
            if (errno != EFAULT) return 3;
            if (write(ends[1], "x", 1) != 1) return 4;
            if (read(ends[0], low - (long)pages * PAGE, 1) != -1 || errno != EFAULT) return 5;
            printf("%s\n", pages >= 2000 && pages < 4096 ? "after some 8 MB" : "elsewhere");
            return 0;
        }
    "#;
    let program = support::c_text("guarded", text).build();
    for kind in ["--ranks=fiber", "--ranks=thread"] {
        let seen = support::run(&program).ranks(3).option(kind).succeeds();
        assert_eq!(seen.lines_with("after some 8 MB"), 3, "{seen}");
    }
}

#[test]
fn arguments_are_each_ranks_own() {
    let text = r#"
        #include <stdio.h>
        #include <string.h>
        #include "ftmpi.h"
        int main(int count, char **words)
        {
            if (words[count] || strcmp(words[1], "abc") || strlen(words[2]) != 5000) return 1;
            words[1][0] = 'A' + ftmpi_rank_in_job();
            words[2][4999] = 0;
            puts(words[1]);
            return 0;
        }
    "#;
    let program = support::c_text("cut_up", text).build();
    let long = "x".repeat(5000);
    for kind in ["--ranks=fiber", "--ranks=thread"] {
        let run = support::run(&program).ranks(3).option(kind).args(["abc", &long]);
        let seen = run.succeeds();
        for word in ["Abc", "Bbc", "Cbc"] {
            assert_eq!(seen.lines_with(word), 1, "{seen}");
        }
    }
}

#[test]
fn ranks_of_one_image_take_no_mappings_and_less_memory() {
    let program = counted();
    let run = |ranks| fibers(&program, ranks).option("--share-image");
    let maps = each(run, "maps");
    let most = if can_mark_guards() { 0.0 } else { 2.0 } + STRAY_MAPS;
    assert!(maps <= most, "{maps} mappings a rank");
    let bytes = each(run, "peak");
    assert!(bytes < 20.0, "{bytes} kB a rank");
}

/// In virtual time, on a machine that has a node for each rank.
fn virtually(program: &Program, ranks: usize) -> Run {
    let text = format!(
        "[machine]\ntopology = \"torus\"\ndims = [100, 10, {}]\n[cost]\nhop_ns = 100\n\
         corner_ns = 0\nbyte_ns = 1\n",
        ranks.div_ceil(1000)
    );
    let file = support::fresh_directory(&format!("crowd_of_{ranks}")).join("machine.toml");
    std::fs::write(&file, text).expect("there is room");
    let run = support::run(program).ranks(ranks).option("--virtual").option("--share-image");
    run.option("--stack=256K").option(format!("--machine={}", file.display())).args(["sum"])
}

#[test]
fn in_virtual_time_a_rank_that_waits_needs_one_page_of_stack() {
    let program = counted();
    let bytes = each(|ranks| virtually(&program, ranks), "peak");
    assert!(bytes < 22.0, "{bytes} kB a rank");
}

#[test]
fn in_one_image_ranks_keep_what_libc_and_threads_have_for_each() {
    let text = r#"
        #include <errno.h>
        #include <mpi.h>
        #include <stdio.h>
        #include <stdlib.h>
        static _Thread_local int own = 5;
        static const char *const names[] = { "a", "b" };
        int main(int count, char **words)
        {
            int rank, size, at = -1;
            char text[20];
            MPI_Init(&count, &words);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            MPI_Comm_size(MPI_COMM_WORLD, &size);
            own += rank;
            errno = rank + 1;
            srand(rank);
            sprintf(text, "%d", rank);
            setenv("WHO", text, 1);
            words[0][0] = 'a' + rank;
            int first = rand();
            MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &at, 1, MPI_INT,
                         (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Barrier(MPI_COMM_WORLD);
            srand(rank);
            if (own != 5 + rank || atoi(getenv("WHO")) != rank || rand() != first) return 1;
            if (at != (rank + size - 1) % size || words[0][0] != 'a' + rank) return 2;
            printf("rank %d is well, %s\n", rank, names[rank % 2]);
            fprintf(stdout, "and prints\n");
            MPI_Finalize();
            return 0;
        }
    "#;
    let program = support::c_text("clean", text).build();
    for kind in ["--ranks=fiber", "--ranks=thread"] {
        let run = support::run(&program).ranks(7).option(kind).option("--share-image");
        let seen = run.succeeds();
        assert_eq!(seen.lines_with("and prints"), 7, "{seen}");
        assert_eq!(seen.lines_with("rank 6 is well, a"), 1, "{seen}");
    }
}

#[test]
fn a_death_in_one_image_is_that_ranks_alone_and_its_successor_lives_there() {
    let text = r#"
        #include <mpi.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include "ftmpi.h"
        static void overflow(volatile char *above)
        {
            volatile char room[1000];
            room[0] = above[0];
            overflow(room);
            room[1] = above[0];
        }
        int main(int count, char **words)
        {
            char start = 0;
            int rank, sum = 0, one = 1;
            int code = MPI_Init(&count, &words);
            MPI_Comm fresh;
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
            if (code != MPI_INIT_RESTARTED_PROCS) {
                if (rank == 2) overflow(&start);
                while (MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS) { }
                MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
            }
            if (MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD)) return 3;
            if (rank == 0) printf("%d are there\n", sum);
            MPI_Finalize();
            return 0;
        }
    "#;
    let program = support::c_text("falls", text).flags(&["-O1"]).build();
    for kind in ["--ranks=fiber", "--ranks=thread"] {
        let run = support::run(&program).ranks(6).option(kind).option("--share-image");
        let seen = run.option("--mode=rebuild").succeeds();
        assert_eq!(seen.lines_with("6 are there"), 1, "{seen}");
        assert!(seen.stderr.contains("stack overflow"), "{seen}");
    }
}

#[test]
fn variables_that_ranks_may_change_keep_them_from_sharing_an_image() {
    let cases = [
        ("static int counter; int main(void) { return counter++; }", "counter"),
        ("int table[3] = { 1 }; int main(void) { return table[1]++; }", "table"),
        ("#include <unistd.h>\nint main(void) { return optind - 1; }", "optind of libc"),
    ];
    for (index, (text, name)) in cases.into_iter().enumerate() {
        let program = support::c_text(&format!("holds{index}"), text).build();
        let run = support::run(&program).ranks(3).option("--share-image");
        let seen = run.outcome();
        assert_eq!(seen.status, Some(2), "{seen}");
        let words = ["--share-image: all ranks would share", name, "_Thread_local"];
        assert!(words.iter().all(|word| seen.stderr.contains(word)), "{seen}");
        assert_eq!(seen.stderr.lines().count(), 1, "{seen}");
    }
    let stripped = support::c_text("holds_unnamed", "char x[900]; int main(void) { return *x; }");
    let seen = support::run(&stripped.flags(&["-s"]).build()).ranks(3).option("--share-image");
    let seen = seen.outcome();
    assert!(seen.stderr.contains("bytes without names (it is stripped)"), "{seen}");
    let clean = support::c_text("unnamed", "int main(void) { return 0; }").flags(&["-s"]).build();
    support::run(&clean).ranks(3).option("--share-image").succeeds();
}

/// Small programs are copied as a whole, text and all, where so many mappings are not allowed.
#[test]
#[ignore = "takes 5 GB"]
fn a_hundred_thousand_ranks_come_and_go_at_default_limits() {
    let run = fibers(&counted(), 100_000).option("--explain").args(["sum"]);
    let seen = run.succeeds();
    assert_eq!(said(&seen.stdout, "sum"), 100_000);
    println!("100,000 ranks took {:?}\n{}", seen.took, seen.stdout);
    let limit = std::fs::read_to_string("/proc/sys/vm/max_map_count").unwrap();
    let limit: usize = limit.trim().parse().unwrap();
    let are_copied = seen.stderr.contains("has its own copy of the code");
    assert_eq!(are_copied, limit < 200_000 && can_mark_guards(), "{seen}");
}

/// As many as need more mappings than machines allow unless told otherwise. One touches what is not
/// there, another is killed where it holds something, as a rule.
#[test]
#[ignore = "takes 2 GB"]
fn ranks_whose_code_is_copied_die_and_come_back_like_any_other() {
    let text = r#"
        #include <mpi.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include "ftmpi.h"
        int main(int count, char **words)
        {
            int rank, sum = 0, one = 1;
            MPI_Comm fresh;
            int code = MPI_Init(&count, &words);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
            if (code != MPI_INIT_RESTARTED_PROCS) {
                if (rank == 7) *(volatile int *)8 = 1;
                while (rank == 9) free(malloc(100));
            }
            while (MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD))
                MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
            if (rank == 7) printf("%d are there\n", sum);
            MPI_Finalize();
            return 0;
        }
    "#;
    let program = support::c_text("comes_back", text).build();
    let run = fibers(&program, 33_000).option("--explain").option("--mode=rebuild");
    let seen = run.option("--kill=9@compute:20ms").succeeds();
    assert!(seen.stderr.contains("has its own copy of the code"), "{seen}");
    assert_eq!(seen.lines_with("33000 are there"), 1, "{seen}");
}

#[test]
#[ignore = "takes 3 GB"]
fn a_hundred_thousand_ranks_of_one_image_come_and_go_at_default_limits() {
    let run = fibers(&counted(), 100_000).option("--share-image").args(["sum"]);
    let seen = run.succeeds();
    assert_eq!(said(&seen.stdout, "sum"), 100_000);
    println!("100,000 ranks took {:?}\n{}", seen.took, seen.stdout);
}

#[test]
#[ignore = "takes 20 GB"]
fn a_million_ranks_of_one_image_come_and_go_at_default_limits() {
    let seen = fibers(&counted(), 1_000_000).option("--share-image").succeeds();
    println!("1,000,000 ranks took {:?}\n{}", seen.took, seen.stdout);
}

#[test]
#[ignore = "takes 22 GB and ten minutes"]
fn a_million_ranks_of_one_image_come_and_go_in_virtual_time() {
    let seen = virtually(&counted(), 1_000_000).deadline(1200).succeeds();
    println!("1,000,000 ranks in virtual time took {:?}\n{}", seen.took, seen.stdout);
}
