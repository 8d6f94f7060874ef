// failures.cpp — failed runs by what made them fail, and all of one cause again with one request.
#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/base/hash.hpp"
#include "core/base/text.hpp"
#include "service/api/api.hpp"
#include "service/api/operations.hpp"
#include "service/api/operations_views.hpp"

namespace belay::api {

namespace json = boost::json;

namespace {

constexpr int kFailedSeenMax = 10'000;
constexpr int kFailedAtOnce = 1'000;
// They are one commit, for which everybody else's waits.
constexpr int kRetriedAtOnceMax = 200;
constexpr std::size_t kMessageCharsSeen = 160;

bool is_hex(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Where the quoted name that begins at `at` ends; npos if none begins there. An apostrophe inside a word quotes nothing.
std::size_t quote_end(std::string_view text, std::size_t at) {
    const char quote = text[at];
    if (quote != '"' && quote != '`' && quote != '\'') return std::string_view::npos;
    if (quote == '\'' && at > 0 && text[at - 1] != ' ' && text[at - 1] != '(')
        return std::string_view::npos;
    return text.find(quote, at + 1);
}

// The message without what differs between failures of one cause.
std::string alike(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size() && out.size() < kMessageCharsSeen;) {
        if (const auto end = quote_end(text, at); end != std::string_view::npos) {
            out += "\"\"";
            at = end + 1;
            continue;
        }
        std::size_t end = at;
        bool digit = false;
        while (end < text.size() && is_hex(text[end])) digit |= is_digit(text[end++]);
        const bool id = digit && (end - at >= 8);
        if (!id) {
            end = at;
            while (end < text.size() && is_digit(text[end])) ++end;
        }
        if (end > at) {
            out += '#';
            at = end;
            // "1 attempt" and "2 attempts" are one cause.
            if (text.substr(at).starts_with(" attempts")) {
                out += " attempt";
                at += std::string_view(" attempts").size();
            }
        } else {
            out += text[at++];
        }
    }
    return out;
}

// Calls `see` for failed runs of the caller, newest first, until it says that it has enough. Gives whether all were
// seen.
template <class See>
bool each_failed(store::Store& store, const Caller& caller, See see) {
    store::RunFilter filter;
    filter.organization_id = caller.organization_id;
    filter.status = RunStatus::Failed;
    filter.limit = kFailedAtOnce;
    for (int seen = 0; seen < kFailedSeenMax;) {
        const store::RunPage page = store.list_runs(filter);
        for (const model::Run& run : page.runs) {
            if (run.failure && !see(run)) return false;
        }
        if (!page.next) return true;
        seen += static_cast<int>(page.runs.size());
        filter.before = page.next;
    }
    return false;
}

struct Cause {
    model::Run newest{};
    Time newest_at{};
    Time oldest_at{};
    std::int64_t runs = 0;
};

Time ended(const model::Run& run) { return run.completed_at.value_or(run.updated_at); }

json::object cause_json(const std::string& name, const Cause& cause) {
    const model::Failure& failure = *cause.newest.failure;
    json::value stage = nullptr;
    if (!failure.stage.empty()) stage = failure.stage;
    return {{"cause", name},
            {"workflow_key", cause.newest.workflow_key},
            {"stage_key", std::move(stage)},
            {"code", failure.code},
            {"message", failure.message},
            {"runs", cause.runs},
            {"newest_run_id", cause.newest.id},
            {"newest_at", base::format_time(cause.newest_at)},
            {"oldest_at", base::format_time(cause.oldest_at)}};
}

Response list_causes(const OperationsParts& parts, const Request& request) {
    request.query.allow_only({});
    std::map<std::string, Cause> causes;
    const bool complete = each_failed(parts.store, request.caller, [&](const model::Run& run) {
        Cause& cause = causes[cause_of(run)];
        const Time at = ended(run);
        if (cause.runs == 0 || at > cause.newest_at) {
            cause.newest = run;
            cause.newest_at = at;
        }
        if (cause.runs == 0 || at < cause.oldest_at) cause.oldest_at = at;
        ++cause.runs;
        return true;
    });
    std::vector<const std::pair<const std::string, Cause>*> order;
    for (const auto& one : causes) order.push_back(&one);
    std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
        if (a->second.runs != b->second.runs) return a->second.runs > b->second.runs;
        return a->second.newest_at > b->second.newest_at;
    });
    json::array rows;
    for (const auto* one : order) rows.push_back(cause_json(one->first, one->second));
    return json_response(200, {{"causes", std::move(rows)}, {"complete", complete}});
}

// As if it were submitted again. False: deleted meanwhile, or of a workflow that is not defined here.
bool retry_one(Tx& tx, const model::Run& run) {
    SubmitOptions options;
    options.id = run.id;
    options.organization_id = run.organization_id;
    options.retry = true;
    try {
        tx.submit_json(run.workflow_key, run.input, options);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::RunDeleted && error.code() != ErrorCode::UnknownWorkflow)
            throw;
        return false;
    }
    return true;
}

Claimed retry_cause(const OperationsParts& parts, const Request& request, const Claim& claim) {
    const std::string& wanted = request.parameter("cause");
    std::vector<model::Run> runs;
    const bool all = each_failed(parts.store, request.caller, [&](const model::Run& run) {
        if (cause_of(run) != wanted) return true;
        if (runs.size() == kRetriedAtOnceMax) return false;
        if (auto whole = parts.store.find_run(run.no)) runs.push_back(*std::move(whole));
        return true;
    });
    if (runs.empty())
        throw ApiError(Problem::NotFound,
                       fmt::format("no failed run has the cause `{}`", shown(wanted)));
    return claim.transact(parts.engine, [&](Tx& tx) {
        std::int64_t retried = 0;
        for (const model::Run& run : runs) retried += retry_one(tx, run) ? 1 : 0;
        const auto refused = static_cast<std::int64_t>(runs.size()) - retried;
        return json_response(
            200, {{"cause", wanted}, {"retried", retried}, {"refused", refused}, {"more", !all}});
    });
}

}  // namespace

std::string cause_of(const model::Run& run) {
    if (!run.failure) return {};
    const model::Failure& failure = *run.failure;
    return base::sha256_hex(fmt::format("{}\n{}\n{}\n{}", run.workflow_key, failure.stage,
                                        failure.code, alike(failure.message)))
        .substr(0, 16);
}

void add_failure_routes(Routes& routes, const OperationsParts& parts) {
    Route list;
    list.path = "/api/failures";
    list.summary = "Failed runs by what made them fail";
    list.group = "operations";
    list.response_schema = schema_of<CausesView>();
    list.handler = [parts](const Request& request) { return list_causes(parts, request); };
    routes.add(std::move(list));

    Route retry;
    retry.path = "/api/failures/{cause}/retry";
    retry.summary = "Run what failed for one cause again, up to 200 at once";
    retry.group = "operations";
    retry.parameters = {path_parameter("cause", "as /api/failures names it")};
    retry.problems = {Problem::NotFound};
    retry.response_schema = schema_of<RetriedView>();
    retry.on<Method::Post>(Once{[parts](const Request& request, const Claim& claim) {
        return retry_cause(parts, request, claim);
    }});
    routes.add(std::move(retry));
}

}  // namespace belay::api
