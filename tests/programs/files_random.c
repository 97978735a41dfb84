/* Random views and accesses, byte by byte against a naive model of the file. All ranks draw the
 * same numbers, so each knows what all others do. Arguments: seed, rounds, and `deaths` if a rank
 * is ordered to die. Then every byte is in the end what it was before the last step or what some
 * rank has written in it, and what a survivor is told to have written is there. */
#define _GNU_SOURCE
#include "check.h"
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#define GOOD(call)                                                                                 \
    do {                                                                                           \
        int code__ = (call);                                                                       \
        if (is_of_death(code__))                                                                   \
            is_lost = 1;                                                                           \
        else if (code__ != MPI_SUCCESS)                                                            \
            complain(code__, __LINE__);                                                            \
    } while (0)
enum { MOST = 1 << 18, TILE = 3000, SEGMENTS = 64 };

static int is_tolerant, is_lost;

static int is_of_death(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return is_tolerant && (class == MPIX_ERR_PROC_FAILED || class == MPIX_ERR_REVOKED);
}

static void complain(int code, int line)
{
    char words[MPI_MAX_ERROR_STRING];
    int length;
    MPI_Error_string(code, words, &length);
    FAIL("line %d: %s", line, words);
}

/* Waits for all; whether some rank has died, as all know then. */
static int meet(void)
{
    int is_well = !is_lost;
    if (!is_tolerant)
        return MPI_Barrier(MPI_COMM_WORLD) != MPI_SUCCESS;
    if (MPIX_Comm_agree(MPI_COMM_WORLD, &is_well) != MPI_SUCCESS || !is_well)
        is_lost = 1;
    return is_lost;
}

static uint64_t state;
static unsigned draw(unsigned below)
{
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (unsigned)((z ^ (z >> 31)) >> 11) % below;
}

/* Which bytes of a tile a rank sees. */
struct view {
    int displacement, extent, unit, count;
    int starts[SEGMENTS], lengths[SEGMENTS], data;
};

static unsigned char model[MOST], old[MOST], whole[MOST], bytes[MOST], room[2 * MOST];
static int model_size, old_size;
/* What this rank has written in this step, as it was told. */
static struct view own_view;
static int own_offset, own_round, own_bytes;
static MPI_File f;

/* Where the byte of data is in the file. */
static int place(const struct view *view, int byte)
{
    int tile = byte / view->data, rest = byte % view->data, segment = 0;
    while (rest >= view->lengths[segment])
        rest -= view->lengths[segment++];
    return view->displacement + tile * view->extent + view->starts[segment] + rest;
}

/* Deals a tile out to all ranks, or to nobody; every rank gets something. */
static void deal(struct view *views)
{
    int unit = 1 << draw(4), displacement = (int)draw(200), at = 0;
    int most = draw(2) ? 4 : draw(2) ? 60 : 600;
    for (int r = 0; r < size; r++)
        views[r] = (struct view){.displacement = displacement, .unit = unit};
    for (int turn = 0; turn < size || (at < TILE && turn < SEGMENTS); turn++) {
        int owner = turn < size ? turn : (int)draw((unsigned)size + 1);
        int length = unit * (1 + (int)draw((unsigned)most / (unsigned)unit + 1));
        if (owner < size) {
            struct view *view = &views[owner];
            view->starts[view->count] = at;
            view->lengths[view->count++] = length;
            view->data += length;
        }
        at += length;
    }
    for (int r = 0; r < size; r++)
        views[r].extent = at + (int)draw(3) * unit;
    for (int r = 1; r < size; r++)
        views[r].extent = views[0].extent;
}

/* The same rank's part, as chance makes types of it. */
static MPI_Datatype type_of(const struct view *view, MPI_Datatype unit)
{
    MPI_Datatype made, type, parts[SEGMENTS];
    int lengths[SEGMENTS], elements[SEGMENTS];
    MPI_Aint starts[SEGMENTS];
    for (int i = 0; i < view->count; i++) {
        lengths[i] = view->lengths[i] / view->unit;
        starts[i] = view->starts[i];
        elements[i] = view->starts[i] / view->unit;
        parts[i] = unit;
    }
    switch (draw(4)) {
    case 0:
        MPI_Type_create_hindexed(view->count, lengths, starts, unit, &made);
        break;
    case 1:
        MPI_Type_indexed(view->count, lengths, elements, unit, &made);
        break;
    case 2:
        MPI_Type_create_struct(view->count, lengths, starts, parts, &made);
        break;
    default:
        for (int i = 0; i < view->count; i++)
            MPI_Type_contiguous(lengths[i], unit, &parts[i]);
        for (int i = 0; i < view->count; i++)
            lengths[i] = 1;
        MPI_Type_create_struct(view->count, lengths, starts, parts, &made);
        for (int i = 0; i < view->count; i++)
            MPI_Type_free(&parts[i]);
    }
    MPI_Type_create_resized(made, 0, view->extent, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&made);
    return type;
}

/* Whether some rank has died: then the views of before may be in force. */
static int look(const struct view *view)
{
    MPI_Datatype unit;
    MPI_Type_contiguous(view->unit, MPI_BYTE, &unit);
    MPI_Type_commit(&unit);
    MPI_Datatype type = type_of(view, unit);
    GOOD(MPI_File_set_view(f, view->displacement, unit, type, "native", MPI_INFO_NULL));
    MPI_Type_free(&type);
    MPI_Type_free(&unit);
    return is_tolerant && meet();
}

/* Memory: in one piece, or in blocks with gaps of the same length. */
static int block;
static void *memory(int count, MPI_Datatype *type, int *items)
{
    *items = count;
    *type = MPI_BYTE;
    if (block == 0)
        return room;
    int blocks = (count + block - 1) / block;
    int *lengths = malloc(sizeof(int) * (size_t)(blocks + 1));
    int *starts = malloc(sizeof(int) * (size_t)(blocks + 1));
    for (int i = 0; i < blocks; i++) {
        lengths[i] = i < blocks - 1 ? block : count - block * (blocks - 1);
        starts[i] = 2 * block * i;
    }
    MPI_Type_indexed(blocks, lengths, starts, MPI_BYTE, type);
    MPI_Type_commit(type);
    *items = 1;
    free(lengths);
    free(starts);
    return room;
}

static unsigned char *cell(int byte)
{
    return block == 0 ? &room[byte] : &room[2 * block * (byte / block) + byte % block];
}

static unsigned char value(int r, int round, int byte)
{
    return (unsigned char)(r * 31 + round * 7 + byte * 5 + byte / 256 + 1);
}

enum way { AT, AT_ALL, POINTER, ALL, I_AT, I_AT_ALL, I_ALL, SPLIT, SPLIT_AT, WAYS };

static void access_file(int is_write, enum way way, int offset, void *at, int items,
                        MPI_Datatype type, MPI_Status *status)
{
    MPI_Request request = MPI_REQUEST_NULL;
    if (way == POINTER || way == ALL || way == I_ALL || way == SPLIT)
        GOOD(MPI_File_seek(f, offset, MPI_SEEK_SET));
    switch (way) {
    case AT:
        GOOD(is_write ? MPI_File_write_at(f, offset, at, items, type, status)
                      : MPI_File_read_at(f, offset, at, items, type, status));
        break;
    case AT_ALL:
        GOOD(is_write ? MPI_File_write_at_all(f, offset, at, items, type, status)
                      : MPI_File_read_at_all(f, offset, at, items, type, status));
        break;
    case POINTER:
        GOOD(is_write ? MPI_File_write(f, at, items, type, status)
                      : MPI_File_read(f, at, items, type, status));
        break;
    case ALL:
        GOOD(is_write ? MPI_File_write_all(f, at, items, type, status)
                      : MPI_File_read_all(f, at, items, type, status));
        break;
    case I_AT:
        GOOD(is_write ? MPI_File_iwrite_at(f, offset, at, items, type, &request)
                      : MPI_File_iread_at(f, offset, at, items, type, &request));
        break;
    case I_AT_ALL:
        GOOD(is_write ? MPI_File_iwrite_at_all(f, offset, at, items, type, &request)
                      : MPI_File_iread_at_all(f, offset, at, items, type, &request));
        break;
    case I_ALL:
        GOOD(is_write ? MPI_File_iwrite_all(f, at, items, type, &request)
                      : MPI_File_iread_all(f, at, items, type, &request));
        break;
    case SPLIT:
        GOOD(is_write ? MPI_File_write_all_begin(f, at, items, type)
                      : MPI_File_read_all_begin(f, at, items, type));
        GOOD(is_write ? MPI_File_write_all_end(f, at, status)
                      : MPI_File_read_all_end(f, at, status));
        break;
    default:
        GOOD(is_write ? MPI_File_write_at_all_begin(f, offset, at, items, type)
                      : MPI_File_read_at_all_begin(f, offset, at, items, type));
        GOOD(is_write ? MPI_File_write_at_all_end(f, at, status)
                      : MPI_File_read_at_all_end(f, at, status));
    }
    if (request != MPI_REQUEST_NULL)
        GOOD(MPI_Wait(&request, status));
}

/* The access of a rank: where, in units, and how long. */
static void draw_access(const struct view *view, int *offset, int *units)
{
    *offset = (int)draw(2) ? 0 : (int)draw(3000) / view->unit;
    *units = (int)draw(8) == 0 ? 0 : 1 + (int)draw(1 + 12000 / (unsigned)view->unit);
    while (place(view, (*offset + *units + 1) * view->unit) >= MOST - 1)
        *units /= 2, *offset /= 2;
}

static void write_round(int round)
{
    struct view *views = calloc((size_t)size, sizeof *views);
    deal(views);
    if (look(&views[rank]))
        return;
    enum way way = draw(WAYS);
    block = draw(2) ? 0 : 1 + (int)draw(draw(2) ? 9 : 3000);
    for (int r = 0; r < size; r++) {
        int offset, units, unit = views[r].unit;
        draw_access(&views[r], &offset, &units);
        for (int i = 0; i < units * unit; i++) {
            int at = place(&views[r], offset * unit + i);
            model[at] = value(r, round, i);
            model_size = at >= model_size ? at + 1 : model_size;
        }
        if (r != rank)
            continue;
        memset(room, 0xee, sizeof room);
        for (int i = 0; i < units * unit; i++)
            *cell(i) = value(r, round, i);
        MPI_Datatype type;
        MPI_Status status;
        int items, count;
        void *at = memory(units * unit, &type, &items);
        /* The pointers of the loop are those of all ranks; this call waits for the others only. */
        memset(&status, 0, sizeof status);
        access_file(1, way, offset, at, items, type, &status);
        MPI_Get_elements(&status, MPI_BYTE, &count);
        if (!is_lost)
            EQUAL(count, units * unit);
        CHECK(count >= 0 && count <= units * unit);
        own_view = views[r], own_offset = offset * unit, own_round = round, own_bytes = count;
        if (block)
            MPI_Type_free(&type);
    }
    free(views);
    meet();
}

static void expect_file(void)
{
    if (rank == 0) {
        int plain = open("random", O_RDONLY);
        int got = (int)read(plain, whole, MOST);
        close(plain);
        EQUAL(got, model_size);
        for (int i = 0; i < got; i++)
            if (whole[i] != model[i])
                FAIL("byte %d of the file is %d, not %d", i, whole[i], model[i]);
    }
    meet();
}

static void read_round(void)
{
    struct view *views = calloc((size_t)size, sizeof *views);
    deal(views);
    if (look(&views[rank]))
        return;
    enum way way = draw(WAYS);
    block = draw(2) ? 0 : 1 + (int)draw(draw(2) ? 9 : 3000);
    for (int r = 0; r < size; r++) {
        int offset, units, unit = views[r].unit, there = 0;
        draw_access(&views[r], &offset, &units);
        if (r != rank)
            continue;
        for (; there < units * unit; there++) {
            int at = place(&views[r], offset * unit + there);
            if (at >= model_size)
                break;
            bytes[there] = model[at];
        }
        memset(room, 0xee, sizeof room);
        MPI_Datatype type;
        MPI_Status status;
        int items, count;
        void *at = memory(units * unit, &type, &items);
        access_file(0, way, offset, at, items, type, &status);
        if (is_lost)
            continue;
        MPI_Get_elements(&status, MPI_BYTE, &count);
        EQUAL(count, there);
        for (int i = 0; i < there; i++)
            if (*cell(i) != bytes[i])
                FAIL("byte %d of %d is %d, not %d", i, there, *cell(i), bytes[i]);
        if (block) {
            for (int i = 0; i + block < units * unit; i++)
                EQUAL(*(cell(i) + block), 0xee);
            MPI_Type_free(&type);
        }
        for (int i = there; i < units * unit; i++)
            EQUAL(*cell(i), 0xee);
    }
    free(views);
    meet();
}

/* In order of the ranks, from the shared pointer on: every rank sees the file alike. */
static void ordered_round(int round)
{
    struct view *views = calloc((size_t)size, sizeof *views);
    deal(views);
    if (look(&views[0]))
        return;
    int unit = views[0].unit, start = (int)draw(20), first = start, is_split = (int)draw(2);
    GOOD(MPI_File_seek_shared(f, start, MPI_SEEK_SET));
    if (is_tolerant && meet())
        return;
    block = 0;
    MPI_Status status;
    int mine = 0, units[64];
    for (int r = 0; r < size; r++) {
        units[r] = (int)draw(700) / unit;
        while (place(&views[0], (start + units[r] + 1) * unit) >= MOST - 1 && units[r] > 0)
            units[r] /= 2;
        for (int i = 0; i < units[r] * unit; i++) {
            int at = place(&views[0], start * unit + i);
            model[at] = value(r, round, i);
            model_size = at >= model_size ? at + 1 : model_size;
        }
        mine = r == rank ? start : mine;
        start += units[r];
    }
    for (int i = 0; i < units[rank] * unit; i++)
        room[i] = value(rank, round, i);
    if (is_split) {
        GOOD(MPI_File_write_ordered_begin(f, room, units[rank] * unit, MPI_BYTE));
        GOOD(MPI_File_write_ordered_end(f, room, &status));
    } else {
        GOOD(MPI_File_write_ordered(f, room, units[rank] * unit, MPI_BYTE, &status));
    }
    if (is_tolerant && meet())
        return;
    EQUAL(count_of(&status), units[rank] * unit);
    MPI_Offset at;
    GOOD(MPI_File_get_position_shared(f, &at));
    EQUAL(at, start);
    memset(room, 0, sizeof room);
    GOOD(MPI_File_seek_shared(f, first, MPI_SEEK_SET));
    if (is_tolerant && meet())
        return;
    GOOD(MPI_File_read_ordered(f, room, units[rank] * unit, MPI_BYTE, &status));
    if (is_lost)
        return;
    for (int i = 0; i < units[rank] * unit; i++)
        EQUAL(room[i], value(rank, round, i));
    free(views);
    meet();
}

static void begin_step(void)
{
    memcpy(old, model, sizeof old);
    old_size = model_size;
    own_bytes = 0;
}

/* Some rank has died in the last step: the file is as old or as new, and what was told is true. */
static void after_death(void)
{
    MPI_Comm left;
    EQUAL(MPIX_Comm_shrink(MPI_COMM_WORLD, &left), MPI_SUCCESS);
    int plain = open("random", O_RDONLY);
    if (plain < 0)
        FAIL("the file is %s", "gone");
    int got = (int)read(plain, whole, MOST);
    close(plain);
    CHECK(got <= (old_size > model_size ? old_size : model_size));
    for (int i = 0; i < got; i++)
        if (whole[i] != model[i] && whole[i] != old[i])
            FAIL("byte %d of the file is %d, not %d or %d", i, whole[i], old[i], model[i]);
    for (int i = 0; i < own_bytes; i++) {
        int at = place(&own_view, own_offset + i);
        if (at >= got || whole[at] != value(rank, own_round, i))
            FAIL("byte %d of %d is not in the file", i, own_bytes);
    }
    /* Nobody deletes the file before all have seen it. */
    MPI_Barrier(left);
    MPI_File_close(&f);
    printf("as far as the model says\n");
    MPI_Finalize();
    exit(0);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    state = (uint64_t)atoi(argv[1]);
    int rounds = atoi(argv[2]);
    is_tolerant = argc > 3;
    if (is_tolerant)
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Info info;
    MPI_Info_create(&info);
    if (draw(2))
        MPI_Info_set(info, "cb_buffer_size", "8192");
    if (draw(2))
        MPI_Info_set(info, "ind_rd_buffer_size", "4096");
    if (draw(3) == 0)
        MPI_Info_set(info, "romio_cb_write", draw(2) ? "enable" : "disable");
    if (draw(3) == 0)
        MPI_Info_set(info, "romio_cb_read", draw(2) ? "enable" : "disable");
    if (draw(3) == 0)
        MPI_Info_set(info, "romio_ds_read", "disable");
    if (draw(3) == 0)
        MPI_Info_set(info, "cb_nodes", draw(2) ? "1" : "3");
    GOOD(MPI_File_open(MPI_COMM_WORLD, "random",
                       MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, info, &f));
    MPI_Info_free(&info);
    int is_atomic = draw(4) == 0;
    GOOD(MPI_File_set_atomicity(f, is_atomic));
    if (is_tolerant && meet())
        after_death();
    for (int round = 0; round < rounds; round++) {
        begin_step();
        if (draw(4) == 0)
            ordered_round(round);
        else
            write_round(round);
        if (is_lost)
            after_death();
        expect_file();
        begin_step();
        read_round();
        if (is_lost)
            after_death();
        if (draw(8) == 0) {
            model_size = (int)draw((unsigned)model_size + 300);
            memset(model + model_size, 0, (size_t)(MOST - model_size));
            GOOD(MPI_File_set_size(f, model_size));
            if (is_tolerant && meet())
                after_death();
        }
    }
    GOOD(MPI_File_close(&f));
    MPI_Finalize();
    printf("as the model says\n");
    return 0;
}
