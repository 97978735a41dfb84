/* Applications of the simulator of natural fault tolerance (`ftsim run APP.so`).
 *
 * An application is a shared library that defines the functions below. There is one copy of its
 * code; each node has `ftsim_state_bytes()` bytes of its own, which begin as zeros. Functions are
 * handlers: they come back. All nodes are served by one thread.
 *
 *     cc -shared -fPIC -o app.so app.c && ftsim run ./app.so --nodes 100000
 */
#ifndef FTSIM_H
#define FTSIM_H

#include <stddef.h>
#include <stdint.h>

/* As long as a message may be. */
#define FTSIM_MESSAGE_BYTES 48

/* Where a node is and whom it knows. Nobody writes to it but the simulator. */
typedef struct ftsim_here {
    int64_t now;
    int32_t node, nodes;
    /* The list to send to, and the one to receive from. */
    int32_t sends, receives;
    const int32_t *send_to, *receive_from;
    /* The place in the picture, from 0,0 to 1,1. */
    double x, y;
    /* Sends to any node; returns 0, or -1 if there is no such node or the message is too long. */
    int (*send)(struct ftsim_here *here, int32_t to, const void *data, size_t bytes);
    void *simulator;
} ftsim_here;

/* What an application defines. All but the first three may be left out. */
size_t ftsim_state_bytes(void);
void ftsim_init(void *state, ftsim_here *here);
void ftsim_on_message(void *state, ftsim_here *here, int32_t from, const void *data, size_t bytes);
/* A neighbour, in either list, has died; it is told once. */
void ftsim_on_failure(void *state, ftsim_here *here, int32_t who);
/* The value at the border has changed (`--border`). */
void ftsim_on_boundary(void *state, ftsim_here *here, double value);
/* From 0 to 255. */
uint8_t ftsim_colour(const void *state);
/* Writes a text, which ends with 0, of at most `room` bytes. */
void ftsim_info(const void *state, char *text, size_t room);

static inline int ftsim_send(ftsim_here *here, int32_t to, const void *data, size_t bytes) {
    return here->send(here, to, data, bytes);
}

static inline int ftsim_send_all(ftsim_here *here, const void *data, size_t bytes) {
    int failed = 0;
    for (int32_t i = 0; i < here->sends; i++)
        failed |= here->send(here, here->send_to[i], data, bytes);
    return failed;
}

#endif
