// cost.cpp — a model that is paid for once: the answer is kept for other runs, and what each run cost is counted.
#include <cstdio>
#include <string>

#include <fmt/format.h>

#include <belay/belay.hpp>

using namespace std::chrono_literals;

namespace {

// A model that charges 0.15 USD for a thousand tokens.
std::string summarize(belay::Attempt& attempt, const std::string& text) {
    const auto tokens = static_cast<std::int64_t>(text.size());
    belay::Cost cost;
    cost.pay(belay::Money("0.15", "USD").times(tokens, 1000));
    cost.tokens_in = tokens;
    attempt.cost(cost);
    return text.substr(0, 5) + "…";
}

belay::Task<std::string> summary(belay::Context& ctx, std::string text) {
    const std::string key = belay::cache_key("tiny-model", "prompt 3", text);
    const belay::StepOptions once{.cache = {.key = key, .keep_for = 24h * 30}};
    co_return co_await ctx.step("summarize", once, summarize, text);
}

}  // namespace

int main() {
    belay::Engine engine{belay::memory()};
    engine.define("SUMMARY", summary);
    belay::EventStream events = engine.watch();
    engine.start();
    const std::string text =
        "Belay holds the climber at the last protected point, not at the ground.";
    for (const char* id : {"monday", "tuesday"}) {
        fmt::print("{}: {}\n", id,
                   engine.submit<std::string>("SUMMARY", text, {.id = id}).result());
    }
    while (const auto event = events.next()) {
        if (event->type == "stage_ended")
            fmt::print("{} {}: {}\n", event->run_id, event->stage_key,
                       event->message.empty() ? "worked out" : event->message);
    }
}
