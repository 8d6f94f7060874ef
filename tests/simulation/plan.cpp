#include "simulation/plan.hpp"

#include <fmt/format.h>

#include "core/env/random.hpp"
#include "simulation/deaths.hpp"

namespace belay::test {
namespace {

// A message for every receive of the run; for one that has a timeout, now and then.
void add_messages(Plan& plan, const PlannedRun& run, env::Random& random) {
    for (const Op& op : run.program.ops) {
        const bool is_sent =
            op.kind == OpKind::Receive || (op.kind == OpKind::ReceiveFor && random.below(2) == 0);
        if (!is_sent) continue;
        const auto value = op.kind == OpKind::Receive ? op.value : kEitherWay;
        const int at = static_cast<int>(random.below(400));  // also before the run is there
        plan.events.push_back({at, EventKind::Send, run.id, op.name, value});
    }
}

// The stage that some op begins with. Not in the middle of a talk with itself: what the run has said to itself,
// its fork has not heard.
std::string stage_to_fork_at(const Program& program, env::Random& random) {
    const Op& op = program.ops[random.below(program.ops.size())];
    return op.kind == OpKind::Talk || op.kind == OpKind::Patch ? "" : op.name;
}

// Lets some children wait for their turn.
void queue_children(std::vector<Op>& ops, env::Random& random) {
    for (Op& op : ops) {
        if (op.kind == OpKind::Child && random.below(2) == 0) op.kind = OpKind::Queued;
        queue_children(op.inside, random);
    }
}

// Caches and families, where there are steps and fans of them.
void vary(std::vector<Op>& ops, env::Random& random) {
    for (Op& op : ops) {
        if (op.kind == OpKind::Step && random.below(3) == 0) op.kind = OpKind::Cached;
        if (op.kind == OpKind::Map && random.below(3) == 0) op.kind = OpKind::Family;
        vary(op.inside, random);
    }
}

// Some steps become runs that say something of themselves.
void let_tell(std::vector<Op>& ops, env::Random& random) {
    for (Op& op : ops) {
        if (op.kind == OpKind::Step && random.below(3) == 0) op.kind = OpKind::Tell;
        let_tell(op.inside, random);
    }
}

// Some steps of the run itself take something that is given back if it does not succeed. Not those of its children: one that
// was undone is not tried again with its parent.
void let_undo(std::vector<Op>& ops, env::Random& random) {
    for (Op& op : ops) {
        const bool is_plain = op.kind == OpKind::Step || op.kind == OpKind::Draw ||
                              op.kind == OpKind::Race || op.kind == OpKind::Optional;
        if (is_plain && random.below(3) != 0) {
            op.kind = OpKind::Undone;
            op.count = static_cast<int>(random.below(5));
        }
        if (op.kind == OpKind::Scope || op.kind == OpKind::Branches) let_undo(op.inside, random);
    }
}

// Every second plan has some, and then often a run that fails in the end.
void draw_undo(Plan& plan) {
    env::SeededRandom random{plan.seed * 0x9e3779b97f4a7c15U + 4};
    if (random.below(2) != 0) return;
    for (PlannedRun& run : plan.runs) {
        std::vector<Op>& ops = run.program.ops;
        let_undo(ops, random);
        if (random.below(3) != 0) continue;
        Op first;
        first.kind = OpKind::Undone;
        first.name = run.id + "_first";
        ops.insert(ops.begin(), first);
        Op last;
        last.kind = OpKind::Breaks;
        last.name = run.id + "_last";
        ops.push_back(last);
    }
    PlannedEvent event;
    event.kind = random.below(3) == 0 ? EventKind::Leave : EventKind::Cancel;
    event.run = plan.runs[random.below(plan.runs.size())].id;
    event.at = static_cast<int>(random.below(300));
    plan.events.push_back(std::move(event));
}

// Some of what gives its value and leaves no row is paid for.
void let_pay(std::vector<Op>& ops, env::Random& random) {
    for (Op& op : ops) {
        const bool may_be = op.kind == OpKind::Step || op.kind == OpKind::Flaky ||
                            op.kind == OpKind::Race || op.kind == OpKind::Cached;
        if (may_be && random.below(3) != 0) op.kind = OpKind::Paid;
        let_pay(op.inside, random);
    }
}

// Canceled, and some time later, when retention may have come to it, asked for again.
void add_change_of_mind(Plan& plan, env::Random& random) {
    PlannedEvent event;
    event.run = plan.runs[random.below(plan.runs.size())].id;
    event.kind = EventKind::Cancel;
    event.at = static_cast<int>(random.below(400));
    plan.events.push_back(event);
    event.kind = EventKind::Retry;
    for (int i = 0; i < 3; ++i) {
        event.at += static_cast<int>(random.below(80));
        plan.events.push_back(event);
    }
}

}  // namespace

Plan draw_plain_plan(std::uint64_t seed) {
    env::SeededRandom random{seed * 0x9e3779b97f4a7c15U + 1};
    Plan plan;
    plan.seed = seed;
    ProgramMaker maker{random};
    const auto runs = 1 + random.below(4);
    for (std::uint64_t i = 0; i < runs; ++i) {
        PlannedRun run{fmt::format("run-{}", i + 1), maker.draw(2),
                       static_cast<int>(random.below(200))};
        add_messages(plan, run, random);
        plan.runs.push_back(std::move(run));
    }
    const auto faults = random.below(8);
    for (std::uint64_t i = 0; i < faults; ++i) {
        plan.faults.push_back(
            {1 + static_cast<int>(random.below(60)), static_cast<CommitFault>(random.below(5))});
    }
    const auto events = random.below(5);
    for (std::uint64_t i = 0; i < events; ++i) {
        PlannedEvent event;
        event.at = static_cast<int>(random.below(500));
        event.kind = static_cast<EventKind>(random.below(6));
        if (event.kind == EventKind::Cancel && random.below(2) == 0) event.kind = EventKind::Freeze;
        event.run = plan.runs[random.below(plan.runs.size())].id;
        plan.events.push_back(std::move(event));
    }
    return plan;
}

Plan draw_plan(std::uint64_t seed) {
    Plan plan = draw_plain_plan(seed);
    env::SeededRandom random{seed * 0x9e3779b97f4a7c15U + 2};
    for (PlannedRun& run : plan.runs) queue_children(run.program.ops, random);
    const auto forks = random.below(3);
    for (std::uint64_t i = 0; i < forks; ++i) {
        const PlannedRun& run = plan.runs[random.below(plan.runs.size())];
        PlannedEvent event;
        event.at = static_cast<int>(random.below(500));
        event.kind = EventKind::Fork;
        event.run = run.id;
        event.topic = stage_to_fork_at(run.program, random);
        plan.events.push_back(std::move(event));
    }
    for (PlannedRun& run : plan.runs) vary(run.program.ops, random);
    if (random.below(3) != 0) add_change_of_mind(plan, random);
    if (random.below(3) == 0)
        plan.faults.push_back({1 + static_cast<int>(random.below(80)), CommitFault::Full});
    for (PlannedRun& run : plan.runs) let_tell(run.program.ops, random);
    const auto questions = random.below(4);
    for (std::uint64_t i = 0; i < questions; ++i) {
        PlannedEvent event;
        event.at = static_cast<int>(random.below(500));
        event.kind = EventKind::Ask;
        event.run = plan.runs[random.below(plan.runs.size())].id;
        plan.events.push_back(std::move(event));
    }
    draw_deaths(plan);
    draw_undo(plan);
    // Drawn on its own and last: the other plans keep their meaning.
    if (env::SeededRandom paying{seed * 0x9e3779b97f4a7c15U + 5}; paying.below(5) == 0) {
        for (PlannedRun& run : plan.runs) let_pay(run.program.ops, paying);
    }
    return plan;
}

}  // namespace belay::test
