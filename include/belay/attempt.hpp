// attempt.hpp — what a step may ask about the attempt it runs in.
//
// A step function that takes `belay::Attempt&` as its first parameter is given it:
//     Reply ask_model(belay::Attempt& attempt, const std::string& text);
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <belay/codec.hpp>

namespace belay {

struct Cost;
namespace detail {
struct RunShared;
struct Execution;

// Where an attempt's checkpoints go; from the attempt's own thread.
class CheckpointKeeper {
public:
    virtual void keep(std::shared_ptr<const std::string> json, bool wait) = 0;

protected:
    ~CheckpointKeeper() = default;
};
}  // namespace detail

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

    // Keeps how far a long step is, for the attempt after this one: whether this one fails, times out, dies with its
    // process, is taken over by another worker, or its run is retried. One value a step: a new one replaces it, and it is
    // gone when the step succeeds. At most 64 KiB of JSON. Durable with one of the next commits, which nobody waits for;
    // if they come faster than commits, only the newest is written. From the step's own thread. Throws
    // Error{PayloadTooLarge}, and {Stopped} once this attempt was given up: then nothing is kept of it any more.
    template <class T>
    void checkpoint(const T& value) {
        keep(to_json(value), false);
    }
    // The same, and it is durable when this returns. Blocks the thread: not in a step that returns an awaitable, where it
    // throws Error{InvalidArgument}.
    template <class T>
    void checkpoint_and_wait(const T& value) {
        keep(to_json(value), true);
    }
    // The newest, of this attempt or one before it; nothing: there is none. Throws Error{BadValue} if it is no T.
    template <class T>
    std::optional<T> checkpoint() const {
        if (!checkpoint_) return std::nullopt;
        return from_json<T>(*checkpoint_);
    }

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

    // For the engine: what was kept before this attempt (null: nothing), and who keeps on. Outlives the attempt's code.
    void keeps(std::shared_ptr<const std::string> before, detail::CheckpointKeeper& keeper) {
        checkpoint_ = std::move(before);
        keeper_ = &keeper;
    }

private:
    void keep(std::string json, bool wait);

    detail::RunShared& run_;
    const std::string& path_;
    std::string_view stage_;
    int number_;
    std::stop_token stop_;
    std::unique_ptr<Cost> cost_;
    std::shared_ptr<const detail::Execution> whose_;
    std::shared_ptr<const std::string> checkpoint_;  // shared with the engine, which hands it on
    detail::CheckpointKeeper* keeper_ = nullptr;     // null: outside an engine
};

}  // namespace belay
