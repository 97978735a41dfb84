/* The global maximum as a thread of each node, which waits for messages: what max.c does with
 * handlers.
 *
 *     cc -shared -fPIC -I include -o max.so c_examples/ftsim/max_thread.c
 *     ftsim run ./max.so --topology random --nodes 100000 --kill 1%@3
 */
#include <ftsim.h>
#include <stdio.h>
#include <string.h>

struct state {
    int32_t best, missed;
};

size_t ftsim_state_bytes(void) {
    return sizeof(struct state);
}

void ftsim_thread(void *state, ftsim_here *here) {
    struct state *own = state;
    ftsim_event event;
    own->best = here->node;
    ftsim_send_all(here, &own->best, sizeof own->best);
    for (;;) {
        int32_t value;
        if (ftsim_receive(here, &event) == FTSIM_FAILURE) {
            own->missed++;
            continue;
        }
        memcpy(&value, event.data, sizeof value);
        if (event.bytes == sizeof value && value > own->best) {
            own->best = value;
            ftsim_send_all(here, &own->best, sizeof own->best);
        }
    }
}

uint8_t ftsim_colour(const void *state) {
    const struct state *own = state;
    return (uint8_t)(own->best % 256);
}

void ftsim_info(const void *state, char *text, size_t room) {
    const struct state *own = state;
    snprintf(text, room, "knows %d, misses %d", own->best, own->missed);
}
