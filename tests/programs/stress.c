/* Every rank sends every other one random messages in random ways, while several threads of each
 * rank receive them in random ways: sizes from 0 to 8 MB, tags, wildcards, modes, cancellation.
 * Each message carries its number, and its bytes follow from that: nothing may be lost, doubled,
 * overtaken or damaged. Arguments: seed, messages per rank. */
#include "check.h"
#include <pthread.h>
#include <stdint.h>

enum { TAGS = 5, WINDOW = 8, LARGEST = 8 << 20, COMMS = 2, STOP = 99 };
/* Tags on MPI_COMM_WORLD. */
enum { DECOY_SENT = 1, DECOY_WANTED, TOKEN, READY };

struct head {
    uint32_t from, number, bytes, sum;
};

static uint64_t seed;
static int messages;
static MPI_Comm comms[COMMS];
static pthread_mutex_t tally = PTHREAD_MUTEX_INITIALIZER;
static long received, checksum;

static uint64_t mix(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Mostly small, now and then large, very seldom 8 MB. */
static size_t any_size(uint64_t *state)
{
    uint64_t roll = mix(state) % 10000;
    size_t most = roll < 6000 ? 64 : roll < 9000 ? 4096 : roll < 9900 ? 65536 : 1 << 19;
    if (roll == 9999 || (roll > 9990 && size <= 8))
        most = LARGEST;
    return sizeof(struct head) + mix(state) % (most + 1);
}

static uint32_t sum_of(const unsigned char *data, size_t bytes)
{
    uint64_t sum = bytes, word;
    for (; bytes >= 8; bytes -= 8, data += 8) {
        memcpy(&word, data, 8);
        sum = (sum ^ word) * 0x100000001b3u;
    }
    while (bytes--)
        sum = (sum ^ *data++) * 0x100000001b3u;
    return (uint32_t)(sum ^ sum >> 32);
}

static void make(unsigned char *message, size_t bytes, int number, uint64_t *state)
{
    uint64_t word = mix(state);
    for (size_t i = sizeof(struct head); i + 8 <= bytes; i += 8, word = word * 5 + 1)
        memcpy(message + i, &word, 8);
    struct head head = {(uint32_t)rank, (uint32_t)number, (uint32_t)bytes, 0};
    head.sum = sum_of(message + sizeof head, bytes - sizeof head);
    memcpy(message, &head, sizeof head);
}

/* Numbers of the last message from each rank on each tag and communicator. */
static uint32_t last[COMMS][TAGS][1024];

static void check(const unsigned char *message, const MPI_Status *status, int comm)
{
    struct head head;
    memcpy(&head, message, sizeof head);
    EQUAL(count_of(status), head.bytes);
    EQUAL(status->MPI_SOURCE, head.from);
    EQUAL(sum_of(message + sizeof head, head.bytes - sizeof head), head.sum);
    uint32_t *before = &last[comm][status->MPI_TAG][head.from];
    if (head.number <= *before)
        FAIL("message %u from %u overtook %u", head.number, head.from, *before);
    *before = head.number;
    pthread_mutex_lock(&tally);
    received++;
    checksum += head.sum;
    pthread_mutex_unlock(&tally);
}

/* Receives one message, in one of many ways; 0 if it was somebody's last. */
static int receive_one(int comm, unsigned char *into, uint64_t *state)
{
    MPI_Status status;
    MPI_Message message;
    MPI_Request request;
    int flag = 0;
    MPI_Comm on = comms[comm];
    switch (mix(state) % 4) {
    case 0:
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, on, &status);
        MPI_Recv(into, LARGEST + 64, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, on, &status);
        break;
    case 1:
        MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, on, &message, &status);
        MPI_Mrecv(into, LARGEST + 64, MPI_BYTE, &message, &status);
        break;
    case 2:
        MPI_Irecv(into, LARGEST + 64, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, on, &request);
        while (!flag)
            MPI_Test(&request, &flag, &status);
        break;
    default:
        MPI_Recv(into, LARGEST + 64, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, on, &status);
    }
    if (status.MPI_TAG == STOP)
        return 0;
    check(into, &status, comm);
    return 1;
}

/* One thread per communicator, which ends when every rank has said so. */
static void *receiver(void *number)
{
    int comm = (int)(size_t)number, stops = 0;
    uint64_t state = seed * 31 + (uint64_t)(rank * 2 + comm);
    unsigned char *into = malloc(LARGEST + 64);
    while (stops < size)
        stops += !receive_one(comm, into, &state);
    free(into);
    return NULL;
}

/* Takes back what nobody has asked for, on both sides. */
static void cancel_decoys(void)
{
    static char data[100000];
    MPI_Request request;
    MPI_Status status;
    int flag, right = (rank + 1) % size;
    MPI_Issend(data, sizeof data, MPI_BYTE, right, DECOY_SENT, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    CHECK(flag);
    MPI_Irecv(data, 1, MPI_BYTE, right, DECOY_WANTED, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    CHECK(flag);
}

/* A ready send round the ring: everybody knows that the receive is there. */
static void ready_ring(int number)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size, in = 0;
    MPI_Request request;
    MPI_Irecv(&in, 1, MPI_INT, left, READY, MPI_COMM_WORLD, &request);
    MPI_Sendrecv(NULL, 0, MPI_BYTE, left, TOKEN, NULL, 0, MPI_BYTE, right, TOKEN, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Rsend(&number, 1, MPI_INT, right, READY, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EQUAL(in, number);
}

static void start(int way, unsigned char *data, size_t bytes, int to, int tag, MPI_Comm on,
                  MPI_Request *request)
{
    int count = (int)bytes;
    switch (way) {
    case 0:
        MPI_Isend(data, count, MPI_BYTE, to, tag, on, request);
        break;
    case 1:
        MPI_Issend(data, count, MPI_BYTE, to, tag, on, request);
        break;
    case 2:
        MPI_Bsend(data, count, MPI_BYTE, to, tag, on);
        break;
    case 3:
        MPI_Send(data, count, MPI_BYTE, to, tag, on);
        break;
    default:
        MPI_Ssend(data, count, MPI_BYTE, to, tag, on);
    }
}

static long send_all(void)
{
    MPI_Request requests[WINDOW];
    unsigned char *data[WINDOW];
    uint64_t state = seed * 77 + (uint64_t)rank;
    long sums = 0;
    for (int i = 0; i < WINDOW; i++) {
        requests[i] = MPI_REQUEST_NULL;
        data[i] = NULL;
    }
    for (int number = 1; number <= messages; number++) {
        int slot = number % WINDOW, to = (int)(mix(&state) % (uint64_t)size);
        int comm = (int)(mix(&state) % 2), tag = (int)(mix(&state) % TAGS);
        size_t bytes = any_size(&state);
        struct head head;
        MPI_Wait(&requests[slot], MPI_STATUS_IGNORE);
        free(data[slot]);
        data[slot] = malloc(bytes);
        make(data[slot], bytes, number, &state);
        memcpy(&head, data[slot], sizeof head);
        sums += head.sum;
        start((int)(mix(&state) % 5), data[slot], bytes, to, tag, comms[comm], &requests[slot]);
        if (number % 20 == 0) {
            cancel_decoys();
            ready_ring(number);
        }
    }
    MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < WINDOW; i++)
        free(data[i]);
    for (int to = 0; to < size; to++)
        for (int comm = 0; comm < COMMS; comm++)
            MPI_Send(NULL, 0, MPI_BYTE, to, STOP, comms[comm]);
    return sums;
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    messages = argc > 2 ? atoi(argv[2]) : 100;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
    pthread_t threads[COMMS];
    for (size_t i = 0; i < COMMS; i++)
        pthread_create(&threads[i], NULL, receiver, (void *)i);
    long mine[2] = {messages, send_all()}, all[2], theirs[2], got[2];
    for (int i = 0; i < COMMS; i++)
        pthread_join(threads[i], NULL);
    theirs[0] = received;
    theirs[1] = checksum;
    MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(theirs, got, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    EQUAL(got[0], all[0]);
    EQUAL(got[1], all[1]);
    if (rank == 0)
        printf("%ld messages, checksum %ld\n", got[0], got[1]);
    void *address;
    int bytes;
    MPI_Buffer_detach(&address, &bytes);
    MPI_Comm_free(&comms[0]);
    MPI_Comm_free(&comms[1]);
    MPI_Finalize();
    return 0;
}
