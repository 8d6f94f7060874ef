// patient_hook.hpp — how often a hook may run out of its time before its run is told.
//
// Whether a body is slow or the machine stood still, nobody can tell the first time: a run that was to start is put off
// (store/body_failure.hpp) and its hooks are called again. One that is too slow five times in a row is slow, and holds up
// every other commit each time.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <belay/error.hpp>
#include <belay/options.hpp>

#include "core/engine/services.hpp"

namespace belay::engine {

class PatientHook {
public:
    static constexpr int kTimesMax = 5;

    // `name` is on_start or on_end, for those who read; the log outlives it.
    PatientHook(const char* name, Hook hook, const Log& log)
        : name_(name), hook_(std::move(hook)), log_(&log) {}

    void operator()(Tx& tx, const RunInfo& run) const {
        try {
            hook_(tx, run);
            known_->forget(run.id);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::Overloaded) throw;
            const int times = known_->count(run.id);
            if (times < kTimesMax) {
                (*log_)(LogLevel::Warning, "hook_failed",
                        fmt::format("{} of run `{}` is tried again, {} of {}: {}", name_, run.id,
                                    times, kTimesMax, error.what()));
                throw;
            }
            known_->forget(run.id);
            throw Error(ErrorCode::TransactionRefused, fmt::format("{} was too slow {} times: {}",
                                                                   name_, kTimesMax, error.what()));
        }
    }

private:
    // How often it was too slow for each run. A run that goes another way meanwhile (it is canceled) leaves its number
    // behind, so there is a bound.
    class Times {
    public:
        int count(const std::string& run) {
            const std::lock_guard lock(mutex_);
            if (times_.size() >= kRunsMax) times_.clear();
            return ++times_[run];
        }
        void forget(const std::string& run) {
            const std::lock_guard lock(mutex_);
            times_.erase(run);
        }

    private:
        static constexpr std::size_t kRunsMax = 10'000;
        std::mutex mutex_;
        std::map<std::string, int> times_;
    };

    const char* name_;
    Hook hook_;
    const Log* log_;
    std::shared_ptr<Times> known_ = std::make_shared<Times>();  // of all copies: hooks are copied
};

}  // namespace belay::engine
