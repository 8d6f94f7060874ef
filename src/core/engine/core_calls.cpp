// core_calls.cpp — what a program asks of its engine about one run: submit it, wait for it, change it, send to it.
//
// Each call puts a verb in line for the next commit and waits until it is durable, or refused.
#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/failpoint.hpp"
#include "core/base/limits.hpp"
#include "core/base/text.hpp"
#include "core/base/time_ordered_id.hpp"
#include "core/engine/control.hpp"
#include "core/engine/core.hpp"
#include "core/engine/expected.hpp"
#include "core/engine/failure.hpp"
#include "core/engine/inside.hpp"
#include "core/engine/new_run.hpp"

namespace belay::engine {

// ---- submitting

std::vector<std::string> Core::submit(std::vector<belay::detail::Submission> submissions) {
    Inside::refuse(&bodies_, "Engine::submit");
    if (submissions.empty()) return {};
    std::vector<std::string> ids;
    std::vector<Writer::Entry> entries;
    std::vector<std::pair<std::size_t, std::shared_ptr<std::string>>>
        joined;  // by their place in `ids`
    const auto answer = std::make_shared<Answer>(parts_.world, submissions.size());
    {
        const std::lock_guard lock(mutex_);
        if (stopping_)
            throw Error(ErrorCode::Stopped, "the engine has stopped: it takes no new runs");
        refuse_while_broken();
        if (writer_.waiting() > base::kWriterQueueOpsMax) {
            throw Error(
                ErrorCode::Overloaded,
                fmt::format("{} writes wait for the store; try again later", writer_.waiting()));
        }
        for (const auto& submission : submissions) submissions_.check(submission);
        for (auto& submission : submissions) {
            auto ready = submissions_.prepare(std::move(submission), started_, Promise(answer));
            ids.push_back(std::move(ready.id));
            if (ready.joined) joined.emplace_back(ids.size() - 1, std::move(ready.joined));
            entries.push_back(std::move(ready.entry));
        }
    }
    base::failpoint("submit.before");
    writer_.push_all(std::move(entries));
    answer->wait();
    for (auto& [place, id] : joined) ids[place] = std::move(*id);
    return ids;
}

// Nobody waits for a store that cannot be written now.
void Core::refuse_while_broken() const {
    if (const auto why = writer_.broken_why()) throw Error(ErrorCode::StoreUnavailable, *why);
}

std::optional<std::string> Core::not_ready() {
    constexpr Duration kToldFor{3000};
    const Time now = parts_.world.clock.now();
    const auto broken = writer_.broken_why();
    {
        const std::lock_guard lock(trouble_mutex_);
        if (broken) {
            trouble_ = *broken;
            trouble_seen_ = now;
        }
        if (trouble_seen_ && now < *trouble_seen_ + kToldFor) return trouble_;
    }
    const std::size_t waiting = writer_.waiting();
    if (waiting < base::kWriterQueueOpsMax / 2) return std::nullopt;
    return fmt::format("{} writes wait for the store", waiting);
}

// ---- asking

RunStatus Core::status(const std::string& id) {
    const auto run = store_.find_run(id);
    if (!run) throw Error(ErrorCode::NotFound, fmt::format("there is no run with id `{}`", id));
    return run->status;
}

belay::detail::RunEnd Core::wait(const std::string& id, std::optional<Duration> at_most) {
    Inside::refuse(&bodies_, "Run::result or Run::wait_for");
    if (!started_) {
        const auto run = store_.find_run(id);
        if (run && !end_of(*run).is_over()) {
            throw Error(
                ErrorCode::InvalidArgument,
                fmt::format(
                    "run `{}` cannot end: this engine was not started. Call start() before you "
                    "wait for a run.",
                    id));
        }
    }
    return watchers_.wait(store_, id, at_most);
}

SqlResult Core::query(std::string_view sql, std::span<const SqlValue> parameters) {
    return store_.query(sql, parameters);
}

std::string Core::transact(std::function<std::string(Tx&)> body) {
    {
        const std::lock_guard lock(mutex_);
        if (stopping_) throw Error(ErrorCode::Stopped, "the engine has stopped");
        refuse_while_broken();
        if (writer_.waiting() > base::kWriterQueueOpsMax) {
            throw Error(
                ErrorCode::Overloaded,
                fmt::format("{} writes wait for the store; try again later", writer_.waiting()));
        }
    }
    const auto answer = std::make_shared<Answer>(parts_.world, 1);
    std::string output;
    store::Transact transact;
    transact.body = bodies_.of_program(
        std::move(body), fmt::format("tx_{}", base::time_ordered_id(parts_.world.clock.now(),
                                                                    parts_.world.random.next(),
                                                                    parts_.world.random.next())));
    writer_.push(std::move(transact),
                 [promise = Promise(answer), &output](store::Verb& verb) mutable {
                     auto& outcome = std::get<store::Transact>(verb).outcome;
                     if (const auto* failed = std::get_if<store::BodyFailed>(&outcome))
                         return promise.keep(failed->error);
                     output = std::get<std::string>(std::move(outcome));
                     promise.keep();
                 });
    answer->wait();
    return output;
}

std::unique_ptr<belay::detail::EventSource> Core::watch(const WatchOptions& options) {
    return feed_.watch(options);
}

void Core::remove(const std::string& id) {
    Inside::refuse(&bodies_, "Engine::remove");
    {
        const std::lock_guard lock(mutex_);
        if (stopping_) throw Error(ErrorCode::Stopped, "the engine has stopped");
        refuse_while_broken();
    }
    if (!store_.find_run(id))
        throw Error(ErrorCode::NotFound, fmt::format("there is no run with id `{}`", id));
    const auto answer = std::make_shared<Answer>(parts_.world, 1);
    store::Prune prune;
    prune.run_ids.push_back(id);
    writer_.push(std::move(prune),
                 [this, id, promise = Promise(answer)](store::Verb& verb) mutable {
                     const auto& pruned = std::get<store::Prune>(verb);
                     if (pruned.lost)
                         return promise.keep(std::make_exception_ptr(error_of(*pruned.lost)));
                     const auto& outcome = pruned.outcome;
                     counters_.runs_deleted += static_cast<std::int64_t>(outcome.deleted.size());
                     // After a commit that may have happened it is asked again: then it is gone already.
                     if (outcome.refused.empty() || !store_.find_run(id)) return promise.keep();
                     promise.keep(std::make_exception_ptr(
                         Error(ErrorCode::InvalidArgument, outcome.refused.front().second)));
                 });
    answer->wait();
}

// ---- control

void Core::cancel(const std::string& id, const CancelOptions& options) {
    control(id, options.undo ? store::ControlKind::Cancel : store::ControlKind::Leave,
            options.reason, {});
}
void Core::pause(const std::string& id, std::string_view reason) {
    control(id, store::ControlKind::Pause, reason, {});
}
void Core::resume(const std::string& id) { control(id, store::ControlKind::Resume, "", {}); }
void Core::retry(const std::string& id) { control(id, store::ControlKind::Retry, "", {}); }

void Core::send(const std::string& id, std::string_view topic, std::string payload,
                const SendOptions& options, belay::detail::Ride ride) {
    {
        const std::lock_guard lock(mutex_);
        if (stopping_) throw Error(ErrorCode::Stopped, "the engine has stopped");
        refuse_while_broken();
    }
    store::Send send;
    send.message = new_message(id, topic, std::move(payload), options,
                               parts_.options.organization_id, parts_.world.clock.now());
    if (const std::string why = expected_.misfit(send.message); !why.empty())
        throw Error(ErrorCode::InvalidArgument, why);
    // A commit of which nobody knows whether it happened is asked for again: with a key that is safe.
    if (send.message.dedupe_key.empty()) {
        send.message.dedupe_key = fmt::format("sent:{}{}", base::to_hex(parts_.world.random.next()),
                                              base::to_hex(parts_.world.random.next()));
    }
    send.rider = rider_of(std::move(ride));
    const auto answer = std::make_shared<Answer>(parts_.world, 1);
    writer_.push(std::move(send), [promise = Promise(answer)](store::Verb& verb) mutable {
        const auto& sent = std::get<store::Send>(verb);
        if (sent.rider.failed) return promise.keep(sent.rider.failed);
        if (sent.lost) return promise.keep(std::make_exception_ptr(error_of(*sent.lost)));
        if (sent.outcome != store::SendResult::Refused) return promise.keep();
        promise.keep(std::make_exception_ptr(Error(ErrorCode::InvalidArgument, sent.why)));
    });
    answer->wait();
}

// With an owner of its own, for what it derives.
store::Rider Core::rider_of(belay::detail::Ride ride) {
    store::Rider rider;
    if (!ride) return rider;
    rider.body = [this, ride = std::move(ride), name = fmt::format("tx_{}", new_id())](
                     store::SqlTx& sql, const store::Ridden& told) {
        const auto body = [&](Tx& tx) {
            ride(tx, told);
            return std::string{};
        };
        return bodies_.of_program(body, name)(sql);
    };
    return rider;
}

void Core::control(const std::string& id, store::ControlKind kind, std::string_view reason,
                   belay::detail::Ride ride) {
    refuse_unless_open("Engine::cancel, pause, resume or retry");
    commit_control(control_of(services_, id, kind, reason), std::move(ride));
}

void Core::commit_control(store::Control control, belay::detail::Ride ride) {
    const auto answer = std::make_shared<Answer>(parts_.world, 1);
    auto told = [this, promise = Promise(answer), id = control.run_id](store::Verb& verb) mutable {
        const auto& control = std::get<store::Control>(verb);
        scheduler_.controlled(control);
        if (control.rider.failed) {
            promise.keep(control.rider.failed);
        } else if (control.outcome == store::ControlResult::NotFound) {
            promise.keep(std::make_exception_ptr(
                Error(ErrorCode::NotFound, fmt::format("there is no run with id `{}`", id))));
        } else if (control.outcome == store::ControlResult::Refused) {
            promise.keep(std::make_exception_ptr(
                control.lost ? error_of(*control.lost)
                             : Error(ErrorCode::InvalidArgument, control.why)));
        } else {
            promise.keep();
        }
    };
    control.rider = rider_of(std::move(ride));
    writer_.push(std::move(control), std::move(told));
    answer->wait();
}

}  // namespace belay::engine
