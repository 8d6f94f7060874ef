// runs_fork.cpp — `belay runs fork ID --from STEP`: a new run that keeps what came before a step.
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

constexpr Duration kLookEvery{50};

struct Options {
    std::string id;
    FilterOptions filter;
    bool dry_run = false;
    std::string from;
    std::string input;
    std::vector<std::string> outputs;  // STEP=JSON
    std::string new_id;
    int wait_seconds = 10;
};

ForkOptions fork_options(const Options& options) {
    ForkOptions fork;
    fork.from = options.from;
    if (!options.input.empty()) fork.input = options.input;
    fork.id = options.new_id;
    for (const std::string& typed : options.outputs) {
        const auto equals = typed.find('=');
        if (equals == std::string::npos || equals == 0) {
            throw Error(
                ErrorCode::InvalidArgument,
                fmt::format(
                    "--output `{}` is not STEP=JSON, such as --output 'ocr=\"Total 12.50\"'",
                    plain(typed)));
        }
        fork.outputs.insert_or_assign(typed.substr(0, equals), typed.substr(equals + 1));
    }
    return fork;
}

// The new run's id; nothing if the process that executes did not answer in time.
std::optional<std::string> ask_for_fork(store::Store& store, const std::string& id,
                                        const ForkOptions& fork, Session& session,
                                        Duration at_most) {
    store::ControlRequest request;
    request.kind = "fork";
    request.run_id = id;
    request.payload = engine::fork_request(fork);
    request.created_at = session.now();
    const std::int64_t asked = store.ask(request);
    auto answer = store.answer(asked);
    for (Duration waited{0}; !answer && waited < at_most; waited += kLookEvery) {
        session.world.nap(kLookEvery);
        answer = store.answer(asked);
    }
    if (!answer) return std::nullopt;
    if (!answer->ok)
        throw Error(ErrorCode::RunFailed, fmt::format("cannot fork {}: {}", id, answer->text));
    return answer->text;
}

// An input or outputs: whether a workflow lets them in is written in its code.
bool gives_something(const ForkOptions& fork) {
    return fork.input.has_value() || !fork.outputs.empty();
}

ExitCode fork_one(Session& session, const Options& options) {
    const Place place = session.place();
    const ForkOptions fork = fork_options(options);
    std::string id;
    {
        const auto store = open_to_read(place);
        const model::Run run = find_run(*store, options.id);
        id = run.id;
        // Refused here rather than there, so that nobody waits for a mistake in typing.
        ForkOptions checked = fork;
        if (!fork.id.empty()) checked.id = kept_run_id(*store, run.organization_id, fork.id);
        engine::fork_of(*store, id, checked, "fork", "");
    }
    std::optional<std::string> made;
    const auto own = take_over(place);
    if (own && gives_something(fork)) {
        made = ask_for_fork(*own, id, fork, session, Duration{0});
    } else if (own) {
        made = fork_here(*own, id, fork, session.now());
    } else {
        const auto store = open_to_read(place);
        made = ask_for_fork(*store, id, fork, session, std::chrono::seconds{options.wait_seconds});
    }
    auto& out = session.world.screen.out;
    if (!made) {
        session.world.errors
            << (own ? "No process executes on this store, and only the program with the workflow's "
                      "code can say whether it lets that in. The fork is recorded: it is made when "
                      "that program runs.\n"
                    : "The process that executes on this store did not answer. The fork is "
                      "recorded: it is made when that process comes to it.\n");
        return ExitCode::NoStore;
    }
    if (session.json) {
        out << boost::json::serialize(boost::json::object{{"id", *made}, {"forked_from", id}})
            << '\n';
        return ExitCode::Ok;
    }
    out << plain(
               fmt::format("{} is a fork of {}.{}", *made, id,
                           own ? " No process executes on this store: it runs when one does." : ""))
        << '\n';
    return ExitCode::Ok;
}

}  // namespace

void add_runs_fork(CLI::App& runs, Session& session) {
    const auto options = std::make_shared<Options>();
    CLI::App* command = add_command(
        runs, "fork",
        "A new run that keeps what a run recorded before a step, and goes on from there",
        "belay runs fork july --from invoice_analysis\n  belay runs fork july --output "
        "'merge_ocr=\"Total 12.50\"'\n"
        "  belay runs fork --status failed --workflow WF2_PDF_SPLIT --since 1h --dry-run");
    command->add_option("ID", options->id, kRunIdHelp);
    command->add_option("--from", options->from,
                        "the step to begin at, by name or path (default: the one that failed)");
    command->add_option("--input", options->input, "JSON: another input");
    command
        ->add_option("--output", options->outputs,
                     "STEP=JSON: what a step shall have returned; repeatable")
        ->allow_extra_args(false);
    command->add_option("--id", options->new_id, "of the new run");
    command->add_option("--wait", options->wait_seconds, "seconds to wait until it has happened")
        ->check(CLI::Range(0, 3600))
        ->capture_default_str();
    add_filter_options(*command, options->filter);
    command->add_flag("--dry-run", options->dry_run, "only count the runs that it would be about");
    add_json(*command, session);
    choose(*command, session, [options, &session] {
        Bulk bulk;
        bulk.filter = filter_of(options->filter, session.now());
        if (!options->id.empty()) {
            if (is_narrowed(bulk.filter)) {
                throw Error(ErrorCode::InvalidArgument,
                            "give a run's ID or filters such as --status, not both");
            }
            if (const auto remote = session.remote())
                return fork_remote_run(*remote, options->id, fork_options(*options), session.json,
                                       session.world.screen);
            return fork_one(session, *options);
        }
        if (!is_narrowed(bulk.filter)) {
            throw Error(ErrorCode::InvalidArgument,
                        "say which run: its ID, or filters such as --status failed --since 1h");
        }
        bulk.fork = fork_options(*options);
        if (!bulk.fork.id.empty())
            throw Error(ErrorCode::InvalidArgument,
                        "--id is for one fork; many get ids of their own");
        return run_bulk(session, bulk, options->dry_run,
                        std::chrono::seconds{options->wait_seconds});
    });
}

}  // namespace belay::cli
