// why_waiting.cpp — a run that waits for a timer, a retry, a message or a child.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/text.hpp"
#include "core/model/awaited.hpp"
#include "core/model/why_telling.hpp"

namespace belay::model {

void Telling::timed(const Stage& stage) {
    about(stage);
    const Time until = *stage.next_attempt_at;
    out.until = until;
    if (stage.kind == StageKind::Sleep) {
        out.waits_for = WaitsFor::Timer;
        out.since = stage.started_at;
        out.attempt = 0;
        out.sentence = fmt::format("Sleeping in `{}` {}{}.", stage.stage_key,
                                   until_text(until, now), others(open.timed.size(), "timer"));
    } else {
        out.waits_for = WaitsFor::Retry;
        const Attempt* failed = last_attempt(attempts, stage.path);
        if (failed) out.since = failed->finished_at;
        out.sentence = fmt::format(
            "Retrying step `{}` {}{}: attempt {} failed: {}", stage.stage_key, at_text(until, now),
            others(open.timed.size(), "timer"), stage.attempt, out.last_error);
    }
    if (!executor) nobody_will_wake_it();
}

void Telling::in_a_fan(const Stage& stage) {
    const auto fan = fan_around(stages, stage);
    if (!fan) return;
    out.open_branches = fan->open;
    const auto left = std::max<std::int64_t>(fan->size - fan->ended, 0);
    out.sentence =
        fmt::format("In fan `{}`, {} of {} branches {} not ended ({}{}). {}", fan->fan->stage_key,
                    left, fan->size, left == 1 ? "has" : "have", fmt::join(fan->open, ", "),
                    left > static_cast<std::int64_t>(fan->open.size()) ? ", …" : "", out.sentence);
}

void Telling::message_awaited(const Stage& stage) {
    out.waits_for = WaitsFor::Message;
    out.topic = stage.stage_key;
    out.since = stage.started_at;
    const Time since = stage.started_at.value_or(run.updated_at);
    if (stage.next_attempt_at && *stage.next_attempt_at != kNever)
        out.until = stage.next_attempt_at;
    out.sentence = fmt::format("Waiting for a message of topic `{}` {}, {}{}.", out.topic,
                               since_text(since, now),
                               out.until ? until_text(*out.until, now) : "without a timeout",
                               others(open.outside.size(), "wait"));
    out.to_do = fmt::format("`belay runs send {} {} JSON` sends it one.", run.id, out.topic);
}

void Telling::child_awaited(const Stage& stage) {
    out.waits_for = WaitsFor::Child;
    out.child_id = awaited_child(stage);
    out.since = stage.started_at;
    const Time since = stage.started_at.value_or(run.updated_at);
    const auto child = std::find_if(around.children.begin(), around.children.end(),
                                    [&](const Run& other) { return other.id == out.child_id; });
    std::string state;
    if (child != around.children.end()) {
        out.child_status = child->status;
        state = fmt::format(", which is {} since {}", to_string(child->status),
                            base::format_time(child->updated_at));
        if (child->failure && !child->failure->message.empty()) {
            state += fmt::format(" ({})", child->failure->message);
        }
        if (const Stall* stall = stall_of(*child))
            state += fmt::format(" and stalled: {}", stall->sentence);
    } else if (around.knows_children && around.children.size() < around_children_read()) {
        state = ", which does not exist any more";
    }
    out.sentence =
        fmt::format("Waiting in `{}` for run `{}`{}; {}{}.", stage.stage_key, out.child_id, state,
                    since_text(since, now), others(open.outside.size(), "wait"));
    out.to_do =
        out.child_id.empty()
            ? ""
            : fmt::format("`belay runs why {}` says what that one waits for.", out.child_id);
}

std::size_t Telling::around_children_read() const {
    return std::min<std::size_t>(open.outside.size(), 20);
}

void Telling::outside() {
    const Stage& stage = *open.outside.front();
    about(stage);
    out.attempt = 0;
    out.last_error.clear();
    if (stage.kind == StageKind::Receive) {
        message_awaited(stage);
    } else {
        child_awaited(stage);
    }
    in_a_fan(stage);
    if (!executor) nobody_will_wake_it();
}

void Telling::waiting() {
    if (around.place) {
        out.since = run.updated_at;
        return in_line(fmt::format("What it waited for has come; it waits {}",
                                   since_text(run.updated_at, now)));
    }
    const bool is_timed = !open.timed.empty();
    if (is_timed && (open.outside.empty() || *open.timed.front()->next_attempt_at <= now)) {
        timed(*open.timed.front());
        return in_a_fan(*open.timed.front());
    }
    if (!open.outside.empty()) return outside();
    out.waits_for = WaitsFor::Timer;
    out.since = run.updated_at;
    out.until = run.wake_at;
    out.sentence = run.wake_at ? fmt::format("Waiting {}.", until_text(*run.wake_at, now))
                               : fmt::format("Waiting {}.", since_text(run.updated_at, now));
    if (!executor) nobody_will_wake_it();
}

}  // namespace belay::model
