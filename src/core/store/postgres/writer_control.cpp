// writer_control.cpp — what is read inside the batch: runs, their stages, and what others ask.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/store/postgres/writer.hpp"

namespace belay::store::postgres {

std::vector<model::Run> Writer::find_runs(const std::vector<RunNo>& runs) {
    if (runs.empty()) return {};
    IntegerArray ids;
    for (const RunNo run : runs) ids.add(run.value);
    Parameters parameters;
    ids.give(parameters);
    statements_.runs_by_no.send(parameters);
    Rows row{connection_.finish().back()};
    std::unordered_map<std::int64_t, model::Run> found;
    while (row.next()) {
        model::Run run = read_run(row);
        const std::int64_t no = run.no.value;
        found.emplace(no, std::move(run));
    }
    std::vector<model::Run> out;
    for (const RunNo no : runs) {
        if (const auto at = found.find(no.value); at != found.end()) out.push_back(at->second);
    }
    return out;
}

std::vector<model::Stage> Writer::stages_of(RunNo run) {
    IntegerArray ids;
    ids.add(run.value);
    Parameters parameters;
    ids.give(parameters);
    statements_.load_stages.send(parameters);
    Rows rows{connection_.finish().back()};
    std::vector<model::Stage> stages;
    while (rows.next()) stages.push_back(read_stage(rows));
    return stages;
}

void Writer::apply(Load& verb) {
    flush();
    verb.outcome.clear();
    verb.outcome.resize(verb.runs.size());
    std::unordered_multimap<std::int64_t, std::size_t> at;
    IntegerArray ids;
    for (std::size_t i = 0; i < verb.runs.size(); ++i) {
        if (!at.contains(verb.runs[i].value)) ids.add(verb.runs[i].value);
        at.emplace(verb.runs[i].value, i);
    }
    Parameters parameters;
    ids.give(parameters);
    statements_.load_stages.send(parameters);
    Rows rows{connection_.finish().back()};
    while (rows.next()) {
        const auto [first, last] = at.equal_range(rows.integer(14));
        for (auto to = first; to != last; ++to)
            verb.outcome[to->second].push_back(read_stage(rows));
    }
}

void Writer::apply(TakeRequests& verb) {
    flush();
    verb.outcome.clear();
    Rows rows{statements_.take_requests, std::int64_t{verb.limit}, worker_};
    while (rows.next()) verb.outcome.push_back(read_request(rows));
    std::sort(verb.outcome.begin(), verb.outcome.end(),
              [](const ControlRequest& a, const ControlRequest& b) { return a.id < b.id; });
}

}  // namespace belay::store::postgres
