#include "core/engine/step_checkpoints.hpp"

#include <utility>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/engine/writer.hpp"

namespace belay::engine {

namespace {

std::exception_ptr gone(const std::string& step) {
    return std::make_exception_ptr(
        Error(ErrorCode::Stopped,
              fmt::format("this attempt of step `{}` was given up: its time is over, or its run is "
                          "in other hands. Nothing is kept of it any more.",
                          step)));
}

void tell(std::vector<Promise> waiting, const std::exception_ptr& error = nullptr) {
    for (Promise& one : waiting) one.keep(error);
}

}  // namespace

void Steps::Keeper::keep(std::shared_ptr<const std::string> json, bool wait) {
    const Work& work = *going_.work;
    if (wait && !may_block_) {
        throw Error(
            ErrorCode::InvalidArgument,
            fmt::format("step `{}` returns an awaitable, and checkpoint_and_wait would hold "
                        "up its thread: use checkpoint",
                        work.call.name));
    }
    if (!work.gate.is_open(going_.attempt) || work.gate.is_withdrawn())
        std::rethrow_exception(gone(work.call.name));
    if (!kept_) kept_ = std::make_shared<Kept>(going_);
    const auto answer = wait ? std::make_shared<Answer>(steps_.services_.world, 1) : nullptr;
    bool asks = false;
    {
        const std::lock_guard lock(kept_->mutex);
        kept_->newest = std::move(json);
        if (answer) kept_->waiting.emplace_back(answer);
        asks = !std::exchange(kept_->is_asked, true);
    }
    if (asks) {
        steps_.services_.world.executor.post(
            env::Lane::Loop, [&steps = steps_, kept = kept_] { steps.take_checkpoint(kept); });
    }
    if (answer) answer->wait();
}

void Steps::take_checkpoint(const std::shared_ptr<Kept>& kept) {
    std::shared_ptr<const std::string> newest;
    std::vector<Promise> waiting;
    {
        const std::lock_guard lock(kept->mutex);
        newest = std::exchange(kept->newest, nullptr);
        waiting = std::exchange(kept->waiting, {});
        kept->is_asked = newest != nullptr;
    }
    if (!newest) return tell(std::move(waiting));
    Work& work = *kept->going.work;
    const int attempt = kept->going.attempt;
    const bool is_ours = work.call.loop.state == belay::detail::CallState::UnderWay &&
                         work.call.entry.attempt == attempt && !work.gate.is_withdrawn();
    if (is_ours) work.loop.checkpoint = std::move(newest);
    // One that has come to its end meanwhile is recorded as that: with this, if it failed.
    if (!is_ours || !work.gate.is_open(attempt)) {
        {
            const std::lock_guard lock(kept->mutex);
            kept->is_asked = false;
        }
        return tell(std::move(waiting), is_ours ? nullptr : gone(work.call.name));
    }
    push_checkpoint(kept, std::move(waiting));
}

void Steps::push_checkpoint(const std::shared_ptr<Kept>& kept, std::vector<Promise> told) {
    Work& work = *kept->going.work;
    store::Record record;
    record.lease = kept->going.lease;
    record.stage = under_way(work, kept->going.before, StageStatus::Running);
    record.progress = take_progress(*work.call.run_shared);
    record.touch_run = true;
    services_.writer.push(
        std::move(record), [this, kept, told = std::move(told)](store::Verb& verb) mutable {
            const auto& outcome = std::get<store::Record>(verb).outcome;
            const bool is_kept = std::holds_alternative<store::Applied>(outcome);
            tell(std::move(told), is_kept ? nullptr : gone(kept->going.work->call.name));
            take_checkpoint(kept);
        });
}

}  // namespace belay::engine
