// budget.hpp — how much may be paid: a limit of money or tokens, for each run or for each day.
//
//     engine.budget("models", {.money = belay::Money("20", "USD"), .per = belay::BudgetPer::Day});
//     engine.budget("one paper", {.tokens = 50'000, .per = belay::BudgetPer::Run, .workflow = "WF1_RECEIPT"});
//
// It counts the steps that say what they may cost (StepOptions::costs_at_most). Before such a step is called, that much
// is reserved in a commit; its record puts what it really cost in its place. A call that would go over a limit is not
// made: the run pauses until somebody approves it. docs/budgets.md has the rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <belay/cost.hpp>

namespace belay {

enum class BudgetPer {
    Run,  // each run has this much, however long it lasts; its children have their own
    Day,  // all that it counts have this much together in a day (UTC)
};

// Of money and tokens exactly one. Other currencies are not counted by it.
struct Budget {
    Money money{};
    std::int64_t tokens = 0;  // in and out
    BudgetPer per = BudgetPer::Day;
    std::string workflow{};  // only runs of this one; empty: of every workflow
    // Whose runs; empty: those of the organization that sets it. "*": of every organization, and per day of all of
    // them together. Only the engine's own organization may name another than itself.
    std::string organization{};

    friend bool operator==(const Budget&, const Budget&) = default;
};

// How a budget stands. An amount of tokens is Money in kTokenUnit.
struct BudgetInfo {
    std::string name{};
    std::string set_by{};  // the organization that set it
    Budget budget{};
    std::string period{};  // the day ("2026-11-19") or the run that the next three are of; empty: none yet
    Money limit{};         // with what was approved for this period
    Money spent{};
    Money reserved{};  // for calls under way
};

inline constexpr const char* kTokenUnit = "TOK";

}  // namespace belay
