#include "model/rewind.hpp"

#include <map>

#include "model/path.hpp"

namespace belay::model {

namespace {

enum class Fate { Keep, Reset, Forget };

struct Failed {
    Path path;
    std::map<Path, StageKind> kinds;  // of every stage of the run
    bool (*parallel)(StageKind);

    // Whether two paths part inside a stage whose children run side by side.
    bool is_other_branch(const Path& other) const {
        const auto found = kinds.find(path.common_with(other));
        return found != kinds.end() && parallel(found->second);
    }

    Fate of(const Path& other, StageStatus status) const {
        const bool undone = status != StageStatus::Succeeded;
        const bool open = status == StageStatus::Canceled || !is_finished(status);
        const Fate again = undone ? Fate::Reset : Fate::Keep;
        if (path.is_root()) return open ? Fate::Reset : Fate::Keep;
        if (other == path || other.is_ancestor_of(path) || path.is_ancestor_of(other)) return again;
        if (is_other_branch(other)) return again;
        if (other > path) return Fate::Forget;
        return open ? Fate::Reset : Fate::Keep;
    }
};

}  // namespace

bool is_parallel(StageKind kind) {
    switch (kind) {
        case StageKind::Step:
        case StageKind::Transaction:
        case StageKind::Scope:
        case StageKind::Sleep:
        case StageKind::Patch:
        case StageKind::Child:
        case StageKind::Receive:
        case StageKind::Guard:
            return false;
        case StageKind::Fan:
            return true;
    }
    return false;
}

Rewind rewind(const std::vector<Stage>& stages, std::string_view failed_path,
              bool (*parallel)(StageKind)) {
    // A failure at a mark ("patch:name") has no place in the order: as if the workflow's own code
    // threw.
    Failed failed{Path::parse(failed_path).value_or(Path{}), {}, parallel};
    for (const Stage& stage : stages) {
        if (const auto path = Path::parse(stage.path)) failed.kinds.emplace(*path, stage.kind);
    }

    Rewind result;
    for (const Stage& stage : stages) {
        const auto path = Path::parse(stage.path);
        if (!path) continue;
        switch (failed.of(*path, stage.status)) {
            case Fate::Keep:
                break;
            case Fate::Reset:
                result.reset_paths.push_back(stage.path);
                break;
            case Fate::Forget:
                result.forget_paths.push_back(stage.path);
                break;
        }
    }
    return result;
}

}  // namespace belay::model
