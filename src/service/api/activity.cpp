// activity.cpp — how many runs ended when, and how long they took: what a chart needs, in a few numbers.
#include <algorithm>
#include <array>

#include <boost/json.hpp>

#include "core/base/text.hpp"
#include "core/model/worker.hpp"
#include "service/api/api.hpp"
#include "service/api/operations.hpp"
#include "service/api/operations_views.hpp"

namespace belay::api {

namespace json = boost::json;

namespace {

// About a quarter of a second of reading; a busier hour is told as not complete.
constexpr int kRunsSeenMax = 20'000;
constexpr int kRunsAtOnce = 2'000;
constexpr std::int64_t kSpanSecondsMax = 366LL * 24 * 3600;

struct Bucket {
    std::int64_t succeeded = 0, failed = 0, canceled = 0;
    std::vector<std::int64_t> took_ms{};
};

void count(Bucket& bucket, const model::Run& run) {
    switch (run.status) {
        case RunStatus::Succeeded:
            ++bucket.succeeded;
            break;
        case RunStatus::Failed:
            ++bucket.failed;
            break;
        case RunStatus::Canceled:
            ++bucket.canceled;
            break;
        default:
            return;
    }
    const Time began = run.started_at.value_or(run.created_at);
    bucket.took_ms.push_back(std::max<std::int64_t>(0, (*run.completed_at - began).count()));
}

json::value quantile(std::vector<std::int64_t>& took, std::size_t of_100) {
    if (took.empty()) return nullptr;
    const std::size_t at = std::min(took.size() - 1, took.size() * of_100 / 100);
    std::nth_element(took.begin(), took.begin() + static_cast<std::ptrdiff_t>(at), took.end());
    return took[at];
}

// Whether all of them were seen.
bool fill(store::Store& store, const Caller& caller, Time from, Duration width,
          std::vector<Bucket>& buckets) {
    store::RunFilter filter;
    filter.organization_id = caller.organization_id;
    filter.ended_since = from;
    filter.limit = kRunsAtOnce;
    for (int seen = 0; seen < kRunsSeenMax;) {
        const store::RunPage page = store.list_runs(filter);
        for (const model::Run& run : page.runs) {
            if (!run.completed_at) continue;
            const auto at = static_cast<std::size_t>((*run.completed_at - from) / width);
            if (at < buckets.size()) count(buckets[at], run);
        }
        if (!page.next) return true;
        seen += static_cast<int>(page.runs.size());
        filter.before = page.next;
    }
    return false;
}

Response activity(const OperationsParts& parts, const Request& request) {
    constexpr std::array<std::string_view, 2> kNames{"seconds", "buckets"};
    request.query.allow_only(kNames);
    const auto seconds = request.query.integer("seconds", 3600, 60, kSpanSecondsMax);
    const auto many = request.query.integer("buckets", 48, 1, 200);
    const Duration width{std::max<std::int64_t>(1, seconds * 1000 / many)};
    // Buckets that do not move from one reading to the next: a chart that is read again stays still.
    const Time now = parts.clock.now();
    const Time until = now - (now.time_since_epoch() % width) + width;
    const Time from = until - many * width;

    std::vector<Bucket> buckets(static_cast<std::size_t>(many));
    const bool complete = fill(parts.store, request.caller, from, width, buckets);
    json::array rows;
    for (std::size_t at = 0; at < buckets.size(); ++at) {
        Bucket& one = buckets[at];
        rows.push_back(
            json::object{{"from", base::format_time(from + static_cast<std::int64_t>(at) * width)},
                         {"succeeded", one.succeeded},
                         {"failed", one.failed},
                         {"canceled", one.canceled},
                         {"median_ms", quantile(one.took_ms, 50)},
                         {"slow_ms", quantile(one.took_ms, 95)}});
    }
    return json_response(200, {{"from", base::format_time(from)},
                               {"until", base::format_time(until)},
                               {"bucket_ms", width.count()},
                               {"complete", complete},
                               {"buckets", std::move(rows)}});
}

Response list_workers(const OperationsParts& parts, const Request& request) {
    request.query.allow_only({});
    json::array rows;
    for (const model::Worker& worker : parts.store.workers()) {
        json::array keys;
        for (const std::string& key : worker.workflow_keys) keys.emplace_back(key);
        json::value version = nullptr;
        if (!worker.versions.own.empty()) version = worker.versions.own;
        const bool own = request.caller.organization_id == parts.own_organization;
        rows.push_back(json::object{{"name", own ? worker.name : worker_for_strangers(worker.name)},
                                    {"code_version", std::move(version)},
                                    {"since", base::format_time(worker.since)},
                                    {"workflow_keys", std::move(keys)}});
    }
    return json_response(200, {{"workers", std::move(rows)}, {"next_cursor", nullptr}});
}

}  // namespace

void add_activity_routes(Routes& routes, const OperationsParts& parts) {
    Route over_time;
    over_time.path = "/api/activity";
    over_time.summary = "How many runs ended when, and how long they took";
    over_time.group = "operations";
    over_time.parameters = {
        query_parameter("seconds", "how far back from now", integer_schema(60, kSpanSecondsMax)),
        query_parameter("buckets", "into how many parts that time is cut", integer_schema(1, 200))};
    over_time.response_schema = schema_of<ActivityView>();
    over_time.handler = [parts](const Request& request) { return activity(parts, request); };
    routes.add(std::move(over_time));

    Route workers;
    workers.path = "/api/workers";
    workers.summary = "The processes that execute runs, and what each of them can run";
    workers.group = "operations";
    workers.response_schema = list_schema("workers", schema_of<WorkerView>());
    workers.handler = [parts](const Request& request) { return list_workers(parts, request); };
    routes.add(std::move(workers));
}

}  // namespace belay::api
