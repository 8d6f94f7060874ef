#include "core/store/tick.hpp"

#include <fmt/format.h>

namespace belay::store {

namespace {

class Firing {
public:
    Firing(Tick& verb, model::StoredSchedule& row, TickPort& port)
        : verb_(verb), row_(row), port_(port) {}

    void buffered_first() {
        if (!row_.buffered || port_.has_unfinished(row_.schedule.name)) return;
        const Time tick = *row_.buffered;
        row_.buffered.reset();
        start(tick);
    }

    void tick(Time tick) {
        const bool unfinished = port_.has_unfinished(row_.schedule.name);
        switch (model::on_tick(row_.schedule.overlap, unfinished)) {
            case model::OnTick::Start:
                return start(tick);
            case model::OnTick::Lose:
                ++row_.lost;
                return;
            case model::OnTick::Buffer:
                if (row_.buffered) ++row_.lost;
                row_.buffered = tick;
                return;
            case model::OnTick::CancelThenStart:
                port_.cancel_unfinished(row_.schedule.name);
                return start(tick);
        }
    }

private:
    void start(Time tick) {
        SubmitOutcome outcome = port_.start(model::run_of(row_.schedule, tick, verb_.code_version));
        const bool is_ours =
            outcome.kind == SubmitKind::Created || outcome.kind == SubmitKind::Joined;
        if (!is_ours) {
            // Someone else took the id for something else: there is no run of this tick.
            ++row_.lost;
        } else {
            ++row_.fired;
            row_.last_tick = tick;
            row_.last_run_id = outcome.run.id;
        }
        verb_.started.push_back(std::move(outcome));
    }

    Tick& verb_;
    model::StoredSchedule& row_;
    TickPort& port_;
};

}  // namespace

bool fire(Tick& verb, model::StoredSchedule& row, TickPort& port, Time now) {
    Firing firing{verb, row, port};
    firing.buffered_first();
    const bool is_idle = verb.started.empty() && verb.ticks.empty() && verb.lost == 0 &&
                         verb.handled_until == row.handled_until;
    if (is_idle) {
        verb.done = true;
        verb.stands = row;
        return false;
    }
    for (const Time tick : verb.ticks) firing.tick(tick);
    row.handled_until = verb.handled_until;
    row.lost += verb.lost;
    row.version += 1;
    row.updated_at = now;
    verb.done = true;
    verb.stands = row;
    return true;
}

std::optional<model::StoredSchedule> changed(const ChangeSchedule& verb,
                                             const std::optional<model::StoredSchedule>& row,
                                             Time now) {
    model::StoredSchedule out;
    if (row) {
        out = *row;
    } else {
        out.created_at = out.handled_until = now;
    }
    const bool was_paused = out.schedule.paused;
    switch (verb.kind) {
        case ChangeKind::Declare:
            if (row && row->declared == verb.declared) return std::nullopt;
            out.declared = verb.declared;
            [[fallthrough]];
        case ChangeKind::Set:
            if (!row || !model::same_times(row->schedule, verb.schedule)) {
                out.handled_until = now;
                out.buffered.reset();
            }
            out.schedule = verb.schedule;
            out.schedule.paused = was_paused;
            break;
        case ChangeKind::Pause:
            out.schedule.paused = true;
            out.buffered.reset();
            break;
        case ChangeKind::Resume:
            if (!was_paused) return std::nullopt;
            out.schedule.paused = false;
            out.handled_until = now;
            break;
        case ChangeKind::Remove:
            return std::nullopt;
    }
    out.version += 1;
    out.updated_at = now;
    return out;
}

std::optional<model::Queue> changed(const ChangeQueue& verb, const std::optional<model::Queue>& row,
                                    Time now) {
    model::Queue out;
    if (row) {
        out = *row;
    } else {
        out.name = verb.queue.name;
        out.created_at = now;
    }
    switch (verb.kind) {
        case ChangeKind::Declare:
            if (row && row->declared == verb.queue.declared) return std::nullopt;
            out.declared = verb.queue.declared;
            [[fallthrough]];
        case ChangeKind::Set:
            out.limits = verb.queue.limits;
            break;
        case ChangeKind::Pause:
            out.paused = true;
            out.pause_reason = verb.queue.pause_reason;
            break;
        case ChangeKind::Resume:
            out.paused = false;
            out.pause_reason.clear();
            break;
        case ChangeKind::Remove:
            return std::nullopt;
    }
    out.updated_at = now;
    return out;
}

std::string still_has_runs(const std::string& queue, std::int64_t count) {
    return fmt::format("{} unfinished run{} in queue `{}`: let {} end, or cancel {}, first", count,
                       count == 1 ? " is" : "s are", queue, count == 1 ? "it" : "them",
                       count == 1 ? "it" : "them");
}

std::string is_named_by(const std::string& queue, const std::string& schedule) {
    return fmt::format("the schedule `{}` puts its runs into queue `{}`: remove or change it first",
                       schedule, queue);
}

}  // namespace belay::store
