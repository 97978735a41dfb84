/* A sum in C: every node sends blocks of numbers to the corner, which adds them up. With one
 * communication thread there, packets queue: the handler takes all that wait at once.
 *
 *     cc -shared -fPIC -I include -o sum.so c_examples/ftbg/sum.c
 *     ftbg run ./sum.so 8 --dims 8,8,8 --info 0
 *     ftbg run ./sum.so 100 --dims 8,8,8 --info 0 --fragments
 */
#include <ftbg.h>
#include <stdio.h>
#include <stdlib.h>

struct data {
    int64_t sum;
    long taken, missing;
};

enum { MOST = 10000 };
static int count = 8, gather;

void BgInit(BgMachine *machine, int argc, char **argv) {
    if (argc > 1 && atoi(argv[1]) > 0 && atoi(argv[1]) <= MOST)
        count = atoi(argv[1]);
    CreateBlueGene(machine, 8, 8, 8, 1, 7);
}

static void add_up(struct data *own, const void *payload, size_t bytes) {
    const int64_t *numbers = payload;
    for (size_t i = 0; i < bytes / sizeof *numbers; i++)
        own->sum += numbers[i];
    own->missing--;
}

static void take(BgNode *node, void *data, const void *payload, size_t bytes) {
    struct data *own = data;
    BgMessage message;
    add_up(own, payload, bytes);
    while (getMessage(node, &message)) {
        int64_t numbers[BG_PAYLOAD_BYTES / sizeof(int64_t)];
        for (size_t i = 0; i < message.bytes; i++)
            ((char *)numbers)[i] = message.payload[i];
        add_up(own, numbers, message.bytes);
        own->taken++;
    }
    if (own->missing == 0)
        finish(node);
}

static void tell(BgNode *node, void *data, const void *payload, size_t bytes) {
    static int64_t numbers[MOST];
    (void)data, (void)payload, (void)bytes;
    for (int i = 0; i < count; i++)
        numbers[i] = (int64_t)node->number * count + i;
    bgWork(node, 10 * (uint64_t)count);
    sendPacket(node, 0, 0, 0, gather, BG_SMALL, numbers, (size_t)count * sizeof *numbers);
}

void *BgNodeInit(BgNode *node) {
    struct data *own = calloc(1, sizeof *own);
    int start = registerHandler(node, tell);
    gather = registerHandler(node, take);
    if (own)
        own->missing = (long)node->dims[0] * node->dims[1] * node->dims[2];
    addMessage(node, start, BG_LARGE, NULL, 0);
    return own;
}

void BgInfo(const void *data, char *text, size_t room) {
    const struct data *own = data;
    snprintf(text, room, "sum %lld, %ld left, %s taken at once", (long long)own->sum, own->missing,
             own->taken ? "some" : "none");
}
