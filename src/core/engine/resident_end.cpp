// resident_end.cpp — how a run in memory ends: its end on the way to disk, and what came of each write.
#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/engine/bodies.hpp"
#include "core/engine/failure.hpp"
#include "core/engine/undoing.hpp"
#include "core/engine/writer.hpp"

namespace belay::engine {

namespace {

constexpr int kHookAttemptsMax = 5;
constexpr Duration kHookRetry{200};

}  // namespace

void Resident::end_badly(RunStatus status, model::Failure failure) {
    if (undo_ != model::UndoState::Ready || undoing_)
        return push_end(status, std::nullopt, std::move(failure));
    state_ = State::Ending;
    host_.is_to_be_undone(*this, {status, std::move(failure), {}});
}

void Resident::push_end(RunStatus status, std::optional<std::string> result,
                        std::optional<model::Failure> failure) {
    state_ = State::Ending;
    store::End end;
    end.lease = lease_;
    end.status = status;
    end.on_request = stop_ == Stop::Paused && status == RunStatus::Paused && hook_failures_ == 0;
    const bool is_settled = undoing_ && undo_ != model::UndoState::Left;
    end.despite_cancel = hook_failures_ >= kHookAttemptsMax || is_settled;
    end.current_stage = last_stage_;
    end.result = std::move(result);
    end.failure = std::move(failure);
    end.progress = take_progress(*shared_);
    if (told_ && status != RunStatus::Paused) {
        told_->status = status;
        told_->epoch = lease_.epoch;
        told_->result = end.result;
        told_->failure = end.failure;
        end.on_end = services_.bodies.on_end(*told_);
    }
    services_.writer.push(std::move(end), [&host = host_, lease = lease_](store::Verb& verb) {
        if (Resident* run = host.find(lease)) run->end_committed(std::get<store::End>(verb));
    });
}

void Resident::end_committed(store::End& end) {
    if (std::holds_alternative<store::Applied>(end.outcome)) return host_.has_ended(*this, end);
    if (auto* failed = std::get_if<store::BodyFailed>(&end.outcome)) {
        const model::Failure why = read_run_failure(failed->error);
        services_.log(LogLevel::Failure, "hook_failed",
                      fmt::format("on_end of run `{}` failed: {}", shared_->id, shown(why.message)),
                      about());
        if (++hook_failures_ < kHookAttemptsMax) {
            host_.timers().at(services_.now() + kHookRetry * hook_failures_,
                              [&host = host_, lease = lease_, status = end.status,
                               result = end.result, failure = end.failure] {
                                  if (Resident* run = host.find(lease))
                                      run->push_end(status, result, failure);
                              });
            return;
        }
        model::Failure failure = why;
        failure.message = fmt::format(
            "the run ended as {}, but its on_end hook failed {} times, so its end is not recorded: "
            "{}. "
            "Put the hook right, then resume the run.",
            to_string(end.status), kHookAttemptsMax, why.message);
        return push_end(RunStatus::Paused, std::nullopt, std::move(failure));
    }
    if (const auto* refused = std::get_if<store::Refused>(&end.outcome)) {
        // A cancel came before the pause, or the pause was taken back; the replay finds it.
        services_.log(LogLevel::Warning, "transition_refused",
                      fmt::format("run `{}`: {}", shared_->id, refused->why), about());
        ++services_.counters.transitions_refused;
        return host_.is_lost(*this, true);
    }
    still_ours(end.outcome);
}

// Its history so far is forgotten in the commit that queues it: whoever claims it next, which is mostly this
// worker, finds a run that has just begun.
void Resident::begin_anew() {
    if (has_diverged_at_end()) return give_up();
    state_ = State::Ending;
    store::Release release;
    release.lease = lease_;
    release.anew_with = std::move(*continue_with_);
    services_.writer.push(std::move(release), [&host = host_, lease = lease_](store::Verb& verb) {
        Resident* run = host.find(lease);
        if (run == nullptr || !run->still_ours(std::get<store::Release>(verb).outcome)) return;
        host.begins_anew(*run);
    });
}

bool Resident::still_ours(const store::WriteOutcome& outcome) {
    if (std::holds_alternative<store::Applied>(outcome)) return true;
    if (std::holds_alternative<store::Lost>(outcome)) {
        host_.is_lost(*this, true);
        return false;
    }
    if (std::holds_alternative<store::Fenced>(outcome)) {
        ++services_.counters.writes_fenced;
        services_.log(
            LogLevel::Warning, "write_fenced",
            fmt::format("run `{}` was taken over at a newer epoch; what was known of it here was "
                        "dropped.",
                        shared_->id),
            about());
        // By another worker, or by our own Reclaim whose commit nobody was told of: then it is still ours.
        host_.is_lost(*this, true);
        return false;
    }
    if (const auto* refused = std::get_if<store::Refused>(&outcome)) {
        ++services_.counters.transitions_refused;
        services_.log(LogLevel::Warning, "transition_refused",
                      fmt::format("run `{}`: {}", shared_->id, refused->why), about());
        // Another replay would come to the same point: a person has to look.
        if (stop_ == Stop::None) {
            diverge(
                {std::string(to_string(ErrorCode::Nondeterminism)), refused->why, last_stage_, ""});
        }
        after_turn();
    }
    return false;
}

}  // namespace belay::engine
