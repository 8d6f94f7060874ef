#include "core/engine/history.hpp"

#include <algorithm>
#include <string>

namespace belay::engine {

History::History(std::vector<model::Stage> stages) {
    entries_.reserve(stages.size());
    for (model::Stage& stage : stages) entries_.push_back({std::move(stage), false});
    std::sort(entries_.begin(), entries_.end(),
              [](const Entry& a, const Entry& b) { return a.stage.path < b.stage.path; });
    left_ = entries_.size();
}

std::size_t History::find(std::string_view path) const {
    const auto at = std::lower_bound(
        entries_.begin(), entries_.end(), path,
        [](const Entry& entry, std::string_view wanted) { return entry.stage.path < wanted; });
    if (at == entries_.end() || at->stage.path != path) return entries_.size();
    return static_cast<std::size_t>(at - entries_.begin());
}

void History::mark(Entry& entry) {
    if (entry.taken) return;
    entry.taken = true;
    --left_;
}

const model::Stage* History::take(std::string_view path) {
    const std::size_t at = find(path);
    if (at == entries_.size() || entries_[at].taken) return nullptr;
    mark(entries_[at]);
    return &entries_[at].stage;
}

const model::Stage* History::visit(std::string_view path) {
    const std::size_t at = find(path);
    if (at == entries_.size()) return nullptr;
    mark(entries_[at]);
    return &entries_[at].stage;
}

bool History::has(std::string_view path) const { return find(path) != entries_.size(); }

void History::skip_inside(std::string_view scope_path) {
    const std::string prefix = std::string(scope_path) + ".";
    auto at = std::lower_bound(
        entries_.begin(), entries_.end(), prefix,
        [](const Entry& entry, const std::string& wanted) { return entry.stage.path < wanted; });
    for (; at != entries_.end() && at->stage.path.starts_with(prefix); ++at) mark(*at);
}

const model::Stage* History::first_left(std::string_view inside) const {
    const model::Stage* first = nullptr;
    for (const Entry& entry : entries_) {
        if (entry.taken || model::is_mark(entry.stage)) continue;
        if (!entry.stage.path.starts_with(inside)) continue;
        if (first == nullptr || entry.stage.position < first->position) first = &entry.stage;
    }
    return first;
}

}  // namespace belay::engine
