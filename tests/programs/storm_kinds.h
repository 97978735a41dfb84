/* Steps of the storm beside messages and collectives: one-sided communication and partitioned
 * messages. A part of storm.c. */

enum { MOST_PARTS = 4, PART = 3000, TICKETS = 3 };

/* ---- One-sided ---- */

static MPI_Win win = MPI_WIN_NULL;
static int64_t exposed[MOST_BYTES / 8];

/* A window of one of three sorts with `n` numbers of each, all 0; this rank's are at `mine`. */
static int open_window(int n, int64_t **mine)
{
    MPI_Aint bytes = n * 8;
    uint64_t sort = dice(20) % (getenv("APART") ? 2 : 3);
    *mine = exposed;
    moment(LATE);
    if (sort == 0)
        DO(MPI_Win_create(exposed, bytes, 8, MPI_INFO_NULL, comm, &win));
    else if (sort == 1)
        DO(MPI_Win_allocate(bytes, 8, MPI_INFO_NULL, comm, mine, &win));
    else
        DO(MPI_Win_allocate_shared(bytes, 8, MPI_INFO_NULL, comm, mine, &win));
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    memset(*mine, 0, (size_t)bytes);
    return MPI_Barrier(comm);
}

/* All write into the memory of the next one and read what that one has then. */
static int fenced(int64_t *mine, int n, int right, int left)
{
    for (int i = 0; i < n; i++)
        out[i] = value(rank, right, (size_t)i);
    poison((size_t)n);
    DO(MPI_Win_fence(0, win));
    DO(MPI_Put(out, n, MPI_INT64_T, right, 0, n, MPI_INT64_T, win));
    moment(AMID);
    DO(MPI_Win_fence(0, win));
    for (int i = 0; i < n; i++)
        same("put", (size_t)i, mine[i], value(left, rank, (size_t)i));
    DO(MPI_Get(in, n, MPI_INT64_T, right, 0, n, MPI_INT64_T, win));
    moment(LATE);
    DO(MPI_Win_fence(0, win));
    for (int i = 0; i < n; i++)
        same("get", (size_t)i, in[i], value(rank, right, (size_t)i));
    return MPI_SUCCESS;
}

/* The same by an epoch with the neighbours alone. */
static int exposing(int64_t *mine, int n, int right, int left)
{
    MPI_Group all, to, from;
    for (int i = 0; i < n; i++)
        out[i] = value(rank, right, (size_t)i);
    DO(MPI_Win_get_group(win, &all));
    MPI_Group_incl(all, 1, &right, &to);
    MPI_Group_incl(all, 1, &left, &from);
    int code = MPI_Win_post(from, 0, win);
    moment(AMID);
    if (code == MPI_SUCCESS)
        code = MPI_Win_start(to, 0, win);
    if (code == MPI_SUCCESS) {
        code = MPI_Put(out, n, MPI_INT64_T, right, 0, n, MPI_INT64_T, win);
        moment(LATE);
        int completed = MPI_Win_complete(win);
        code = code == MPI_SUCCESS ? completed : code;
    }
    if (code == MPI_SUCCESS)
        code = MPI_Win_wait(win);
    MPI_Group_free(&all);
    MPI_Group_free(&to);
    MPI_Group_free(&from);
    DO(code);
    for (int i = 0; i < n; i++)
        same("put between neighbours", (size_t)i, mine[i], value(left, rank, (size_t)i));
    return MPI_SUCCESS;
}

/* All add to what one of them has. */
static int added(int64_t *mine, int n, int root)
{
    bring(n);
    DO(MPI_Win_lock(MPI_LOCK_SHARED, root, 0, win));
    moment(AMID);
    int code = MPI_Accumulate(out, n, MPI_INT64_T, root, 0, n, MPI_INT64_T, MPI_SUM, win);
    int unlocked = MPI_Win_unlock(root, win);
    DO(code);
    DO(unlocked);
    DO(MPI_Barrier(comm));
    if (rank == root)
        check_sums("accumulate", mine, n, 0, living_count);
    return MPI_SUCCESS;
}

/* All draw tickets from one of them: each number is drawn once. */
static int drawn(int root)
{
    const int64_t one = 1;
    int64_t sum = 0, all = 0, ticket = -1, tickets = (int64_t)TICKETS * living_count;
    DO(MPI_Win_lock_all(0, win));
    int code = MPI_SUCCESS;
    for (int i = 0; i < TICKETS && code == MPI_SUCCESS; i++) {
        code = MPI_Fetch_and_op(&one, &ticket, MPI_INT64_T, root, 0, MPI_SUM, win);
        int flushed = MPI_Win_flush(root, win);
        code = code == MPI_SUCCESS ? flushed : code;
        sum += ticket;
        moment(AMID);
    }
    int unlocked = MPI_Win_unlock_all(win);
    DO(code);
    DO(unlocked);
    DO(MPI_Allreduce(&sum, &all, 1, MPI_INT64_T, MPI_SUM, comm));
    same("tickets", 0, all, tickets * (tickets - 1) / 2);
    return MPI_SUCCESS;
}

/* All count by reading and writing what only the holder of a lock may touch. */
static int counted(int64_t *mine, int root)
{
    int64_t number = -1;
    DO(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, root, 0, win));
    int code = MPI_Get(&number, 1, MPI_INT64_T, root, 0, 1, MPI_INT64_T, win);
    int flushed = MPI_Win_flush(root, win);
    moment(AMID);
    number++;
    if (code == MPI_SUCCESS && (code = flushed) == MPI_SUCCESS)
        code = MPI_Put(&number, 1, MPI_INT64_T, root, 0, 1, MPI_INT64_T, win);
    int unlocked = MPI_Win_unlock(root, win);
    DO(code);
    DO(unlocked);
    DO(MPI_Barrier(comm));
    if (rank == root)
        same("counter", 0, mine[0], living_count);
    return MPI_SUCCESS;
}

static int one_sided(void)
{
    int n = count_up_to(MOST_BYTES / 8), stride = 1 + (int)(dice(9) % 5), code;
    int root = living[dice(12) % (uint64_t)living_count];
    int right = next_of(stride), left = next_of(-stride);
    int64_t *mine;
    DO(open_window(n, &mine));
    switch (dice(21) % 5) {
    case 0: code = fenced(mine, n, right, left); break;
    case 1: code = exposing(mine, n, right, left); break;
    case 2: code = added(mine, n, root); break;
    case 3: code = drawn(root); break;
    default: code = counted(mine, root);
    }
    return code;
}

/* ---- Partitioned ---- */

static MPI_Request parted[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
static int64_t *parts_out, *parts_in;
static int part_count;

/* Partitioned messages go round twice. Receivers may have cut theirs otherwise. */
static int partitioned(void)
{
    int right = next_of(1), left = next_of(-1), n = count_up_to(PART);
    int is_whole = (int)(dice(22) & 1);
    part_count = 1 + (int)(dice(23) % MOST_PARTS);
    if (!parts_out) {
        parts_out = malloc(MOST_PARTS * PART * 8);
        parts_in = malloc(MOST_PARTS * PART * 8);
    }
    DO(MPI_Psend_init(parts_out, part_count, n, MPI_INT64_T, right, tag(), comm, MPI_INFO_NULL,
                      &parted[0]));
    DO(MPI_Precv_init(parts_in, is_whole ? 1 : part_count, is_whole ? part_count * n : n,
                      MPI_INT64_T, left, tag(), comm, MPI_INFO_NULL, &parted[1]));
    for (int turn = 0; turn < 2; turn++) {
        memset(parts_in, 0xee, (size_t)(part_count * n) * 8);
        /* All of it: whoever clears up after a failure says that all is ready. */
        for (int i = 0; i < part_count * n; i++)
            parts_out[i] = value(rank, right, (size_t)(i + turn));
        DO(MPI_Startall(2, parted));
        for (int p = 0; p < part_count; p++) {
            DO(MPI_Pready(p, parted[0]));
            moment(turn ? LATE : AMID);
        }
        DO(MPI_Waitall(2, parted, MPI_STATUSES_IGNORE));
        for (int i = 0; i < part_count * n; i++)
            same("partition", (size_t)i, parts_in[i], value(left, rank, (size_t)(i + turn)));
    }
    MPI_Request_free(&parted[0]);
    MPI_Request_free(&parted[1]);
    return MPI_SUCCESS;
}

/* What these steps have left. Under CONT, a partitioned message goes on with the replacement of its
 * peer, which knows nothing of it: it is left behind, with its memory. */
static void forget_kinds(void)
{
    if (win != MPI_WIN_NULL)
        MPI_Win_free(&win);
    if (parted[0] == MPI_REQUEST_NULL && parted[1] == MPI_REQUEST_NULL)
        return;
    for (int i = 0; i < 2; i++) {
        if (is_cont) {
            parted[i] = MPI_REQUEST_NULL;
            parts_out = NULL;
        }
        if (parted[i] == MPI_REQUEST_NULL)
            continue;
        for (int p = 0; i == 0 && p < part_count; p++)
            MPI_Pready(p, parted[0]);
        MPI_Wait(&parted[i], MPI_STATUS_IGNORE);
        MPI_Request_free(&parted[i]);
    }
}
