#include "service/api/runs.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/base/limits.hpp"
#include "core/model/chosen_id.hpp"
#include "core/model/run_json.hpp"
#include "core/model/said.hpp"
#include "core/model/status_words.hpp"
#include "core/store/family.hpp"
#include "core/store/why_of.hpp"
#include "service/api/api.hpp"
#include "service/api/run_states.hpp"
#include "service/api/run_views.hpp"

namespace belay::api {

namespace json = boost::json;

namespace {

constexpr std::int64_t kCountedMax = 1'000'000;

// How many match, whatever page they are on; as list_runs understands the filter. Nothing where runs are not kept in SQL.
std::optional<std::int64_t> count_runs(store::Store& store, const store::RunFilter& filter) {
    std::string where = "organization_id = ?";
    std::vector<SqlValue> values{filter.organization_id};
    const auto narrow = [&](std::string_view condition, auto value) {
        where += " AND ";
        where += condition;
        values.push_back(belay::detail::to_sql(value));
    };
    if (filter.status) narrow("status = ?", std::string(to_string(*filter.status)));
    if (!filter.workflow_key.empty()) narrow("workflow_key = ?", filter.workflow_key);
    if (!filter.text.empty()) {
        narrow("(replace(public_id, ?, '') <> public_id", filter.text);
        where += " OR replace(workflow_key, ?, '') <> workflow_key)";
        values.emplace_back(filter.text);
    }
    for (const auto& [name, value] : filter.labels) {
        narrow(
            "EXISTS (SELECT 1 FROM workflow_labels l WHERE l.workflow_run_id = workflow_runs.id "
            "AND l.name = ?",
            name);
        where += " AND l.value = ?)";
        values.emplace_back(value);
    }
    if (filter.since) narrow("created_at >= ?", *filter.since);
    if (filter.until) narrow("created_at < ?", *filter.until);
    values.emplace_back(kCountedMax);
    try {
        const SqlRows rows{store.query(
            fmt::format(
                "SELECT count(*) FROM (SELECT 1 AS one FROM workflow_runs WHERE {} LIMIT ?) m",
                where),
            values)};
        return rows[0].get<std::int64_t>(0);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::InvalidArgument) throw;
        return std::nullopt;
    }
}

void add_label(store::RunFilter& filter, std::string_view typed) {
    try {
        model::add_label(filter.labels, typed);
    } catch (const Error& error) {
        throw ApiError(Problem::InvalidParameter,
                       fmt::format("parameter `label`: {}", error.what()));
    }
    if (filter.labels.size() > base::kLabelsMax)
        throw ApiError(
            Problem::InvalidParameter,
            fmt::format("parameter `label` is given at most {} times", base::kLabelsMax));
}

// What of the runs is asked for by what they do now. The filter gets its status, the rest is for list_in_state.
std::string state_asked(const Request& request, store::RunFilter& filter) {
    const std::string state = request.query.text("state");
    if (state.empty()) return state;
    if (std::ranges::find(kRunStates, state) == kRunStates.end())
        throw ApiError(Problem::InvalidParameter,
                       fmt::format("parameter `state` is one of {}, not `{}`",
                                   fmt::join(kRunStates, ", "), shown(state)));
    if (filter.status)
        throw ApiError(Problem::InvalidParameter,
                       "parameter `state` says more than `status`: give one of them");
    filter.status = run_status(state).value_or(RunStatus::Running);
    return state;
}

// A thread of the server waits with the caller.
constexpr std::int64_t kAskSecondsMax = 30;

Response list_runs(const RunsParts& parts, const Request& request) {
    constexpr std::array<std::string_view, 9> kNames{
        "status", "state", "workflow_key", "q", "label", "since", "until", "limit", "cursor"};
    request.query.allow_only(kNames);
    store::RunFilter filter;
    filter.organization_id = request.caller.organization_id;
    if (const std::string status = request.query.text("status"); !status.empty()) {
        filter.status = run_status(status);
        if (!filter.status) {
            std::vector<std::string_view> words;
            for (const auto& word : model::kRunStatusWords) words.push_back(word.text);
            throw ApiError(Problem::InvalidParameter,
                           fmt::format("parameter `status` is one of {}, not `{}`",
                                       fmt::join(words, ", "), shown(status)));
        }
    }
    const std::string state = state_asked(request, filter);
    filter.workflow_key = request.query.text("workflow_key", base::kWorkflowNameCharsMax);
    filter.text = request.query.text("q");
    filter.since = request.query.time("since");
    filter.until = request.query.time("until");
    for (const std::string_view label : request.query.all("label")) add_label(filter, label);
    filter.limit =
        static_cast<int>(request.query.integer("limit", kListLimitDefault, 1, kListLimitMax));
    if (const auto cursor = request.query.find("cursor"); cursor && !cursor->empty())
        filter.before = store::RunNo{read_cursor(*cursor)};

    const bool by_state = !state.empty() && filter.status == RunStatus::Running;
    StatesOfRunning running;
    if (by_state)
        running = states_of_running(parts.store, parts.waiting_outside, filter.organization_id);
    const store::RunPage page = by_state ? list_in_state(parts.store, filter, state, running)
                                         : parts.store.list_runs(filter);
    std::vector<store::RunNo> numbers;
    for (const model::Run& run : page.runs) numbers.push_back(run.no);
    const store::LabelsOfRuns labels = parts.store.labels(numbers);
    json::array runs;
    if (!by_state)
        running = states_of_running(parts.store, parts.waiting_outside, filter.organization_id,
                                    page.runs);
    for (const model::Run& run : page.runs) {
        const auto found = labels.find(run.no);
        json::object row =
            model::run_summary_json(run, found == labels.end() ? belay::Labels{} : found->second);
        row["state"] = state_of(run, running);
        runs.push_back(std::move(row));
    }
    json::object out{{"runs", std::move(runs)}, {"next_cursor", nullptr}};
    if (page.next) out["next_cursor"] = cursor_text(page.next->value);
    if (!filter.before) {
        auto total = std::optional(static_cast<std::int64_t>(page.runs.size()));
        if (page.next) total = by_state ? std::nullopt : count_runs(parts.store, filter);
        if (total) out["total"] = *total;
    }
    return json_response(200, out);
}

Response tell_states(const RunsParts& parts, const Request& request) {
    request.query.allow_only({});
    json::object states;
    for (const auto& [state, count] :
         count_states(parts.store, parts.waiting_outside, request.caller.organization_id))
        states[state] = count;
    return json_response(200, {{"states", std::move(states)}});
}

// Which machines there are is nothing for guests.
bool sees_hosts(const RunsParts& parts, const Request& request) {
    return request.caller.organization_id == parts.own_organization;
}

Response show_run(const RunsParts& parts, const Request& request) {
    const model::Run run = run_of(parts.store, request.caller, request.parameter("id"));
    auto attempts = parts.store.attempts(run.no);
    auto deaths = parts.store.deaths(run.no);
    if (!sees_hosts(parts, request)) {
        for (auto& attempt : attempts) attempt.worker = worker_for_strangers(attempt.worker);
        for (auto& death : deaths) {
            death.worker = worker_for_strangers(death.worker);
            death.picked_up_by = worker_for_strangers(death.picked_up_by);
        }
    }
    json::object out = model::run_json(run, parts.store.stages(run.no), attempts, deaths,
                                       parts.store.said(run.no));
    out.emplace("saved", json::object{});  // unless the model tells it
    out["children"] = store::family_json(store::family_of(parts.store, run.no));
    out["state"] = state_of(run, states_of_running(parts.store, parts.waiting_outside,
                                                   request.caller.organization_id, {run}));
    return json_response(200, out);
}

Response tell_why(const RunsParts& parts, const Request& request) {
    model::Run run = run_of(parts.store, request.caller, request.parameter("id"));
    if (!sees_hosts(parts, request)) run.worker = worker_for_strangers(run.worker);
    const model::Executor executor = parts.executor_now ? parts.executor_now() : parts.executor;
    model::Why why = store::why_of(parts.store, run, executor, parts.clock.now());
    if (parts.in_own_words) why.to_do = parts.in_own_words(why.to_do);
    return json_response(200, model::why_json(run, why, executor));
}

void hide_workers(json::value& value) {
    if (auto* list = value.if_array()) {
        for (json::value& one : *list) hide_workers(one);
    }
    auto* object = value.if_object();
    if (object == nullptr) return;
    for (auto& field : *object) {
        // Not into what steps recorded: that is the run's own.
        if (field.key() == "worker" && field.value().is_string()) {
            field.value() = worker_for_strangers(std::string(field.value().as_string()));
        } else if (field.key() == "run" || field.key() == "attempts") {
            hide_workers(field.value());
        }
    }
}

Response show_history(const RunsParts& parts, const Request& request) {
    const model::Run run = run_of(parts.store, request.caller, request.parameter("id"));
    std::string history = parts.engine.history(run.id);
    if (!sees_hosts(parts, request)) {
        json::value read = json::parse(history);
        hide_workers(read);
        history = json::serialize(read);
    }
    return text_response(200, "application/json", std::move(history));
}

Response control_answer(const model::Run& run) {
    const bool running = run.status == RunStatus::Running;
    json::value pending = nullptr;
    if (running && run.pause_requested) pending = "pause";
    // Also of one that nobody executes, whose steps are to be undone.
    if (!is_finished(run.status) && run.cancel_requested) pending = "cancel";
    return json_response(200, {{"id", run.id},
                               {"workflow_key", run.workflow_key},
                               {"status", to_string(run.status)},
                               {"pending", pending}});
}

struct Control {
    std::string_view verb;
    std::string_view summary;
    store::ControlKind kind;
};

constexpr std::array kControls{
    Control{"cancel", "End a run, at its next step boundary if it runs",
            store::ControlKind::Cancel},
    Control{"pause", "Stop a run until it is resumed", store::ControlKind::Pause},
    Control{"resume", "Let a paused run go on", store::ControlKind::Resume},
    Control{"retry", "Run a failed or canceled run again, from the step that failed",
            store::ControlKind::Retry},
};

Claimed control_run(const RunsParts& parts, const Control& control, const Request& request,
                    const Claim& claim) {
    const model::Run run = run_of(parts.store, request.caller, request.parameter("id"));
    const bool is_cancel = control.kind == store::ControlKind::Cancel;
    const CancelBody asked = is_cancel
                                 ? body_as<CancelBody>(request)
                                 : CancelBody{body_as<ControlBody>(request).reason, std::nullopt};
    const std::string reason = asked.reason.value_or("");
    const bool leaves = is_cancel && !asked.undo.value_or(true);
    const store::ControlKind kind = leaves ? store::ControlKind::Leave : control.kind;
    if (reason.size() > base::kMessageCharsMax) {
        throw ApiError(Problem::InvalidParameter,
                       fmt::format("`reason` has at most {} characters", base::kMessageCharsMax));
    }
    try {
        return claim.ride([&](auto ride) { parts.engine.control(run.id, kind, reason, ride); },
                          [](const store::Ridden& told) { return control_answer(*told.run); });
    } catch (const Error& error) {
        if (error.code() == ErrorCode::InvalidArgument)
            throw ApiError(Problem::Conflict, error.what());
        throw;
    }
}

std::string text_field(const json::object& body, std::string_view name) {
    const auto* found = body.if_contains(name);
    if (found == nullptr || found->is_null()) return {};
    if (!found->is_string())
        throw ApiError(Problem::InvalidJson, fmt::format("`{}` is a text", name));
    return std::string(found->as_string());
}

ForkOptions fork_options(const Request& request) {
    ForkOptions options;
    if (request.body.empty()) return options;
    boost::system::error_code error;
    const json::value read = json::parse(request.body, error);
    if (error || !read.is_object())
        throw ApiError(Problem::InvalidJson, "the body is a JSON object");
    const json::object& body = read.as_object();
    for (const auto& field : body) {
        const std::string_view name = field.key();
        if (name != "from" && name != "input" && name != "outputs" && name != "id")
            throw ApiError(
                Problem::InvalidJson,
                fmt::format("there is no field `{}`: a fork has from, input, outputs, id",
                            shown(name)));
    }
    options.from = text_field(body, "from");
    options.id = text_field(body, "id");
    if (const auto* input = body.if_contains("input")) options.input = json::serialize(*input);
    if (const auto* outputs = body.if_contains("outputs");
        outputs != nullptr && !outputs->is_null()) {
        if (!outputs->is_object())
            throw ApiError(Problem::InvalidJson, "`outputs` is an object: what each step returned");
        for (const auto& output : outputs->as_object())
            options.outputs[std::string(output.key())] = json::serialize(output.value());
    }
    return options;
}

Claimed fork_run(const RunsParts& parts, const Request& request, const Claim& claim) {
    const model::Run run = run_of(parts.store, request.caller, request.parameter("id"));
    ForkOptions options = fork_options(request);
    if (options.id.empty()) options.id = claim.asked_name();
    return claim.ride([&](auto ride) { parts.engine.fork_from_outside(run.id, options, ride); },
                      [](const store::Ridden& told) {
                          Response response = control_answer(*told.run);
                          response.status = 202;
                          return response;
                      });
}

// The body is the question, whatever JSON it is.
Response ask_run(const RunsParts& parts, const Request& request) {
    const model::Run run = run_of(parts.store, request.caller, request.parameter("id"));
    const std::string& name = request.parameter("name");
    boost::system::error_code error;
    const json::value question =
        request.body.empty() ? json::value(nullptr) : json::parse(request.body, error);
    if (error) throw ApiError(Problem::InvalidJson, "the question is not JSON: " + error.message());
    const auto at_most = Duration{1000 * request.query.integer("wait_s", 5, 1, kAskSecondsMax)};
    const std::string answer = parts.engine.ask(run.id, name, json::serialize(question), at_most);
    return json_response(200, {{"id", run.id}, {"name", name}, {"answer", json::parse(answer)}});
}

// The body is the message, whatever JSON it is.
Claimed send_message(const RunsParts& parts, const Request& request, const Claim& claim) {
    const model::Run run = run_of(parts.store, request.caller, request.parameter("id"));
    const std::string& topic = request.parameter("topic");
    boost::system::error_code error;
    const json::value payload = json::parse(request.body, error);
    if (error) throw ApiError(Problem::InvalidJson, "the message is not JSON: " + error.message());
    SendOptions options;
    options.organization_id = run.organization_id;
    options.dedupe_key = claim.asked_name();
    try {
        return claim.ride(
            [&](auto ride) {
                parts.engine.send(run.id, topic, json::serialize(payload), options, ride);
            },
            [&](const store::Ridden&) {
                return json_response(202, {{"id", run.id}, {"topic", topic}});
            });
    } catch (const Error& refused) {
        if (refused.code() == ErrorCode::InvalidArgument)
            throw ApiError(Problem::Conflict, refused.what());
        throw;
    }
}

Route run_route(std::string path, std::string summary, JsonSchema answer) {
    Route route;
    route.path = std::move(path);
    route.summary = std::move(summary);
    route.group = "runs";
    route.response_schema = std::move(answer);
    return route;
}

const Parameter& id_parameter() {
    static const Parameter parameter = path_parameter("id", "the run's id");
    return parameter;
}

}  // namespace

model::Run run_of(store::Store& store, const Caller& caller, const std::string& id) {
    for (const std::string& kept : model::kept_ids(caller.organization_id, id)) {
        auto run = store.find_run(kept);
        if (run && run->organization_id == caller.organization_id) return *std::move(run);
    }
    throw ApiError(Problem::NotFound, fmt::format("there is no run `{}`", shown(id)));
}

void add_run_routes(Routes& routes, RunsParts parts) {
    // Shared by the handlers; none knows which is destroyed last.
    const auto shared = std::make_shared<const RunsParts>(std::move(parts));

    Route list = run_route("/api/runs", "Runs, newest first",
                           counted_list_schema("runs", schema_of<RunSummaryView>()));
    list.parameters = {query_parameter("status", "only runs with this status", run_status_schema()),
                       query_parameter("state",
                                       "only runs that do this now: a status, or of those that "
                                       "run, slot, helper or retrying; running then is only what "
                                       "works"),
                       query_parameter("workflow_key", "only runs of this workflow"),
                       query_parameter("q", "only runs with this in their id or workflow_key"),
                       query_parameter("label",
                                       "only runs with this label, as customer=42; may be "
                                       "given several times")};
    for (auto& more : {span_parameters("began"), list_parameters()})
        list.parameters.insert(list.parameters.end(), more.begin(), more.end());
    list.handler = [shared](const Request& request) { return list_runs(*shared, request); };
    routes.add(std::move(list));

    Route states = run_route("/api/run-states",
                             "How many runs are queued, wait for a turn, work, wait, are over",
                             schema_of<RunStatesView>());
    states.handler = [shared](const Request& request) { return tell_states(*shared, request); };
    routes.add(std::move(states));

    Route show = run_route("/api/runs/{id}", "One run with its stages", schema_of<RunView>());
    show.parameters = {id_parameter()};
    show.problems = {Problem::NotFound};
    show.handler = [shared](const Request& request) { return show_run(*shared, request); };
    routes.add(std::move(show));

    Route why = run_route("/api/runs/{id}/why", "What a run waits for, or how it ended",
                          schema_of<WhyView>());
    why.parameters = {id_parameter()};
    why.problems = {Problem::NotFound};
    why.handler = [shared](const Request& request) { return tell_why(*shared, request); };
    routes.add(std::move(why));

    Route history = run_route("/api/runs/{id}/history",
                              "Everything recorded of a run, as `belay runs replay` takes it",
                              {{"type", "object"}});
    history.parameters = {id_parameter()};
    history.problems = {Problem::NotFound};
    history.handler = [shared](const Request& request) { return show_history(*shared, request); };
    routes.add(std::move(history));

    Route message = run_route("/api/runs/{id}/messages/{topic}",
                              "Send a message that the run receives once; the body is the message",
                              schema_of<SentView>());
    message.parameters = {id_parameter(),
                          path_parameter("topic", "what the run asks for with receive()")};
    message.problems = {Problem::NotFound, Problem::Conflict};
    message.takes = Takes::Json;
    message.request_schema = schema_of<json::value>(SchemaFor::Request);
    message.success = 202;
    message.audit = "send";
    message.on<Method::Post>(Once{[shared](const Request& request, const Claim& claim) {
        return send_message(*shared, request, claim);
    }});
    routes.add(std::move(message));

    Route ask = run_route("/api/runs/{id}/questions/{name}",
                          "Ask a run that is not over, or read what it exposed; the body is the "
                          "question",
                          schema_of<AnswerView>());
    ask.parameters = {
        id_parameter(), path_parameter("name", "what the run answers to"),
        query_parameter("wait_s", "how many seconds to wait, 1 to 30; 5 if not given")};
    ask.problems = {Problem::NotFound, Problem::Conflict};
    ask.takes = Takes::Json;
    ask.body_optional = true;
    ask.request_schema = schema_of<json::value>(SchemaFor::Request);
    ask.on<Method::Post>(Repeatable{"a question changes nothing", [shared](const Request& request) {
                                        return ask_run(*shared, request);
                                    }});
    routes.add(std::move(ask));

    Route fork = run_route("/api/runs/{id}/fork",
                           "A new run that keeps what came before a step, and goes on from there",
                           schema_of<ControlView>());
    fork.parameters = {id_parameter()};
    fork.problems = {Problem::NotFound, Problem::Conflict};
    fork.takes = Takes::Json;
    fork.body_optional = true;
    fork.request_schema = schema_of<ForkBody>(SchemaFor::Request);
    fork.success = 202;
    fork.audit = "fork";
    fork.on<Method::Post>(Once{[shared](const Request& request, const Claim& claim) {
        return fork_run(*shared, request, claim);
    }});
    routes.add(std::move(fork));

    for (const Control& control : kControls) {
        Route route = run_route(fmt::format("/api/runs/{{id}}/{}", control.verb),
                                std::string(control.summary), schema_of<ControlView>());
        route.parameters = {id_parameter()};
        route.problems = {Problem::NotFound, Problem::Conflict};
        route.takes = Takes::Json;
        route.body_optional = true;
        route.request_schema = control.kind == store::ControlKind::Cancel
                                   ? schema_of<CancelBody>(SchemaFor::Request)
                                   : schema_of<ControlBody>(SchemaFor::Request);
        route.audit = control.verb;
        route.audit_body = true;
        route.on<Method::Post>(Once{[shared, &control](const Request& request, const Claim& claim) {
            return control_run(*shared, control, request, claim);
        }});
        routes.add(std::move(route));
    }
}

}  // namespace belay::api
