/* Groups, communicators, attributes, names. */
#include "check.h"
#include <pthread.h>

#define W MPI_COMM_WORLD

static void predefined(void)
{
    int value, length;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Comm parent;
    MPI_Comm_size(MPI_COMM_SELF, &value);
    EQUAL(value, 1);
    MPI_Comm_rank(MPI_COMM_SELF, &value);
    EQUAL(value, 0);
    MPI_Comm_get_name(W, name, &length);
    CHECK(strcmp(name, "MPI_COMM_WORLD") == 0 && length == 14);
    MPI_Comm_get_name(MPI_COMM_SELF, name, &length);
    CHECK(strcmp(name, "MPI_COMM_SELF") == 0);
    MPI_Comm_compare(W, W, &value);
    EQUAL(value, MPI_IDENT);
    MPI_Comm_compare(W, MPI_COMM_SELF, &value);
    EQUAL(value, size == 1 ? MPI_CONGRUENT : MPI_UNEQUAL);
    MPI_Comm_test_inter(W, &value);
    EQUAL(value, 0);
    MPI_Comm_get_parent(&parent);
    CHECK(parent == MPI_COMM_NULL);
    const struct {
        int key, value;
    } attributes[] = {{MPI_TAG_UB, 2147483647},  {MPI_IO, MPI_ANY_SOURCE},
                      {MPI_HOST, MPI_PROC_NULL}, {MPI_WTIME_IS_GLOBAL, 1},
                      {MPI_APPNUM, 0},           {MPI_LASTUSEDCODE, MPI_ERR_LASTCODE}};
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        int *found = NULL, flag = 0;
        MPI_Comm_get_attr(W, attributes[i].key, &found, &flag);
        CHECK(flag);
        EQUAL(*found, attributes[i].value);
    }
    /* There are seats for those that a program may spawn. */
    int *universe = NULL, flag = 0;
    MPI_Comm_get_attr(W, MPI_UNIVERSE_SIZE, &universe, &flag);
    CHECK(flag && *universe >= size);
}

/* What is no object has the name of its handle (MPI-4.1 7.8). */
static void null_names(void)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    EQUAL(MPI_Comm_get_name(MPI_COMM_NULL, name, &length), MPI_SUCCESS);
    CHECK(strcmp(name, "MPI_COMM_NULL") == 0 && length == 13);
    EQUAL(MPI_Type_get_name(MPI_DATATYPE_NULL, name, &length), MPI_SUCCESS);
    CHECK(strcmp(name, "MPI_DATATYPE_NULL") == 0 && length == 17);
    EQUAL(MPI_Win_get_name(MPI_WIN_NULL, name, &length), MPI_SUCCESS);
    CHECK(strcmp(name, "MPI_WIN_NULL") == 0 && length == 12);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    FAILS(MPI_Comm_set_name(MPI_COMM_NULL, "mine"), MPI_ERR_COMM, "MPI_COMM_NULL");
    FAILS(MPI_Type_set_name(MPI_DATATYPE_NULL, "mine"), MPI_ERR_TYPE, "MPI_DATATYPE_NULL");
    FAILS(MPI_Comm_get_name(NULL, name, &length), MPI_ERR_COMM, "null pointer");
    FAILS(MPI_Win_get_name((MPI_Win)0x1234, name, &length), MPI_ERR_WIN, "0x1234");
}

static void duplicates(void)
{
    MPI_Comm copy, copies[20];
    MPI_Info hints;
    int result, length, sent = rank, got = -1;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Comm_dup(W, &copy);
    MPI_Comm_compare(W, copy, &result);
    EQUAL(result, MPI_CONGRUENT);
    MPI_Comm_get_name(copy, name, &length);
    EQUAL(length, 0);
    MPI_Comm_set_name(copy, "my own");
    MPI_Comm_get_name(copy, name, &length);
    CHECK(strcmp(name, "my own") == 0 && length == 6);
    /* Messages of one are none of the other's. */
    int right = (rank + 1) % size, left = (rank + size - 1) % size, other = 1000 + rank;
    MPI_Request requests[2];
    MPI_Isend(&sent, 1, MPI_INT, right, 5, W, &requests[0]);
    MPI_Isend(&other, 1, MPI_INT, right, 5, copy, &requests[1]);
    MPI_Recv(&got, 1, MPI_INT, left, 5, copy, MPI_STATUS_IGNORE);
    EQUAL(got, 1000 + left);
    MPI_Recv(&got, 1, MPI_INT, left, 5, W, MPI_STATUS_IGNORE);
    EQUAL(got, left);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Info_create(&hints);
    MPI_Info_set(hints, "mpi_assert_no_any_tag", "true");
    for (int i = 0; i < 20; i++) {
        MPI_Comm_dup_with_info(copy, hints, &copies[i]);
        for (int j = 0; j < i; j++)
            CHECK(copies[i] != copies[j]);
        MPI_Barrier(copies[i]);
    }
    MPI_Info_free(&hints);
    MPI_Comm_get_info(copies[3], &hints);
    MPI_Info_get_valuelen(hints, "mpi_assert_no_any_tag", &length, &result);
    CHECK(result && length == 4);
    MPI_Info_set(hints, "mpi_assert_no_any_tag", "false");
    MPI_Info_set(hints, "mpi_assert_exact_length", "true");
    EQUAL(MPI_Comm_set_info(copies[3], hints), MPI_SUCCESS);
    MPI_Info_free(&hints);
    MPI_Comm_get_info(copies[3], &hints);
    MPI_Info_get_valuelen(hints, "mpi_assert_exact_length", &length, &result);
    CHECK(result && length == 4);
    MPI_Info_get_valuelen(hints, "mpi_assert_no_any_tag", &length, &result);
    CHECK(!result || length == 5);
    MPI_Info_free(&hints);
    for (int i = 0; i < 20; i++)
        MPI_Comm_free(&copies[i]);
    MPI_Comm_disconnect(&copy);
    CHECK(copy == MPI_COMM_NULL);
}

static void splits(void)
{
    MPI_Comm part, all;
    int part_rank, part_size, sum, wanted = 0;
    MPI_Comm_split(W, rank % 2, -rank, &part);
    MPI_Comm_rank(part, &part_rank);
    MPI_Comm_size(part, &part_size);
    EQUAL(part_size, (size + 1 - rank % 2) / 2);
    EQUAL(part_rank, part_size - 1 - rank / 2);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, part);
    for (int i = rank % 2; i < size; i += 2)
        wanted += i;
    EQUAL(sum, wanted);
    MPI_Comm_free(&part);
    MPI_Comm_split(W, rank == 0 ? MPI_UNDEFINED : 1, 0, &part);
    CHECK((rank == 0) == (part == MPI_COMM_NULL));
    if (rank != 0) {
        MPI_Comm_rank(part, &part_rank);
        EQUAL(part_rank, rank - 1);
        MPI_Barrier(part);
        MPI_Comm_free(&part);
    }
    MPI_Comm_split_type(W, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &all);
    MPI_Comm_size(all, &part_size);
    EQUAL(part_size, size);
    MPI_Comm_free(&all);
}

static void parts_of_the_machine(void)
{
    MPI_Comm part;
    MPI_Info hints, resources;
    int value, flag, count, length;
    char key[MPI_MAX_INFO_KEY], text[100];
    EQUAL(MPI_Get_hw_resource_info(&resources), MPI_SUCCESS);
    MPI_Info_get_nkeys(resources, &count);
    CHECK(count > 1);
    for (int i = 0; i < count; i++) {
        MPI_Info_get_nthkey(resources, i, key);
        length = sizeof text;
        MPI_Info_get_string(resources, key, &length, text, &flag);
        int is_kept = strcmp(text, "true") == 0, kept, all;
        CHECK(flag && (is_kept || strcmp(text, "false") == 0));
        MPI_Info_create(&hints);
        MPI_Info_set(hints, "mpi_hw_resource_type", key);
        const int kinds[] = {MPI_COMM_TYPE_HW_GUIDED, MPI_COMM_TYPE_RESOURCE_GUIDED};
        for (int k = 0; k < 2; k++) {
            EQUAL(MPI_Comm_split_type(W, kinds[k], 0, hints, &part), MPI_SUCCESS);
            EQUAL(part != MPI_COMM_NULL, is_kept);
            kept = 0;
            if (is_kept) {
                MPI_Allreduce(&is_kept, &kept, 1, MPI_INT, MPI_SUM, part);
                MPI_Comm_size(part, &value);
                EQUAL(kept, value);
                MPI_Comm_free(&part);
            }
            MPI_Allreduce(&is_kept, &all, 1, MPI_INT, MPI_SUM, W);
            CHECK(kept <= all);
            if (strcmp(key, "mpi_shared_memory") == 0 || strcmp(key, "hwloc://Machine") == 0)
                EQUAL(kept, size);
        }
        MPI_Info_free(&hints);
    }
    MPI_Info_free(&resources);
    MPI_Info_create(&hints);
    EQUAL(MPI_Comm_split_type(W, MPI_COMM_TYPE_HW_GUIDED, 0, hints, &part), MPI_SUCCESS);
    CHECK(part == MPI_COMM_NULL);
    EQUAL(MPI_Comm_split_type(W, MPI_COMM_TYPE_HW_GUIDED, 0, MPI_INFO_NULL, &part), MPI_SUCCESS);
    CHECK(part == MPI_COMM_NULL);
    EQUAL(MPI_Comm_split_type(W, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, hints, &part), MPI_SUCCESS);
    CHECK(part == MPI_COMM_NULL);
    MPI_Info_set(hints, "mpi_hw_resource_type", "abacus://bead");
    EQUAL(MPI_Comm_split_type(W, MPI_COMM_TYPE_HW_GUIDED, 0, hints, &part), MPI_SUCCESS);
    CHECK(part == MPI_COMM_NULL);
    MPI_Info_free(&hints);
    const struct {
        const char *name;
        int members;
    } sets[] = {{"mpi://WORLD", size}, {"mpi://SELF", 1}, {"mpi://NONE", 0}};
    for (int i = 0; i < 3; i++) {
        MPI_Info_create(&hints);
        MPI_Info_set(hints, "mpi_pset_name", sets[i].name);
        EQUAL(MPI_Comm_split_type(W, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, hints, &part), MPI_SUCCESS);
        value = 0;
        if (part != MPI_COMM_NULL) {
            MPI_Comm_size(part, &value);
            MPI_Comm_free(&part);
        }
        EQUAL(value, sets[i].members);
        MPI_Info_free(&hints);
    }
    /* Level by level down to where nothing divides any more. */
    MPI_Comm level = W;
    for (int depth = 0;; depth++) {
        int before, after;
        CHECK(depth < 8);
        MPI_Comm_size(level, &before);
        MPI_Info_create(&hints);
        EQUAL(MPI_Comm_split_type(level, MPI_COMM_TYPE_HW_UNGUIDED, 0, hints, &part), MPI_SUCCESS);
        length = sizeof text;
        MPI_Info_get_string(hints, "mpi_hw_resource_type", &length, text, &flag);
        MPI_Info_free(&hints);
        if (level != W)
            MPI_Comm_free(&level);
        if (part == MPI_COMM_NULL)
            break;
        CHECK(flag);
        MPI_Comm_size(part, &after);
        CHECK(after < before);
        level = part;
    }
    EQUAL(MPI_Comm_split_type(W, MPI_UNDEFINED, 0, MPI_INFO_NULL, &part), MPI_SUCCESS);
    CHECK(part == MPI_COMM_NULL);
}

static void duplicates_later(void)
{
    enum { MANY = 10 };
    MPI_Comm made[MANY], second;
    MPI_Request requests[MANY], request;
    MPI_Info hints, seen;
    int value, flag, got, key, here = 5;
    void *found;
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(W, key, &here);
    for (int i = 0; i < MANY; i++)
        EQUAL(MPI_Comm_idup(W, &made[i], &requests[i]), MPI_SUCCESS);
    EQUAL(MPI_Barrier(W), MPI_SUCCESS);
    for (int i = MANY - 1; i >= 0; i--)
        EQUAL(MPI_Wait(&requests[i], MPI_STATUS_IGNORE), MPI_SUCCESS);
    int right = (rank + 1) % size, left = (rank + size - 1) % size, sent[MANY];
    for (int i = 0; i < MANY; i++) {
        MPI_Comm_compare(W, made[i], &value);
        EQUAL(value, MPI_CONGRUENT);
        MPI_Comm_get_attr(made[i], key, &found, &flag);
        CHECK(flag && found == &here);
        sent[i] = 100 * rank + i;
        MPI_Isend(&sent[i], 1, MPI_INT, right, 0, made[i], &requests[i]);
    }
    for (int i = MANY - 1; i >= 0; i--) {
        MPI_Recv(&got, 1, MPI_INT, left, 0, made[i], MPI_STATUS_IGNORE);
        EQUAL(got, 100 * left + i);
    }
    MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
    MPI_Info_create(&hints);
    MPI_Info_set(hints, "mpi_assert_no_any_tag", "true");
    EQUAL(MPI_Comm_idup_with_info(made[0], hints, &second, &request), MPI_SUCCESS);
    MPI_Info_free(&hints);
    for (flag = 0; !flag;)
        EQUAL(MPI_Test(&request, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
    MPI_Comm_get_info(second, &seen);
    MPI_Info_get_valuelen(seen, "mpi_assert_no_any_tag", &value, &flag);
    CHECK(flag);
    MPI_Info_free(&seen);
    EQUAL(MPI_Barrier(second), MPI_SUCCESS);
    MPI_Comm_free(&second);
    for (int i = 0; i < MANY; i++)
        MPI_Comm_free(&made[i]);
    MPI_Comm_delete_attr(W, key);
    MPI_Comm_free_keyval(&key);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    FAILS(MPI_Comm_idup(MPI_COMM_NULL, &second, &request), MPI_ERR_COMM, "MPI_COMM_NULL");
}

static int refuse_copy(MPI_Comm comm, int key, void *state, void *in, void *out, int *flag)
{
    (void)comm, (void)key, (void)state, (void)in, (void)out, (void)flag;
    return MPI_ERR_SIZE;
}

/* Where one process's callback says no, the others have their duplicate. */
static void refused_duplicates(void)
{
    MPI_Comm made;
    MPI_Request request;
    int key;
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    MPI_Comm_create_keyval(refuse_copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    if (rank == 0)
        MPI_Comm_set_attr(W, key, NULL);
    int code = MPI_Comm_idup(W, &made, &request);
    if (rank == 0) {
        FAILS(code, MPI_ERR_SIZE, "copy function");
    } else {
        EQUAL(code, MPI_SUCCESS);
        EQUAL(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
        MPI_Comm_free(&made);
    }
    code = MPI_Comm_dup(W, &made);
    if (rank == 0) {
        FAILS(code, MPI_ERR_SIZE, "copy function");
        MPI_Comm_delete_attr(W, key);
    } else {
        EQUAL(code, MPI_SUCCESS);
        MPI_Comm_free(&made);
    }
    EQUAL(MPI_Barrier(W), MPI_SUCCESS);
    MPI_Comm_free_keyval(&key);
}

static void of_groups(void)
{
    MPI_Group world, even, empty;
    MPI_Comm made;
    int range[1][3] = {{0, size - 1, 2}}, made_rank, found;
    MPI_Comm_group(W, &world);
    MPI_Group_range_incl(world, 1, range, &even);
    MPI_Comm_create(W, even, &made);
    CHECK((rank % 2 == 0) == (made != MPI_COMM_NULL));
    if (made != MPI_COMM_NULL) {
        MPI_Comm_rank(made, &made_rank);
        EQUAL(made_rank, rank / 2);
        MPI_Barrier(made);
        MPI_Comm_free(&made);
    }
    if (rank % 2 == 0) {
        MPI_Comm_create_group(W, even, 5, &made);
        MPI_Allreduce(&rank, &found, 1, MPI_INT, MPI_MAX, made);
        EQUAL(found, (size - 1) / 2 * 2);
        MPI_Comm_free(&made);
    }
    MPI_Group_incl(world, 0, NULL, &empty);
    CHECK(empty == MPI_GROUP_EMPTY);
    MPI_Comm_create(W, empty, &made);
    CHECK(made == MPI_COMM_NULL);
    MPI_Group_free(&even);
    MPI_Group_free(&world);
    CHECK(even == MPI_GROUP_NULL && world == MPI_GROUP_NULL);
}

static void groups(void)
{
    MPI_Group world, a, b, c;
    int value, mine[] = {0, 1, MPI_PROC_NULL}, theirs[3], first[] = {0}, ranges[][3] = {{1, 1, 1}};
    MPI_Comm_group(W, &world);
    MPI_Group_size(world, &value);
    EQUAL(value, size);
    MPI_Group_rank(world, &value);
    EQUAL(value, rank);
    MPI_Group_size(MPI_GROUP_EMPTY, &value);
    EQUAL(value, 0);
    MPI_Group_rank(MPI_GROUP_EMPTY, &value);
    EQUAL(value, MPI_UNDEFINED);
    MPI_Group_incl(world, 1, first, &a);
    MPI_Group_excl(world, 1, first, &b);
    MPI_Group_union(b, a, &c);
    MPI_Group_compare(world, c, &value);
    EQUAL(value, size == 1 ? MPI_IDENT : MPI_SIMILAR);
    MPI_Group_compare(world, a, &value);
    EQUAL(value, size == 1 ? MPI_IDENT : MPI_UNEQUAL);
    if (size > 1) {
        MPI_Group_translate_ranks(world, 3, mine, c, theirs);
        CHECK(theirs[0] == size - 1 && theirs[1] == 0 && theirs[2] == MPI_PROC_NULL);
        MPI_Group_translate_ranks(world, 1, mine, b, theirs);
        EQUAL(theirs[0], MPI_UNDEFINED);
    }
    MPI_Group_free(&c);
    MPI_Group_intersection(a, b, &c);
    CHECK(c == MPI_GROUP_EMPTY);
    MPI_Group_free(&c);
    MPI_Group_difference(world, a, &c);
    MPI_Group_compare(b, c, &value);
    EQUAL(value, MPI_IDENT);
    MPI_Group_free(&c);
    if (size > 1) {
        MPI_Group_range_excl(world, 1, ranges, &c);
        MPI_Group_size(c, &value);
        EQUAL(value, size - 1);
        MPI_Group_free(&c);
    }
    MPI_Group_free(&a);
    MPI_Group_free(&b);
    MPI_Group_free(&world);
}

static int copied, deleted, order[4], refuses;

static int on_copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)key;
    CHECK(extra == &copied);
    copied++;
    *(void **)out = (char *)in + 1;
    *flag = in != (void *)7;
    return MPI_SUCCESS;
}

static int on_delete(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key;
    CHECK(extra == &copied);
    if (refuses)
        return MPI_ERR_OTHER;
    order[deleted++ % 4] = (int)(long)value;
    return MPI_SUCCESS;
}

static void attributes(void)
{
    MPI_Comm copy;
    int key, other, twin, flag, freed;
    void *value;
    MPI_Comm_create_keyval(on_copy, on_delete, &key, &copied);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &other, NULL);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &twin, NULL);
    MPI_Comm_get_attr(W, key, &value, &flag);
    EQUAL(flag, 0);
    MPI_Comm_set_attr(W, key, (void *)100);
    MPI_Comm_set_attr(W, other, (void *)1);
    MPI_Comm_set_attr(W, twin, (void *)2);
    MPI_Comm_dup(W, &copy);
    EQUAL(copied, 1);
    MPI_Comm_get_attr(copy, key, &value, &flag);
    CHECK(flag && value == (void *)101);
    MPI_Comm_get_attr(copy, twin, &value, &flag);
    CHECK(flag && value == (void *)2);
    MPI_Comm_get_attr(copy, other, &value, &flag);
    EQUAL(flag, 0);
    /* Setting it anew deletes the old one; refused, everything stays. */
    MPI_Comm_set_attr(copy, key, (void *)55);
    CHECK(deleted == 1 && order[0] == 101);
    refuses = 1;
    MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
    EQUAL(MPI_Comm_free(&copy), MPI_ERR_OTHER);
    CHECK(copy != MPI_COMM_NULL);
    refuses = 0;
    freed = key;
    MPI_Comm_free_keyval(&key);
    EQUAL(key, MPI_KEYVAL_INVALID);
    /* What hangs under a freed key is still there. */
    MPI_Comm_get_attr(copy, freed, &value, &flag);
    CHECK(flag && value == (void *)55);
    MPI_Comm_free(&copy);
    CHECK(deleted == 2 && order[1] == 55);
    MPI_Comm_delete_attr(W, freed);
    CHECK(deleted == 3 && order[2] == 100);
    MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, &key, NULL);
    MPI_Attr_put(W, key, &rank);
    MPI_Attr_get(W, key, &value, &flag);
    CHECK(flag && value == &rank);
    MPI_Attr_delete(W, key);
    MPI_Attr_get(W, key, &value, &flag);
    EQUAL(flag, 0);
    MPI_Keyval_free(&key);
}

static int fail_to_copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)key, (void)extra, (void)in, (void)out, (void)flag;
    return MPI_ERR_OTHER;
}

/* A copy callback fails: what was copied before is deleted again, the newest first. */
static void failed_copies(void)
{
    MPI_Comm mine, copy;
    int keys[4];
    MPI_Comm_dup(MPI_COMM_SELF, &mine);
    MPI_Comm_set_errhandler(mine, MPI_ERRORS_RETURN);
    for (int i = 0; i < 4; i++) {
        MPI_Comm_create_keyval(i == 2 ? fail_to_copy : on_copy, on_delete, &keys[i], &copied);
        MPI_Comm_set_attr(mine, keys[i], (void *)(10L * i));
    }
    EQUAL(MPI_Comm_dup(mine, &copy), MPI_ERR_OTHER);
    CHECK(copied == 2 && deleted == 2 && order[0] == 11 && order[1] == 1);
    MPI_Comm_free(&mine);
    EQUAL(deleted, 6);
}

/* The number of a freed key comes back some day; what hung under the old one is not found by it. */
static void reused_keys(void)
{
    int old, key, flag;
    void *value;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &old, &copied);
    MPI_Comm_set_attr(MPI_COMM_SELF, old, (void *)7);
    int number = old, turns = 0;
    MPI_Comm_free_keyval(&old);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &key, &copied);
    for (; key != number && turns < 1000000; turns++) {
        MPI_Comm_free_keyval(&key);
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &key, &copied);
    }
    EQUAL(key, number);
    MPI_Comm_get_attr(MPI_COMM_SELF, key, &value, &flag);
    EQUAL(flag, 0);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, (void *)8);
    EQUAL(deleted, 0);
    MPI_Comm_get_attr(MPI_COMM_SELF, key, &value, &flag);
    CHECK(flag && value == (void *)8);
    MPI_Comm_delete_attr(MPI_COMM_SELF, key);
    CHECK(deleted == 1 && order[0] == 8);
}

/* Prints what MPI_Finalize deletes: the newest first. */
static int at_finalize(MPI_Comm comm, int key, void *value, void *extra)
{
    int is_final = -1;
    (void)key, (void)extra;
    MPI_Finalized(&is_final);
    if (comm == MPI_COMM_SELF && !is_final)
        printf("deleted %s\n", (char *)value);
    return MPI_SUCCESS;
}

static void at_the_end(void)
{
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, "first");
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, "second");
}

#define THREADS 4

/* One thread makes communicators of its own one while the others do the same. */
static void *make_many(void *argument)
{
    MPI_Comm mine = *(MPI_Comm *)argument, copy, part;
    for (int i = 0; i < 50; i++) {
        int color = (rank + i) % 2, sum, wanted = 0, got = -1;
        MPI_Comm_dup(mine, &copy);
        MPI_Comm_split(copy, color, 0, &part);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, part);
        for (int j = 0; j < size; j++)
            wanted += (j + i) % 2 == color ? j : 0;
        EQUAL(sum, wanted);
        MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT,
                     (rank + size - 1) % size, 0, copy, MPI_STATUS_IGNORE);
        EQUAL(got, (rank + size - 1) % size);
        MPI_Comm_free(&part);
        MPI_Comm_free(&copy);
    }
    return NULL;
}

static void threads(void)
{
    pthread_t ids[THREADS];
    MPI_Comm comms[THREADS];
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_dup(W, &comms[i]);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&ids[i], NULL, make_many, &comms[i]) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(ids[i], NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_free(&comms[i]);
}

static void errors(void)
{
    MPI_Comm comm = MPI_COMM_NULL, made;
    MPI_Group world, group = MPI_GROUP_NULL, alone;
    int value, one[] = {size}, twice[] = {0, 0}, still[][3] = {{0, 0, 0}}, key = 502;
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    FAILS(MPI_Comm_size(comm, &value), MPI_ERR_COMM, "comm is MPI_COMM_NULL");
    FAILS(MPI_Comm_size((MPI_Comm)0, &value), MPI_ERR_COMM, "comm is a null pointer");
    FAILS(MPI_Comm_size((MPI_Comm)MPI_INT, &value), MPI_ERR_COMM, "not a valid communicator");
    FAILS(MPI_Comm_rank(W, NULL), MPI_ERR_ARG, "rank is a null pointer");
    FAILS(MPI_Comm_compare(W, comm, &value), MPI_ERR_COMM, "comm2 is MPI_COMM_NULL");
    FAILS(MPI_Comm_free(&comm), MPI_ERR_COMM, "MPI_COMM_NULL");
    comm = W;
    FAILS(MPI_Comm_free(&comm), MPI_ERR_COMM, "MPI_COMM_WORLD, which cannot be freed");
    FAILS(MPI_Comm_dup(W, NULL), MPI_ERR_ARG, "newcomm is a null pointer");
    FAILS(MPI_Comm_split(W, -5, 0, &made), MPI_ERR_ARG, "color is -5");
    FAILS(MPI_Comm_split_type(W, 17, 0, MPI_INFO_NULL, &made), MPI_ERR_ARG, "split_type is 17");
    FAILS(MPI_Comm_create(W, group, &made), MPI_ERR_GROUP, "group is MPI_GROUP_NULL");
    FAILS(MPI_Comm_create_group(W, MPI_GROUP_EMPTY, -1, &made), MPI_ERR_TAG, "tag is -1");
    FAILS(MPI_Comm_remote_size(W, &value), MPI_ERR_COMM, "not an intercommunicator");
    FAILS(MPI_Comm_set_name(W, NULL), MPI_ERR_ARG, "comm_name is a null pointer");
    MPI_Comm_dup(W, &made);
    comm = made;
    MPI_Comm_free(&made);
    FAILS(MPI_Comm_size(comm, &value), MPI_ERR_COMM, "was it freed?");
    MPI_Comm_group(W, &world);
    FAILS(MPI_Group_size(group, &value), MPI_ERR_GROUP, "group is MPI_GROUP_NULL");
    FAILS(MPI_Group_free(&group), MPI_ERR_GROUP, "MPI_GROUP_NULL");
    FAILS(MPI_Group_incl(world, 1, one, &group), MPI_ERR_RANK, "the group has");
    FAILS(MPI_Group_incl(world, 2, twice, &group), MPI_ERR_RANK, "twice");
    FAILS(MPI_Group_excl(world, 1, one, &group), MPI_ERR_RANK, "ranks holds");
    FAILS(MPI_Group_incl(world, -1, one, &group), MPI_ERR_ARG, "n is -1");
    FAILS(MPI_Group_incl(world, 1, NULL, &group), MPI_ERR_ARG, "ranks is a null pointer");
    FAILS(MPI_Group_range_incl(world, 1, still, &group), MPI_ERR_ARG, "stride of 0");
    FAILS(MPI_Group_translate_ranks(world, 1, one, world, &value), MPI_ERR_RANK, "ranks1");
    MPI_Comm_group(MPI_COMM_SELF, &alone);
    if (size > 1)
        FAILS(MPI_Comm_create(MPI_COMM_SELF, world, &made), MPI_ERR_GROUP, "not in comm");
    FAILS(MPI_Comm_set_attr(W, MPI_KEYVAL_INVALID, NULL), MPI_ERR_KEYVAL, "MPI_KEYVAL_INVALID");
    FAILS(MPI_Comm_set_attr(W, MPI_TAG_UB, NULL), MPI_ERR_KEYVAL, "predefined attributes");
    FAILS(MPI_Comm_delete_attr(W, 12345), MPI_ERR_KEYVAL, "12345");
    FAILS(MPI_Comm_free_keyval(&key), MPI_ERR_KEYVAL, "502");
    FAILS(MPI_Comm_get_attr(W, 77, &value, &value), MPI_ERR_KEYVAL, "77");
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
    FAILS(MPI_Comm_set_attr(W, key, NULL), MPI_ERR_KEYVAL, "not a key for such objects");
    MPI_Type_free_keyval(&key);
    MPI_Group_free(&world);
    MPI_Group_free(&alone);
}

static void nobody_to_meet(void)
{
    MPI_Comm made;
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    FAILS(MPI_Comm_spawn("x", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, W, &made, MPI_ERRCODES_IGNORE),
          MPI_ERR_SPAWN, "MPI_Comm_spawn");
    FAILS(MPI_Comm_connect("x", MPI_INFO_NULL, 0, W, &made), MPI_ERR_PORT, "MPI_Comm_connect");
    FAILS(MPI_Comm_accept("x", MPI_INFO_NULL, 0, W, &made), MPI_ERR_PORT, "MPI_Comm_accept");
}

static const struct test TESTS[] = {
    {"predefined", predefined}, {"null-names", null_names},
    {"parts-of-the-machine", parts_of_the_machine},
        {"duplicates-later", duplicates_later},
        {"refused-duplicates", refused_duplicates},
        {"duplicates", duplicates}, {"splits", splits},
    {"of-groups", of_groups},   {"groups", groups},         {"attributes", attributes},
    {"failed-copies", failed_copies}, {"reused-keys", reused_keys},
    {"at-the-end", at_the_end}, {"threads", threads}, {"errors", errors},
    {"nobody-to-meet", nobody_to_meet}, {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_test(argc, argv, TESTS);
}
