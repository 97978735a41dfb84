/* Random collective operations beside a naive model: types, counts, roots, operations, in place or
 * not, blocking, nonblocking and persistent, many at once, within a group and between two.
 * Arguments: the seed, and how many operations. All ranks draw the same numbers, but for what may
 * differ among them: each one's types, the order in which it starts and completes requests. */
#include "check.h"
#include <stdint.h>

#define W MPI_COMM_WORLD
#define MOST_AT_ONCE 6

/* The calls with large counts are the same but for this. */
#ifdef LARGE
typedef MPI_Count count;
typedef MPI_Aint displ;
#define END _c
#else
typedef int count;
typedef int displ;
#define END
#endif

#define CANARY 0x5a5a5a5a
#define PRIME 10007

static uint64_t common, own;

static unsigned draw_from(uint64_t *state, unsigned below)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (unsigned)((z ^ (z >> 31)) >> 11) % below;
}

static unsigned draw(unsigned below)
{
    return draw_from(&common, below);
}

/* What rank `from` has for rank `to` in operation `number`, at `index`. */
static int value(int number, int from, int to, int index)
{
    uint64_t pair = (uint64_t)from << 10 | (uint64_t)to;
    uint64_t state = ((uint64_t)number << 40) ^ (pair << 20) ^ (uint64_t)index;
    return (int)draw_from(&state, 1000000);
}

/* Types whose data are integers: how many, at which places, and how far from one to the next. */
static struct type {
    MPI_Datatype type;
    int extent, data, places[3];
} types[4] = {{MPI_DATATYPE_NULL, 1, 1, {0}},
              {MPI_DATATYPE_NULL, 3, 3, {0, 1, 2}},
              {MPI_DATATYPE_NULL, 3, 2, {0, 2}},
              {MPI_DATATYPE_NULL, 4, 2, {0, 2}}};
/* Sizes of blocks are counted in this many integers, which every type divides. */
#define UNIT 6

static void make_types(void)
{
    types[0].type = MPI_INT;
    MPI_Type_contiguous(3, MPI_INT, &types[1].type);
    MPI_Type_vector(2, 1, 2, MPI_INT, &types[2].type);
    MPI_Type_create_resized(types[2].type, 0, 4 * sizeof(int), &types[3].type);
    for (int i = 1; i < 4; i++)
        MPI_Type_commit(&types[i].type);
}

/* A communicator, and who is on the other side. */
static struct group {
    MPI_Comm comm;
    int rank, size, peers, is_inter, side;
} groups[4];
static int group_count;

/* One buffer with blocks for peers. */
struct buffer {
    int *data, ints;
    struct type *type;
    MPI_Datatype *types;
    count *counts;
    displ *displs;
    int stride; /* of even blocks, in integers */
};

enum kind {
    BARRIER, BCAST, GATHER, GATHERV, SCATTER, SCATTERV, ALLGATHER, ALLGATHERV, ALLTOALL, ALLTOALLV,
    ALLTOALLW, REDUCE, ALLREDUCE, REDUCE_SCATTER, REDUCE_SCATTER_BLOCK, SCAN, EXSCAN, KINDS
};
static const char *NAMES[] = {"barrier", "bcast", "gather", "gatherv", "scatter", "scatterv",
                              "allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw",
                              "reduce", "allreduce", "reduce_scatter", "reduce_scatter_block",
                              "scan", "exscan"};

enum form { BLOCKING, NONBLOCKING, PERSISTENT };

struct work {
    int number, root_rank, root, is_root, units, is_in_place, starts;
    enum kind kind;
    enum form form;
    struct group *group;
    struct buffer send, recv;
    count *sizes; /* in units: of the block from each peer */
    int which;  /* of the operations */
    MPI_Op op;
    MPI_Datatype item;
    int item_ints, items;
    MPI_Request request;
};

/* Operations that do not commute: x -> a x + b, one after the other. */
static void follow(void *in, void *inout, int *count, MPI_Datatype *type)
{
    int *f = in, *g = inout, step = 2;
    MPI_Aint lb, extent;
    MPI_Type_get_extent(*type, &lb, &extent);
    step = (int)(extent / (MPI_Aint)sizeof(int));
    int second = step == 4 ? 2 : 1;
    for (int i = 0; i < *count; i++, f += step, g += step) {
        long long a = (long long)f[0] * g[0] % PRIME;
        long long b = ((long long)f[second] * g[0] + g[second]) % PRIME;
        g[0] = (int)a;
        g[second] = (int)b;
    }
}

static MPI_Op in_order;
static MPI_Datatype map_type, wide_map_type;

static void combine(const struct work *work, int *left, const int *right)
{
    for (int i = 0; i < work->items * work->item_ints; i++)
        switch (work->which) {
        case 0: left[i] = (int)((unsigned)left[i] + (unsigned)right[i]); break;
        case 1: left[i] = left[i] > right[i] ? left[i] : right[i]; break;
        case 2: left[i] ^= right[i]; break;
        default:
            if (i % 2 == 0) {
                long long a = (long long)left[i] * right[i] % PRIME;
                long long b = ((long long)left[i + 1] * right[i] + right[i + 1]) % PRIME;
                left[i] = (int)a;
                left[i + 1] = (int)b;
            }
        }
}

static int *blank(int ints)
{
    int *data = malloc(sizeof(int) * (size_t)(ints + 1));
    CHECK(data);
    for (int i = 0; i <= ints; i++)
        data[i] = CANARY;
    return data;
}

/* Blocks for `peers`, of so many units each, laid out at random. */
static void lay_out(struct buffer *buffer, int peers, const int *sizes, int is_listed, int each_own)
{
    int at = 0;
    buffer->type = &types[draw_from(&own, 4)];
    buffer->counts = calloc((size_t)peers + 1, sizeof(count));
    buffer->displs = calloc((size_t)peers + 1, sizeof(displ));
    buffer->types = calloc((size_t)peers + 1, sizeof(MPI_Datatype));
    for (int i = 0; i < peers; i++) {
        struct type *type = each_own ? &types[draw_from(&own, 4)] : buffer->type;
        buffer->types[i] = type->type;
        buffer->counts[i] = sizes[i] * UNIT / type->data;
        if (is_listed)
            at += (int)draw_from(&own, 3) * type->extent;
        buffer->displs[i] = each_own ? at * (int)sizeof(int) : at / buffer->type->extent;
        if (!each_own && is_listed)
            at = (int)buffer->displs[i] * buffer->type->extent;
        at += (int)buffer->counts[i] * type->extent;
    }
    buffer->ints = at;
    buffer->data = blank(at);
}

static struct type *type_of(const struct buffer *buffer, int peer)
{
    for (int i = 0; i < 4; i++)
        if (types[i].type == buffer->types[peer])
            return &types[i];
    return NULL;
}

/* Writes the values of operation `number` from one to the other into the block of `peer`. */
static void put(const struct buffer *buffer, int *data, int peer, int is_bytes, int number,
                int from, int to)
{
    struct type *type = type_of(buffer, peer);
    int *block = data + (is_bytes ? buffer->displs[peer] / (displ)sizeof(int)
                                  : buffer->displs[peer] * type->extent);
    for (int i = 0; i < buffer->counts[peer]; i++)
        for (int j = 0; j < type->data; j++)
            block[i * type->extent + type->places[j]] = value(number, from, to, i * type->data + j);
}

static int has_blocks(enum kind kind)
{
    return kind >= GATHER && kind <= ALLTOALLW;
}

/* Units of the block that goes from one rank to another. */
static int units(const struct work *work, int from, int to)
{
    int number = work->number;
    switch (work->kind) {
    case GATHERV:
    case ALLGATHERV: return value(number, from, 0, -1) % (work->units + 2);
    case SCATTERV: return value(number, 0, to, -2) % (work->units + 2);
    case ALLTOALLV:
    case ALLTOALLW: return value(number, from, to, -3) % (work->units + 2);
    default: return work->units;
    }
}

/* For whom a block is, in the model's count: only some operations have one for each. */
static int target_of(const struct work *work, int to)
{
    return work->kind == GATHER || work->kind == GATHERV || work->kind == ALLGATHER ||
                   work->kind == ALLGATHERV
               ? 0
               : to;
}

static int sends_many(enum kind kind)
{
    return kind == SCATTER || kind == SCATTERV || kind >= ALLTOALL;
}

static int gets_many(enum kind kind)
{
    return kind == GATHER || kind == GATHERV || kind >= ALLGATHER;
}

static int is_rooted(enum kind kind)
{
    return (kind >= BCAST && kind <= SCATTERV) || kind == REDUCE;
}

/* Peers say which side they are on, so that both groups of an intercommunicator differ. */
static int name_of(const struct group *group, int rank, int is_peer)
{
    return rank + 100 * (group->is_inter && (is_peer ? !group->side : group->side));
}

static void prepare_blocks(struct work *work)
{
    struct group *group = work->group;
    int peers = group->peers, *from = calloc((size_t)peers + 1, sizeof(int));
    int *to = calloc((size_t)peers + 1, sizeof(int)), me = name_of(group, group->rank, 0);
    int is_v = work->kind == GATHERV || work->kind == SCATTERV || work->kind == ALLGATHERV ||
               work->kind == ALLTOALLV || work->kind == ALLTOALLW;
    for (int i = 0; i < peers; i++) {
        to[i] = units(work, me, name_of(group, i, 1));
        from[i] = units(work, name_of(group, i, 1), me);
    }
    if (!sends_many(work->kind))
        to[0] = units(work, me, 0);
    if (!gets_many(work->kind))
        from[0] = units(work, 0, me);
    lay_out(&work->send, sends_many(work->kind) ? peers : 1, to, is_v && sends_many(work->kind),
            work->kind == ALLTOALLW);
    lay_out(&work->recv, gets_many(work->kind) ? peers : 1, from, is_v && gets_many(work->kind),
            work->kind == ALLTOALLW);
    free(from);
    free(to);
}

static int gets(const struct work *work)
{
    if (!is_rooted(work->kind))
        return 1;
    if (work->kind == SCATTER || work->kind == SCATTERV)
        return work->group->is_inter ? work->root >= 0 : 1;
    return work->is_root;
}

/* Fills the buffers for the next start; `number` makes the values new each time. */
static void fill_blocks(struct work *work, int number)
{
    struct group *group = work->group;
    int is_bytes = work->kind == ALLTOALLW, me = name_of(group, group->rank, 0);
    for (int i = 0; i < work->send.ints; i++)
        work->send.data[i] = CANARY;
    for (int i = 0; i < work->recv.ints; i++)
        work->recv.data[i] = CANARY;
    for (int i = 0; i < (sends_many(work->kind) ? group->peers : 1); i++) {
        int to = sends_many(work->kind) ? name_of(group, i, 1) : 0;
        put(&work->send, work->send.data, i, is_bytes, number, me, to);
    }
    if (!work->is_in_place)
        return;
    if (work->kind >= ALLTOALL) {
        for (int i = 0; i < group->peers; i++)
            put(&work->recv, work->recv.data, i, is_bytes, number, me, i);
    } else if (gets_many(work->kind)) {
        put(&work->recv, work->recv.data, group->rank, 0, number, me, 0);
    }
}

static void expect_blocks(const struct work *work, int number)
{
    struct group *group = work->group;
    int is_bytes = work->kind == ALLTOALLW, me = name_of(group, group->rank, 0);
    int *wanted = blank(work->recv.ints);
    if (gets(work) && !(work->is_in_place && !gets_many(work->kind)))
        for (int i = 0; i < (gets_many(work->kind) ? group->peers : 1); i++) {
            int from = gets_many(work->kind) ? name_of(group, i, 1)
                                             : name_of(group, work->root_rank, 1);
            put(&work->recv, wanted, i, is_bytes, number, from, target_of(work, me));
        }
    for (int i = 0; i <= work->recv.ints; i++)
        if (wanted[i] != work->recv.data[i])
            FAIL("%s %d: integer %d of %d is %d, not %d", NAMES[work->kind], work->number, i,
                 work->recv.ints, work->recv.data[i], wanted[i]);
    free(wanted);
}

static void fill_bcast(struct work *work, int number)
{
    struct group *group = work->group;
    int me = name_of(group, group->rank, 0);
    for (int i = 0; i < work->send.ints; i++)
        work->send.data[i] = CANARY;
    if (work->is_root)
        put(&work->send, work->send.data, 0, 0, number, me, 0);
}

static void expect_bcast(const struct work *work, int number)
{
    int *wanted = blank(work->send.ints), is_inter = work->group->is_inter;
    if (!is_inter || work->root >= 0 || work->is_root)
        put(&work->send, wanted, 0, 0, number,
            name_of(work->group, work->root_rank, !work->is_root), 0);
    CHECK(memcmp(wanted, work->send.data, sizeof(int) * (size_t)work->send.ints) == 0);
    free(wanted);
}

/* Reductions: items are one integer, or two of them, perhaps with gaps. */
static int spread(const struct work *work)
{
    return work->item == wide_map_type ? 2 : 1;
}

static int member_value(const struct work *work, int number, int name, int index)
{
    return value(number, name, 0, index) % (work->which < 3 ? 1000000 : PRIME);
}

static void fill_sum(struct work *work, int number)
{
    int me = name_of(work->group, work->group->rank, 0), step = spread(work);
    for (int i = 0; i < work->send.ints; i++)
        work->send.data[i] = work->recv.data[i] = CANARY;
    for (int i = 0; i < work->items * work->item_ints; i++) {
        int mine = member_value(work, number, me, i);
        work->send.data[i * step] = mine;
        if (work->is_in_place)
            work->recv.data[i * step] = mine;
    }
}

static void expect_sum(const struct work *work, int number)
{
    struct group *group = work->group;
    int ints = work->items * work->item_ints, first = 0, last = group->peers, step = spread(work);
    int start = 0, stop = ints, *sum = blank(ints), *next = blank(ints);
    if (work->kind == SCAN)
        last = group->rank + 1;
    if (work->kind == EXSCAN)
        last = group->rank;
    for (int member = first; member < last; member++) {
        for (int i = 0; i < ints; i++)
            next[i] = member_value(work, number, name_of(group, member, 1), i);
        if (member == first)
            memcpy(sum, next, sizeof(int) * (size_t)ints);
        else
            combine(work, sum, next);
    }
    if (work->kind == REDUCE_SCATTER || work->kind == REDUCE_SCATTER_BLOCK) {
        for (int i = 0; i < group->rank; i++)
            start += (int)work->sizes[i] * work->item_ints;
        stop = start + (int)work->sizes[group->rank] * work->item_ints;
    }
    if (!(work->kind == EXSCAN && group->rank == 0) && gets(work))
        for (int i = start; i < stop; i++)
            if (work->recv.data[(i - start) * step] != sum[i])
                FAIL("%s %d with operation %d: value %d of %d is %d, not %d", NAMES[work->kind],
                     work->number, work->which, i, ints, work->recv.data[(i - start) * step],
                     sum[i]);
    /* What the call must not touch. */
    int is_whole = stop - start == ints && gets(work) && !(work->kind == EXSCAN && !group->rank);
    for (int i = is_whole ? ints * step : work->recv.ints; i <= work->recv.ints; i++)
        EQUAL(work->recv.data[i], CANARY);
    for (int i = 0; step == 2 && i < ints; i++)
        EQUAL(work->recv.data[2 * i + 1], CANARY);
    free(sum);
    free(next);
}

static void prepare_sum(struct work *work)
{
    static const MPI_Op ops[3] = {MPI_SUM, MPI_MAX, MPI_BXOR};
    struct group *group = work->group;
    unsigned size = draw(10);
    int shift = (int)draw(1000);
    work->which = (int)draw(5);
    work->op = work->which < 3 ? ops[work->which] : in_order;
    work->item = work->which < 3 ? MPI_INT : work->which == 3 ? map_type : wide_map_type;
    work->item_ints = work->which < 3 ? 1 : 2;
    work->items = size < 7 ? (int)draw(40) : size < 9 ? (int)draw(3000) : 20000 + (int)draw(20000);
    work->sizes = calloc((size_t)group->size + 1, sizeof(count));
    if (work->kind == REDUCE_SCATTER_BLOCK || work->kind == REDUCE_SCATTER) {
        /* Between two groups, what all of one get is as much as all of the other get. */
        int each = work->items / group->size, total = each * group->size;
        if (group->is_inter) {
            total = work->items / (group->size * group->peers) * group->size * group->peers;
            each = total / group->size;
        }
        work->items = total;
        for (int i = 0; i < group->size; i++)
            work->sizes[i] = each;
        if (work->kind == REDUCE_SCATTER && group->size > 1 && each > 0) {
            int moved = shift % (each + 1);
            work->sizes[0] += moved;
            work->sizes[group->size - 1] -= moved;
        }
    }
    work->send.ints = work->recv.ints = work->items * work->item_ints * spread(work);
    work->send.data = blank(work->send.ints);
    work->recv.data = blank(work->recv.ints);
}

#define BY_FORM(END, NAME, Name, ...)                                                              \
    code = form == BLOCKING      ? MPI_##NAME##END(__VA_ARGS__)                                    \
           : form == NONBLOCKING ? MPI_I##Name##END(__VA_ARGS__, &work->request)                   \
                                 : MPI_##NAME##_init##END(__VA_ARGS__, MPI_INFO_NULL,              \
                                                          &work->request)
#define EXPANDED(...) BY_FORM(__VA_ARGS__)
#define CALL(...) EXPANDED(END, __VA_ARGS__)

static void call(struct work *work)
{
    enum form form = work->form;
    struct buffer *s = &work->send, *r = &work->recv;
    MPI_Comm comm = work->group->comm;
    void *from = work->is_in_place ? MPI_IN_PLACE : s->data, *to = r->data;
    int root = work->root, code = -1;
    int bcast_like = work->is_in_place && (work->kind == SCATTER || work->kind == SCATTERV);
    if (bcast_like) {
        from = s->data;
        to = MPI_IN_PLACE;
    }
    count sc = s->counts ? s->counts[0] : 0, rc = r->counts ? r->counts[0] : 0;
    MPI_Datatype st = s->types ? s->types[0] : MPI_INT, rt = r->types ? r->types[0] : MPI_INT;
    switch (work->kind) {
    case BARRIER: BY_FORM(, Barrier, barrier, comm); break;
    case BCAST: CALL(Bcast, bcast, s->data, sc, st, root, comm); break;
    case GATHER: CALL(Gather, gather, from, sc, st, to, rc, rt, root, comm); break;
    case GATHERV:
        CALL(Gatherv, gatherv, from, sc, st, to, r->counts, r->displs, rt, root, comm);
        break;
    case SCATTER: CALL(Scatter, scatter, from, sc, st, to, rc, rt, root, comm); break;
    case SCATTERV:
        CALL(Scatterv, scatterv, from, s->counts, s->displs, st, to, rc, rt, root, comm);
        break;
    case ALLGATHER: CALL(Allgather, allgather, from, sc, st, to, rc, rt, comm); break;
    case ALLGATHERV:
        CALL(Allgatherv, allgatherv, from, sc, st, to, r->counts, r->displs, rt, comm);
        break;
    case ALLTOALL: CALL(Alltoall, alltoall, from, sc, st, to, rc, rt, comm); break;
    case ALLTOALLV:
        CALL(Alltoallv, alltoallv, from, s->counts, s->displs, st, to, r->counts, r->displs, rt,
             comm);
        break;
    case ALLTOALLW:
        CALL(Alltoallw, alltoallw, from, s->counts, s->displs, s->types, to, r->counts, r->displs,
             r->types, comm);
        break;
    case REDUCE:
        CALL(Reduce, reduce, from, to, work->items, work->item, work->op, root, comm);
        break;
    case ALLREDUCE:
        CALL(Allreduce, allreduce, from, to, work->items, work->item, work->op, comm);
        break;
    case REDUCE_SCATTER:
        CALL(Reduce_scatter, reduce_scatter, from, to, work->sizes, work->item, work->op, comm);
        break;
    case REDUCE_SCATTER_BLOCK:
        CALL(Reduce_scatter_block, reduce_scatter_block, from, to, work->sizes[0], work->item,
             work->op, comm);
        break;
    case SCAN: CALL(Scan, scan, from, to, work->items, work->item, work->op, comm); break;
    case EXSCAN: CALL(Exscan, exscan, from, to, work->items, work->item, work->op, comm); break;
    case KINDS: break;
    }
    EQUAL(code, MPI_SUCCESS);
}

static void fill_work(struct work *work, int number)
{
    if (work->kind == BCAST)
        fill_bcast(work, number);
    else if (has_blocks(work->kind))
        fill_blocks(work, number);
    else if (work->kind != BARRIER)
        fill_sum(work, number);
}

static void expect_work(struct work *work, int number)
{
    if (work->kind == BCAST)
        expect_bcast(work, number);
    else if (has_blocks(work->kind))
        expect_blocks(work, number);
    else if (work->kind != BARRIER)
        expect_sum(work, number);
}

static void draw_work(struct work *work, int number)
{
    memset(work, 0, sizeof *work);
    work->number = number;
    work->request = MPI_REQUEST_NULL;
    work->group = &groups[draw((unsigned)group_count)];
    work->kind = (enum kind)draw(KINDS);
    work->form = (enum form)draw(3);
    unsigned dice = draw(10), in_place = draw(3);
    work->units = dice < 6 ? (int)draw(4) : dice < 9 ? (int)draw(60) : 300 + (int)draw(3000);
    if (has_blocks(work->kind) && work->units > 100)
        work->units = work->units / size + 1;
    work->starts = (int)draw(3) + 1;
    struct group *group = work->group;
    int is_inter = group->is_inter, root = (int)draw(1000);
    if (is_inter && (work->kind == SCAN || work->kind == EXSCAN))
        work->kind = ALLREDUCE;
    if (is_inter) {
        /* The root is on one side; the others of that side have no part in it. */
        int side = (int)draw(2), is_mine = side == group->side;
        work->root_rank = root % (is_mine ? group->size : group->peers);
        work->is_root = is_mine && work->root_rank == group->rank;
        work->root = !is_mine ? work->root_rank : work->is_root ? MPI_ROOT : MPI_PROC_NULL;
    } else {
        work->root = work->root_rank = root % group->size;
        work->is_root = work->root == group->rank;
    }
    if (work->kind == BCAST) {
        int sizes[1] = {work->units};
        lay_out(&work->send, 1, sizes, 0, 0);
    } else if (has_blocks(work->kind)) {
        prepare_blocks(work);
    } else if (work->kind != BARRIER) {
        prepare_sum(work);
    }
    int may = in_place == 0 && !is_inter && work->kind != BARRIER && work->kind != BCAST;
    work->is_in_place = may && (!is_rooted(work->kind) || work->is_root);
    /* What is sent in place has the layout of what is received: sizes must agree both ways. */
    if (work->is_in_place && (work->kind == ALLTOALLV || work->kind == ALLTOALLW))
        work->is_in_place = 0;
}

static void discard(struct work *work)
{
    struct buffer *both[2] = {&work->send, &work->recv};
    for (int i = 0; i < 2; i++) {
        free(both[i]->data);
        free(both[i]->counts);
        free(both[i]->displs);
        free(both[i]->types);
    }
    free(work->sizes);
}

static void shuffle(int *order, int count)
{
    for (int i = 0; i < count; i++)
        order[i] = i;
    for (int i = count - 1; i > 0; i--) {
        int other = (int)draw_from(&own, (unsigned)i + 1), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
}

/* Completes all requests in one of the ways that there are. */
static void complete(struct work *works, int count)
{
    MPI_Request requests[MOST_AT_ONCE];
    int order[MOST_AT_ONCE], index, flag, indices[MOST_AT_ONCE];
    for (int i = 0; i < count; i++)
        requests[i] = works[i].request;
    shuffle(order, count);
    switch (draw_from(&own, 4)) {
    case 0: MPI_Waitall(count, requests, MPI_STATUSES_IGNORE); break;
    case 1:
        for (int i = 0; i < count; i++)
            MPI_Wait(&requests[order[i]], MPI_STATUS_IGNORE);
        break;
    case 2:
        do
            MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE);
        while (index != MPI_UNDEFINED);
        break;
    default:
        for (flag = 0; flag != MPI_UNDEFINED;)
            MPI_Testsome(count, requests, &flag, indices, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < count; i++)
        works[i].request = requests[i];
}

static void round_of(int number)
{
    struct work works[MOST_AT_ONCE];
    int count = (int)draw(MOST_AT_ONCE) + 1, order[MOST_AT_ONCE], most = 0;
    for (int i = 0; i < count; i++) {
        struct work *work = &works[i];
        draw_work(work, number + i);
        fill_work(work, number + i);
        call(work);
        if (work->form == BLOCKING)
            expect_work(work, number + i);
        if (work->form == PERSISTENT && work->starts > most)
            most = work->starts;
    }
    /* The first start of persistent ones goes along with what is under way. */
    for (int turn = 0; turn < (most ? most : 1); turn++) {
        shuffle(order, count);
        for (int i = 0; i < count; i++) {
            struct work *work = &works[order[i]];
            if (work->form != PERSISTENT || turn >= work->starts)
                continue;
            fill_work(work, work->number + 1000000 * turn);
            EQUAL(MPI_Start(&work->request), MPI_SUCCESS);
        }
        complete(works, count);
        for (int i = 0; i < count; i++)
            if (works[i].form == PERSISTENT ? turn < works[i].starts
                                            : works[i].form == NONBLOCKING && turn == 0)
                expect_work(&works[i], works[i].number + 1000000 * turn);
    }
    for (int i = 0; i < count; i++) {
        if (works[i].form == PERSISTENT)
            EQUAL(MPI_Request_free(&works[i].request), MPI_SUCCESS);
        CHECK(works[i].request == MPI_REQUEST_NULL);
        discard(&works[i]);
    }
}

static void make_groups(void)
{
    int half = (int)draw((unsigned)size), key = rank % 3;
    MPI_Comm part;
    groups[group_count++].comm = W;
    MPI_Comm_split(W, rank % 2, key, &part);
    groups[group_count++].comm = part;
    if (size > 1) {
        int border = half > 0 ? half : 1, is_low = rank < border;
        MPI_Comm side, between;
        MPI_Comm_split(W, is_low, 0, &side);
        MPI_Intercomm_create(side, 0, W, is_low ? border : 0, 5, &between);
        groups[group_count].side = is_low;
        groups[group_count++].comm = between;
    }
    for (int i = 0; i < group_count; i++) {
        struct group *group = &groups[i];
        MPI_Comm_rank(group->comm, &group->rank);
        MPI_Comm_size(group->comm, &group->size);
        MPI_Comm_test_inter(group->comm, &group->is_inter);
        group->peers = group->size;
        if (group->is_inter)
            MPI_Comm_remote_size(group->comm, &group->peers);
    }
}

int main(int argc, char **argv)
{
    int number = 0, operations;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(W, &rank);
    MPI_Comm_size(W, &size);
    CHECK(argc == 3);
    common = (uint64_t)atoi(argv[1]);
    operations = atoi(argv[2]);
    own = common * 1000 + (uint64_t)rank;
    make_types();
    MPI_Type_contiguous(2, MPI_INT, &map_type);
    MPI_Type_commit(&map_type);
    wide_map_type = types[3].type;
    MPI_Op_create(follow, 0, &in_order);
    make_groups();
    for (; number < operations; number += MOST_AT_ONCE)
        round_of(number);
    MPI_Finalize();
    return 0;
}
