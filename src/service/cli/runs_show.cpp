#include "service/cli/runs_show.hpp"

#include <algorithm>
#include <memory>
#include <ostream>
#include <span>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include "core/base/text.hpp"
#include "core/base/utf8.hpp"
#include "core/model/cost.hpp"
#include "core/model/ledger.hpp"
#include "core/model/run_json.hpp"
#include "core/model/undo.hpp"
#include "core/store/family.hpp"
#include "service/cli/command.hpp"
#include "service/cli/find_run.hpp"
#include "service/cli/runs_over_http.hpp"
#include "service/cli/table.hpp"
#include "service/cli/words.hpp"

namespace belay::cli {

namespace {

// A screenful; --json has the rest.
constexpr std::size_t kPayloadChars = 600;
constexpr std::size_t kOutputChars = 120;  // of one step, in its row

void line(const Screen& screen, std::string_view name, std::string_view value,
          Style style = Style::Plain) {
    if (value.empty()) return;
    screen.out << styled(screen, Style::Dim, fmt::format("{:<13}", name))
               << styled(screen, style, value) << '\n';
}

std::string payload(const std::string& json, std::size_t chars_max = kPayloadChars) {
    if (json.size() <= chars_max) return plain(json);
    return fmt::format("{} ({}; all of it with --json)", base::truncate(plain(json), chars_max),
                       bytes_text(json.size()));
}

std::string when(const std::optional<Time>& time, Time now) {
    if (!time) return {};
    if (*time > now) {
        return fmt::format("{} (in {})", base::format_time(*time),
                           base::format_duration(*time - now));
    }
    return fmt::format("{} ({} ago)", base::format_time(*time), base::format_duration(now - *time));
}

std::string progress_of(const model::Run& run) {
    if (!run.progress) return {};
    return plain(fmt::format("{} of {}{}{}{}", run.progress->done, run.progress->total,
                             run.progress->text.empty() ? "" : " ", run.progress->text,
                             run.status == RunStatus::Running ? " (at its last checkpoint)" : ""));
}

void print_failure(const model::Run& run, const Screen& screen) {
    if (!run.failure) return;
    const model::Failure& failure = *run.failure;
    const Style style = run.status == RunStatus::Failed ? Style::Bad : Style::Warn;
    line(screen, run.status == RunStatus::Failed ? "error" : "reason", plain(failure.message),
         style);
    if (!failure.stage.empty()) {
        // A crash loop's step may be known without its place.
        const std::string where =
            failure.path.empty() ? "" : fmt::format(", position {} of the code", failure.path);
        line(screen, "", plain(fmt::format("at `{}`{} ({})", failure.stage, where, failure.code)));
    }
}

void print_header(const model::Run& run, const model::Said& said, const Cost& cost, Time now,
                  const Screen& screen) {
    const auto ended_or_stopped =
        run.status == RunStatus::Paused ? run.updated_at : run.completed_at;
    line(screen, "run", plain(run.id), Style::Bold);
    line(screen, "workflow", plain(run.workflow_key));
    line(screen, "status", to_string(run.status), style_of(run.status));
    line(screen, "progress", progress_of(run));
    line(screen, "created", when(run.created_at, now));
    line(screen, "duration",
         run.started_at ? duration_text(run.started_at, ended_or_stopped, now) : "");
    line(screen, is_finished(run.status) ? "" : "wakes",
         is_finished(run.status)        ? ""
         : run.wake_at == model::kNever ? "when what it waits for comes"
                                        : when(run.wake_at, now));
    line(screen, "ended", when(run.completed_at, now));
    line(screen, run.status == RunStatus::Running ? "worker" : "last worker", plain(run.worker));
    if (run.attempts > 1) {
        line(screen, "retried",
             run.attempts == 2 ? "once" : fmt::format("{} times", run.attempts - 1));
    }
    if (run.organization_id != "default") line(screen, "organization", plain(run.organization_id));
    line(screen, "file", plain(run.file_id));
    line(screen, "code version", plain(run.code_version));
    line(screen, "deadline", when(run.deadline_at, now));
    line(screen, "child of",
         run.parent_id.empty() ? ""
                               : fmt::format("{}, step {}", plain(run.parent_id), run.parent_path));
    line(screen, "forked from", plain(run.forked_from));
    if (run.generation > 0) line(screen, "began anew", fmt::format("{} times", run.generation));
    if (const model::Stall* stall = model::stall_of(run))
        line(screen, "stalled", plain(stall->sentence));
    if (!cost.empty()) line(screen, "cost", plain(to_string(cost)));
    if (const model::Saved saved = model::saved_of(run); saved.steps > 0) {
        const std::string paid = saved.cost.empty() ? "" : ", " + to_string(saved.cost);
        line(screen, "saved",
             plain(fmt::format("{} step{} not repeated, {}{}", saved.steps,
                               saved.steps == 1 ? "" : "s", base::format_duration(saved.time),
                               paid)));
    }
    line(screen, "labels", plain(model::labels_text(said.labels)));
    line(screen, "input", payload(run.input));
    for (const auto& [name, value] : said.exposed)
        line(screen, "exposes", plain(fmt::format("{} = {}", name, payload(value, kOutputChars))));
    if (run.result) line(screen, "result", payload(*run.result));
    print_failure(run, screen);
}

int depth_of(const model::Stage& stage) {
    if (model::is_mark(stage)) return 0;
    return static_cast<int>(std::count(stage.path.begin(), stage.path.end(), '.'));
}

// What a stage that succeeded returned; a step that returns nothing has recorded null.
std::string output_of(const model::Stage& stage) {
    if (!stage.output || *stage.output == "null") return {};
    return payload(*stage.output, kOutputChars);
}

std::string state_of(const model::Run& run, const model::Stage& stage, Time now) {
    if (stage.status == StageStatus::Succeeded) return output_of(stage);
    if (is_finished(stage.status) || !stage.next_attempt_at) {
        // What a queued one says of an attempt before is told beneath.
        return stage.status == StageStatus::Queued ? "" : stage.message;
    }
    if (run.status == RunStatus::Paused) return {};  // its timers stand still with it
    const char* what = stage.kind == model::StageKind::Sleep ? "wakes" : "next attempt";
    if (*stage.next_attempt_at <= now) return fmt::format("{} now", what);
    return fmt::format("{} in {}", what, base::format_duration(*stage.next_attempt_at - now));
}

std::string message_of(const model::Run& run, const model::Stage& stage, Time now) {
    std::string text = state_of(run, stage, now);
    if (const std::string* checkpoint = model::checkpoint_of(stage)) {
        text += fmt::format("{}last checkpoint {}", text.empty() ? "" : "; ",
                            payload(*checkpoint, kOutputChars));
    }
    return text;
}

std::string name_of(const model::Stage& stage) {
    std::string name(static_cast<std::size_t>(depth_of(stage)) * 2, ' ');
    if (stage.kind == model::StageKind::Patch) name += "patch ";
    return name + stage.stage_key;
}

// Where in the code it stands; a patch is a mark without a place of its own.
std::string place_of(const model::Stage& stage) {
    return stage.kind == model::StageKind::Patch ? "-" : stage.path;
}

// The last attempt of a failed stage is what its own row tells.
bool is_told_by_its_stage(const model::Attempt& attempt, const model::Stage& stage) {
    return stage.status == StageStatus::Failed && attempt.attempt == stage.attempt &&
           attempt.message == stage.message;
}

void print_stages(std::vector<model::Stage> stages, const std::vector<model::Attempt>& attempts,
                  const model::Run& run, Time now, const Screen& screen) {
    std::stable_sort(stages.begin(), stages.end(),
                     [](const auto& a, const auto& b) { return a.position < b.position; });
    Table table{{{"#"},
                 {"STAGE", 16},
                 {"STATUS"},
                 {"ATTEMPT", 0, true},
                 {"STARTED (UTC)"},
                 {"DURATION", 0, true},
                 {"OUTPUT / MESSAGE", 10}}};
    const Time until = run.status == RunStatus::Paused ? run.updated_at : now;
    for (const model::Stage& stage : stages) {
        const auto started_at =
            stage.status == StageStatus::Queued ? std::nullopt : stage.started_at;
        table.row({{place_of(stage)},
                   {name_of(stage)},
                   {std::string(to_string(stage.status)), style_of(stage.status)},
                   {std::to_string(stage.attempt)},
                   {clock_text(started_at, run.created_at)},
                   {duration_text(started_at, stage.finished_at, until)},
                   {message_of(run, stage, now)}});
        for (const model::Attempt& attempt : attempts) {
            if (attempt.path != stage.path || is_told_by_its_stage(attempt, stage)) continue;
            table.note(
                1, {fmt::format("{}└ attempt {} failed at {} after {}: {}",
                                std::string(static_cast<std::size_t>(depth_of(stage)) * 2, ' '),
                                attempt.attempt, clock_text(attempt.finished_at, run.created_at),
                                duration_text(attempt.started_at, attempt.finished_at, now),
                                attempt.message),
                    Style::Dim});
        }
    }
    table.print(screen);
}

// The newest of many: what is looked for is what happened last.
constexpr std::size_t kDeathsShown = 20;

void print_deaths(const std::vector<model::Death>& deaths, const model::Run& run,
                  const Screen& screen) {
    if (deaths.empty()) return;
    screen.out << '\n';
    const std::size_t from = deaths.size() - std::min(deaths.size(), kDeathsShown);
    if (from > 0) screen.out << fmt::format("{} deaths before these.\n", from);
    Table table{{{"DEATH OF"},
                 {"LAST SEEN (UTC)"},
                 {"HOW"},
                 {"EXECUTING", 10},
                 {"PICKED UP (UTC)"},
                 {"BY"}}};
    for (const model::Death& death : std::span(deaths).subspan(from)) {
        table.row({{std::string(model::worker_mark(death.worker))},
                   {clock_text(death.last_seen, run.created_at)},
                   {std::string(to_string(death.reason))},
                   {!death.charged        ? "not its code"
                    : death.stage.empty() ? "its code"
                                          : "its code, in " + death.stage},
                   {clock_text(death.picked_up_at, run.created_at)},
                   {std::string(model::worker_mark(death.picked_up_by))}});
    }
    table.print(screen);
}

// What its children cost and saved is theirs, and its own to know.
void print_children(const store::Family& family, const Screen& screen) {
    if (family.runs == 0) return;
    std::string text = fmt::format("{} run{}", family.runs, family.runs == 1 ? "" : "s");
    if (!family.cost.empty()) text += ", " + to_string(family.cost);
    if (family.saved.steps > 0) {
        text += fmt::format("; saved {} step{} not repeated{}", family.saved.steps,
                            family.saved.steps == 1 ? "" : "s",
                            family.saved.cost.empty() ? "" : ", " + to_string(family.saved.cost));
    }
    line(screen, "children", plain(text));
}

}  // namespace

ExitCode show_run(store::Store& store, const model::Run& run, Time now, const Screen& screen) {
    std::vector<model::Stage> stages = store.stages(run.no);
    print_header(run, store.said(run.no), model::cost_of(stages), now, screen);
    if (const auto undoing = model::undo_progress(run, stages)) {
        line(screen, "undoing",
             fmt::format("{} of {} steps are undone; then it ends as {}", undoing->done,
                         undoing->of, to_string(undoing->end)));
    }
    print_children(store::family_of(store, run.no), screen);
    screen.out << '\n';
    if (stages.empty()) {
        screen.out << "No step of it has been recorded yet.\n";
    } else {
        print_stages(std::move(stages), store.attempts(run.no), run, now, screen);
    }
    print_deaths(store.deaths(run.no), run, screen);
    return ExitCode::Ok;
}

ExitCode show_run_json(store::Store& store, const model::Run& run, const Screen& screen) {
    boost::json::object out = model::run_json(run, store.stages(run.no), store.attempts(run.no),
                                              store.deaths(run.no), store.said(run.no));
    out["children"] = store::family_json(store::family_of(store, run.no));
    screen.out << boost::json::serialize(out) << '\n';
    return ExitCode::Ok;
}

void add_runs_show(CLI::App& runs, Session& session) {
    const auto id = std::make_shared<std::string>();
    CLI::App* command = add_command(runs, "show", "One run: its input, its end, its stages",
                                    "belay runs show july");
    command->add_option("ID", *id, kRunIdHelp)->required();
    add_json(*command, session);
    choose(*command, session, [id, &session] {
        if (const auto remote = session.remote())
            return show_remote_run(*remote, *id, session.json, session.world.screen);
        const auto store = open_to_read(session.place());
        const model::Run run = find_run(*store, *id);
        return session.json ? show_run_json(*store, run, session.world.screen)
                            : show_run(*store, run, session.now(), session.world.screen);
    });
}

}  // namespace belay::cli
