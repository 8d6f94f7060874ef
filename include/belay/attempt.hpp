// attempt.hpp — what a step may ask about the attempt it runs in.
//
// A step function that takes `belay::Attempt&` as its first parameter is given it:
//     Reply ask_model(belay::Attempt& attempt, const std::string& text);
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

namespace belay {

struct Cost;
namespace detail {
struct RunShared;
struct Execution;
}

class Attempt {
public:
    // Made by the engine. `run` and the texts outlive the attempt.
    Attempt(detail::RunShared& run, const std::string& path, std::string_view stage, int number,
            std::stop_token stop);
    ~Attempt();

    // 1 for the first.
    int number() const { return number_; }

    const std::string& run_id() const;
    std::string_view stage() const { return stage_; }

    // The same on every attempt of this step, in this process or another: give it to the service that
    // the step calls, so that a call that went through before a crash is not made twice.
    std::string idempotency_key() const;

    // Asked to stop when the attempt has timed out, its run is canceled, or the engine stops. A long
    // blocking step should look at it now and then.
    const std::stop_token& stop_token() const { return stop_; }

    // Shown live; durable with the next checkpoint.
    void progress(std::int64_t done, std::int64_t total, std::string_view text = {});

    // Adds to what this step cost (belay/cost.hpp): money, tokens, seconds, counters. Recorded in the commit
    // of the attempt's end, also when it failed: what was paid was paid. Only the cost of an attempt that
    // was given up after its timeout is not known. From the step's own thread. Throws
    // Error{InvalidArgument} when the sum does not fit.
    void cost(const Cost& cost);

    // For the engine: what was said so far; null: nothing.
    std::unique_ptr<Cost> take_cost();
    // For the engine: whose code it is that runs; null: nobody keeps it.
    void executes(std::shared_ptr<const detail::Execution> whose) { whose_ = std::move(whose); }
    const std::shared_ptr<const detail::Execution>& execution() const { return whose_; }

private:
    detail::RunShared& run_;
    const std::string& path_;
    std::string_view stage_;
    int number_;
    std::stop_token stop_;
    std::unique_ptr<Cost> cost_;
    std::shared_ptr<const detail::Execution> whose_;
};

}  // namespace belay
