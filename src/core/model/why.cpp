#include "core/model/why.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/base/text.hpp"
#include "core/model/awaited.hpp"
#include "core/model/why_telling.hpp"
#include "core/model/words.hpp"

namespace belay::model {

namespace {

constexpr std::array kWaitsForWords{
    Word<WaitsFor>{WaitsFor::Executor, "executor"}, Word<WaitsFor>{WaitsFor::Worker, "worker"},
    Word<WaitsFor>{WaitsFor::Code, "code"},         Word<WaitsFor>{WaitsFor::Step, "step"},
    Word<WaitsFor>{WaitsFor::Retry, "retry"},       Word<WaitsFor>{WaitsFor::Timer, "timer"},
    Word<WaitsFor>{WaitsFor::Message, "message"},   Word<WaitsFor>{WaitsFor::Child, "child"},
    Word<WaitsFor>{WaitsFor::Queue, "queue"},       Word<WaitsFor>{WaitsFor::Person, "person"},
    Word<WaitsFor>{WaitsFor::Nothing, "nothing"},
};

}  // namespace

// "since 2026-11-15T20:00:00.000Z (3 min 20 s)". Clocks differ: what seems to come is now.
std::string since_text(Time since, Time now) {
    return fmt::format("since {} ({})", base::format_time(since),
                       base::format_duration(std::max(now - since, Duration{0})));
}

std::string until_text(Time until, Time now) {
    if (until <= now) {
        return fmt::format("until {}, which was {} ago", base::format_time(until),
                           base::format_duration(now - until));
    }
    return fmt::format("until {} (in {})", base::format_time(until),
                       base::format_duration(until - now));
}

std::string at_text(Time at, Time now) {
    if (at <= now) return fmt::format("at {} (now)", base::format_time(at));
    return fmt::format("at {} (in {})", base::format_time(at), base::format_duration(at - now));
}

std::string progress_text(const Run& run) {
    if (!run.progress) return {};
    const Progress& p = *run.progress;
    // What a step reports is durable with the next checkpoint: it may be further by now.
    return fmt::format("; at its last checkpoint {} of {}{}{}", p.done, p.total,
                       p.text.empty() ? "" : " ", p.text);
}

std::string others(std::size_t count, std::string_view what) {
    if (count < 2) return {};
    return fmt::format(", and {} other {}{}", count - 1, what, count == 2 ? "" : "s");
}

const Attempt* last_attempt(const std::vector<Attempt>& attempts, const std::string& path) {
    const Attempt* last = nullptr;
    for (const Attempt& attempt : attempts) {
        if (attempt.path == path && (!last || attempt.attempt >= last->attempt)) last = &attempt;
    }
    return last;
}

Open open_stages(const std::vector<Stage>& stages) {
    Open open;
    for (const Stage& stage : stages) {
        if (stage.kind == StageKind::Scope || stage.kind == StageKind::Fan) continue;
        if (waits_outside(stage)) {
            open.outside.push_back(&stage);
        } else if (is_finished(stage.status)) {
            if (stage.finished_at && !is_mark(stage) &&
                (!open.last_done || *stage.finished_at >= *open.last_done->finished_at)) {
                open.last_done = &stage;
            }
        } else if (stage.next_attempt_at &&
                   (stage.status == StageStatus::Retrying || stage.kind == StageKind::Sleep)) {
            open.timed.push_back(&stage);
        } else if (stage.status == StageStatus::Running) {
            open.running.push_back(&stage);
        } else if (stage.status == StageStatus::Queued && !stage.started_at) {
            open.in_line.push_back(&stage);
        }
    }
    std::stable_sort(open.timed.begin(), open.timed.end(), [](const Stage* a, const Stage* b) {
        return *a->next_attempt_at < *b->next_attempt_at;
    });
    return open;
}

void Telling::about(const Stage& stage) {
    out.stage_key = stage.stage_key;
    out.path = stage.path;
    out.attempt = stage.attempt;
    if (const Attempt* failed = last_attempt(attempts, stage.path)) {
        out.last_error = failed->message;
    } else {
        out.last_error = stage.message;
    }
}

std::string_view to_string(WaitsFor what) { return word_of(kWaitsForWords, what); }

Why why(const Run& run, const std::vector<Stage>& stages, const std::vector<Attempt>& attempts,
        const std::optional<Executor>& executor, Time now) {
    Around around;
    around.executor = executor;
    return why(run, stages, attempts, around, now);
}

Why why(const Run& run, const std::vector<Stage>& stages, const std::vector<Attempt>& attempts,
        const Around& around, Time now) {
    Telling telling{run, stages, attempts, around, around.executor, now, open_stages(stages)};
    switch (run.status) {
        case RunStatus::Queued:
            telling.queued();
            break;
        case RunStatus::Running:
            telling.running();
            break;
        case RunStatus::Waiting:
            telling.waiting();
            break;
        case RunStatus::Paused:
            telling.paused();
            break;
        case RunStatus::Succeeded:
        case RunStatus::Failed:
        case RunStatus::Canceled:
            telling.ended();
            break;
    }
    telling.undoing();
    telling.stalled();
    return telling.out;
}

}  // namespace belay::model
