// shrink.cpp — cuts a plan that breaks something down to what is needed for it.
#include <cstddef>
#include <utility>

#include "simulation/simulate.hpp"

namespace belay::test {
namespace {

// A message that somebody waits for: without it a run would wait for ever, and rightly so.
bool must_stay(const PlannedEvent& event) { return event.kind == EventKind::Send; }
bool must_stay(const PlannedRun&) { return false; }
bool must_stay(const PlannedFault&) { return false; }

// Whether the plan still breaks something without one element of `list`; if so, it stays out.
template <class List>
bool leave_one_out(Plan& plan, List Plan::*list, PlantedBug bug) {
    for (std::size_t i = 0; i < (plan.*list).size(); ++i) {
        if (must_stay((plan.*list)[i])) continue;
        Plan smaller = plan;
        (smaller.*list).erase((smaller.*list).begin() + static_cast<std::ptrdiff_t>(i));
        if (simulate(smaller, bug).broken.empty()) continue;
        plan = std::move(smaller);
        return true;
    }
    return false;
}

bool leave_one_op_out(Plan& plan, PlantedBug bug) {
    for (std::size_t run = 0; run < plan.runs.size(); ++run) {
        for (std::size_t i = 0; i < plan.runs[run].program.ops.size(); ++i) {
            Plan smaller = plan;
            auto& ops = smaller.runs[run].program.ops;
            ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(i));
            if (simulate(smaller, bug).broken.empty()) continue;
            plan = std::move(smaller);
            return true;
        }
    }
    return false;
}

}  // namespace

Plan shrink(Plan plan, PlantedBug bug) {
    while (leave_one_out(plan, &Plan::runs, bug) || leave_one_out(plan, &Plan::faults, bug) ||
           leave_one_out(plan, &Plan::events, bug) || leave_one_op_out(plan, bug)) {
    }
    return plan;
}

}  // namespace belay::test
