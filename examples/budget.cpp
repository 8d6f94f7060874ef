// budget.cpp — a model that may cost only so much a day: the run pauses before the call, and a person lets it go on.
#include <fmt/format.h>

#include <belay/belay.hpp>

namespace {

std::string ask_model(belay::Attempt& attempt, int question) {
    belay::Cost cost;
    cost.pay(belay::Money("0.40", "USD"));
    attempt.cost(cost);
    return fmt::format("answer {}", question);
}

belay::Task<int> interview(belay::Context& ctx, int questions) {
    const belay::StepOptions paid{.costs_at_most = {"0.50", "USD"}};
    for (int i = 1; i <= questions; ++i) co_await ctx.step("ask", paid, ask_model, i);
    co_return questions;
}

void show(belay::Engine& engine) {
    for (const belay::BudgetInfo& it : engine.budgets())
        fmt::print("{}: {} of {} {} spent\n", it.name, it.spent.amount(), it.limit.amount(),
                   it.limit.currency());
}

}  // namespace

int main() {
    belay::Engine engine{belay::memory()};
    engine.define("INTERVIEW", interview);
    engine.budget("models", {.money = belay::Money("1", "USD"), .per = belay::BudgetPer::Day});
    engine.start();
    const auto run = engine.submit<int>("INTERVIEW", 4, {.id = "anna"});
    try {
        run.result();
    } catch (const belay::Error& error) {
        fmt::print("{}: {}\n", to_string(error.code()), error.what());
    }
    show(engine);
    engine.approve_spending("anna", belay::Money("2", "USD"));
    fmt::print("{} questions answered\n", run.result());
    show(engine);
}
