// agent.cpp — an agent that calls a model and tools in turn, until it is done or a person says whether it may spend more. docs/cookbook.md
//
// Each call is a step: after a crash it goes on with the conversation as it was, and nothing is paid twice. Before a call of
// the model what it may cost is reserved from the budget, so the limit holds whatever dies.
#include <fmt/format.h>
#include <belay/belay.hpp>
#include <belay/testing.hpp>
#include <boost/describe.hpp>

struct Turn {
    std::string tool;  // empty: it is done
    std::string text;
};
BOOST_DESCRIBE_STRUCT(Turn, (), (tool, text))

// Stands for a model: it searches twice and then answers.
Turn ask_model(belay::Attempt& attempt, const std::vector<std::string>& conversation) {
    belay::Cost cost;
    cost.tokens_out =
        400;  // takes the place of what was reserved, and is added up by `belay stats`
    attempt.cost(cost);
    const bool knows = conversation.size() >= 5;
    return {knows ? "" : "search", knows ? "forty-two" : "the question"};
}

std::string use_tool(const Turn& turn) { return turn.tool + " says something"; }

belay::Task<std::string> agent(belay::Context& ctx, std::string task) {
    const belay::StepOptions paid{.costs_at_most = belay::AtMost::tokens(500)};
    std::vector<std::string> conversation{task};
    for (;;) {
        const Turn turn = co_await ctx.step("model", paid, ask_model, conversation);
        conversation.push_back(turn.text);
        if (turn.tool.empty()) co_return turn.text;
        const std::string result = co_await ctx.step("tool", use_tool, turn);
        conversation.push_back(result);
    }
}

void allow(belay::Engine& engine, std::int64_t tokens) {
    engine.budget("agents", {.tokens = tokens, .per = belay::BudgetPer::Run, .workflow = "AGENT"});
}

int main() {
    belay::testing::World world;
    belay::Engine& engine = world.engine();
    engine.define("AGENT", agent);
    allow(engine, 1'000);
    engine.start();
    const auto run = engine.submit<std::string>("AGENT", "What is it?", {.id = "deep-thought"});
    try {
        run.result();
    } catch (const belay::Error& paused) {
        fmt::print("{}\n", paused.what());
    }
    engine.approve_spending("deep-thought");  // this call, once; with a limit: for all of the run
    fmt::print("{}\n", run.result());

    belay::testing::CrashOptions options;
    options.define = [](belay::Engine& each) { allow(each, 5'000); };
    const auto report =
        belay::testing::crash_everywhere(agent, std::string("What is it?"), options);
    fmt::print("{}\n", report.passed() ? "and survives dying everywhere" : report.text());
}
