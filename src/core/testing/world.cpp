// world.cpp — the public World: a Machine and the door to its engine.
#include <belay/testing.hpp>

#include "core/testing/door.hpp"
#include "core/testing/machine.hpp"

namespace belay::testing {

namespace {

// Far more than any test's workflow needs; one that is still not quiet has no end.
constexpr std::int64_t kJobsMax = 5'000'000;

}  // namespace

std::string_view to_string(Fault fault) {
    switch (fault) {
        case Fault::CrashBefore:
            return "dying before";
        case Fault::CrashInside:
            return "dying inside";
        case Fault::CrashAfter:
            return "dying after";
        case Fault::Refused:
            return "a refusal of";
        case Fault::UnknownDone:
            return "an unknown outcome (it was done) of";
        case Fault::UnknownNotDone:
            return "an unknown outcome (it was not done) of";
    }
    return "";
}

struct World::State {
    State(std::uint64_t seed, const EngineOptions& options)
        : door(std::make_shared<Door>(seed, options)), engine(door) {}

    std::shared_ptr<Door> door;  // also held by the engine and by the runs that it handed out
    Engine engine;
};

World::World(std::uint64_t seed, const EngineOptions& options)
    : state_(std::make_unique<State>(seed, options)) {}

World::~World() { state_->door->close(); }

Engine& World::engine() { return state_->engine; }

void World::restart() {
    state_->door->close();
    state_->door->boot();
}

void World::advance(Duration duration) {
    Machine& machine = state_->door->machine();
    const Time until = machine.simulation().clock().now() + duration;
    bool there = false;
    if (machine.has_power()) {
        machine.executor().post_at(until, env::Lane::Loop, [&there] { there = true; });
        while (!there && machine.run_one()) {
        }
    }
    if (!there) machine.simulation().clock().set(until);
}

bool World::run_until_quiet() {
    for (std::int64_t jobs = 0; jobs < kJobsMax; ++jobs) {
        if (!state_->door->machine().run_one()) return true;
    }
    return false;
}

Time World::now() const { return state_->door->machine().simulation().clock().now(); }

void World::fail_commit(std::int64_t n, Fault fault) {
    state_->door->machine().fail_commit(state_->door->machine().commits() + n, fault);
}

bool World::crashed() const { return !state_->door->machine().has_power(); }

std::int64_t World::commits() const { return state_->door->machine().commits(); }

}  // namespace belay::testing
