#include "core/engine/run_list.hpp"

#include <charconv>
#include <utility>

#include <fmt/format.h>

#include <belay/error.hpp>

namespace belay::engine {

namespace {

constexpr int kListMax = 500;

store::RunNo place_of(const std::string& after) {
    std::int64_t no = 0;
    const auto [end, error] = std::from_chars(after.data(), after.data() + after.size(), no);
    if (error != std::errc{} || end != after.data() + after.size() || no < 1) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("`{}` is no place in a list: give RunList::next of the page before",
                                after));
    }
    return store::RunNo{no};
}

RunSummary summary_of(model::Run run) {
    RunSummary out;
    out.id = std::move(run.id);
    out.workflow = std::move(run.workflow_key);
    out.status = run.status;
    out.organization_id = std::move(run.organization_id);
    out.stage = std::move(run.current_stage);
    out.created_at = run.created_at;
    out.ended_at = run.completed_at;
    if (run.failure) out.error = std::move(run.failure->message);
    return out;
}

}  // namespace

store::RunFilter filter_of(const RunQuery& query) {
    store::RunFilter filter;
    filter.status = query.status;
    filter.workflow_key = query.workflow;
    filter.organization_id = query.organization_id;
    filter.text = query.text;
    filter.since = query.since;
    filter.until = query.until;
    filter.ended_since = query.ended_since;
    filter.ended_until = query.ended_until;
    filter.stalled = query.stalled;
    filter.labels = query.labels;
    return filter;
}

RunList list_of(store::Store& store, const RunQuery& query, const ListOptions& options) {
    if (options.limit < 1 || options.limit > kListMax) {
        throw Error(
            ErrorCode::InvalidArgument,
            fmt::format("a list has 1 to {} runs; {} were asked for", kListMax, options.limit));
    }
    store::RunFilter filter = filter_of(query);
    filter.limit = options.limit;
    if (!options.after.empty()) filter.before = place_of(options.after);
    store::RunPage page = store.list_runs(filter);
    std::vector<store::RunNo> numbers;
    for (const model::Run& run : page.runs) numbers.push_back(run.no);
    store::LabelsOfRuns labels = store.labels(numbers);
    RunList list;
    for (model::Run& run : page.runs) {
        const store::RunNo no = run.no;
        list.runs.push_back(summary_of(std::move(run)));
        if (const auto found = labels.find(no); found != labels.end())
            list.runs.back().labels = std::move(found->second);
    }
    if (page.next) list.next = std::to_string(page.next->value);
    return list;
}

Labels labels_of(store::Store& store, store::RunNo run) {
    auto all = store.labels({run});
    return all.empty() ? Labels{} : std::move(all.begin()->second);
}

}  // namespace belay::engine
