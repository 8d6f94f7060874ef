#include "service/api/workflows.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <boost/describe.hpp>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/base/limits.hpp"
#include "core/base/text.hpp"
#include "service/api/body.hpp"
#include "service/api/input_check.hpp"
#include "service/api/trace.hpp"

namespace belay::api {

namespace json = boost::json;

namespace {

struct VersionView {
    std::string code_version;
    Time described_at;
};
BOOST_DESCRIBE_STRUCT(VersionView, (), (code_version, described_at))

// How the newest runs of the last day did: at most kNewestMax of them, `of` says how many.
struct DoingView {
    std::int64_t of;
    std::int64_t queued;
    std::int64_t running;
    std::int64_t waiting;
    std::int64_t paused;
    std::int64_t succeeded;
    std::int64_t failed;
    std::int64_t canceled;
    std::optional<double> per_hour;      // over the time that they span
    std::optional<std::int64_t> p50_ms;  // of those that succeeded, from submission to end
    std::optional<std::int64_t> p95_ms;
};
BOOST_DESCRIBE_STRUCT(DoingView, (),
                      (of, queued, running, waiting, paused, succeeded, failed, canceled, per_hour,
                       p50_ms, p95_ms))

struct WorkflowView {
    std::string key;
    std::string summary;
    std::string code_version;
    std::vector<VersionView> versions;  // the one that started last first
    json::object input_schema;
    json::object output_schema;
    bool exposed;
    std::vector<std::string> editable;
    DoingView runs;
};
BOOST_DESCRIBE_STRUCT(WorkflowView, (),
                      (key, summary, code_version, versions, input_schema, output_schema, exposed,
                       editable, runs))

struct WorkflowDetailView : WorkflowView {
    std::vector<std::string> stages;  // of the newest run that succeeded, in their order
};
BOOST_DESCRIBE_STRUCT(WorkflowDetailView, (WorkflowView), (stages))

struct WorkflowListView {
    std::vector<WorkflowView> workflows;
};
BOOST_DESCRIBE_STRUCT(WorkflowListView, (), (workflows))

struct StartBody {
    json::value input;
    std::optional<std::string> id;     // one id, one run
    std::optional<std::string> queue;  // where it waits for its turn
    std::optional<std::string> organization;
    std::optional<std::map<std::string, std::string>> labels;  // what it can be found by
    // The rest as belay::SubmitOptions has it; times are milliseconds.
    std::optional<bool> retry;
    std::optional<std::int64_t> delay_ms;
    std::optional<std::int64_t> deadline_ms;
    std::optional<int> priority;
    std::optional<std::string> partition;
    std::optional<std::string> dedupe_id;
};
BOOST_DESCRIBE_STRUCT(StartBody, (),
                      (input, id, queue, organization, labels, retry, delay_ms, deadline_ms,
                       priority, partition, dedupe_id))

struct StartedView {
    std::string id;
    std::string workflow_key;
    RunStatus status;  // another than queued if there was a run with that id
};
BOOST_DESCRIBE_STRUCT(StartedView, (), (id, workflow_key, status))

constexpr int kNewestMax = 200;
constexpr Duration kLookBack = std::chrono::hours{24};
constexpr std::size_t kStagesMax = 100;

std::int64_t& counter_of(DoingView& doing, RunStatus status) {
    switch (status) {
        case RunStatus::Queued:
            return doing.queued;
        case RunStatus::Running:
            return doing.running;
        case RunStatus::Waiting:
            return doing.waiting;
        case RunStatus::Paused:
            return doing.paused;
        case RunStatus::Succeeded:
            return doing.succeeded;
        case RunStatus::Failed:
            return doing.failed;
        default:
            return doing.canceled;
    }
}

DoingView doing_of(const WorkflowsParts& parts, const std::string& key,
                   const std::string& organization) {
    store::RunFilter filter;
    filter.workflow_key = key;
    filter.organization_id = organization;
    filter.since = parts.clock.now() - kLookBack;
    filter.limit = kNewestMax;
    const store::RunPage page = parts.store.list_runs(filter);
    DoingView doing{};
    doing.of = static_cast<std::int64_t>(page.runs.size());
    std::vector<std::int64_t> took;
    for (const model::Run& run : page.runs) {
        ++counter_of(doing, run.status);
        if (run.status == RunStatus::Succeeded && run.completed_at)
            took.push_back((*run.completed_at - run.created_at).count());
    }
    if (!took.empty()) {
        std::sort(took.begin(), took.end());
        doing.p50_ms = took[took.size() / 2];
        doing.p95_ms = took[(took.size() * 95) / 100];
    }
    if (page.runs.size() > 1) {
        const Duration span = page.runs.front().created_at - page.runs.back().created_at;
        const double hours = static_cast<double>(span.count()) / 3'600'000.0;
        // A handful of runs in one moment is no rate.
        if (span >= std::chrono::minutes{1})
            doing.per_hour = static_cast<double>(page.runs.size() - 1) / hours;
    }
    return doing;
}

json::object doing_json(const DoingView& doing) {
    const auto or_null = [](const auto& value) {
        return value ? json::value(*value) : json::value(nullptr);
    };
    return {{"of", doing.of},
            {"queued", doing.queued},
            {"running", doing.running},
            {"waiting", doing.waiting},
            {"paused", doing.paused},
            {"succeeded", doing.succeeded},
            {"failed", doing.failed},
            {"canceled", doing.canceled},
            {"per_hour", or_null(doing.per_hour)},
            {"p50_ms", or_null(doing.p50_ms)},
            {"p95_ms", or_null(doing.p95_ms)}};
}

using Definitions = std::vector<model::Definition>;

// The versions of one workflow: [first, last) of the rows.
struct Versions {
    Definitions::const_iterator first;
    Definitions::const_iterator last;
};

Versions versions_of(const Definitions& all, std::string_view key) {
    const auto is_it = [&](const model::Definition& one) { return one.workflow_key == key; };
    const auto first = std::find_if(all.begin(), all.end(), is_it);
    return {first, std::find_if_not(first, all.end(), is_it)};
}

json::object workflow_json(const WorkflowsParts& parts, const Versions& of,
                           const std::string& organization) {
    const model::Definition& newest = *of.first;
    json::array versions;
    for (auto one = of.first; one != of.last; ++one) {
        versions.push_back({{"code_version", one->code_version},
                            {"described_at", base::format_time(one->described_at)}});
    }
    return {{"key", newest.workflow_key},
            {"summary", newest.summary},
            {"code_version", newest.code_version},
            {"versions", std::move(versions)},
            {"input_schema", json::parse(newest.input_schema)},
            {"output_schema", json::parse(newest.output_schema)},
            {"exposed", newest.exposed},
            {"editable", json::array(newest.editable.begin(), newest.editable.end())},
            {"runs", doing_json(doing_of(parts, newest.workflow_key, organization))}};
}

Response list_workflows(const WorkflowsParts& parts, const Request& request) {
    request.query.allow_only({});
    const Definitions all = parts.definitions();
    json::array workflows;
    for (auto at = all.begin(); at != all.end();) {
        const Versions of = versions_of(all, at->workflow_key);
        workflows.push_back(workflow_json(parts, of, request.caller.organization_id));
        at = of.last;
    }
    return json_response(200, {{"workflows", std::move(workflows)}});
}

[[noreturn]] void refuse_unknown(const std::string& key) {
    throw ApiError(Problem::NotFound, fmt::format("there is no workflow `{}`", shown(key)));
}

json::array stages_of(const WorkflowsParts& parts, const std::string& key,
                      const std::string& organization) {
    store::RunFilter filter;
    filter.workflow_key = key;
    filter.organization_id = organization;
    filter.status = RunStatus::Succeeded;
    filter.limit = 1;
    json::array names;
    const store::RunPage page = parts.store.list_runs(filter);
    if (page.runs.empty()) return names;
    for (const model::Stage& stage : parts.store.stages(page.runs.front().no)) {
        if (names.size() == kStagesMax) break;
        names.emplace_back(stage.stage_key);
    }
    return names;
}

Response show_workflow(const WorkflowsParts& parts, const Request& request) {
    const std::string& key = request.parameter("key");
    const Definitions all = parts.definitions();
    const Versions of = versions_of(all, key);
    if (of.first == of.last) refuse_unknown(key);
    const std::string& organization = request.caller.organization_id;
    json::object out = workflow_json(parts, of, organization);
    out["stages"] = stages_of(parts, key, organization);
    return json_response(200, out);
}

// 400, and which member of the input it is about.
Response wrong_input(std::string_view sentence) {
    return json_response(400, {{"error",
                                {{"code", row_of(Problem::InvalidJson).code},
                                 {"message", sentence},
                                 {"field", place_in(sentence)}}}});
}

belay::detail::Submission submission_of(const StartBody& body, const Request& request) {
    const std::string& organization = request.caller.organization_id;
    if (body.organization && *body.organization != organization) {
        throw ApiError(Problem::Forbidden,
                       fmt::format("runs of `{}` are started with a token of that organization; "
                                   "this one is of `{}`",
                                   shown(*body.organization), organization));
    }
    belay::detail::Submission submission;
    submission.workflow = request.parameter("key");
    submission.input = json::serialize(body.input);
    submission.options.id = body.id.value_or("");
    submission.options.queue = body.queue.value_or("");
    submission.options.organization_id = organization;
    submission.options.labels = body.labels.value_or(belay::Labels{});
    add_trace(submission.options.labels, request.headers);
    submission.options.retry = body.retry.value_or(false);
    submission.options.delay = Duration{std::max<std::int64_t>(body.delay_ms.value_or(0), 0)};
    submission.options.deadline = Duration{std::max<std::int64_t>(body.deadline_ms.value_or(0), 0)};
    submission.options.priority = body.priority.value_or(0);
    submission.options.partition = body.partition.value_or("");
    submission.options.dedupe_id = body.dedupe_id.value_or("");
    submission.options.source_channel = "api";
    return submission;
}

// The run begins in the transaction that keeps the answer under the request's key.
Claimed begin_run(const WorkflowsParts& parts, const belay::detail::Submission& submission,
                  const Claim& claim) {
    return claim.ride([&](auto ride) { parts.engine.submit_from_outside(submission, ride); },
                      [](const store::Ridden& told) {
                          return json_response(202, {{"id", told.run->id},
                                                     {"workflow_key", told.run->workflow_key},
                                                     {"status", to_string(told.run->status)}});
                      });
}

Claimed start_run(const WorkflowsParts& parts, const Request& request, const Claim& claim) {
    const StartBody body = body_as<StartBody>(request);
    belay::detail::Submission submission = submission_of(body, request);
    const Definitions all = parts.definitions();
    const Versions of = versions_of(all, submission.workflow);
    if (of.first == of.last || !of.first->exposed) refuse_unknown(submission.workflow);
    const json::value schema = json::parse(of.first->input_schema);
    if (const auto fault = misspelt_member(body.input, schema.as_object()))
        return Claim::nothing_done(
            wrong_input(fmt::format("the input of {}: {}", submission.workflow, *fault)));
    if (submission.options.id.empty()) submission.options.id = claim.asked_name();
    try {
        return begin_run(parts, submission, claim);
    } catch (const Error& error) {
        if (error.code() == ErrorCode::BadValue)
            return Claim::nothing_done(wrong_input(error.what()));
        throw;
    }
}

Route workflow_route(std::string path, std::string summary, JsonSchema answer) {
    Route route;
    route.path = std::move(path);
    route.summary = std::move(summary);
    route.group = "workflows";
    route.response_schema = std::move(answer);
    return route;
}

}  // namespace

void add_workflow_routes(Routes& routes, WorkflowsParts parts) {
    // Shared by the handlers; none knows which is destroyed last.
    const auto shared = std::make_shared<const WorkflowsParts>(std::move(parts));
    const Parameter key = path_parameter("key", "the workflow's key");

    Route list = workflow_route("/api/workflows", "What is defined, and how its newest runs did",
                                schema_of<WorkflowListView>());
    list.handler = [shared](const Request& request) { return list_workflows(*shared, request); };
    routes.add(std::move(list));

    Route show = workflow_route("/api/workflows/{key}", "One workflow, with the stages of a run",
                                schema_of<WorkflowDetailView>());
    show.parameters = {key};
    show.problems = {Problem::NotFound};
    show.handler = [shared](const Request& request) { return show_workflow(*shared, request); };
    routes.add(std::move(show));

    Route start =
        workflow_route("/api/workflows/{key}/runs",
                       "Start a run; an input that does not fit is answered with its field",
                       schema_of<StartedView>());
    start.parameters = {key};
    start.problems = {Problem::NotFound, Problem::Forbidden, Problem::Conflict};
    start.takes = Takes::Json;
    start.body_optional = true;
    start.request_schema = schema_of<StartBody>(SchemaFor::Request);
    start.success = 202;
    start.audit = "start";
    start.on<Method::Post>(Once{[shared](const Request& request, const Claim& claim) {
        return start_run(*shared, request, claim);
    }});
    routes.add(std::move(start));
}

}  // namespace belay::api
