/* Random datatypes and a naive model of them: a list of places, in the order of the type map. Two
 * types made over one signature are as different as chance wants, and equal to MPI. */
#ifndef RANDOM_TYPES_H
#define RANDOM_TYPES_H
#include "check.h"
#include <stdint.h>

static unsigned draw_from(uint64_t *state, unsigned below)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (unsigned)((z ^ (z >> 31)) >> 11) % below;
}

/* What signatures consist of; the parts of a leaf change their order in other representations. */
static const struct leaf {
    MPI_Datatype type;
    int size, parts;
} LEAVES[] = {{MPI_CHAR, 1, 1},   {MPI_BYTE, 1, 1},    {MPI_SHORT, 2, 1},
              {MPI_INT, 4, 1},    {MPI_FLOAT, 4, 1},   {MPI_INT64_T, 8, 1},
              {MPI_DOUBLE, 8, 1}, {MPI_UINT32_T, 4, 1}, {MPI_C_FLOAT_COMPLEX, 8, 2},
              {MPI_LONG_DOUBLE, 16, 1}};
enum { SHORTS = 2, INTS = 3, FLOATS = 4, DOUBLES = 6, LONG_DOUBLES = 9, LEAF_KINDS = 10 };
#define MOST_LEAVES 40000

/* A flat signature. */
struct signature {
    int count;
    unsigned char leaves[MOST_LEAVES];
};

struct place {
    MPI_Aint at;
    int leaf;
};

/* A datatype and its model. Items that follow each other never overlap: the extent is not less
 * than what lies between `low` and `high`, the true bounds. */
struct made {
    MPI_Datatype type;
    struct place *map;
    int count, is_marked; /* whether its bounds were set by hand, or by an array's */
    MPI_Aint lb, extent, low, high, alignment;
};

/* How far apart things are laid. */
enum spacing { TIGHT, ALIGNED, LOOSE };
struct maker {
    uint64_t *state;
    enum spacing spacing;
};

static unsigned pick(struct maker *maker, unsigned below)
{
    return draw_from(maker->state, below);
}

/* Some leaves, and again, and other leaves. */
static void draw_signature(struct signature *signature, uint64_t *state, int is_large, int kinds)
{
    int parts = is_large ? 1 : (int)draw_from(state, 3) + 1;
    signature->count = 0;
    for (int part = 0; part < parts; part++) {
        int start = signature->count, few = (int)draw_from(state, 4) + 1;
        for (int i = 0; i < few; i++)
            signature->leaves[signature->count++] =
                (unsigned char)draw_from(state, (unsigned)kinds);
        int again = is_large ? 2000 + (int)draw_from(state, 3000) : (int)draw_from(state, 13);
        for (int i = 0; i < again * few; i++, signature->count++)
            signature->leaves[signature->count] = signature->leaves[start + i % few];
        if (draw_from(state, 2) == 0 && !is_large) {
            int length = signature->count - start, twice = (int)draw_from(state, 3);
            for (int i = 0; i < twice * length; i++, signature->count++)
                signature->leaves[signature->count] = signature->leaves[start + i % length];
        }
    }
}

static void give_back(struct made *made)
{
    free(made->map);
    if (made->type != MPI_DATATYPE_NULL)
        MPI_Type_free(&made->type);
}

/* What MPI says of a type must be what the model says. */
static void expect_model(struct made *made, const char *how)
{
    MPI_Aint lb, extent;
    MPI_Count size, bytes = 0;
    MPI_Type_get_extent(made->type, &lb, &extent);
    if (lb != made->lb || extent != made->extent)
        FAIL("%s: lb %ld, extent %ld, not %ld and %ld", how, lb, extent, made->lb, made->extent);
    MPI_Type_get_true_extent(made->type, &lb, &extent);
    if (lb != made->low || extent != made->high - made->low)
        FAIL("%s: true lb %ld, true extent %ld, not %ld and %ld", how, lb, extent, made->low,
             made->high - made->low);
    for (int i = 0; i < made->count; i++)
        bytes += LEAVES[made->map[i].leaf].size;
    MPI_Type_size_c(made->type, &size);
    EQUAL(size, bytes);
}

static void bounds(struct made *made)
{
    made->low = made->high = made->count ? made->map[0].at : 0;
    for (int i = 0; i < made->count; i++) {
        MPI_Aint at = made->map[i].at, end = at + LEAVES[made->map[i].leaf].size;
        made->low = at < made->low ? at : made->low;
        made->high = end > made->high ? end : made->high;
    }
}

/* Where no bounds are set, the end is rounded up to what the data ask for (MPI-5.0 §5.1.6). */
static void round_up(struct made *made)
{
    if (!made->is_marked)
        made->extent = (made->extent + made->alignment - 1) / made->alignment * made->alignment;
}

/* Copies of `part` at these offsets in bytes, by the rules for all type maps. */
static struct made copies(const struct made *part, const MPI_Aint *offsets, int times)
{
    struct made made = *part;
    made.count = part->count * times;
    made.map = malloc(sizeof(struct place) * (size_t)(made.count + 1));
    MPI_Aint first = offsets[0], last = offsets[0];
    for (int i = 0; i < times; i++) {
        first = offsets[i] < first ? offsets[i] : first;
        last = offsets[i] > last ? offsets[i] : last;
        for (int j = 0; j < part->count; j++) {
            made.map[i * part->count + j] = part->map[j];
            made.map[i * part->count + j].at += offsets[i];
        }
    }
    made.lb = first + part->lb;
    made.extent = last - first + part->extent;
    round_up(&made);
    bounds(&made);
    return made;
}

/* A gap between blocks of a total of so many bytes, in units. */
static MPI_Aint gap(struct maker *maker, MPI_Aint total)
{
    if (maker->spacing == TIGHT || total > 200000)
        return 0;
    return (MPI_Aint)pick(maker, maker->spacing == ALIGNED ? 3 : 4);
}

static void shuffled(struct maker *maker, int *order, int count)
{
    for (int i = 0; i < count; i++)
        order[i] = i;
    for (int i = count - 1; i > 0 && maker->spacing != TIGHT; i--) {
        int other = (int)pick(maker, (unsigned)i + 1), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
}

/* Blocks of `times` items in all: how long each is. Some may be empty. */
static int cut(struct maker *maker, int times, MPI_Count *lengths, int is_even)
{
    int most = times < 12 ? times : 12, blocks = 0;
    if (is_even) {
        int each = (int)pick(maker, (unsigned)times) + 1;
        while (times % each != 0)
            each--;
        while (blocks < times / each)
            lengths[blocks++] = each;
        return blocks;
    }
    while (times > 0 && blocks < most) {
        int length = (int)pick(maker, (unsigned)times + 1);
        lengths[blocks++] = length;
        times -= length;
    }
    if (times > 0)
        lengths[blocks++] = times;
    return blocks;
}

/* Arrays of counts for the calls of both widths. */
struct lists {
    int *small, *small_at;
    MPI_Count *large, *large_at;
    MPI_Aint *at;
};

static struct lists lists_of(int count)
{
    size_t room = (size_t)count + 16;
    struct lists lists = {malloc(room * sizeof(int)), malloc(room * sizeof(int)),
                          malloc(room * sizeof(MPI_Count)), malloc(room * sizeof(MPI_Count)),
                          malloc(room * sizeof(MPI_Aint))};
    return lists;
}

static void free_lists(struct lists *lists)
{
    free(lists->small);
    free(lists->small_at);
    free(lists->large);
    free(lists->large_at);
    free(lists->at);
}

static void narrow(struct lists *lists, int count)
{
    for (int i = 0; i < count; i++) {
        lists->small[i] = (int)lists->large[i];
        lists->small_at[i] = (int)lists->large_at[i];
        lists->at[i] = (MPI_Aint)lists->large_at[i];
    }
}

/* One of the calls for lists of blocks, whose places are counted in items or in bytes. */
static struct made in_blocks(struct maker *maker, const struct made *part, int times)
{
    int is_even = pick(maker, 2) == 0, in_bytes = pick(maker, 2) == 0, is_large = pick(maker, 2);
    struct lists lists = lists_of(times);
    MPI_Aint *offsets = malloc(sizeof(MPI_Aint) * (size_t)times);
    int blocks = cut(maker, times, lists.large, is_even), done = 0;
    int *order = malloc(sizeof(int) * (size_t)(blocks + 1));
    MPI_Aint unit = in_bytes ? part->extent : 1, item = in_bytes ? 1 : part->extent;
    MPI_Aint cursor = maker->spacing == TIGHT ? 0 : (MPI_Aint)pick(maker, 9) - 4;
    shuffled(maker, order, blocks);
    for (int i = 0; i < blocks; i++) {
        cursor += gap(maker, part->extent * times);
        lists.large_at[order[i]] = cursor;
        cursor += lists.large[order[i]] * unit;
    }
    narrow(&lists, blocks);
    for (int i = 0; i < blocks; i++)
        for (int j = 0; j < lists.small[i]; j++)
            offsets[done++] = lists.at[i] * item + j * part->extent;
    EQUAL(done, times);
    struct made made = copies(part, offsets, times);
    MPI_Datatype old = part->type, *type = &made.type;
    int code = -1, n = blocks, each = lists.small[0];
    switch (is_even * 4 + in_bytes * 2 + is_large) {
    case 0: code = MPI_Type_indexed(n, lists.small, lists.small_at, old, type); break;
    case 1: code = MPI_Type_indexed_c(n, lists.large, lists.large_at, old, type); break;
    case 2: code = MPI_Type_create_hindexed(n, lists.small, lists.at, old, type); break;
    case 3: code = MPI_Type_create_hindexed_c(n, lists.large, lists.large_at, old, type); break;
    case 4: code = MPI_Type_create_indexed_block(n, each, lists.small_at, old, type); break;
    case 5: code = MPI_Type_create_indexed_block_c(n, each, lists.large_at, old, type); break;
    case 6: code = MPI_Type_create_hindexed_block(n, each, lists.at, old, type); break;
    case 7: code = MPI_Type_create_hindexed_block_c(n, each, lists.large_at, old, type); break;
    }
    EQUAL(code, MPI_SUCCESS);
    free_lists(&lists);
    free(order);
    free(offsets);
    return made;
}

static int divisor(struct maker *maker, int of)
{
    int found = (int)pick(maker, (unsigned)of) + 1;
    while (of % found != 0)
        found--;
    return found;
}

static struct made in_strides(struct maker *maker, const struct made *part, int times)
{
    int length = divisor(maker, times), blocks = times / length, in_bytes = (int)pick(maker, 2);
    int is_back = maker->spacing != TIGHT && pick(maker, 4) == 0, is_large = (int)pick(maker, 2);
    MPI_Aint unit = in_bytes ? part->extent : 1, item = in_bytes ? 1 : part->extent;
    MPI_Aint stride = length * unit + gap(maker, part->extent * times);
    MPI_Aint *offsets = malloc(sizeof(MPI_Aint) * (size_t)times);
    if (is_back)
        stride = -stride;
    for (int i = 0; i < times; i++)
        offsets[i] = i / length * stride * item + i % length * part->extent;
    struct made made = copies(part, offsets, times);
    MPI_Datatype old = part->type, *type = &made.type;
    if (blocks == times && stride == unit && pick(maker, 2) == 0)
        EQUAL(is_large ? MPI_Type_contiguous_c(times, old, type)
                       : MPI_Type_contiguous(times, old, type), MPI_SUCCESS);
    else if (in_bytes)
        EQUAL(is_large ? MPI_Type_create_hvector_c(blocks, length, stride, old, type)
                       : MPI_Type_create_hvector(blocks, length, stride, old, type), MPI_SUCCESS);
    else
        EQUAL(is_large ? MPI_Type_vector_c(blocks, length, stride, old, type)
                       : MPI_Type_vector(blocks, length, (int)stride, old, type), MPI_SUCCESS);
    free(offsets);
    return made;
}

/* Columns of a matrix that lies in rows: items of it lie within each other. */
static struct made transposed(struct maker *maker, const struct made *part, int times)
{
    int rows = divisor(maker, times), columns = times / rows;
    MPI_Aint *offsets = malloc(sizeof(MPI_Aint) * (size_t)times);
    for (int i = 0; i < times; i++)
        offsets[i] = (i % rows * columns + i / rows) * part->extent;
    struct made made = copies(part, offsets, times);
    MPI_Datatype column, narrow_column;
    MPI_Type_vector(rows, 1, columns, part->type, &column);
    MPI_Type_create_resized(column, part->lb, part->extent, &narrow_column);
    EQUAL(MPI_Type_contiguous(columns, narrow_column, &made.type), MPI_SUCCESS);
    MPI_Type_free(&column);
    MPI_Type_free(&narrow_column);
    made.lb = part->lb;
    MPI_Datatype whole = made.type;
    EQUAL(MPI_Type_create_resized(whole, part->lb, times * part->extent, &made.type), MPI_SUCCESS);
    MPI_Type_free(&whole);
    made.extent = times * part->extent;
    made.is_marked = 1;
    free(offsets);
    return made;
}

/* A part of an array of up to three dimensions. */
static struct made of_array(struct maker *maker, const struct made *part, int times)
{
    int dims = (int)pick(maker, 3) + 1, is_c = (int)pick(maker, 2), is_large = (int)pick(maker, 2);
    int sizes[3], parts[3], starts[3], left = times;
    MPI_Count large[3][3];
    MPI_Aint *offsets = malloc(sizeof(MPI_Aint) * (size_t)times), whole = part->extent;
    for (int i = 0; i < dims; i++) {
        parts[i] = i == dims - 1 ? left : divisor(maker, left);
        left /= parts[i];
        starts[i] = (int)gap(maker, part->extent * times);
        sizes[i] = starts[i] + parts[i] + (int)gap(maker, part->extent * times);
        whole *= sizes[i];
        large[0][i] = sizes[i], large[1][i] = parts[i], large[2][i] = starts[i];
    }
    for (int i = 0; i < times; i++) {
        MPI_Aint rest = i, stride = part->extent;
        offsets[i] = 0;
        /* The last dimension runs fastest in C, the first one in Fortran. */
        for (int j = 0; j < dims; j++) {
            int d = is_c ? dims - 1 - j : j;
            offsets[i] += (rest % parts[d] + starts[d]) * stride;
            rest /= parts[d];
            stride *= sizes[d];
        }
    }
    struct made made = copies(part, offsets, times);
    int order = is_c ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    EQUAL(is_large ? MPI_Type_create_subarray_c(dims, large[0], large[1], large[2], order,
                                                part->type, &made.type)
                   : MPI_Type_create_subarray(dims, sizes, parts, starts, order, part->type,
                                              &made.type), MPI_SUCCESS);
    made.lb = 0;
    made.extent = whole;
    made.is_marked = 1;
    free(offsets);
    return made;
}

/* What one process has of an array that is dealt in blocks. */
static struct made dealt(struct maker *maker, const struct made *part, int times)
{
    int each = (int)pick(maker, (unsigned)times) + 1;
    int players = part->extent * times > 200000 ? 1 : (int)pick(maker, 3) + 1;
    /* A length that happens to be this constant is none. */
    each = each == MPI_DISTRIBUTE_DFLT_DARG ? 1 : each;
    int me = (int)pick(maker, (unsigned)players), rest = times % each;
    int total = times / each * players * each + (rest ? me * each + rest : 0);
    int how[1] = {MPI_DISTRIBUTE_CYCLIC};
    MPI_Aint *offsets = malloc(sizeof(MPI_Aint) * (size_t)times);
    for (int i = 0; i < times; i++)
        offsets[i] = (i / each * players * each + me * each + i % each) * part->extent;
    struct made made = copies(part, offsets, times);
    EQUAL(MPI_Type_create_darray(players, me, 1, &total, how, &each, &players, MPI_ORDER_C,
                                 part->type, &made.type), MPI_SUCCESS);
    made.lb = 0;
    made.extent = total * part->extent;
    made.is_marked = 1;
    free(offsets);
    return made;
}

static struct made make(struct maker *maker, const unsigned char *leaves, int count);

/* Leaves of different kinds, one after the other in the message, anywhere in memory. */
static struct made structure(struct maker *maker, const unsigned char *leaves, int count)
{
    int pieces = 2 + (int)pick(maker, 3), cuts[8], lengths[8], order[8], done = 0;
    struct made parts[8], made = {0};
    struct lists lists = lists_of(8);
    MPI_Datatype types[8];
    MPI_Aint cursor = maker->spacing == TIGHT ? 0 : (MPI_Aint)pick(maker, 33) - 16;
    pieces = pieces > count ? count : pieces;
    cuts[0] = 0;
    for (int i = 1; i <= pieces; i++)
        cuts[i] = i == pieces ? count
                              : cuts[i - 1] + 1 +
                                    (int)pick(maker, (unsigned)(count - cuts[i - 1] - pieces + i));
    made.map = malloc(sizeof(struct place) * (size_t)(count + 1));
    made.count = count;
    for (int i = 0; i < pieces; i++) {
        int length = cuts[i + 1] - cuts[i], all_same = 1;
        for (int j = 1; j < length; j++)
            all_same &= leaves[cuts[i] + j] == leaves[cuts[i]];
        lengths[i] = all_same ? length : 1;
        parts[i] = make(maker, leaves + cuts[i], length / lengths[i]);
        types[i] = parts[i].type;
        made.is_marked |= parts[i].is_marked;
        if (parts[i].alignment > made.alignment)
            made.alignment = parts[i].alignment;
    }
    shuffled(maker, order, pieces);
    for (int i = 0; i < pieces; i++) {
        struct made *part = &parts[order[i]];
        cursor += gap(maker, part->extent);
        if (maker->spacing == ALIGNED)
            cursor = (cursor + 1024 + 15) / 16 * 16 - 1024;
        lists.large_at[order[i]] = cursor - part->low;
        lists.large[order[i]] = lengths[order[i]];
        cursor += (lengths[order[i]] - 1) * part->extent + part->high - part->low;
    }
    narrow(&lists, pieces);
    MPI_Aint lowest = 0, highest = 0;
    int known = 0;
    for (int i = 0; i < pieces; i++) {
        MPI_Aint lb = lists.at[i] + parts[i].lb, ub = lb + lengths[i] * parts[i].extent;
        for (int j = 0; j < lengths[i]; j++)
            for (int k = 0; k < parts[i].count; k++, done++) {
                made.map[done] = parts[i].map[k];
                made.map[done].at += lists.at[i] + j * parts[i].extent;
            }
        /* Where some set their bounds, those of the others do not count. */
        if (parts[i].is_marked != made.is_marked)
            continue;
        lowest = !known || lb < lowest ? lb : lowest;
        highest = !known || ub > highest ? ub : highest;
        known = 1;
    }
    EQUAL(done, count);
    EQUAL(pick(maker, 2) ? MPI_Type_create_struct(pieces, lists.small, lists.at, types, &made.type)
                         : MPI_Type_create_struct_c(pieces, lists.large, lists.large_at, types,
                                                    &made.type), MPI_SUCCESS);
    made.lb = lowest;
    made.extent = highest - lowest;
    round_up(&made);
    bounds(&made);
    for (int i = 0; i < pieces; i++)
        give_back(&parts[i]);
    free_lists(&lists);
    return made;
}

/* A leaf, or a pair of them that MPI has a name for. */
static struct made single(struct maker *maker, const unsigned char *leaves, int count)
{
    static const struct {
        MPI_Datatype type;
        int first, second, bytes;
    } PAIRS[] = {{MPI_SHORT_INT, SHORTS, 4, 8},
                 {MPI_2INT, INTS, 4, 8},
                 {MPI_FLOAT_INT, FLOATS, 4, 8},
                 {MPI_DOUBLE_INT, DOUBLES, 8, 16},
                 {MPI_LONG_DOUBLE_INT, LONG_DOUBLES, 16, 32}};
    struct made made = {MPI_DATATYPE_NULL, NULL, 0, 0, 0, 0, 0, 0, 1};
    if (count == 1) {
        struct place place = {0, leaves[0]};
        made.map = malloc(sizeof place);
        made.map[0] = place;
        made.count = 1;
        made.extent = LEAVES[leaves[0]].size;
        made.alignment = made.extent / LEAVES[leaves[0]].parts;
        EQUAL(MPI_Type_dup(LEAVES[leaves[0]].type, &made.type), MPI_SUCCESS);
    }
    for (int i = 0; i < 5 && count == 2; i++) {
        if (leaves[0] != PAIRS[i].first || leaves[1] != INTS || pick(maker, 2))
            continue;
        made.map = malloc(2 * sizeof *made.map);
        made.map[0] = (struct place){0, leaves[0]};
        made.map[1] = (struct place){PAIRS[i].second, INTS};
        made.count = 2;
        made.extent = PAIRS[i].bytes;
        made.alignment = PAIRS[i].second;
        EQUAL(MPI_Type_dup(PAIRS[i].type, &made.type), MPI_SUCCESS);
    }
    bounds(&made);
    return made;
}

/* How many times the same leaves follow each other: one of the numbers that are possible. */
static int period(struct maker *maker, const unsigned char *leaves, int count)
{
    int found[64], many = 0;
    for (int times = 2; times <= count && many < 64; times++) {
        int length = count / times, is_same = count % times == 0;
        for (int i = length; is_same && i < count; i++)
            is_same = leaves[i] == leaves[i - length];
        if (is_same)
            found[many++] = times;
    }
    return many ? found[pick(maker, (unsigned)many)] : 1;
}

/* Other bounds, wide enough for items not to overlap. */
static void resize(struct maker *maker, struct made *made)
{
    MPI_Datatype old = made->type;
    MPI_Aint span = made->high - made->low, lb = made->low - (MPI_Aint)pick(maker, 9);
    MPI_Aint extent = span + gap(maker, span * 4) * (maker->spacing == ALIGNED ? 16 : 1);
    int is_large = (int)pick(maker, 2);
    if (maker->spacing == ALIGNED)
        extent = (extent + 15) / 16 * 16;
    EQUAL(is_large ? MPI_Type_create_resized_c(old, lb, extent, &made->type)
                   : MPI_Type_create_resized(old, lb, extent, &made->type), MPI_SUCCESS);
    MPI_Type_free(&old);
    made->lb = lb;
    made->extent = extent;
    made->is_marked = 1;
}

static struct made make(struct maker *maker, const unsigned char *leaves, int count)
{
    struct made made = single(maker, leaves, count);
    static const char *NAMES[] = {"a single one", "blocks", "strides", "a transposed matrix",
                                  "a part of an array", "a dealt array", "a structure"};
    int how = 0, times = period(maker, leaves, count);
    if (made.map == NULL && times > 1) {
        struct made part = make(maker, leaves, count / times);
        how = (int)pick(maker, 5) + 1;
        made = how == 1   ? in_blocks(maker, &part, times)
               : how == 2 ? in_strides(maker, &part, times)
               : how == 3 ? transposed(maker, &part, times)
               : how == 4 ? of_array(maker, &part, times)
                          : dealt(maker, &part, times);
        give_back(&part);
    } else if (made.map == NULL) {
        made = structure(maker, leaves, count);
        how = 6;
    }
    expect_model(&made, NAMES[how]);
    if (pick(maker, 6) == 0 || made.extent < made.high - made.low) {
        resize(maker, &made);
        expect_model(&made, "other bounds");
    }
    return made;
}

/* A type whose items have `times` of the signature each, ready to use. */
static struct made draw_type(uint64_t *state, const struct signature *signature, int times)
{
    struct maker maker = {state, (enum spacing)draw_from(state, 3)};
    int count = signature->count * times;
    unsigned char *leaves = malloc((size_t)count + 1);
    for (int i = 0; i < count; i++)
        leaves[i] = signature->leaves[i % signature->count];
    struct made made = make(&maker, leaves, count);
    free(leaves);
    EQUAL(MPI_Type_commit(&made.type), MPI_SUCCESS);
    return made;
}
#endif
