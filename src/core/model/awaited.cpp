#include "core/model/awaited.hpp"

#include <boost/json.hpp>

#include "core/model/path.hpp"

namespace belay::model {

namespace {

constexpr std::size_t kNamesKept = 10;

// A fan's record says its size from its beginning.
std::int64_t size_of(const Stage& fan) {
    boost::json::error_code error;
    const auto record = boost::json::parse(fan.output.value_or("null"), error);
    if (error || !record.is_object()) return 0;
    const auto* size = record.get_object().if_contains("size");
    if (size == nullptr) return 0;
    boost::json::error_code no_number;
    const auto number = size->to_number<std::int64_t>(no_number);
    return no_number ? 0 : number;
}

}  // namespace

bool waits_outside(const Stage& stage) {
    return !is_finished(stage.status) &&
           (stage.kind == StageKind::Child || stage.kind == StageKind::Receive);
}

std::string awaited_child(const Stage& stage) {
    if (stage.kind != StageKind::Child || is_finished(stage.status) || !stage.output) return {};
    boost::json::error_code error;
    const auto id = boost::json::parse(*stage.output, error);
    return !error && id.is_string() ? std::string(id.get_string()) : std::string();
}

std::vector<std::string> awaited_children(const std::vector<Stage>& stages) {
    std::vector<std::string> ids;
    for (const Stage& stage : stages) {
        if (std::string id = awaited_child(stage); !id.empty()) ids.push_back(std::move(id));
    }
    return ids;
}

std::optional<OpenFan> fan_around(const std::vector<Stage>& stages, const Stage& inside) {
    const auto at = Path::parse(inside.path);
    if (!at) return std::nullopt;
    OpenFan found;
    Path path;
    for (const Stage& stage : stages) {
        if (stage.kind != StageKind::Fan || is_finished(stage.status)) continue;
        const auto fan = Path::parse(stage.path);
        if (!fan || !fan->is_ancestor_of(*at)) continue;
        if (found.fan != nullptr && !path.is_ancestor_of(*fan)) continue;
        found.fan = &stage;
        path = *fan;
    }
    if (found.fan == nullptr) return std::nullopt;
    found.size = size_of(*found.fan);
    for (const Stage& stage : stages) {
        const auto branch = Path::parse(stage.path);
        if (!branch || branch->parent() != path || branch->is_root()) continue;
        if (is_finished(stage.status)) {
            ++found.ended;
        } else if (found.open.size() < kNamesKept) {
            found.open.push_back(stage.stage_key);
        }
    }
    return found;
}

}  // namespace belay::model
