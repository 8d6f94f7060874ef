// context.cpp — what a Context and an Attempt derive instead of asking the world: the same after a crash.
#include <belay/context.hpp>
#include <belay/cost.hpp>
#include <belay/engine.hpp>

#include <fmt/format.h>

#include "core/base/hash.hpp"
#include "core/base/limits.hpp"

namespace belay {

std::uint64_t Context::random() {
    const std::uint64_t place = base::hash64(prefix_, port_.seed());
    return base::mix64(base::mix64(place + steps_) ^ (++draws_ * 0x9e3779b97f4a7c15ULL));
}

std::string Context::uuid() {
    const std::uint64_t high = random();
    const std::uint64_t low = random();
    // The bits of a random (version 4) UUID.
    return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xFFFF,
                       high & 0x0FFF, 0x8000 | ((low >> 48) & 0x3FFF), low & 0xFFFF'FFFF'FFFFULL);
}

std::string Context::idempotency_key() {
    return fmt::format("{}/{}{}~{}", port_.shared()->name(), prefix_, steps_, ++draws_);
}

Attempt::Attempt(detail::RunShared& run, const std::string& path, std::string_view stage,
                 int number, std::stop_token stop)
    : run_(run), path_(path), stage_(stage), number_(number), stop_(std::move(stop)) {}

Attempt::~Attempt() = default;

void Attempt::cost(const Cost& cost) {
    if (!cost_) {
        cost_ = std::make_unique<Cost>(cost);
    } else {
        *cost_ += cost;
    }
}

std::unique_ptr<Cost> Attempt::take_cost() { return std::move(cost_); }

const std::string& Attempt::run_id() const { return run_.id; }

std::string Attempt::idempotency_key() const {
    return fmt::format("{}/{}:{}", run_.name(), path_, stage_);
}

void Attempt::keep(std::string json, bool wait) {
    if (json.size() > base::kCheckpointBytesMax) {
        throw Error(
            ErrorCode::PayloadTooLarge,
            fmt::format("the checkpoint of step `{}` has {} bytes of JSON; it is a place to "
                        "begin from, and has at most {}. Keep what was made in a file or "
                        "an object and its name here.",
                        stage_, json.size(), base::kCheckpointBytesMax));
    }
    auto kept = std::make_shared<const std::string>(std::move(json));
    if (keeper_ != nullptr) keeper_->keep(kept, wait);
    checkpoint_ = std::move(kept);
}

void Attempt::progress(std::int64_t done, std::int64_t total, std::string_view text) {
    run_.report(done, total, text);
}

namespace detail {

void throw_unless_succeeded(const std::string& id, const RunEnd& end) {
    switch (end.status) {
        case RunStatus::Succeeded:
            return;
        case RunStatus::Canceled:
            throw Error(ErrorCode::RunCanceled,
                        fmt::format("run `{}` was canceled: {}", id, end.error));
        case RunStatus::Paused: {
            ErrorCode code = ErrorCode::RunPaused;
            for (const ErrorCode why :
                 {ErrorCode::CrashLoop, ErrorCode::UndoFailed, ErrorCode::BudgetReached}) {
                if (end.code == to_string(why)) code = why;
            }
            throw Error(code, fmt::format("run `{}` is paused: {}", id, end.error));
        }
        default:
            throw Error(ErrorCode::RunFailed, fmt::format("run `{}` failed: {}", id, end.error));
    }
}

}  // namespace detail
}  // namespace belay
