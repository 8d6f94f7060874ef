#include "service/traces/spans_of_run.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <fmt/format.h>

#include <belay/cost.hpp>

#include "core/base/utf8.hpp"
#include "core/model/cost.hpp"
#include "core/store/trace_of.hpp"

namespace belay::traces {

namespace {

constexpr std::size_t kMessageCharsMax = 1000;
// Of a fan of a hundred thousand branches nobody looks at each: the first are told, and how many are not.
constexpr std::size_t kSpansPerRunMax = 10'000;
constexpr std::string_view kFromCache = "answered from the cache";

// "4.2" of "4.2.1"; of one beside the code's order ("undo:4.2") nothing.
std::string parent_path(const std::string& path) {
    if (path.find(':') != std::string::npos) return "";
    const auto dot = path.rfind('.');
    return dot == std::string::npos ? "" : path.substr(0, dot);
}

class Telling {
public:
    Telling(store::Store& store, const RunToTell& told, store::TraceOfRun trace)
        : store_(store), told_(told), run_(told.run), trace_(std::move(trace)),
          stages_(store.stages(run_.no)), deaths_(store.deaths(run_.no)) {
        for (model::Attempt& attempt : store.attempts(run_.no)) {
            std::string path = attempt.path;
            attempts_[std::move(path)].push_back(std::move(attempt));
        }
        for (const model::Stage& stage : stages_) {
            if (stage.started_at) places_.insert(stage.path);
        }
    }

    std::vector<Span> all() {
        tell_run();
        std::int64_t left_out = 0;
        for (const model::Stage& stage : stages_) {
            if (!is_told(stage)) continue;
            if (spans_.size() < kSpansPerRunMax) {
                tell_stage(stage);
            } else {
                ++left_out;
            }
        }
        Span& run = spans_.front();
        if (left_out > 0) run.attributes.emplace_back("belay.stages.left_out", left_out);
        // A run that was opened again began when somebody asked for that, which is before the first thing it did.
        if (run_.attempts > 1 && spans_.size() > 1) {
            for (std::size_t i = 1; i < spans_.size(); ++i)
                run.started_at = std::min(run.started_at, spans_[i].started_at);
        }
        return std::move(spans_);
    }

private:
    // What ended in this attempt of the run; a fork's first records were made by another run, and told with that.
    bool is_new(Time ended_at) const {
        if (told_.told_until && ended_at <= *told_.told_until) return false;
        return run_.forked_from.empty() || ended_at >= run_.created_at;
    }
    bool is_told(const model::Stage& stage) const {
        // A patch and a guard are notes of the code, and no work.
        const bool is_note =
            stage.kind == model::StageKind::Patch || stage.kind == model::StageKind::Guard;
        return !is_note && stage.started_at && stage.finished_at && is_new(*stage.finished_at);
    }

    Span span(std::string id, std::string parent, std::string name, Time from, Time to) const {
        Span span;
        span.trace_id = trace_.trace_id;
        span.span_id = std::move(id);
        span.parent_span = std::move(parent);
        span.trace_state = trace_.tracestate;
        span.name = std::move(name);
        span.started_at = from;
        span.ended_at = std::max(from, to);
        return span;
    }

    void fail(Span& span, const std::string& code, const std::string& message) const {
        span.failed = true;
        if (!told_.keeps_messages) span.failure = base::truncate(message, kMessageCharsMax);
        span.attributes.emplace_back("error.type", code.empty() ? "error" : code);
    }

    void tell_run() {
        const Time ended = run_.completed_at.value_or(run_.updated_at);
        // One that was opened again: as late as that can have been, see all().
        const Time began = run_.attempts > 1 ? ended : run_.started_at.value_or(run_.created_at);
        Span told =
            span(store::run_span(run_), trace_.parent_span, run_.workflow_key, began, ended);
        told.parent_is_remote = trace_.is_remote;
        told.kind = SpanKind::Consumer;
        told.attributes = {{"belay.run.id", run_.id},
                           {"belay.workflow.key", run_.workflow_key},
                           {"belay.organization", run_.organization_id},
                           {"belay.run.status", std::string(to_string(run_.status))},
                           {"belay.run.attempt", run_.attempts}};
        const auto add = [&](const char* name, const std::string& value) {
            if (!value.empty()) told.attributes.emplace_back(name, value);
        };
        add("belay.queue", run_.queue);
        add("belay.schedule", run_.schedule);
        add("belay.code_version", run_.code_version);
        if (run_.started_at) {
            told.attributes.emplace_back("belay.run.queued_ms",
                                         (*run_.started_at - run_.created_at).count());
        }
        if (run_.generation > 0)
            told.attributes.emplace_back("belay.run.generation", run_.generation);
        if (run_.status == RunStatus::Failed)
            fail(told, run_.failure ? run_.failure->code : "",
                 run_.failure ? run_.failure->message : "");
        for (const model::Death& death : deaths_) tell_death(told, death);
        link_origin(told);
        spans_.push_back(std::move(told));
    }

    // In whose hands it died, by the mark of that worker's start: never by a machine's name.
    void tell_death(Span& run, const model::Death& death) const {
        if (!is_new(death.picked_up_at.value_or(death.last_seen))) return;
        SpanEvent died{death.last_seen,
                       "belay.worker.died",
                       {{"belay.worker", std::string(model::worker_mark(death.worker))},
                        {"belay.death.reason", std::string(to_string(death.reason))},
                        {"belay.death.charged", death.charged}}};
        if (!death.stage.empty()) died.attributes.emplace_back("belay.stage.key", death.stage);
        run.events.push_back(std::move(died));
        if (!death.picked_up_at) return;
        run.events.push_back(
            {*death.picked_up_at,
             "belay.run.picked_up",
             {{"belay.worker", std::string(model::worker_mark(death.picked_up_by))}}});
    }

    void link_origin(Span& run) {
        if (run_.attempts > 1)
            run.links.push_back({trace_.trace_id,
                                 store::run_span(run_.id, run_.attempts - 1),
                                 {{"belay.link", std::string("retry_of")}}});
        if (run_.forked_from.empty()) return;
        const auto origin = store_.find_run(run_.forked_from);
        if (!origin) return;
        run.links.push_back({store::trace_of(store_, *origin).trace_id,
                             store::run_span(*origin),
                             {{"belay.link", std::string("fork_of")}}});
    }

    // The span of what it lies in: the nearest stage around it that has one, else the run's.
    std::string around(const model::Stage& stage) const {
        for (std::string path = parent_path(stage.path); !path.empty(); path = parent_path(path)) {
            if (places_.contains(path)) return store::stage_span(run_, path);
        }
        return store::run_span(run_);
    }

    void tell_stage(const model::Stage& stage) {
        Span told = span(store::stage_span(run_, stage.path), around(stage), stage.stage_key,
                         start_of(stage), *stage.finished_at);
        told.attributes = {{"belay.run.id", run_.id},
                           {"belay.organization", run_.organization_id},
                           {"belay.stage.key", stage.stage_key},
                           {"belay.stage.path", stage.path},
                           {"belay.stage.kind", std::string(to_string(stage.kind))},
                           {"belay.stage.status", std::string(to_string(stage.status))}};
        if (stage.message == kFromCache) told.attributes.emplace_back("belay.stage.cached", true);
        tell_cost(told, stage);
        if (stage.status == StageStatus::Failed) fail(told, stage.error_code, stage.message);
        const std::string id = told.span_id;
        spans_.push_back(std::move(told));
        if (stage.kind == model::StageKind::Step || stage.kind == model::StageKind::Transaction)
            tell_attempts(stage, id);
    }

    // Of one that a retry of the run has opened again, from when it was begun anew.
    Time start_of(const model::Stage& stage) const {
        if (!told_.told_until || *stage.started_at > *told_.told_until) return *stage.started_at;
        const auto of = attempts_.find(stage.path);
        if (of != attempts_.end()) {
            for (const model::Attempt& attempt : of->second) {
                if (is_new(attempt.finished_at))
                    return attempt.started_at.value_or(attempt.finished_at);
            }
        }
        return *told_.told_until;
    }

    static void tell_cost(Span& span, const model::Stage& stage) {
        const Cost cost = model::cost_of(stage);
        if (cost.tokens_in != 0)
            span.attributes.emplace_back("belay.cost.tokens_in", cost.tokens_in);
        if (cost.tokens_out != 0)
            span.attributes.emplace_back("belay.cost.tokens_out", cost.tokens_out);
        for (const auto& [currency, amount] : cost.money)
            span.attributes.emplace_back("belay.cost.money." + currency, amount.amount());
    }

    void tell_attempts(const model::Stage& stage, const std::string& within) {
        const std::string key =
            fmt::format("{}/{}:{}", name_of_history(run_), stage.path, stage.stage_key);
        std::map<std::int64_t, const model::Attempt*> failed;
        std::int64_t number = 1;
        if (const auto of = attempts_.find(stage.path); of != attempts_.end()) {
            for (const model::Attempt& attempt : of->second) {
                if (is_new(attempt.finished_at)) {
                    failed.emplace(attempt.attempt, &attempt);
                } else {
                    number = std::max(number, attempt.attempt + 1);
                }
            }
        }
        Time from = start_of(stage);
        for (; number <= stage.attempt; ++number) {
            if (const auto found = failed.find(number); found != failed.end()) {
                const model::Attempt& attempt = *found->second;
                Span told = attempt_span(stage, key, number, within,
                                         attempt.started_at.value_or(attempt.finished_at),
                                         attempt.finished_at);
                fail(told, attempt.error_code, attempt.message);
                from = attempt.finished_at;
                spans_.push_back(std::move(told));
            } else if (number < stage.attempt) {
                spans_.push_back(interrupted(stage, key, number, within, from));
            } else if (stage.message !=
                       kFromCache) {  // an answer from the cache was nobody's attempt
                // The last one has a row only if it failed. When it began is kept of the first alone: of another it
                // is told from the end of the one before.
                spans_.push_back(
                    attempt_span(stage, key, number, within, from, *stage.finished_at));
            }
        }
    }

    // An attempt that was under way when its process died or stopped: it has no row, and what came next has its own
    // number. `from` is moved to when the next can have begun.
    Span interrupted(const model::Stage& stage, const std::string& key, std::int64_t number,
                     const std::string& within, Time& from) const {
        Time until = from;
        Time next = from;
        for (const model::Death& death : deaths_) {
            const Time over = death.picked_up_at.value_or(death.last_seen);
            if (over < from) continue;
            until = std::max(from, death.last_seen);
            next = std::max(until, over);
            break;
        }
        Span told = attempt_span(stage, key, number, within, from, until);
        fail(told, "interrupted", "its process died or stopped");
        from = next;
        return told;
    }

    Span attempt_span(const model::Stage& stage, const std::string& key, std::int64_t number,
                      const std::string& within, Time from, Time to) const {
        Span told = span(store::attempt_span(run_, key, number), within,
                         fmt::format("{} attempt", stage.stage_key), from, to);
        told.attributes = {{"belay.run.id", run_.id},
                           {"belay.stage.key", stage.stage_key},
                           {"belay.attempt", number}};
        return told;
    }

    store::Store& store_;
    const RunToTell& told_;
    const model::Run& run_;
    const store::TraceOfRun trace_;
    const std::vector<model::Stage> stages_;
    const std::vector<model::Death> deaths_;                       // oldest first
    std::map<std::string, std::vector<model::Attempt>> attempts_;  // by path, in their order
    std::set<std::string> places_;                                 // of stages that began
    std::vector<Span> spans_;
};

}  // namespace

std::vector<Span> spans_of(store::Store& store, const RunToTell& told) {
    store::TraceOfRun trace = store::trace_of(store, told.run);
    if (!trace.sampled) return {};
    return Telling(store, told, std::move(trace)).all();
}

}  // namespace belay::traces
