/* The global maximum as an application of the simulator: each node's value is its number.
 *
 *     cc -shared -fPIC -I include -o max.so c_examples/ftsim/max.c
 *     ftsim run ./max.so --topology random --nodes 100000 --kill 1%@3
 */
#include <ftsim.h>
#include <stdio.h>

struct state {
    int32_t best, missed;
};

size_t ftsim_state_bytes(void) {
    return sizeof(struct state);
}

void ftsim_init(void *state, ftsim_here *here) {
    struct state *own = state;
    own->best = here->node;
    ftsim_send_all(here, &own->best, sizeof own->best);
}

void ftsim_on_message(void *state, ftsim_here *here, int32_t from, const void *data, size_t bytes) {
    struct state *own = state;
    const int32_t *value = data;
    (void)from;
    if (bytes == sizeof *value && *value > own->best) {
        own->best = *value;
        ftsim_send_all(here, &own->best, sizeof own->best);
    }
}

void ftsim_on_failure(void *state, ftsim_here *here, int32_t who) {
    struct state *own = state;
    (void)here, (void)who;
    own->missed++;
}

uint8_t ftsim_colour(const void *state) {
    const struct state *own = state;
    return (uint8_t)(own->best % 256);
}

void ftsim_info(const void *state, char *text, size_t room) {
    const struct state *own = state;
    snprintf(text, room, "knows %d, misses %d", own->best, own->missed);
}
