// A broadcast along lines in C++: from the corner along x, from there along y, from there along z.
//
//     c++ -shared -fPIC -I include -o line.so c_examples/ftbg/line.cpp
//     ftbg run ./line.so                    # 110.080 microseconds on 34 x 34 x 36
#include <ftbg.h>

#include <cstdio>

namespace {

struct Data {
    int came = 0;
    double when = 0;
};

int forward;

void pass_on(BgNode *node, void *data, const void *, size_t) {
    Data *own = static_cast<Data *>(data);
    own->came++;
    own->when = node->getTime();
    int x, y, z;
    node->getXYZ(x, y, z);
    if (y == 0 && z == 0 && x + 1 < node->dims[0])
        node->sendPacket(x + 1, y, z, forward, BG_SMALL);
    if (z == 0 && y + 1 < node->dims[1])
        node->sendPacket(x, y + 1, z, forward, BG_SMALL);
    if (z + 1 < node->dims[2])
        node->sendPacket(x, y, z + 1, forward, BG_SMALL);
}

} // namespace

extern "C" void BgInit(BgMachine *machine, int, char **) {
    CreateBlueGene(machine, 34, 34, 36, 100, 100);
}

extern "C" void *BgNodeInit(BgNode *node) {
    forward = node->registerHandler(pass_on);
    if (node->number == 0)
        node->addMessage(forward, BG_SMALL);
    return new Data;
}

extern "C" void BgInfo(const void *data, char *text, size_t room) {
    const Data *own = static_cast<const Data *>(data);
    snprintf(text, room, "came %d times, last at %.0f ns", own->came, own->when);
}
