#include "service/cli/bulk_over_http.hpp"

#include <functional>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/library/host.hpp"
#include "service/cli/run_list_over_http.hpp"
#include "service/cli/runs_over_http.hpp"

namespace belay::cli {

namespace {

namespace json = boost::json;

constexpr int kBatch = 100;
constexpr std::size_t kFirst = 10;

bool may_be_asked(const Bulk& bulk, const json::value& summary) {
    if (!bulk.kind) return true;
    model::Run run;
    const auto status = run_status(summary.at("status").as_string());
    if (!status) return false;
    run.status = *status;
    return engine::may_be_asked(*bulk.kind, run);
}

void for_each_run(const ServerClient& remote, const Bulk& bulk,
                  const std::function<void(const std::string&)>& act) {
    store::RunFilter filter = bulk.filter;
    filter.limit = kBatch;
    while (true) {
        const ServerRunPage page = list_runs_of(remote, filter);
        for (const json::value& run : page.runs) {
            if (may_be_asked(bulk, run)) act(std::string(run.at("id").as_string()));
        }
        if (!page.next) return;
        filter.before = store::RunNo{*page.next};
    }
}

json::object body_of(const Bulk& bulk) {
    if (!bulk.kind) return fork_body(bulk.fork);
    return control_body(*bulk.kind, bulk.reason);
}

}  // namespace

BulkCount count_remote_bulk(const ServerClient& remote, const Bulk& bulk) {
    BulkCount count;
    for_each_run(remote, bulk, [&](const std::string& id) {
        ++count.runs;
        if (count.first.size() < kFirst) count.first.push_back(id);
    });
    return count;
}

BulkOutcome bulk_by_server(const ServerClient& remote, const Bulk& bulk) {
    BulkOutcome out;
    const json::object body = body_of(bulk);
    for_each_run(remote, bulk, [&](const std::string& id) {
        try {
            remote.post(fmt::format("/api/runs/{}/{}", in_url(id), word_of(bulk)), body);
            ++out.done;
        } catch (const Error& error) {
            if (error.code() == ErrorCode::StoreUnavailable) throw;
            out.refused.emplace_back(id, error.what());
        }
    });
    return out;
}

}  // namespace belay::cli
