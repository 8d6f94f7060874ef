// simulate.hpp — runs a plan to its end and says which promises were broken.
//
// Checked on the way: no step runs again whose record was committed (P1). Checked at the end: every accepted
// run is there (P2) and has ended (P6, P8) with the result that its program must give; every row of its
// transactions is there once (P4), whatever a process that woke up too late tried (P5). Who is charged with a death was
// executing then, and whoever crashes again and again is found out (deaths.hpp). What a run took that ends badly is given
// back, the newest first.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "simulation/plan.hpp"
#include "simulation/planted_bug.hpp"

namespace belay::test {

// How often something rare was reached; a simulation that never gets there proves nothing about it.
struct Reached {
    std::int64_t crashes = 0, refused = 0, unknown = 0, frozen = 0, stopped = 0;
    std::int64_t fenced = 0, recovered = 0, evicted = 0, parked = 0, replayed = 0;
    std::int64_t retried = 0, canceled = 0, paused = 0, children = 0, messages = 0, rows = 0;
    std::int64_t forked = 0, queued = 0;
    std::int64_t deleted = 0, full = 0, cached = 0, slow_looks = 0, looks = 0;
    std::int64_t slow_reads = 0, asked_when_full = 0, interleaved = 0;
    std::int64_t died_inside = 0, charged = 0, found_out = 0;
    std::int64_t said = 0, answered = 0, unanswered = 0, undone = 0;
    std::int64_t paid = 0, over_budget = 0, approved = 0;

    Reached& operator+=(const Reached& other);
    // The names of those that are still zero.
    std::vector<std::string> missing() const;
};
BOOST_DESCRIBE_STRUCT(Reached, (),
                      (crashes, refused, unknown, frozen, stopped, fenced, recovered, evicted,
                       parked, replayed, retried, canceled, paused, children, messages, rows,
                       forked, queued, deleted, full, cached, slow_looks, looks, slow_reads,
                       asked_when_full, interleaved, died_inside, charged, found_out, said,
                       answered, unanswered, undone, paid, over_budget, approved))

struct Verdict {
    std::vector<std::string> broken{};  // a sentence each
    Reached reached{};
    std::int64_t jobs = 0;
};

// Told of everything that happens, a line each.
using Trace = std::function<void(const std::string& line)>;

Verdict simulate(const Plan& plan, PlantedBug bug = PlantedBug::None, const Trace& trace = {});

// The smallest plan found that still breaks something: leaves out one thing after the other.
Plan shrink(Plan plan, PlantedBug bug = PlantedBug::None);

}  // namespace belay::test
