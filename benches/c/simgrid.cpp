// What the simulators here do, by SimGrid: how many messages it simulates in a second.
//
//     simgrid X Y Z HOPS    each host of a torus sends a token, which goes on so often, to whoever
//     simgrid X Y Z         a broadcast along lines, with a microsecond at each host
//
// Prints how many messages were heard, how long that took, and how long by the virtual clock.
#include <simgrid/s4u.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace sg4 = simgrid::s4u;

static std::vector<sg4::Mailbox *> boxes;
static long heard, all;
static unsigned dims[3] = {1, 1, 1};

// Whoever but oneself.
static sg4::Mailbox *somebody(unsigned me, uint64_t token) {
    token = (token ^ token >> 31) * 0x9e3779b97f4a7c15u;
    return boxes[(me + 1 + (token >> 32) % (boxes.size() - 1)) % boxes.size()];
}

static void pass(unsigned me) {
    auto *token = new uint64_t{me};
    somebody(me, *token)->put_init(token, 8)->detach();
    for (;;) {
        token = boxes[me]->get<uint64_t>();
        if (++heard == all)
            sg4::Actor::kill_all();
        *token += boxes.size();
        somebody(me, *token)->put_init(token, 8)->detach();
    }
}

static void line(unsigned me) {
    static uint64_t nothing;
    unsigned at[3] = {me % dims[0], me / dims[0] % dims[1], me / dims[0] / dims[1]};
    if (me > 0) {
        boxes[me]->get<uint64_t>();
        heard++;
    }
    sg4::this_actor::sleep_for(1e-6);
    unsigned stride = 1;
    for (int dim = 0; dim < 3; stride *= dims[dim++]) {
        bool is_on_it = (dim > 0 || at[1] == 0) && (dim > 1 || at[2] == 0);
        if (is_on_it && at[dim] + 1 < dims[dim])
            boxes[me + stride]->put_init(&nothing, 1)->detach();
    }
}

using Ports = std::pair<simgrid::kernel::routing::NetPoint *, simgrid::kernel::routing::NetPoint *>;

static Ports made(sg4::NetZone *zone, const std::vector<unsigned long> &, unsigned long id) {
    return {zone->create_host(std::to_string(id), 1e9)->get_netpoint(), nullptr};
}

int main(int argc, char **argv) {
    sg4::Engine engine(&argc, argv);
    if (argc < 4)
        return 2;
    for (int dim = 0; dim < 3; dim++)
        dims[dim] = static_cast<unsigned>(atoi(argv[1 + dim]));
    bool is_line = argc == 4;
    unsigned count = dims[0] * dims[1] * dims[2];
    all = is_line ? 0 : atol(argv[4]) * count;
    sg4::ClusterCallbacks callbacks(made);
    auto policy = sg4::Link::SharingPolicy::FATPIPE;
    std::vector<unsigned long> sides(dims, dims + 3);
    sg4::create_torus_zone("all", nullptr, sides, callbacks, 1e12, 8e-8, policy)->seal();
    for (unsigned i = 0; i < count; i++)
        boxes.push_back(sg4::Mailbox::by_name(std::to_string(i)));
    for (unsigned i = 0; i < count; i++)
        sg4::Actor::create("node", sg4::Host::by_name(std::to_string(i)), is_line ? line : pass, i);
    auto began = std::chrono::steady_clock::now();
    engine.run();
    std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    printf("%ld %.6f %.9f\n", heard, took.count(), sg4::Engine::get_clock());
}
