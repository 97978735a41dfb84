/* Applications of the simulator of natural fault tolerance (`ftsim run APP.so`).
 *
 * An application is a shared library that defines the functions below. There is one copy of its
 * code; each node has `ftsim_state_bytes()` bytes of its own, which begin as zeros. Functions are
 * handlers, which come back; or there is one, ftsim_thread, that every node runs as a thread of its
 * own, which waits in ftsim_receive. All nodes are served by one thread of the system, one after
 * the other. A function that faults, overflows its stack, or calls abort or exit ends the run with
 * status 2, and the node's number is told.
 *
 *     cc -shared -fPIC -o app.so app.c && ftsim run ./app.so --nodes 100000
 */
#ifndef FTSIM_H
#define FTSIM_H

#include <stddef.h>
#include <stdint.h>

/* As long as a message may be. */
#define FTSIM_MESSAGE_BYTES 48

/* What comes for a thread. */
enum { FTSIM_MESSAGE = 0, FTSIM_FAILURE = 1, FTSIM_BOUNDARY = 2 };
typedef struct ftsim_event {
    int32_t kind;
    /* Who has sent the message, or died. */
    int32_t from;
    uint64_t bytes;
    /* The new one at the border. */
    double value;
    char data[FTSIM_MESSAGE_BYTES];
} ftsim_event;

/* Where a node is and whom it knows. Nobody writes to it but the simulator. */
typedef struct ftsim_here {
    int64_t now;
    int32_t node, nodes;
    /* The list to send to, and the one to receive from. */
    int32_t sends, receives;
    const int32_t *send_to, *receive_from;
    /* The place in the picture, from 0,0 to 1,1. */
    double x, y;
    /* Sends to any node; returns 0, or -1, and sends nothing, if there is no such node, the message
     * is longer than FTSIM_MESSAGE_BYTES, or data is NULL and bytes is not 0. */
    int (*send)(struct ftsim_here *here, int32_t to, const void *data, size_t bytes);
    void *simulator;
    /* Only in a thread; in a handler it returns -1. */
    int (*receive)(struct ftsim_here *here, struct ftsim_event *event);
} ftsim_here;

/* What an application of handlers defines. All but the first three may be left out. */
size_t ftsim_state_bytes(void);
void ftsim_init(void *state, ftsim_here *here);
void ftsim_on_message(void *state, ftsim_here *here, int32_t from, const void *data, size_t bytes);
/* A neighbour, in either list, has died; it is told once. */
void ftsim_on_failure(void *state, ftsim_here *here, int32_t who);
/* The value at the border has changed (`--border`). */
void ftsim_on_boundary(void *state, ftsim_here *here, double value);
/* Or, instead of the four above: what each node runs. When it comes back, the node is silent. Its
 * stack has 64 kilobytes, or what `--stack` says. */
void ftsim_thread(void *state, ftsim_here *here);

/* From 0 to 255. */
uint8_t ftsim_colour(const void *state);
/* Writes a text, which ends with 0, of at most `room` bytes. */
void ftsim_info(const void *state, char *text, size_t room);

static inline int ftsim_send(ftsim_here *here, int32_t to, const void *data, size_t bytes) {
    return here->send(here, to, data, bytes);
}

/* To all in the list to send to; -1 if any of it could not be sent. */
static inline int ftsim_send_all(ftsim_here *here, const void *data, size_t bytes) {
    int failed = 0;
    for (int32_t i = 0; i < here->sends; i++)
        failed |= here->send(here, here->send_to[i], data, bytes);
    return failed;
}

/* Waits for what comes next, and returns its kind. Meanwhile others run. */
static inline int ftsim_receive(ftsim_here *here, ftsim_event *event) {
    return here->receive(here, event);
}

#endif
