// run_shared.hpp — what outlives a run's stay in memory, because a step of it may still be running.
//
// Internal to the headers. From any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace belay::detail {

struct RunShared;

// Who hears of progress at once, before it is durable. Called from any thread.
class ProgressListener {
public:
    virtual void reported(const RunShared& run, std::int64_t done, std::int64_t total,
                          std::string_view text) = 0;

protected:
    ~ProgressListener() = default;
};

// Shared by the run in memory and the threads of its steps.
struct RunShared {
    RunShared(std::string run_id, std::string organization, const std::string& workflow,
              const std::string& history, ProgressListener* listener = nullptr)
        : id(std::move(run_id)), organization_id(std::move(organization)), workflow_key(workflow),
          listener_(listener) {
        if (history != id) history_ = std::make_unique<const std::string>(history);
    }
    ~RunShared() { delete progress_.load(std::memory_order_acquire); }
    RunShared(const RunShared&) = delete;
    RunShared& operator=(const RunShared&) = delete;

    const std::string id;
    const std::string organization_id;
    const std::string& workflow_key;  // lives as long as the engine
    // What ids and keys are derived from: the id, and after a continue_as_new the number of its history.
    const std::string& name() const { return history_ ? *history_ : id; }

    // Steps report progress from pool threads; whoever writes the next checkpoint takes it along.
    struct Progress {
        std::int64_t done = 0;
        std::int64_t total = 0;
        std::string text;
    };
    void report(std::int64_t done, std::int64_t total, std::string_view text) {
        auto fresh = std::make_unique<Progress>(Progress{done, total, std::string(text)});
        const std::unique_ptr<Progress> old{
            progress_.exchange(fresh.release(), std::memory_order_acq_rel)};
        if (listener_ != nullptr) listener_->reported(*this, done, total, text);
    }
    std::optional<Progress> take_progress() {
        if (progress_.load(std::memory_order_relaxed) == nullptr) return std::nullopt;
        const std::unique_ptr<Progress> taken{
            progress_.exchange(nullptr, std::memory_order_acq_rel)};
        if (!taken) return std::nullopt;
        return std::move(*taken);
    }

private:
    ProgressListener* listener_;                  // outlives the threads that steps run on
    std::unique_ptr<const std::string> history_;  // null: it is called by its id
    std::atomic<Progress*> progress_{nullptr};    // owned; the newest that nobody has taken
};

}  // namespace belay::detail
