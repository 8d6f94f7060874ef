#include "service/cli/runs_control.hpp"

#include <array>
#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/library/host.hpp"
#include "service/cli/command.hpp"
#include "service/cli/find_run.hpp"
#include "service/cli/run_filter.hpp"
#include "service/cli/runs_bulk.hpp"
#include "service/cli/runs_over_http.hpp"

namespace belay::cli {

namespace {

using store::ControlKind;

constexpr Duration kLookEvery{50};

struct Words {
    ControlKind kind;
    const char* verb;
    const char* description;
    const char* reason;  // recorded if the person gives none
};

constexpr std::array kWords{
    Words{ControlKind::Cancel, "cancel", "End a run, at its next step boundary if it runs",
          "canceled on request"},
    Words{ControlKind::Pause, "pause", "Stop a run until it is resumed", "paused on request"},
    Words{ControlKind::Resume, "resume", "Let a paused run go on", ""},
    Words{ControlKind::Retry, "retry",
          "Run a failed or canceled run again, from the step that failed", ""},
};

// The state that a run is in when it has done what it was asked.
bool has_stopped(ControlKind kind, RunStatus status) {
    if (kind == ControlKind::Cancel || kind == ControlKind::Leave) return is_finished(status);
    if (kind == ControlKind::Pause) return is_finished(status) || status == RunStatus::Paused;
    return true;
}

ExitCode exit_code_of(const Changed& changed) {
    switch (changed.how) {
        case Changed::How::Done:
        case Changed::How::Requested:
            return ExitCode::Ok;
        case Changed::How::Refused:
            return ExitCode::Failed;
        case Changed::How::NoAnswer:
            return ExitCode::NoStore;
    }
    return ExitCode::Failed;
}

ExitCode control(Session& session, Change change, Duration at_most) {
    if (const auto remote = session.remote())
        return control_remote_run(*remote, change.run_id, change.kind, change.reason, session.json,
                                  session.world.screen);
    const Place place = session.place();
    {
        const auto store = open_to_read(place);
        change.run_id = find_run(*store, change.run_id).id;
    }
    Changed changed;
    const auto own = take_over(place);
    if (own) {
        changed = change_here(*own, change, session.now());
    } else {
        const auto store = open_to_read(place);
        changed = ask_for_change(*store, change, session.now(), at_most, session.world.nap);
    }
    const std::string sentence = sentence_about(change, changed, own == nullptr);
    const ExitCode code = exit_code_of(changed);
    if (session.json) {
        const boost::json::object out{{"id", change.run_id},
                                      {"ok", code == ExitCode::Ok},
                                      {"done", changed.how == Changed::How::Done},
                                      {"status", to_string(changed.status)},
                                      {"sentence", sentence}};
        session.world.screen.out << boost::json::serialize(out) << '\n';
    } else {
        (code == ExitCode::Ok ? session.world.screen.out : session.world.errors)
            << plain(sentence) << '\n';
    }
    return code;
}

}  // namespace

std::string_view request_of(ControlKind kind) {
    return kind == ControlKind::Leave ? "leave" : word_of(kind);
}

std::string_view word_of(ControlKind kind) {
    if (kind == ControlKind::Leave) return word_of(ControlKind::Cancel);
    for (const Words& words : kWords) {
        if (words.kind == kind) return words.verb;
    }
    return "?";
}

Changed change_here(store::Store& store, const Change& change, Time now) {
    store::Batch batch;
    batch.now = now;
    batch.verbs.emplace_back(engine::control_of(store, change.run_id, change.kind, change.reason));
    store.commit(batch);
    const auto& control = std::get<store::Control>(batch.verbs.front());
    Changed changed;
    if (control.run) changed.status = control.run->status;
    switch (control.outcome) {
        case store::ControlResult::Done:
            changed.how = Changed::How::Done;
            break;
        case store::ControlResult::Requested:
            changed.how = Changed::How::Requested;
            break;
        case store::ControlResult::NotFound:
            changed = {Changed::How::Refused, changed.status, "it is gone"};
            break;
        case store::ControlResult::Refused:
            changed = {Changed::How::Refused, changed.status, control.why};
            break;
    }
    return changed;
}

Changed ask_for_change(store::Store& store, const Change& change, Time now, Duration at_most,
                       const std::function<void(Duration)>& nap) {
    store::ControlRequest request;
    request.kind = request_of(change.kind);
    request.run_id = change.run_id;
    request.payload = change.reason;
    request.created_at = now;
    const std::int64_t asked = store.ask(request);

    Duration waited{0};
    auto answer = store.answer(asked);
    for (; !answer && waited < at_most; waited += kLookEvery) {
        nap(kLookEvery);
        answer = store.answer(asked);
    }
    auto run = store.find_run(change.run_id);
    const auto status = [&] { return run ? run->status : RunStatus::Queued; };
    if (!answer) return {Changed::How::NoAnswer, status(), {}};
    if (!answer->ok) return {Changed::How::Refused, status(), answer->text};
    for (; !has_stopped(change.kind, status()) && waited < at_most; waited += kLookEvery) {
        nap(kLookEvery);
        run = store.find_run(change.run_id);
    }
    return {has_stopped(change.kind, status()) ? Changed::How::Done : Changed::How::Requested,
            status(),
            {}};
}

std::string sentence_about(const Change& change, const Changed& changed, bool executed) {
    const std::string verb{word_of(change.kind)};
    switch (changed.how) {
        case Changed::How::Refused:
            return fmt::format("Cannot {} {}: {}.", verb, change.run_id, changed.why);
        case Changed::How::NoAnswer:
            return fmt::format(
                "The process that executes on this store did not answer. The {} of {} is recorded: "
                "it is handled when that process comes to it.",
                verb, change.run_id);
        case Changed::How::Requested:
            if (executed) {
                return fmt::format(
                    "{} is asked to {}, and stops when its step under way has ended. `belay runs "
                    "why "
                    "{}` shows which.",
                    change.run_id, verb, change.run_id);
            }
            if (changed.status != RunStatus::Running) {
                return fmt::format(
                    "The {} of {} is recorded. Some of what it did is to be undone first: the next "
                    "program that executes on this store does that. With --no-undo it is left as "
                    "it is.",
                    verb, change.run_id);
            }
            return fmt::format(
                "{} was left running by a process that has ended. The {} is recorded: the next "
                "program that executes on this store carries it out before any step.",
                change.run_id, verb);
        case Changed::How::Done:
            break;
    }
    std::string sentence = fmt::format("{} is {}.", change.run_id, to_string(changed.status));
    if (executed) return sentence;
    if (word_of(change.kind) == word_of(ControlKind::Cancel)) {
        sentence +=
            " No process executes on this store, so no on_end hook of its workflow has run.";
    } else if (changed.status == RunStatus::Queued) {
        sentence += " No process executes on this store: it runs when one does.";
    }
    return sentence;
}

void add_runs_control(CLI::App& runs, Session& session) {
    struct Options {
        std::string id;
        std::string reason;
        int wait_seconds = 10;
        FilterOptions filter;
        bool dry_run = false;
        bool no_undo = false;
    };
    for (const Words& words : kWords) {
        const auto options = std::make_shared<Options>();
        const std::string verb = words.verb;
        CLI::App* command = add_command(
            runs, verb, words.description,
            fmt::format(
                "belay runs {0} july\n  belay runs {0} --workflow INVOICE --since 1h --dry-run",
                verb));
        command->add_option("ID", options->id, kRunIdHelp);
        add_filter_options(*command, options->filter);
        command->add_flag("--dry-run", options->dry_run,
                          "only count the runs that it would be about");
        if (*words.reason != '\0') {
            options->reason = words.reason;
            command->add_option("--reason", options->reason, "recorded with the run")
                ->capture_default_str();
        }
        if (words.kind == ControlKind::Cancel) {
            command->add_flag("--no-undo", options->no_undo,
                              "leave what the run did as it is, also if it is being undone");
        }
        command
            ->add_option("--wait", options->wait_seconds, "seconds to wait until it has happened")
            ->check(CLI::Range(0, 3600))
            ->capture_default_str();
        add_json(*command, session);
        choose(*command, session, [options, asked = words.kind, &session] {
            const ControlKind kind = options->no_undo ? ControlKind::Leave : asked;
            Bulk bulk;
            bulk.filter = filter_of(options->filter, session.now());
            if (options->id.empty()) {
                if (!is_narrowed(bulk.filter)) {
                    throw Error(
                        ErrorCode::InvalidArgument,
                        "say which run: its ID, or filters such as --status failed --since 1h");
                }
                bulk.kind = kind;
                bulk.reason = options->reason;
                return run_bulk(session, bulk, options->dry_run,
                                std::chrono::seconds{options->wait_seconds});
            }
            if (is_narrowed(bulk.filter) || options->dry_run) {
                throw Error(ErrorCode::InvalidArgument,
                            "a run's ID stands alone: filters and --dry-run are for many runs");
            }
            return control(session, {kind, options->id, options->reason},
                           std::chrono::seconds{options->wait_seconds});
        });
    }
}

}  // namespace belay::cli
