// rate_limited.cpp — an API that takes ten calls a minute and says when it has had enough. docs/cookbook.md
#include <fmt/format.h>
#include <belay/belay.hpp>
#include <belay/testing.hpp>

using namespace std::chrono_literals;

int calls = 0;

std::string ask(const std::string& question) {
    if (++calls == 3) throw belay::RetryAfter("429 Too Many Requests", 30s);  // it said so itself
    return "answer to " + question;
}

belay::Task<std::string> asking(belay::Context& ctx, std::string question) {
    co_return co_await ctx.step("ask", ask, question);
}

int main() {
    belay::testing::World world;
    belay::Engine& engine = world.engine();
    engine.define("ASK", asking);
    // Exact over all workers of a database, because a claim takes its token in the commit that claims.
    engine.queue("api", {.concurrency = 4, .rate = belay::RateLimit{.starts = 10, .period = 1min}});
    std::vector<std::string> questions;
    for (int i = 1; i <= 25; ++i) questions.push_back(fmt::format("question {}", i));
    const auto runs = engine.submit_many<std::string>("ASK", questions, {.queue = "api"});
    engine.start();
    for (int minute = 1; minute <= 3; ++minute) {
        world.advance(59s);
        int answered = 0;
        for (const auto& run : runs) answered += run.status() == belay::RunStatus::Succeeded;
        fmt::print("minute {}: {} answered\n", minute, answered);
        world.advance(1s);
    }
}
