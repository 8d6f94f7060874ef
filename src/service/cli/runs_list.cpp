#include "service/cli/runs_list.hpp"

#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/model/run_json.hpp"
#include "service/cli/command.hpp"
#include "service/cli/run_filter.hpp"
#include "service/cli/run_list_over_http.hpp"
#include "service/cli/runs_over_http.hpp"
#include "service/cli/table.hpp"
#include "service/cli/whole_number.hpp"
#include "service/cli/words.hpp"

namespace belay::cli {

namespace {

// A run that waits for a retry has ended nothing yet: its time goes on.
std::string duration_of(const model::Run& run, Time now) {
    const bool stands_still = run.status == RunStatus::Paused;
    return duration_text(run.started_at, stands_still ? run.updated_at : run.completed_at, now);
}

void print_empty(const store::RunFilter& filter, const std::string& name, const Screen& screen) {
    if (is_narrowed(filter) || filter.before) {
        screen.out << "No run in " << plain(name)
                   << " is like that. Without filters, `belay runs list` shows all.\n";
    } else {
        screen.out << "No runs in " << plain(name)
                   << " yet. A program makes one with engine.submit(\"WORKFLOW\", input).\n";
    }
}

}  // namespace

void mark_executor_gone(std::vector<model::Run>& runs, Time now) {
    for (model::Run& run : runs) {
        const bool waits_for_one = run.status == RunStatus::Running ||
                                   run.status == RunStatus::Queued ||
                                   run.status == RunStatus::Waiting;
        const bool is_due =
            run.status == RunStatus::Running || run.wake_at.value_or(run.created_at) <= now;
        if (waits_for_one && is_due) run.stall = model::executor_gone(now);
    }
}

ExitCode list_runs(store::Store& store, const store::RunFilter& filter, const std::string& again,
                   Time now, const Screen& screen, bool somebody_executes) {
    store::RunPage page = store.list_runs(filter);
    if (!somebody_executes) mark_executor_gone(page.runs, now);
    if (page.runs.empty()) {
        print_empty(filter, store.name(), screen);
        return ExitCode::Ok;
    }
    Table table{{{"ID", 14},
                 {"WORKFLOW", 10},
                 {"STATUS"},
                 {"STAGE", 8},
                 {"AGE", 0, true},
                 {"DURATION", 0, true},
                 {"ERROR", 12}}};
    for (const model::Run& run : page.runs) {
        const model::Stall* stall = model::stall_of(run);
        table.row({{run.id},
                   {run.workflow_key},
                   {std::string(to_string(run.status)), stall ? Style::Warn : style_of(run.status)},
                   {run.current_stage == "queued" ? "-" : run.current_stage},
                   {duration_text(run.created_at, std::nullopt, now)},
                   {duration_of(run, now)},
                   {stall ? fmt::format("stalled: {}", stall->sentence) : short_error(run)}});
    }
    table.print(screen);
    if (page.next) {
        screen.out << styled(screen, Style::Dim,
                             fmt::format("There are more: {} --before {}", plain(again),
                                         page.next->value))
                   << '\n';
    }
    return ExitCode::Ok;
}

void tell_if_nobody_executes(store::Store& store, const std::optional<model::Executor>& executor,
                             const Screen& screen) {
    if (executor) return;
    const store::RunCounts n = store.count_runs();
    const auto unfinished = n.queued + n.running + n.waiting;
    if (unfinished == 0) return;
    screen.out << styled(screen, Style::Warn,
                         fmt::format("No process executes on this store: {} unfinished run{} for "
                                     "one.",
                                     unfinished, unfinished == 1 ? " waits" : "s wait"))
               << '\n';
}

ExitCode list_runs_json(store::Store& store, const store::RunFilter& filter, const Screen& screen,
                        Time now, bool somebody_executes) {
    store::RunPage page = store.list_runs(filter);
    if (!somebody_executes) mark_executor_gone(page.runs, now);
    std::vector<store::RunNo> numbers;
    for (const model::Run& run : page.runs) numbers.push_back(run.no);
    const store::LabelsOfRuns labels = store.labels(numbers);
    boost::json::array runs;
    for (const model::Run& run : page.runs) {
        const auto found = labels.find(run.no);
        runs.push_back(
            model::run_summary_json(run, found == labels.end() ? Labels{} : found->second));
    }
    boost::json::object out{{"runs", std::move(runs)}, {"next_cursor", nullptr}};
    if (page.next) out["next_cursor"] = std::to_string(page.next->value);
    screen.out << boost::json::serialize(out) << '\n';
    return ExitCode::Ok;
}

void add_runs_list(CLI::App& runs, Session& session) {
    struct Options {
        FilterOptions filter;
        int limit = 20;
        std::int64_t before = 0;
    };
    // Shared by the option bindings and the action, which both live as long as the App.
    const auto options = std::make_shared<Options>();
    CLI::App* command = add_command(runs, "list", "Runs, newest first",
                                    "belay runs list --status failed --limit 5");
    add_filter_options(*command, options->filter);
    command->add_option("--limit", options->limit, "how many at most")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    command->add_option("--before", options->before, "go on below this cursor")
        ->check(whole_number_from(1));
    add_json(*command, session);
    const auto action = [options, &session] {
        store::RunFilter filter = filter_of(options->filter, session.now());
        filter.limit = options->limit;
        if (options->before > 0) filter.before = store::RunNo{options->before};
        std::string narrowed = as_typed(options->filter);
        if (options->limit != Options{}.limit)
            narrowed += fmt::format(" --limit {}", options->limit);
        if (const auto remote = remote_for(session, filter.organization_id)) {
            const std::string& url = session.remote_options.server;
            const std::string again =
                "belay runs list" + (url.empty() ? "" : " --server " + url) + narrowed;
            return list_remote_runs(*remote, filter, again, session.json, session.world.screen);
        }
        const Place place = session.place();
        const auto store = open_to_read(place);
        // Who cannot read the lock does not know; the list is what was asked for.
        bool somebody_executes = true;
        std::optional<model::Executor> executor;
        try {
            executor = executor_of(place);
            somebody_executes = executor.has_value();
        } catch (const Error&) {
        }
        if (session.json)
            return list_runs_json(*store, filter, session.world.screen, session.now(),
                                  somebody_executes);
        const std::string again = "belay runs list" + place.option + narrowed;
        list_runs(*store, filter, again, session.now(), session.world.screen, somebody_executes);
        if (!somebody_executes) tell_if_nobody_executes(*store, executor, session.world.screen);
        return ExitCode::Ok;
    };
    choose(*command, session, action);
    // `belay runs` alone lists them too. Its callback comes after that of a command beneath it.
    add_json(runs, session);
    runs.callback([action, &session] {
        if (!session.chosen) session.chosen = action;
    });
}

}  // namespace belay::cli
