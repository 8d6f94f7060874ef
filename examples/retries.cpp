// retries.cpp — a service that fails now and then, one that says when to come back, one that never works.
#include <atomic>

#include <fmt/format.h>
#include <belay/belay.hpp>

using namespace std::chrono_literals;

std::string flaky(belay::Attempt& attempt) {
    if (attempt.number() < 3) throw std::runtime_error("connection reset");
    return fmt::format("reached on attempt {}", attempt.number());
}

std::string busy(belay::Attempt& attempt) {
    if (attempt.number() == 1) throw belay::RetryAfter("429 too many requests", 50ms);
    return "waited as told";
}

void send_postcard() { throw belay::NonRetryable("no such address"); }

belay::Task<std::string> call_services(belay::Context& ctx) {
    const belay::StepOptions quick{.retry = {.attempts_max = 5, .first_delay = 10ms},
                                   .timeout = 2s};
    const auto first = co_await ctx.step("flaky", quick, flaky);
    const auto second = co_await ctx.step("busy", quick, busy);
    // An optional step's failure is recorded, and does not fail the run.
    const bool sent = co_await ctx.step("send_postcard", send_postcard).optional();
    co_return fmt::format("{}; {}; postcard {}", first, second, sent ? "sent" : "not sent");
}

int main() {
    belay::Engine engine{belay::memory(), {.log_to_stderr = false}};
    engine.define("CALL_SERVICES", call_services);
    engine.start();
    fmt::print("{}\n", engine.submit<std::string>("CALL_SERVICES").result());
}
