// program.hpp — a workflow as data: what one run does, drawn from a seed, and what must come of it.
//
// One workflow function (interpreter.hpp) runs any of these, so a seed can make workflows that nobody
// thought of. What comes of a program does not depend on crashes, order or time; expected_result says it
// without an engine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "core/env/random.hpp"
#include "core/model/said.hpp"

namespace belay::test {

enum class OpKind {
    Step,        // gives `value`
    Flaky,       // the same, after failing `count` times
    Optional,    // fails for good, and the run goes on
    Save,        // a step with a commit part: one row
    Book,        // a transaction: one row
    Sleep,       // `count` seconds
    Map,         // `count` steps side by side
    Collect,     // the same, of which some fail for good
    Race,        // two steps that give the same
    Branches,    // the ops of each of `inside` side by side
    Scope,       // the ops of `inside`
    Child,       // the same as a run of its own, awaited
    Queued,      // the same in a queue of one, which all of the simulation share
    Start,       // and one that is left alone
    Receive,     // a message that somebody outside sends
    ReceiveFor,  // one that may come too late; it makes no difference
    Talk,        // two messages to itself, read in order
    Draw,        // a random number, which must be the same on every replay
    Patch,
    Cached,  // a step whose answer is kept, with a timeout: looking for it may take long
    Family,  // a fan of more children than a run asks for one by one
    Deadly,  // a step that takes its process down `count` times: an odd `value` crashes, an even one dies without a word
    Tell,    // a step, before and after which the run says something of itself
    Undone,  // a step that takes something, which its undo gives back after failing `count` times
    Breaks,  // a step that never works: its run fails
    Paid,  // a step that says what it may cost, under budgets that are too small for several of them
};
BOOST_DESCRIBE_ENUM(OpKind, Step, Flaky, Optional, Save, Book, Sleep, Map, Collect, Race, Branches,
                    Scope, Child, Queued, Start, Receive, ReceiveFor, Talk, Draw, Patch, Cached,
                    Family, Deadly, Tell, Undone, Breaks, Paid)

struct Op {
    OpKind kind = OpKind::Step;
    std::string name{};  // no other op of the same seed has it
    std::int64_t value = 0;
    int count = 0;
    std::vector<Op> inside{};
};
BOOST_DESCRIBE_STRUCT(Op, (), (kind, name, value, count, inside))

struct Program {
    std::vector<Op> ops{};
};
BOOST_DESCRIBE_STRUCT(Program, (), (ops))

// Draws programs with names that differ over all that it has drawn.
class ProgramMaker {
public:
    explicit ProgramMaker(env::Random& random) : random_(random) {}

    // `depth`: how many levels of branches, scopes and children may be inside.
    Program draw(int depth) { return {draw_ops(depth, true)}; }

private:
    std::vector<Op> draw_ops(int depth, bool outermost);
    Op draw_op(int depth, bool outermost);

    env::Random& random_;
    int names_ = 0;
};

// What the run of it gives.
std::int64_t expected_result(const std::vector<Op>& ops);

// How the results of two ops in a row become one; differs when they are swapped.
std::int64_t join(std::int64_t before, std::int64_t value);

// How many rows a whole run of it leaves, its scopes and branches included, children not.
std::int64_t expected_rows(const std::vector<Op>& ops);

// What a whole run of it has said of itself in the end, its scopes and branches included, children not.
model::Said expected_said(const std::vector<Op>& ops, const std::string& run_id);
// Such a run answers the question "who" with its id, which it also exposes as that.
bool tells(const std::vector<Op>& ops);
std::string label_name(const Op& op);

bool pays(const std::vector<Op>& ops);  // children included

// What each child of a family does.
std::vector<Op> family_child(const Op& family, int number);
int family_size(const Op& family);

// A paid step may cost kPaidAtMost and costs kPaidCost.
inline constexpr const char* kPaidAtMost = "1.5";
inline constexpr const char* kPaidCost = "1";
inline constexpr const char* kRunBudget = "of-a-run";
inline constexpr const char* kDayBudget = "of-a-day";

inline constexpr const char* kNarrowQueue = "narrow";
inline constexpr int kNarrowQueueLimit = 1;

// What a timed receive is worth, whether the message came or not.
inline constexpr std::int64_t kEitherWay = 3;
inline constexpr std::int64_t kNotDone = 7;  // an optional step that failed

}  // namespace belay::test
