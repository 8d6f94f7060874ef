#include "core/model/worker.hpp"

#include <algorithm>

namespace belay::model {

namespace {

bool matches(std::string_view pattern, std::string_view version) {
    if (!pattern.ends_with('*')) return pattern == version;
    return version.starts_with(pattern.substr(0, pattern.size() - 1));
}

bool defines(const Worker& worker, std::string_view workflow_key) {
    const auto& keys = worker.workflow_keys;
    return std::find(keys.begin(), keys.end(), workflow_key) != keys.end();
}

}  // namespace

bool Versions::take_any() const {
    return own.empty() || std::find(compatible.begin(), compatible.end(), "*") != compatible.end();
}

bool Versions::take(std::string_view version) const {
    if (version.empty() || version == own || take_any()) return true;
    return std::any_of(compatible.begin(), compatible.end(),
                       [&](const std::string& pattern) { return matches(pattern, version); });
}

const Worker* worker_for(const std::vector<Worker>& workers, std::string_view workflow_key) {
    for (const Worker& worker : workers) {
        if (defines(worker, workflow_key)) return &worker;
    }
    return nullptr;
}

const Worker* worker_for(const std::vector<Worker>& workers, std::string_view workflow_key,
                         std::string_view version) {
    for (const Worker& worker : workers) {
        if (defines(worker, workflow_key) && worker.versions.take(version)) return &worker;
    }
    return nullptr;
}

}  // namespace belay::model
