// agent.cpp — an agent that calls a model and tools in turn, until it is done or has spent what it may. docs/cookbook.md
//
// Each call is a step: after a crash it goes on with the conversation as it was, and nothing is paid twice. What was spent is
// counted from what the steps returned, so a replay counts the same.
#include <fmt/format.h>
#include <belay/belay.hpp>
#include <belay/testing.hpp>
#include <boost/describe.hpp>

struct Turn {
    std::string tool;  // empty: it is done
    std::string text;
    int tokens = 0;
};
BOOST_DESCRIBE_STRUCT(Turn, (), (tool, text, tokens))

struct Job {
    std::string task;
    int tokens_max = 0;
};
BOOST_DESCRIBE_STRUCT(Job, (), (task, tokens_max))

// Stands for a model: it searches twice and then answers.
Turn ask_model(belay::Attempt& attempt, const std::vector<std::string>& conversation) {
    const bool knows = conversation.size() >= 5;
    const Turn turn{knows ? "" : "search", knows ? "forty-two" : "the question", 400};
    belay::Cost cost;
    cost.tokens_out = turn.tokens;  // added up by `belay stats`, and kept when the run is gone
    attempt.cost(cost);
    return turn;
}

std::string use_tool(const Turn& turn) { return turn.tool + " says something"; }

belay::Task<std::string> agent(belay::Context& ctx, Job job) {
    std::vector<std::string> conversation{job.task};
    int spent = 0;
    while (spent < job.tokens_max) {
        const Turn turn = co_await ctx.step("model", ask_model, conversation);
        spent += turn.tokens;
        conversation.push_back(turn.text);
        if (turn.tool.empty()) co_return turn.text;
        const std::string result = co_await ctx.step("tool", use_tool, turn);
        conversation.push_back(result);
    }
    co_return fmt::format("gave up after {} tokens", spent);
}

int main() {
    for (const int tokens_max : {5000, 800}) {
        belay::testing::World world;
        world.engine().define("AGENT", agent);
        world.engine().start();
        fmt::print("{}\n", world.engine().submit<std::string>("AGENT", Job{"What is it?", tokens_max}).result());
    }
    const auto report = belay::testing::crash_everywhere(agent, Job{"What is it?", 5000});
    fmt::print("{}\n", report.passed() ? "and survives dying everywhere" : report.text());
}
