/* Messages between random datatypes: sender and receiver have different ones over one signature,
 * and every byte of the receiver's memory must be what a naive model says. Arguments: the seed, and
 * how many rounds. All ranks draw the same signatures and operations, and types of their own. */
#include "random_types.h"

#define W MPI_COMM_WORLD
#define MOST_AT_ONCE 5
#define MARGIN 64

static uint64_t common, own;

static unsigned draw(unsigned below)
{
    return draw_from(&common, below);
}

/* Byte `byte` of leaf `index` of message `number`. */
static unsigned char content(int number, int index, int byte)
{
    uint64_t state = ((uint64_t)number << 32) + (uint64_t)index * 2 + (uint64_t)(byte / 8);
    state = (state ^ (state >> 29)) * 0xbf58476d1ce4e5b9u;
    return (unsigned char)(state >> (8 + byte % 8 * 7));
}

static unsigned char canary(size_t at)
{
    return (unsigned char)(0xa5 ^ at ^ at >> 8);
}

/* Memory for items of a type: all of it is looked at. */
struct memory {
    unsigned char *raw, *base;
    size_t bytes;
    const struct made *made;
    int items;
};

static struct memory memory_of(const struct made *made, int items)
{
    struct memory memory = {NULL, NULL, 0, made, items};
    MPI_Aint last = items > 0 ? (items - 1) * made->extent : 0;
    size_t skew = draw_from(&own, 2) ? 0 : draw_from(&own, 16);
    memory.bytes = (size_t)(last + made->high - made->low) + 2 * MARGIN + skew;
    memory.raw = malloc(memory.bytes);
    CHECK(memory.raw);
    memory.base = memory.raw + MARGIN + skew - made->low;
    for (size_t i = 0; i < memory.bytes; i++)
        memory.raw[i] = canary(i);
    return memory;
}

/* Puts the first leaves of a message at the items from `first` on. */
static void put(const struct memory *memory, unsigned char *raw, int first, int leaves, int number)
{
    const struct made *made = memory->made;
    unsigned char *base = raw + (memory->base - memory->raw);
    for (int i = 0; i < leaves; i++) {
        const struct place *place = &made->map[i % made->count];
        unsigned char *at = base + (first + i / made->count) * made->extent + place->at;
        for (int j = 0; j < LEAVES[place->leaf].size; j++)
            at[j] = content(number, i, j);
    }
}

static unsigned char *untouched(const struct memory *memory)
{
    unsigned char *raw = malloc(memory->bytes);
    CHECK(raw);
    for (size_t i = 0; i < memory->bytes; i++)
        raw[i] = canary(i);
    return raw;
}

/* The memory is this, and nothing else; frees `wanted`. */
static void expect_memory(const struct memory *memory, unsigned char *wanted, const char *what)
{
    for (size_t i = 0; i < memory->bytes; i++)
        if (memory->raw[i] != wanted[i])
            FAIL("%s: byte %ld is %d, not %d (untouched: %d)", what,
                 (long)(memory->raw + i - memory->base), memory->raw[i], wanted[i], canary(i));
    free(wanted);
}

static void expect_message(const struct memory *memory, int leaves, int number, const char *what)
{
    unsigned char *wanted = untouched(memory);
    put(memory, wanted, 0, leaves, number);
    expect_memory(memory, wanted, what);
}

static int divisor_of(int number)
{
    int found = number > 0 ? (int)draw_from(&own, (unsigned)number) + 1 : 1;
    while (number % found != 0)
        found--;
    return found;
}

/* A side of a message: `items` of a type that has so many signatures each. */
struct side {
    struct made made;
    struct memory memory;
    int items, each;
};

static struct side exact(const struct signature *signature, int repeats)
{
    struct side side;
    side.each = divisor_of(repeats);
    side.items = repeats / side.each;
    side.made = draw_type(&own, signature, side.each);
    side.memory.raw = NULL;
    return side;
}

static void settle(struct side *side, int items)
{
    side->memory = memory_of(&side->made, items);
}

static void clear(struct side *side)
{
    free(side->memory.raw);
    give_back(&side->made);
}

/* As much as comes, perhaps with room for more, perhaps not in whole items. */
static struct side roomy(const struct signature *signature, int repeats)
{
    struct side side;
    side.each = (int)draw_from(&own, (unsigned)repeats + 2) + 1;
    side.items = (repeats + side.each - 1) / side.each + (int)draw_from(&own, 3);
    side.made = draw_type(&own, signature, side.each);
    side.memory.raw = NULL;
    return side;
}

/* What a status says of a message with so many signatures. */
static void expect_status(MPI_Status *status, const struct side *side, int leaves, int repeats,
                          int source, int tag)
{
    int count, elements;
    MPI_Count large;
    MPI_Datatype type = side->made.type;
    EQUAL(status->MPI_SOURCE, source);
    EQUAL(status->MPI_TAG, tag);
    MPI_Get_count(status, type, &count);
    EQUAL(count, repeats % side->each == 0 ? repeats / side->each : MPI_UNDEFINED);
    MPI_Get_count_c(status, type, &large);
    EQUAL(large, count);
    MPI_Get_elements(status, type, &elements);
    MPI_Get_elements_c(status, type, &large);
    EQUAL(large, elements);
    EQUAL(elements, leaves);
}

enum sending { SEND, SSEND, BSEND, ISEND, ISSEND, PERSISTENT, SENDS };
enum receiving { IRECV, RECV_INIT, PROBED, RECEIVINGS };

struct message {
    struct signature signature;
    struct side send, recv;
    int repeats, number, tag, starts;
    enum sending sending;
    enum receiving receiving;
    MPI_Request send_request, recv_request;
};

static int number_of(const struct message *message, int sender, int turn)
{
    return message->number * 4096 + turn * 1024 + sender;
}

static void start_receive(struct message *message, int from)
{
    struct side *side = &message->recv;
    void *at = side->memory.base;
    if (message->receiving == IRECV)
        MPI_Irecv(at, side->items, side->made.type, from, message->tag, W, &message->recv_request);
    if (message->receiving == RECV_INIT) {
        MPI_Recv_init(at, side->items, side->made.type, from, message->tag, W,
                      &message->recv_request);
        MPI_Start(&message->recv_request);
    }
}

static void start_send(struct message *message, int to)
{
    struct side *side = &message->send;
    void *at = side->memory.base;
    int items = side->items, tag = message->tag;
    MPI_Datatype type = side->made.type;
    /* Whoever waits for a receive must have posted it. */
    int may_wait = message->receiving != PROBED;
    enum sending sending = message->sending;
    if (!may_wait && sending != BSEND && sending != PERSISTENT)
        sending = sending == SSEND ? ISSEND : ISEND;
    switch (sending) {
    case SEND: MPI_Send(at, items, type, to, tag, W); break;
    case SSEND: MPI_Ssend(at, items, type, to, tag, W); break;
    case BSEND: MPI_Bsend(at, items, type, to, tag, W); break;
    case ISEND: MPI_Isend(at, items, type, to, tag, W, &message->send_request); break;
    case ISSEND: MPI_Issend(at, items, type, to, tag, W, &message->send_request); break;
    default:
        MPI_Send_init(at, items, type, to, tag, W, &message->send_request);
        MPI_Start(&message->send_request);
    }
}

/* The types may go while the messages are under way: they are needed no more. */
static void forget(struct side *side)
{
    if (draw_from(&own, 3) == 0)
        return;
    MPI_Type_free(&side->made.type);
}

static void finish_receive(struct message *message, int from)
{
    struct side *side = &message->recv;
    MPI_Status status;
    int leaves = message->signature.count * message->repeats;
    MPI_Datatype twin;
    MPI_Type_dup(side->made.type, &twin);
    if (message->receiving == PROBED) {
        MPI_Message handle;
        MPI_Mprobe(from, message->tag, W, &handle, &status);
        MPI_Mrecv(side->memory.base, side->items, side->made.type, &handle, &status);
    } else {
        forget(side);
        MPI_Wait(&message->recv_request, &status);
    }
    MPI_Datatype kept = side->made.type;
    side->made.type = twin;
    expect_status(&status, side, leaves, message->repeats, from, message->tag);
    side->made.type = kept;
    MPI_Type_free(&twin);
    expect_message(&side->memory, leaves, number_of(message, from, 0), "a message");
}

/* Once more, with other contents. */
static void again(struct message *message, int from)
{
    int leaves = message->signature.count * message->repeats;
    struct side *send = &message->send, *recv = &message->recv;
    MPI_Wait(&message->send_request, MPI_STATUS_IGNORE);
    if (message->sending == PERSISTENT && message->receiving == RECV_INIT) {
        put(&send->memory, send->memory.raw, 0, leaves, number_of(message, rank, 1));
        MPI_Start(&message->recv_request);
        MPI_Start(&message->send_request);
        MPI_Wait(&message->recv_request, MPI_STATUS_IGNORE);
        MPI_Wait(&message->send_request, MPI_STATUS_IGNORE);
        expect_message(&recv->memory, leaves, number_of(message, from, 1), "a second start");
    }
    if (message->sending == PERSISTENT)
        MPI_Request_free(&message->send_request);
    if (message->receiving == RECV_INIT)
        MPI_Request_free(&message->recv_request);
}

/* Everybody sends some messages to one, and gets some from another. */
static void messages(int number)
{
    static struct message all[MOST_AT_ONCE];
    int count = (int)draw(MOST_AT_ONCE) + 1, shift = (int)draw((unsigned)size);
    int to = (rank + shift) % size, from = (rank - shift + size) % size;
    for (int i = 0; i < count; i++) {
        struct message *message = &all[i];
        int is_large = draw(12) == 0;
        draw_signature(&message->signature, &common, is_large, LEAF_KINDS);
        message->repeats = is_large ? 1 + (int)draw(2) : (int)draw(7);
        message->number = number * MOST_AT_ONCE + i;
        message->tag = i * 3;
        message->sending = (enum sending)draw(SENDS);
        message->receiving = (enum receiving)draw(RECEIVINGS);
        message->send_request = message->recv_request = MPI_REQUEST_NULL;
        message->send = exact(&message->signature, message->repeats);
        settle(&message->send, message->send.items);
        message->recv = roomy(&message->signature, message->repeats);
        settle(&message->recv, message->recv.items);
        put(&message->send.memory, message->send.memory.raw, 0,
            message->signature.count * message->repeats, number_of(message, rank, 0));
        start_receive(message, from);
    }
    for (int i = 0; i < count; i++) {
        start_send(&all[i], to);
        forget(&all[i].send);
    }
    for (int i = count - 1; i >= 0; i--)
        finish_receive(&all[i], from);
    for (int i = 0; i < count; i++) {
        again(&all[i], from);
        int is_second = all[i].sending == PERSISTENT && all[i].receiving == RECV_INIT;
        expect_message(&all[i].send.memory, all[i].signature.count * all[i].repeats,
                       number_of(&all[i], rank, is_second), "what was sent");
        clear(&all[i].send);
        clear(&all[i].recv);
    }
}

static void exchange(int number)
{
    static struct signature signature;
    int shift = (int)draw((unsigned)size), how = (int)draw(3), repeats;
    int to = (rank + shift) % size, from = (rank - shift + size) % size;
    MPI_Status status;
    draw_signature(&signature, &common, draw(8) == 0, LEAF_KINDS);
    repeats = 1 + (int)draw(3);
    struct side send = exact(&signature, repeats), recv = roomy(&signature, repeats);
    settle(&send, send.items);
    settle(&recv, recv.items);
    int leaves = signature.count * repeats, mine = number * 4096 + rank;
    put(&send.memory, send.memory.raw, 0, leaves, mine);
    if (how == 0) {
        MPI_Sendrecv(send.memory.base, send.items, send.made.type, to, 1, recv.memory.base,
                     recv.items, recv.made.type, from, 1, W, &status);
    } else if (how == 1) {
        MPI_Request request;
        MPI_Isendrecv(send.memory.base, send.items, send.made.type, to, 1, recv.memory.base,
                      recv.items, recv.made.type, from, 1, W, &request);
        MPI_Wait(&request, &status);
    } else {
        MPI_Sendrecv_replace(send.memory.base, send.items, send.made.type, to, 1, from, 1, W,
                             &status);
        expect_message(&send.memory, leaves, number * 4096 + from, "what came in its place");
    }
    if (how < 2) {
        expect_status(&status, &recv, leaves, repeats, from, 1);
        expect_message(&recv.memory, leaves, number * 4096 + from, "an exchange");
    }
    clear(&send);
    clear(&recv);
}

/* Blocks for or from everybody, one after the other. */
static void put_blocks(const struct side *side, unsigned char *raw, int leaves, int number,
                       int step, int start)
{
    for (int peer = 0; peer < side->memory.items / (side->items ? side->items : 1); peer++)
        put(&side->memory, raw, peer * side->items, leaves, number + start + peer * step);
}

static void expect_blocks(const struct side *side, int leaves, int number, int step, int start,
                          const char *what)
{
    unsigned char *wanted = untouched(&side->memory);
    put_blocks(side, wanted, leaves, number, step, start);
    expect_memory(&side->memory, wanted, what);
}

#define COMPLETE(NAME, Name, ...)                                                                  \
    do {                                                                                           \
        if (form == 0)                                                                             \
            MPI_##NAME(__VA_ARGS__);                                                               \
        if (form == 1)                                                                             \
            MPI_I##Name(__VA_ARGS__, &request);                                                    \
        if (form == 2) {                                                                           \
            MPI_##NAME##_init(__VA_ARGS__, MPI_INFO_NULL, &request);                               \
            MPI_Start(&request);                                                                   \
        }                                                                                          \
        MPI_Wait(&request, MPI_STATUS_IGNORE);                                                     \
        if (form == 2)                                                                             \
            MPI_Request_free(&request);                                                            \
    } while (0)

/* The number of what goes from one to another is this and 64 times the sender and the receiver. */
static void collective(int number)
{
    static struct signature signature;
    int form = (int)draw(3), root = (int)draw((unsigned)size), which = (int)draw(5), repeats;
    int first = number * 4096;
    MPI_Request request = MPI_REQUEST_NULL;
    draw_signature(&signature, &common, draw(12) == 0 && size < 8, LEAF_KINDS);
    repeats = 1 + (int)draw(4);
    struct side send = exact(&signature, repeats), recv = exact(&signature, repeats);
    int leaves = signature.count * repeats, is_root = rank == root;
    settle(&send, (which == 2 || which == 4 ? size : 1) * send.items);
    settle(&recv, (which == 1 || which >= 3 ? size : 1) * recv.items);
    void *from = send.memory.base, *into = recv.memory.base;
    MPI_Datatype out = send.made.type, in = recv.made.type;
    int n = send.items, m = recv.items;
    switch (which) {
    case 0:
        if (is_root)
            put(&recv.memory, recv.memory.raw, 0, leaves, first);
        COMPLETE(Bcast, bcast, into, m, in, root, W);
        expect_message(&recv.memory, leaves, first, "what everybody got");
        break;
    case 1:
        put(&send.memory, send.memory.raw, 0, leaves, first + rank);
        COMPLETE(Gather, gather, from, n, out, into, m, in, root, W);
        if (is_root)
            expect_blocks(&recv, leaves, first, 1, 0, "what was gathered");
        else
            expect_message(&recv.memory, 0, 0, "what nobody wrote");
        break;
    case 2:
        if (is_root)
            put_blocks(&send, send.memory.raw, leaves, first, 1, 0);
        COMPLETE(Scatter, scatter, from, n, out, into, m, in, root, W);
        expect_message(&recv.memory, leaves, first + rank, "what was scattered");
        break;
    case 3:
        put(&send.memory, send.memory.raw, 0, leaves, first + rank);
        COMPLETE(Allgather, allgather, from, n, out, into, m, in, W);
        expect_blocks(&recv, leaves, first, 1, 0, "what all gathered");
        break;
    default:
        put_blocks(&send, send.memory.raw, leaves, first, 1, 64 * rank);
        COMPLETE(Alltoall, alltoall, from, n, out, into, m, in, W);
        expect_blocks(&recv, leaves, first, 64, rank, "what came from all");
    }
    clear(&send);
    clear(&recv);
}

/* Every pair has a signature and types of its own. */
static void between_pairs(int number)
{
    static struct signature signature;
    struct side *send = malloc(sizeof *send * (size_t)size * 2), *recv = send + size;
    int *ones = malloc(sizeof(int) * (size_t)size * 2), *into = ones + size;
    int *leaves = malloc(sizeof(int) * (size_t)size);
    int *out_at = calloc((size_t)size * 2, sizeof(int)), *in_at = out_at + size;
    MPI_Datatype *types = malloc(sizeof *types * (size_t)size * 2), *in = types + size;
    int form = (int)draw(3);
    uint64_t seed = common;
    MPI_Request request = MPI_REQUEST_NULL;
    draw(2);
    for (int peer = 0; peer < size; peer++) {
        for (int side = 0; side < 2; side++) {
            int pair = side ? peer * size + rank : rank * size + peer;
            uint64_t state = seed + (uint64_t)pair * 977;
            draw_signature(&signature, &state, 0, LEAF_KINDS);
            int repeats = (int)draw_from(&state, 4);
            struct side *made = side ? &recv[peer] : &send[peer];
            *made = exact(&signature, repeats);
            settle(made, made->items);
            /* Displacements are ints: addresses are in the types. */
            MPI_Aint at;
            MPI_Datatype *type = side ? &in[peer] : &types[peer];
            MPI_Get_address(made->memory.base, &at);
            MPI_Type_create_hindexed(1, &made->items, &at, made->made.type, type);
            MPI_Type_commit(type);
            if (side)
                leaves[peer] = signature.count * repeats;
            else
                put(&made->memory, made->memory.raw, 0, signature.count * repeats,
                    number * 4096 + rank * 64 + peer);
        }
        ones[peer] = into[peer] = 1;
    }
    COMPLETE(Alltoallw, alltoallw, MPI_BOTTOM, ones, out_at, types, MPI_BOTTOM, into, in_at, in, W);
    for (int peer = 0; peer < size; peer++) {
        expect_message(&recv[peer].memory, leaves[peer], number * 4096 + peer * 64 + rank,
                       "what came from one of all");
        MPI_Type_free(&types[peer]);
        MPI_Type_free(&in[peer]);
        clear(&send[peer]);
        clear(&recv[peer]);
    }
    free(send);
    free(ones);
    free(leaves);
    free(out_at);
    free(types);
}

/* The bytes of a message one after the other; the highest first, if `is_external`. */
static size_t flatten(const struct side *side, unsigned char *into, int leaves, int number,
                      int is_external)
{
    size_t at = 0;
    for (int i = 0; i < leaves; i++) {
        const struct leaf *leaf = &LEAVES[side->made.map[i % side->made.count].leaf];
        int part = leaf->size / leaf->parts;
        for (int j = 0; j < leaf->size; j++)
            into[at + (size_t)(is_external ? j / part * part + part - 1 - j % part : j)] =
                content(number, i, j);
        at += (size_t)leaf->size;
    }
    return at;
}

/* Packed here, unpacked there, in pieces; packed by one and received as a type, and back. */
static void packing(int number)
{
    static struct signature signature;
    int shift = (int)draw((unsigned)size), is_external = (int)draw(2), repeats = (int)draw(6);
    int to = (rank + shift) % size, from = (rank - shift + size) % size;
    draw_signature(&signature, &common, draw(12) == 0, LEAF_KINDS - 1);
    struct side send = exact(&signature, repeats), recv = exact(&signature, repeats);
    settle(&send, send.items);
    settle(&recv, recv.items);
    int leaves = signature.count * repeats, mine = number * 4096 + rank, small, position = 0;
    int cut = send.items ? (int)draw_from(&own, (unsigned)send.items + 1) : 0;
    put(&send.memory, send.memory.raw, 0, leaves, mine);
    MPI_Aint bytes, place = 0;
    char *rest = (char *)send.memory.base + cut * send.made.extent;
    MPI_Pack_external_size("external32", send.items, send.made.type, &bytes);
    MPI_Pack_size(send.items, send.made.type, W, &small);
    CHECK(small >= bytes);
    unsigned char *packed = malloc((size_t)small + 1), *wanted = malloc((size_t)small + 1);
    EQUAL(flatten(&send, wanted, leaves, mine, is_external), bytes);
    if (is_external) {
        MPI_Pack_external("external32", send.memory.base, cut, send.made.type, packed, bytes,
                          &place);
        MPI_Pack_external("external32", rest, send.items - cut, send.made.type, packed, bytes,
                          &place);
        EQUAL(place, bytes);
    } else {
        MPI_Pack(send.memory.base, cut, send.made.type, packed, small, &position, W);
        MPI_Pack(rest, send.items - cut, send.made.type, packed, small, &position, W);
        EQUAL(position, bytes);
    }
    CHECK(memcmp(packed, wanted, (size_t)bytes) == 0);
    unsigned char *arrived = malloc((size_t)small + 1);
    MPI_Datatype as = is_external ? MPI_BYTE : MPI_PACKED;
    MPI_Sendrecv(packed, (int)bytes, as, to, 2, arrived, small, as, from, 2, W, MPI_STATUS_IGNORE);
    cut = recv.items ? (int)draw_from(&own, (unsigned)recv.items + 1) : 0;
    rest = (char *)recv.memory.base + cut * recv.made.extent;
    position = 0;
    place = 0;
    if (is_external) {
        MPI_Unpack_external("external32", arrived, bytes, &place, recv.memory.base, cut,
                            recv.made.type);
        MPI_Unpack_external("external32", arrived, bytes, &place, rest, recv.items - cut,
                            recv.made.type);
    } else {
        MPI_Unpack(arrived, (int)bytes, &position, recv.memory.base, cut, recv.made.type, W);
        MPI_Unpack(arrived, (int)bytes, &position, rest, recv.items - cut, recv.made.type, W);
    }
    expect_message(&recv.memory, leaves, number * 4096 + from, "what was unpacked");
    if (!is_external) {
        memset(arrived, 0, (size_t)small);
        MPI_Sendrecv(send.memory.base, send.items, send.made.type, to, 3, arrived, small,
                     MPI_PACKED, from, 3, W, MPI_STATUS_IGNORE);
        flatten(&recv, wanted, leaves, number * 4096 + from, 0);
        CHECK(memcmp(arrived, wanted, (size_t)bytes) == 0);
        free(recv.memory.raw);
        settle(&recv, recv.items);
        MPI_Sendrecv(packed, (int)bytes, MPI_PACKED, to, 4, recv.memory.base, recv.items,
                     recv.made.type, from, 4, W, MPI_STATUS_IGNORE);
        expect_message(&recv.memory, leaves, number * 4096 + from, "what was sent packed");
    }
    free(packed);
    free(wanted);
    free(arrived);
    clear(&send);
    clear(&recv);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(W, &rank);
    MPI_Comm_size(W, &size);
    CHECK(argc == 3 && size <= 64);
    common = (uint64_t)atoi(argv[1]);
    own = common * 1000 + (uint64_t)rank + 1;
    MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
    for (int round = 0; round < atoi(argv[2]); round++) {
        switch (draw(8)) {
        case 0: case 1: case 2: messages(round); break;
        case 3: exchange(round); break;
        case 4: case 5: collective(round); break;
        case 6: between_pairs(round); break;
        default: packing(round);
        }
    }
    MPI_Finalize();
    return 0;
}
