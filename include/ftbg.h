/* Programs of the Blue Gene emulator (`ftbg run APP.so`), in C and C++.
 *
 * A program is a shared library that defines BgNodeInit and handlers. There is one copy of its
 * code; each node has the private data that BgNodeInit returned for it. All nodes are served by
 * one thread. Handlers come back, and throw nothing.
 *
 *     cc  -shared -fPIC -I include -o app.so app.c   && ftbg run ./app.so
 *     c++ -shared -fPIC -I include -o app.so app.cpp && ftbg run ./app.so --dims 8,8,8
 *
 * The calls have the paper's names and its order of arguments: registerHandler(id, handler),
 * addMessage(message, id, category), sendPacket(x, y, z, message, id, category), where a message is
 * a struct of the program's own, as long as it is: as methods of BgNode in C++, with the node before
 * all other arguments in C. Beside them each has a second form, which takes a payload of so many
 * bytes, and for which handlers are numbered by the emulator.
 *
 * A handler starts when its packet has arrived and a thread of its node is free, and takes what
 * the machine says (1000 ns), what it says it works, and what it waits for. What a handler asks for
 * that cannot be (a node that is not there, a payload that is too long, a handler that nobody has
 * registered) ends the run, which says what it was; so does a fault, a stack that overflows, abort
 * and exit, with the node's number.
 */
#ifndef FTBG_H
#define FTBG_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As long as the payload of a packet may be, on a machine with packets of 128 bytes. */
#define BG_PAYLOAD_BYTES 120

/* The category of a thread: the communication thread that has the packet runs its handler, or a
 * worker thread. A communication thread that finds no worker free waits for one. */
enum { BG_SMALL = 0, BG_LARGE = 1 };

/* Cycles, for bgWork: of memory by where it is (on the same chip), and of an operation on
 * floating-point numbers. */
enum { BG_LOCAL_CACHE = 10, BG_LOCAL = 20, BG_REMOTE_CACHE = 20, BG_REMOTE = 30, BG_FLOP = 6 };

typedef struct BgNode BgNode;

/* `data` is what BgNodeInit returned for the node. */
typedef void (*BgHandler)(BgNode *node, void *data, const void *payload, size_t bytes);

/* A machine before it is built. Nobody writes to it but CreateBlueGene. */
typedef struct BgMachine {
    int32_t dims[3];
    int32_t communication, workers;
} BgMachine;

/* As the paper calls it. A program with a `Main` of its own defines FTBG_NO_MAIN. */
#ifndef FTBG_NO_MAIN
typedef BgMachine Main;
#endif

/* A packet, for those who do without handlers. */
typedef struct BgMessage {
    int32_t x, y, z;
    int32_t handler, size;
    uint32_t bytes;
    char payload[BG_PAYLOAD_BYTES];
} BgMessage;

/* What the emulator does for a node. */
typedef struct BgCalls {
    int (*register_handler)(BgNode *, BgHandler);
    int (*add)(BgNode *, int, int, const void *, size_t);
    int (*send)(BgNode *, int, int, int, int, int, const void *, size_t);
    double (*time)(BgNode *);
    void (*work)(BgNode *, uint64_t);
    void (*finish)(BgNode *);
    int (*put)(BgNode *, const BgMessage *);
    int (*ready)(BgNode *);
    int (*take)(BgNode *, BgMessage *);
    int (*register_as)(BgNode *, int, BgHandler);
    int (*thread)(BgNode *);
    int (*processor)(BgNode *);
} BgCalls;

#ifdef __cplusplus
}
#endif

/* A node, while one of its handlers runs. Nobody writes to it but the emulator. */
struct BgNode {
    int32_t number;
    int32_t xyz[3];
    int32_t dims[3];
    const BgCalls *calls;
    void *emulator;
#ifdef __cplusplus
    int registerHandler(int id, BgHandler handler) { return calls->register_as(this, id, handler); }
    template <class Message> int addMessage(const Message *message, int handler, int category) {
        return calls->add(this, handler, category, message, message ? sizeof *message : 0);
    }
    template <class Message>
    int sendPacket(int x, int y, int z, const Message *message, int handler, int category) {
        return calls->send(this, x, y, z, handler, category, message,
                           message ? sizeof *message : 0);
    }

    int registerHandler(BgHandler handler) { return calls->register_handler(this, handler); }
    int addMessage(int handler, int size, const void *payload = nullptr, size_t bytes = 0) {
        return calls->add(this, handler, size, payload, bytes);
    }
    int sendPacket(int x, int y, int z, int handler, int size, const void *payload = nullptr,
                   size_t bytes = 0) {
        return calls->send(this, x, y, z, handler, size, payload, bytes);
    }
    void getXYZ(int &x, int &y, int &z) const { x = xyz[0], y = xyz[1], z = xyz[2]; }
    int getThread() { return calls->thread(this); }
    int getProcessor() { return calls->processor(this); }
    double getTime() { return calls->time(this); }
    void work(uint64_t cycles) { calls->work(this, cycles); }
    void finish() { calls->finish(this); }
    int putMessage(const BgMessage &message) { return calls->put(this, &message); }
    bool checkReady() { return calls->ready(this) != 0; }
    bool getMessage(BgMessage &message) { return calls->take(this, &message) != 0; }
#endif
};

#ifdef __cplusplus
extern "C" {
#endif

/* What a program defines. Only BgNodeInit is needed.
 *
 *     void BgInit(Main *machine);
 *     void BgInit(BgMachine *machine, int argc, char **argv);
 *
 * BgInit, in one of these forms, may build a machine of its own; what the command line says of it
 * goes before. The words are those behind APP.so, the first of which is APP.so. */
/* A node comes to life, which takes no time. Registers handlers, sends first packets, and returns
 * the node's private data. */
void *BgNodeInit(BgNode *node);
/* Writes what is to be said of a node (`--info NODE`): a text of at most `room` bytes, which ends
 * with 0. */
void BgInfo(const void *data, char *text, size_t room);

/* Nodes in each dimension, and their threads; 0 leaves what the machine has. */
static inline void CreateBlueGene(BgMachine *machine, int x, int y, int z, int communication,
                                  int workers) {
    const int dims[3] = {x, y, z};
    for (int dim = 0; dim < 3; dim++)
        if (dims[dim] != 0)
            machine->dims[dim] = dims[dim];
    if (communication != 0)
        machine->communication = communication;
    if (workers != 0)
        machine->workers = workers;
}

/* A handler gets a number of the program's own choice, from 0 to 65535. Returns that number. */
static inline int bgRegisterAs(BgNode *node, int id, BgHandler handler) {
    return node->calls->register_as(node, id, handler);
}

/* A handler gets a number that nobody has, for packets. It is the same at every node. */
static inline int registerHandler(BgNode *node, BgHandler handler) {
    return node->calls->register_handler(node, handler);
}

/* Makes a micro-task: work for a thread of this node, past the network and its buffers. */
static inline int addMessage(BgNode *node, int handler, int size, const void *payload,
                             size_t bytes) {
    return node->calls->add(node, handler, size, payload, bytes);
}

/* Sends a packet, and waits while the output buffer is full. With `--fragments`, a payload that
 * does not fit into a packet goes in several. Returns 0, or -1 if it cannot be. */
static inline int sendPacket(BgNode *node, int x, int y, int z, int handler, int size,
                             const void *payload, size_t bytes) {
    return node->calls->send(node, x, y, z, handler, size, payload, bytes);
}

static inline void getXYZ(const BgNode *node, int *x, int *y, int *z) {
    *x = node->xyz[0], *y = node->xyz[1], *z = node->xyz[2];
}

/* The thread on which this handler runs, communication threads first, and its processor. */
static inline int getThread(BgNode *node) {
    return node->calls->thread(node);
}

static inline int getProcessor(BgNode *node) {
    return node->calls->processor(node);
}

/* The time at this point of the handler, in nanoseconds since the machine came to life. */
static inline double getTime(BgNode *node) {
    return node->calls->time(node);
}

/* The handler works for so many cycles: BG_FLOP for an operation on floating-point numbers. */
static inline void bgWork(BgNode *node, uint64_t cycles) {
    node->calls->work(node, cycles);
}

/* The program has its result: the emulated time is that of the last call. */
static inline void finish(BgNode *node) {
    node->calls->finish(node);
}

/* The floor below: packets without handlers.
 *
 * Puts a packet into the output buffer. Returns 0, or -1, at once, if that is full. */
static inline int putMessage(BgNode *node, const BgMessage *message) {
    return node->calls->put(node, message);
}

/* Whether a packet waits in the input buffer for a thread. */
static inline int checkReady(BgNode *node) {
    return node->calls->ready(node);
}

/* Takes it out, so that its handler is not called; x, y, z are this node. Returns 1, or 0 if none
 * waits. */
static inline int getMessage(BgNode *node, BgMessage *message) {
    return node->calls->take(node, message);
}

#ifdef __cplusplus
}
#else
/* A message that is NULL has no bytes. */
static inline size_t bgBytes(const void *message, size_t bytes) {
    return message ? bytes : 0;
}

/* The forms of the paper in C, told by how many arguments there are:
 *
 *     registerHandler(node, id, handler)
 *     addMessage(node, message, id, category)
 *     sendPacket(node, x, y, z, message, id, category)
 */
#define BG_NINTH(a, b, c, d, e, f, g, h, form, ...) form
#define BG_BYTES(message) bgBytes(message, sizeof *(message))
#define bgAddMessage(node, message, id, category)                                                  \
    (addMessage)(node, id, category, message, BG_BYTES(message))
#define bgSendPacket(node, x, y, z, message, id, category)                                         \
    (sendPacket)(node, x, y, z, id, category, message, BG_BYTES(message))
#define registerHandler(...)                                                                       \
    BG_NINTH(__VA_ARGS__, 8, 7, 6, 5, 4, bgRegisterAs, (registerHandler), 1, )(__VA_ARGS__)
#define addMessage(...)                                                                            \
    BG_NINTH(__VA_ARGS__, 8, 7, 6, (addMessage), bgAddMessage, 3, 2, 1, )(__VA_ARGS__)
#define sendPacket(...)                                                                            \
    BG_NINTH(__VA_ARGS__, (sendPacket), bgSendPacket, 6, 5, 4, 3, 2, 1, )(__VA_ARGS__)
#endif

#endif
