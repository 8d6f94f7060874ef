#include "core/engine/newsroom.hpp"

#include <algorithm>

#include <belay/codec.hpp>

#include "core/base/limits.hpp"
#include "core/engine/body_news.hpp"

namespace belay::engine {

namespace {

bool applied(const store::WriteOutcome& outcome) {
    return std::holds_alternative<store::Applied>(outcome);
}

std::string_view event_of(RunStatus status) {
    switch (status) {
        case RunStatus::Queued:
            return "run_queued";
        case RunStatus::Running:
            return "run_started";
        case RunStatus::Waiting:
            return "run_waiting";
        case RunStatus::Paused:
            return "run_paused";
        default:
            return "run_ended";
    }
}

std::string_view event_of(StageStatus status) {
    switch (status) {
        case StageStatus::Queued:
        case StageStatus::Running:
            return "stage_started";
        case StageStatus::Retrying:
            return "stage_retrying";
        default:
            return "stage_ended";
    }
}

}  // namespace

// The events of one batch.
struct Newsroom::Report {
    const Feed& feed;
    const FindName& find;
    Time now;
    std::vector<Event> events{};

    void operator()(const store::Submit& verb) {
        const auto* outcome = std::get_if<store::SubmitOutcome>(&verb.outcome);
        if (outcome == nullptr) return;
        const model::Run& run = outcome->run;
        if (outcome->kind == store::SubmitKind::Retried) return add(about(run, "run_queued"));
        if (outcome->kind != store::SubmitKind::Created) return;
        add(about(run, "run_submitted"));
        if (run.status == RunStatus::Running) add(about(run, "run_started"));
        add_news(verb.on_start);
    }

    void operator()(const store::Record& verb) {
        if (!applied(verb.outcome)) return;
        const auto name = find(verb.lease.run);
        if (!name) return;
        add(about(*name, verb.stage));
        add_progress(*name, verb.progress);
        for (const model::Stage& skipped : verb.skipped) add(about(*name, skipped));
        add_news(verb.body);
    }

    void operator()(const store::End& verb) {
        if (!applied(verb.outcome)) return;
        const auto name = find(verb.lease.run);
        if (!name) return;
        add_progress(*name, verb.progress);
        Event event = about(*name, event_of(verb.status));
        event.status = to_string(verb.status);
        if (verb.failure) {
            event.stage_key = verb.failure->stage;
            event.path = verb.failure->path;
            event.message = verb.failure->message;
        }
        if (verb.result) event.data = *verb.result;
        add(std::move(event));
        add_news(verb.on_end);
    }

    void operator()(const store::Wait& verb) {
        if (!applied(verb.outcome)) return;
        const auto name = find(verb.lease.run);
        if (!name) return;
        add_progress(*name, verb.progress);
        Event event = about(*name, "run_waiting");
        event.status = to_string(RunStatus::Waiting);
        add(std::move(event));
    }

    void operator()(const store::Say& verb) {
        if (!applied(verb.outcome)) return;
        const auto name = find(verb.lease.run);
        if (!name) return;
        for (const auto& [label, value] : verb.said.labels) {
            Event event = about(*name, "run_labeled");
            event.data = to_json(Labels{{label, value}});
            events.push_back(std::move(event));
        }
        for (const auto& [value, json] : verb.said.exposed) {
            Event event = about(*name, "run_exposed");
            event.data = "{" + to_json(value) + ":" + json + "}";
            add(std::move(event));
        }
    }

    void operator()(const store::Undo& verb) {
        if (!applied(verb.outcome) || verb.what != store::UndoVerb::Begin) return;
        if (const auto name = find(verb.lease.run)) {
            Event event = about(*name, "run_undoing");
            event.status = to_string(RunStatus::Running);
            add(std::move(event));
        }
    }

    void operator()(const store::Release& verb) {
        if (!applied(verb.outcome)) return;
        if (const auto name = find(verb.lease.run)) {
            Event event = about(*name, "run_queued");
            event.status = to_string(RunStatus::Queued);
            add(std::move(event));
        }
    }

    void operator()(const store::Await& verb) {
        if (!applied(verb.outcome)) return;
        const auto name = find(verb.lease.run);
        if (!name) return;
        if (verb.start && verb.started == store::SubmitKind::Created) {
            Event child = about(
                RunName{verb.start->id, verb.start->workflow_key, verb.start->organization_id},
                "run_submitted");
            child.status = to_string(RunStatus::Queued);
            add(std::move(child));
        }
        add(about(*name, verb.stage));
    }

    void operator()(const store::Claim& verb) {
        for (const model::Run& run : verb.outcome.claimed) {
            add(about(run, run.epoch == 1 ? "run_started" : "run_resumed"));
            add_hook_news(verb.on_start, run.no);
        }
        for (const model::Run& run : verb.outcome.ended) {
            add(about(run, event_of(run.status)));
            add_hook_news(verb.on_end, run.no);
        }
    }

    void operator()(const store::Control& verb) {
        if (!verb.run) return;
        if (verb.outcome == store::ControlResult::Requested) {
            Event event = about(*verb.run, "run_stopping");
            event.message = verb.reason;
            return add(std::move(event));
        }
        if (verb.outcome != store::ControlResult::Done) return;
        // A pause that was taken back leaves the run as it was.
        const bool went_on = verb.run->status == RunStatus::Running;
        add(about(*verb.run, went_on ? "run_resumed" : event_of(verb.run->status)));
        add_hook_news(verb.on_end, verb.run->no);
    }

    void operator()(const store::Transact& verb) {
        if (std::holds_alternative<std::string>(verb.outcome)) add_news(verb.body);
    }

    void operator()(const store::Prune& verb) {
        for (const model::Run& run : verb.outcome.deleted) add(about(run, "run_deleted"));
    }

    void operator()(const store::MarkStalled& verb) {
        if (!verb.stall) return;
        const auto name = find(verb.run);
        if (!name) return;
        Event event = about(*name, "run_stalled");
        event.message = verb.stall->sentence;
        add(std::move(event));
    }

    void operator()(const store::Tick& verb) {
        if (!verb.done) return;
        for (const store::SubmitOutcome& outcome : verb.started) {
            if (outcome.kind == store::SubmitKind::Created)
                add(about(outcome.run, "run_submitted"));
        }
    }

    // The others change no run that somebody looks at.
    void operator()(const store::Look&) {}
    void operator()(const store::Send&) {}
    void operator()(const store::Wake&) {}
    void operator()(const store::Reclaim&) {}
    void operator()(const store::Load&) {}
    void operator()(const store::NoteSaved&) {}
    void operator()(const store::NoteDeath&) {}
    void operator()(const store::TakeRequests&) {}
    void operator()(const store::AnswerRequest&) {}
    void operator()(const store::ChangeQueue&) {}
    void operator()(const store::ChangeSchedule&) {}
    void operator()(const store::ChangeBudget&) {}
    void operator()(const store::Reserve&) {}
    void operator()(const store::ReadSchedules&) {}

private:
    Event about(const RunName& name, std::string_view type) const {
        Event event;
        event.at = now;
        event.type = type;
        event.organization_id = name.organization_id;
        event.run_id = name.id;
        event.workflow_key = name.workflow_key;
        return event;
    }

    Event about(const model::Run& run, std::string_view type) const {
        Event event = about(RunName{run.id, run.workflow_key, run.organization_id}, type);
        event.status = to_string(run.status);
        if (run.failure && run.status != RunStatus::Running) {
            event.stage_key = run.failure->stage;
            event.path = run.failure->path;
            event.message = run.failure->message;
        }
        return event;
    }

    Event about(const RunName& name, const model::Stage& stage) const {
        Event event = about(name, event_of(stage.status));
        event.status = to_string(stage.status);
        event.stage_key = stage.stage_key;
        event.path = stage.path;
        event.attempt = stage.attempt;
        event.message = stage.message;
        if (stage.status == StageStatus::Succeeded && stage.output) event.data = *stage.output;
        return event;
    }

    void add_progress(const RunName& name, const std::optional<model::Progress>& progress) {
        if (!progress) return;
        Event event = about(name, "run_progress");
        event.status = to_string(RunStatus::Running);
        const bool redacted = feed.is_redacted(name.workflow_key);
        event.data = progress_json(progress->done, progress->total, redacted ? "" : progress->text);
        events.push_back(std::move(event));
    }

    void add(Event event) {
        if (event.data.size() > base::kFeedPayloadBytesMax) event.data.clear();
        if (feed.is_redacted(event.workflow_key)) {
            event.data.clear();
            event.message.clear();
        }
        events.push_back(std::move(event));
    }

    void add_news(const store::TxBody& body) {
        if (const auto* news = news_of(body)) add_all(*news);
    }
    template <class Hook>
    void add_hook_news(const Hook& hook, model::RunNo run) {
        if (const auto* news = news_of(hook, run)) add_all(*news);
    }
    void add_all(const std::vector<Event>& news) {
        for (Event event : news) {
            event.at = now;
            if (event.type == "run_submitted") {
                add(std::move(event));
            } else {
                events.push_back(std::move(event));
            }
        }
    }
};

void Newsroom::committed(const store::Batch& batch) {
    Report report{feed_, find_, batch.now};
    for (const store::Verb& verb : batch.verbs) std::visit(report, verb);
    feed_.publish(std::move(report.events));
}

}  // namespace belay::engine
