// The largest of the numbers of all nodes, with the calls as the paper writes them: handlers have
// numbers of the program's choice, messages are structs. The way is that of a broadcast along lines
// in reverse.
//
//     c++ -shared -fPIC -I include -o maximum.so c_examples/ftbg/maximum.cpp
//     ftbg run ./maximum.so --info 0
#include <ftbg.h>

#include <cstdio>

struct PacketMsg {
    int value;
};

enum { CONTRIBUTE = 1 };

namespace {

struct Data {
    int best, missing;
    int thread = -1, processor = -1;
};

void contribute(BgNode *node, void *data, const void *payload, size_t) {
    Data *own = static_cast<Data *>(data);
    const PacketMsg *msg = static_cast<const PacketMsg *>(payload);
    own->best = msg->value > own->best ? msg->value : own->best;
    own->thread = node->getThread();
    own->processor = node->getProcessor();
    if (--own->missing > 0)
        return;
    int x, y, z;
    node->getXYZ(x, y, z);
    PacketMsg best = {own->best};
    if (z > 0)
        node->sendPacket(x, y, z - 1, &best, CONTRIBUTE, BG_SMALL);
    else if (y > 0)
        node->sendPacket(x, y - 1, z, &best, CONTRIBUTE, BG_SMALL);
    else if (x > 0)
        node->sendPacket(x - 1, y, z, &best, CONTRIBUTE, BG_SMALL);
    else
        node->finish();
}

} // namespace

void BgInit(Main *machine) { CreateBlueGene(machine, 34, 34, 36, 100, 100); }

void *BgNodeInit(BgNode *node) {
    node->registerHandler(CONTRIBUTE, contribute);
    int x, y, z;
    node->getXYZ(x, y, z);
    const bool has_z = z + 1 < node->dims[2];
    const bool has_y = z == 0 && y + 1 < node->dims[1];
    const bool has_x = z == 0 && y == 0 && x + 1 < node->dims[0];
    const int before = has_x + has_y + has_z;
    Data *own = new Data;
    // Numbers that are all different, the largest one in the middle.
    own->best = node->number * 7 % 41617;
    own->missing = before > 0 ? before : 1;
    PacketMsg msg = {own->best};
    if (before == 0)
        node->addMessage(&msg, CONTRIBUTE, BG_SMALL);
    return own;
}

void BgInfo(const void *data, char *text, size_t room) {
    const Data *own = static_cast<const Data *>(data);
    snprintf(text, room, "maximum %d, %d missing, thread %d of processor %d", own->best,
             own->missing, own->thread, own->processor);
}
