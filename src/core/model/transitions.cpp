#include "core/model/transitions.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/model/status_words.hpp"

namespace belay::model {

namespace {

template <class Table, class Status>
bool allows(const Table& table, Status from, Status to) {
    return std::any_of(table.begin(), table.end(),
                       [&](const auto& t) { return t.from == from && t.to == to; });
}

template <class Words>
std::string sql_list(const Words& words) {
    std::string out;
    for (const auto& word : words) {
        out += fmt::format("{}'{}'", out.empty() ? "" : ", ", word.text);
    }
    return out;
}

}  // namespace

bool may_follow(RunStatus from, RunStatus to) { return allows(kRunTransitions, from, to); }

bool may_follow(StageStatus from, StageStatus to) { return allows(kStageTransitions, from, to); }

std::string sql_list_of_run_statuses() { return sql_list(kRunStatusWords); }

std::string sql_list_of_stage_statuses() { return sql_list(kStageStatusWords); }

std::string run_diagram() {
    std::string out = "stateDiagram-v2\n    [*] --> queued\n";
    for (const auto& t : kRunTransitions) {
        out += fmt::format("    {} --> {}: {}\n", to_string(t.from), to_string(t.to), t.why);
    }
    for (const auto& word : kRunStatusWords) {
        if (is_finished(word.value)) out += fmt::format("    {} --> [*]\n", word.text);
    }
    return out;
}

}  // namespace belay::model
