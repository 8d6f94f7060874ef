#include "service/app/submit.hpp"

#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include <belay/error.hpp>
#include <belay/trace.hpp>

#include "core/library/host.hpp"
#include "core/model/said.hpp"
#include "service/api/input_check.hpp"
#include "service/app/engine_server.hpp"
#include "service/cli/data_folder.hpp"
#include "service/cli/over_http.hpp"
#include "service/http/curl_client.hpp"

namespace belay::app {

using cli::ExitCode;
namespace json = boost::json;

namespace {

constexpr Duration kLookEvery{50};
constexpr Duration kWaitForAnswer{10'000};
// For what others are told of an end (traces), by a process that ends with it.
constexpr Duration kLastWords{2'000};

struct Asked {
    std::string workflow;
    std::string input = "null";  // JSON, @FILE, or - for standard input
    std::string id;
    std::string queue;
    std::vector<std::string> typed_labels;
    std::string traceparent;
    Labels labels;
    bool wait = false;
};

// What became of it. `result` is JSON, once it has succeeded.
struct Told {
    std::string id{};
    RunStatus status = RunStatus::Queued;
    std::string result{};
    std::string error{};
    std::string code{};

    // As Run::result has it: one that is paused for what it did goes no further by itself.
    bool is_over() const { return belay::detail::RunEnd{status, {}, {}, code}.is_over(); }
};

std::string read_all(std::istream& in, std::string_view name) {
    std::stringstream text;
    text << in.rdbuf();
    if (!in && !in.eof())
        throw Error(ErrorCode::InvalidArgument, fmt::format("{} cannot be read", name));
    return text.str();
}

std::string input_of(const std::string& given) {
    std::string text = given;
    if (given == "-") {
        text = read_all(std::cin, "standard input");
    } else if (given.starts_with('@')) {
        std::ifstream file(given.substr(1));
        if (!file)
            throw Error(ErrorCode::InvalidArgument,
                        fmt::format("{} cannot be read", given.substr(1)));
        text = read_all(file, given.substr(1));
    }
    boost::system::error_code error;
    const json::value value = json::parse(text, error);
    if (error) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("the input is not JSON: {}. A text stands in quotes of its own: "
                                "'\"july\"'",
                                error.message()));
    }
    return json::serialize(value);
}

// ---- over HTTP

std::string text_of(const json::value& answer, std::string_view name) {
    const json::value* found = answer.is_object() ? answer.get_object().if_contains(name) : nullptr;
    return found != nullptr && found->is_string() ? std::string(found->get_string()) : "";
}

Told told_by(const json::value& run) {
    Told told{text_of(run, "id"), run_status(text_of(run, "status")).value_or(RunStatus::Queued)};
    const json::object& is = run.as_object();
    if (const auto* result = is.if_contains("result");
        result != nullptr && told.status == RunStatus::Succeeded)
        told.result = json::serialize(*result);
    if (const auto* error = is.if_contains("error"); error != nullptr && error->is_object()) {
        told.error = text_of(*error, "message");
        told.code = text_of(*error, "code");
    }
    return told;
}

Told submit_remote(const cli::ServerClient& remote, const Asked& asked,
                   const cli::Session& session) {
    json::object body{{"input", json::parse(asked.input)}};
    if (!asked.id.empty()) body["id"] = asked.id;
    if (!asked.queue.empty()) body["queue"] = asked.queue;
    if (!asked.labels.empty()) body["labels"] = json::value_from(asked.labels);
    Told told = told_by(
        remote.post(fmt::format("/api/workflows/{}/runs", cli::in_url(asked.workflow)), body));
    while (asked.wait && !told.is_over()) {
        session.world.nap(kLookEvery * 4);
        told = told_by(remote.get("/api/runs/" + cli::in_url(told.id)));
    }
    return told;
}

// ---- on a store

Told told_of(store::Store& store, const std::string& id) {
    const auto run = store.find_run(id);
    if (!run) return {id};
    Told told{run->id, run->status};
    if (run->status == RunStatus::Succeeded) told.result = run->result.value_or("null");
    if (run->failure) {
        told.error = run->failure->message;
        told.code = run->failure->code;
    }
    return told;
}

// Before anybody is asked: what this store says of the workflow.
void refuse_early(store::Store& store, const Asked& asked) {
    for (const model::Definition& one : library::read_definitions(store)) {
        if (one.workflow_key != asked.workflow) continue;
        const auto fault = api::misspelt_member(json::parse(asked.input),
                                                json::parse(one.input_schema).as_object());
        if (fault)
            throw Error(ErrorCode::InvalidArgument,
                        fmt::format("the input of {}: {}", asked.workflow, *fault));
        return;
    }
}

belay::detail::Submission submission_of(const Asked& asked) {
    belay::detail::Submission submission;
    submission.workflow = asked.workflow;
    submission.input = asked.input;
    submission.options.id = asked.id;
    submission.options.queue = asked.queue;
    submission.options.labels = asked.labels;
    submission.options.source_channel = "cli";
    return submission;
}

Told submit_asking(const cli::Place& place, const Asked& asked, const cli::Session& session) {
    const auto store = open_to_read(place);
    refuse_early(*store, asked);
    store::ControlRequest request;
    request.kind = "submit";
    request.run_id = asked.id;
    request.payload = engine::Requests::submit_payload(submission_of(asked), session.now());
    request.created_at = session.now();
    const std::int64_t number = store->ask(request);
    auto answer = store->answer(number);
    for (Duration waited{0}; !answer && waited < kWaitForAnswer; waited += kLookEvery) {
        session.world.nap(kLookEvery);
        answer = store->answer(number);
    }
    if (!answer)
        throw Error(ErrorCode::StoreUnavailable,
                    "the process that executes on this store did not answer; the request is "
                    "recorded, and handled when that process comes to it");
    if (!answer->ok) throw Error(ErrorCode::RunFailed, answer->text);
    Told told = told_of(*store, answer->text);
    while (asked.wait && !told.is_over()) {
        session.world.nap(kLookEvery);
        told = told_of(*store, told.id);
    }
    return told;
}

// An engine of this process, as `serve` has it, without its server.
class OwnEngine {
public:
    OwnEngine(const Program& program, const cli::Place& place, cli::Session& session)
        : options_(cli::serve_options(cli::gather_settings(
              settings_of(program), {{"listen", "127.0.0.1:0"}}, session.world.environment, ""))),
          core_(library::make_core(config_of(place), engine_options(program, place))),
          engine_(core_),
          server_({program, engine_, clock_, client_, session.world.errors, place, options_, {}},
                  services_) {}

    Told submit(const Asked& asked) {
        belay::detail::Submission submission = submission_of(asked);
        submission.options.organization_id = options_.organization;
        check(asked);
        if (asked.wait) server_.start_engine();
        const std::string id = core_->submit_from_outside(std::move(submission));
        if (asked.wait) core_->wait(id, std::nullopt);
        Told told = told_of(core_->store(), id);
        server_.stop(kLastWords);
        engine_.stop();
        return told;
    }

private:
    EngineOptions engine_options(const Program& program, const cli::Place& place) const {
        EngineOptions engine;
        engine.seal = place.seal;
        engine.organization_id = options_.organization;
        engine.code_version = code_version_of(program);
        return engine;
    }

    void check(const Asked& asked) const {
        for (const model::Definition& one : library::definitions_of(*core_)) {
            if (one.workflow_key != asked.workflow) continue;
            const auto fault = api::misspelt_member(json::parse(asked.input),
                                                    json::parse(one.input_schema).as_object());
            if (fault)
                throw Error(ErrorCode::InvalidArgument,
                            fmt::format("the input of {}: {}", asked.workflow, *fault));
        }
    }

    const cli::ServeOptions options_;
    env::SystemClock clock_;
    http::CurlClient client_;
    std::vector<std::unique_ptr<ServedBundle>> services_;
    std::shared_ptr<engine::Core> core_;
    Engine engine_;
    EngineServer server_;
};

// Whether somebody executes there that can be asked. With PostgreSQL any worker is asked through its own submission,
// so this process only submits.
bool is_executed(const cli::Place& place) {
    return place.address.empty() && executor_of(place).has_value();
}

Told submit_here(const Program& program, const cli::Place& place, const Asked& asked,
                 cli::Session& session) {
    if (is_executed(place)) return submit_asking(place, asked, session);
    make_data_folder(place);
    return OwnEngine{program, place, session}.submit(asked);
}

ExitCode print(const Told& told, const Asked& asked, const cli::Session& session) {
    auto& out = session.world.screen.out;
    if (session.json) {
        json::object all{{"id", told.id},
                         {"workflow_key", asked.workflow},
                         {"status", to_string(told.status)},
                         {"result", nullptr},
                         {"error", nullptr}};
        if (!told.result.empty()) all["result"] = json::parse(told.result);
        if (!told.error.empty()) all["error"] = told.error;
        out << json::serialize(all) << '\n';
    } else if (!asked.wait) {
        out << cli::plain(fmt::format("{} is {}.", told.id, to_string(told.status))) << '\n';
    } else if (told.status == RunStatus::Succeeded) {
        out << cli::plain(told.result) << '\n';
    } else {
        session.world.errors << cli::plain(fmt::format("{} {}: {}", told.id, to_string(told.status),
                                                       told.error))
                             << '\n';
    }
    return asked.wait && told.status != RunStatus::Succeeded ? ExitCode::Failed : ExitCode::Ok;
}

}  // namespace

void add_submit(CLI::App& app, cli::Session& session, const Program& program) {
    const auto asked = std::make_shared<Asked>();
    CLI::App* command =
        cli::add_command(app, "submit", "Start a run of a workflow",
                         "belay submit SELL '{\"item\": \"rope\", \"pieces\": 3}' --wait\n"
                         "  belay submit SELL @order.json --label customer=42\n"
                         "  belay submit SELL @order.json --id order-1\n"
                         "  cat order.json | belay submit SELL - --json");
    command->add_option("KEY", asked->workflow, "the workflow")->required();
    command->add_option("INPUT", asked->input,
                        "JSON, @FILE, or - for standard input (nothing: null)");
    command->add_option("--id", asked->id,
                        "of the run: the same again joins it, and gives its result");
    command->add_option("--queue", asked->queue, "where it waits for its turn");
    command->add_option("--label", asked->typed_labels,
                        "what it can be found by, as customer=42; may be given several times");
    command->add_option("--traceparent", asked->traceparent,
                        "the trace that it is part of, as in the header of that name");
    command->add_flag("--wait", asked->wait, "wait until it is over, and print its result");
    cli::add_json(*command, session);
    cli::choose(*command, session, [asked, &session, &program] {
        Asked one = *asked;
        one.input = input_of(one.input);
        for (const std::string& label : one.typed_labels) model::add_label(one.labels, label);
        if (!one.traceparent.empty()) {
            Labels trace = traced_by(one.traceparent);
            if (trace.empty())
                throw Error(ErrorCode::InvalidArgument,
                            fmt::format("`{}` is no traceparent; one is as "
                                        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                                        cli::plain(one.traceparent)));
            one.labels.merge(trace);
        }
        if (const auto remote = session.remote())
            return print(submit_remote(*remote, one, session), one, session);
        return print(submit_here(program, session.place(), one, session), one, session);
    });
}

}  // namespace belay::app
