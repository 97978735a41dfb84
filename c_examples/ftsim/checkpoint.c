/* Diskless checkpoints in the memory of neighbours: for algorithms that are not naturally fault
 * tolerant, which lose everything with one node.
 *
 * Every node has a task of so many steps. Every few steps it cuts the state of its task into three
 * parts, adds their parity, as RAID does, and gives one of the four to each of four neighbours.
 * When it dies, they tell each other what they have. The one with the lowest number puts the state
 * together, which three of four parts are enough for, and goes on with the task from there. So one
 * of the four may die in the same tick; if two do, the task is lost.
 *
 *     cc -shared -fPIC -I include -o checkpoint.so c_examples/ftsim/checkpoint.c
 *     ftsim run ./checkpoint.so --nodes 100000 --kill 0.1%@9
 *
 * The colour of a node is how many tasks it has finished, its own and those that it took over, and
 * 255 if the state of one is wrong: so colour times nodes, added up, is how many were saved.
 */
#include <ftsim.h>
#include <stdbool.h>
#include <stdio.h>

enum { STEPS = 24, PERIOD = 4, DATA = 3, PARTS = DATA + 1 };
enum { MOST_TASKS = 12, MOST_KEPT = 96, MOST_RESCUES = 12, MOST_DEAD = 48 };
enum kind { TICK, KEEP, GIVE };

struct task {
    int32_t id, step;
    uint64_t words[DATA];
};

/* Part `index` of the state of a task after so many steps, and who has the parts. */
struct part {
    int32_t task, step, index;
    int32_t holders[PARTS];
    uint64_t words;
};

struct message {
    int32_t kind;
    struct part part;
};

struct kept {
    bool is_used;
    int32_t runner;
    struct part part;
};

/* What has come of a task whose node has died. */
struct rescue {
    bool is_used, is_ours;
    int32_t task, step, count;
    bool has[PARTS];
    uint64_t words[PARTS];
};

struct state {
    struct task tasks[MOST_TASKS];
    struct kept kept[MOST_KEPT];
    struct rescue rescues[MOST_RESCUES];
    int32_t dead[MOST_DEAD];
    int32_t task_count, dead_count, taken_over, wrong;
    bool ticks;
};

_Static_assert(sizeof(struct message) <= FTSIM_MESSAGE_BYTES, "it is one message");

/* One step of the work. */
static void advance(struct task *task) {
    for (int i = 0; i < DATA; i++) {
        uint64_t mixed = task->words[i] + (uint64_t)task->id + (uint64_t)i;
        mixed = (mixed ^ mixed >> 31) * 0x9e3779b97f4a7c15u;
        task->words[i] = mixed ^ task->words[(i + 1) % DATA] >> 7;
    }
    task->step++;
}

/* Whether the state is the one to which so many steps lead from the beginning. */
static bool is_right(const struct task *task) {
    struct task again = {.id = task->id};
    while (again.step < task->step)
        advance(&again);
    bool same = true;
    for (int i = 0; i < DATA; i++)
        same &= again.words[i] == task->words[i];
    return same;
}

static bool is_dead(const struct state *own, int32_t node) {
    for (int i = 0; i < own->dead_count; i++)
        if (own->dead[i] == node)
            return true;
    return false;
}

/* Gives the parts of a state to four living neighbours. */
static void checkpoint(struct state *own, ftsim_here *here, const struct task *task) {
    struct message message = {.kind = KEEP, .part = {.task = task->id, .step = task->step}};
    struct part *part = &message.part;
    int found = 0;
    for (int32_t i = 0; i < here->sends && found < PARTS; i++)
        if (!is_dead(own, here->send_to[i]))
            part->holders[found++] = here->send_to[i];
    if (found < PARTS)
        return;
    uint64_t parity = 0;
    for (int i = 0; i < PARTS; i++) {
        part->index = i;
        part->words = i < DATA ? task->words[i] : parity;
        parity ^= part->words;
        ftsim_send(here, part->holders[i], &message, sizeof message);
    }
}

static void wake(struct state *own, ftsim_here *here) {
    struct message tick = {.kind = TICK};
    if (!own->ticks)
        ftsim_send(here, here->node, &tick, sizeof tick);
    own->ticks = true;
}

static void begin(struct state *own, ftsim_here *here, struct task task) {
    if (own->task_count == MOST_TASKS)
        return;
    own->tasks[own->task_count++] = task;
    checkpoint(own, here, &task);
    wake(own, here);
}

static void work(struct state *own, ftsim_here *here) {
    bool is_more = false;
    for (int i = 0; i < own->task_count; i++) {
        struct task *task = &own->tasks[i];
        if (task->step == STEPS)
            continue;
        advance(task);
        if (task->step % PERIOD == 0)
            checkpoint(own, here, task);
        is_more |= task->step < STEPS;
    }
    own->ticks = false;
    if (is_more)
        wake(own, here);
}

static void keep(struct state *own, int32_t runner, const struct part *part) {
    struct kept *room = NULL;
    for (int i = 0; i < MOST_KEPT; i++) {
        struct kept *kept = &own->kept[i];
        if (kept->is_used && kept->part.task == part->task) {
            room = kept;
            break;
        }
        if (!kept->is_used && !room)
            room = kept;
    }
    if (room)
        *room = (struct kept){true, runner, *part};
}

/* A part of a task whose node has died: one's own, or another holder's. */
static void collect(struct state *own, ftsim_here *here, int32_t from, const struct part *part) {
    struct rescue *rescue = NULL, *room = NULL;
    for (int i = 0; i < MOST_RESCUES; i++) {
        struct rescue *known = &own->rescues[i];
        if (known->is_used && known->task == part->task && known->step == part->step)
            rescue = known;
        else if (!known->is_used)
            room = known;
    }
    if (!rescue && !room)
        return;
    if (!rescue) {
        rescue = room;
        *rescue = (struct rescue){.is_used = true, .is_ours = true, .task = part->task,
                                  .step = part->step};
    }
    /* Those of a tick come by number: the lowest holder that lives hears of none before it. */
    rescue->is_ours &= from >= here->node;
    rescue->count += !rescue->has[part->index];
    rescue->has[part->index] = true;
    rescue->words[part->index] = part->words;
    if (rescue->count < DATA || !rescue->is_ours)
        return;
    rescue->is_ours = false;
    struct task task = {.id = part->task, .step = part->step};
    for (int lost = 0; lost < DATA; lost++) {
        task.words[lost] = rescue->words[lost];
        if (rescue->has[lost])
            continue;
        task.words[lost] = rescue->words[DATA];
        for (int i = 0; i < DATA; i++)
            if (i != lost)
                task.words[lost] ^= rescue->words[i];
    }
    own->wrong += !is_right(&task);
    own->taken_over++;
    begin(own, here, task);
}

size_t ftsim_state_bytes(void) {
    return sizeof(struct state);
}

void ftsim_init(void *state, ftsim_here *here) {
    begin(state, here, (struct task){.id = here->node});
}

void ftsim_on_message(void *state, ftsim_here *here, int32_t from, const void *data, size_t bytes) {
    const struct message *message = data;
    if (bytes != sizeof *message)
        return;
    switch (message->kind) {
    case TICK:
        work(state, here);
        break;
    case KEEP:
        keep(state, from, &message->part);
        break;
    case GIVE:
        collect(state, here, from, &message->part);
        break;
    }
}

/* What there is of the tasks of the dead goes to all who have something of them. */
void ftsim_on_failure(void *state, ftsim_here *here, int32_t who) {
    struct state *own = state;
    if (own->dead_count < MOST_DEAD)
        own->dead[own->dead_count++] = who;
    for (int i = 0; i < MOST_KEPT; i++) {
        struct kept *kept = &own->kept[i];
        if (!kept->is_used || kept->runner != who)
            continue;
        struct message message = {.kind = GIVE, .part = kept->part};
        for (int holder = 0; holder < PARTS; holder++)
            ftsim_send(here, kept->part.holders[holder], &message, sizeof message);
        kept->is_used = false;
    }
    /* It may have held a part of ours. */
    for (int i = 0; i < own->task_count; i++)
        checkpoint(own, here, &own->tasks[i]);
}

uint8_t ftsim_colour(const void *state) {
    const struct state *own = state;
    int finished = 0;
    for (int i = 0; i < own->task_count; i++) {
        if (own->tasks[i].step == STEPS && !is_right(&own->tasks[i]))
            return 255;
        finished += own->tasks[i].step == STEPS;
    }
    return own->wrong ? 255 : (uint8_t)finished;
}

void ftsim_info(const void *state, char *text, size_t room) {
    const struct state *own = state;
    snprintf(text, room, "%d tasks, %d taken over, %d wrong", own->task_count, own->taken_over,
             own->wrong);
}
