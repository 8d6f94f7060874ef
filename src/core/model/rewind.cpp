#include "core/model/rewind.hpp"

#include <map>
#include <utility>

#include <belay/error.hpp>

#include "core/model/path.hpp"

namespace belay::model {

namespace {

enum class Fate { Keep, Reset, Forget };

bool is_open(StageStatus status) { return status == StageStatus::Canceled || !is_finished(status); }

// Of a failure at the end of a step's attempts, too: then its stage has failed, and nothing is unreadable.
bool is_unreadable(const Failure& failure) {
    return failure.code == to_string(ErrorCode::BadValue) && !failure.path.empty();
}

// The stages of one run as a tree, and what a retry does to each. Judged from the top down: what is inside
// a stage that is kept or forgotten shares its fate.
class Judgement {
public:
    Judgement(const std::vector<Stage>& stages, Path failed, bool (*parallel)(StageKind),
              bool unreadable)
        : failed_(std::move(failed)), parallel_(parallel), unreadable_(unreadable) {
        for (const Stage& stage : stages) {
            if (auto path = Path::parse(stage.path)) stages_.emplace(std::move(*path), &stage);
        }
        for (const auto& [path, stage] : stages_) {
            if (stage->status == StageStatus::Failed) last_failed_[path.parent()] = path;
        }
        for (const auto& [path, stage] : stages_) fates_.emplace(path, judge(path, stage->status));
    }

    Fate of(const Path& path) const { return fates_.at(path); }

private:
    Fate judge(const Path& path, StageStatus status) const {
        const Fate again = status == StageStatus::Succeeded ? Fate::Keep : Fate::Reset;
        if (failed_.is_root()) return is_open(status) ? Fate::Reset : Fate::Keep;
        if (path == failed_ && unreadable_ && again == Fate::Keep) return Fate::Forget;
        if (path == failed_ || path.is_ancestor_of(failed_)) return again;
        if (failed_.is_ancestor_of(path) || is_other_branch(path))
            return judge_inside(path, status, again);
        if (path > failed_) return Fate::Forget;
        return is_open(status) ? Fate::Reset : Fate::Keep;
    }

    // Beneath what failed, or in another branch beside it.
    Fate judge_inside(const Path& path, StageStatus status, Fate again) const {
        const Path above = path.parent();
        const auto parent = stages_.find(above);
        if (parent == stages_.end()) return again;
        const Fate fate_above = fates_.at(above);
        if (above != failed_ && !above.is_ancestor_of(failed_) && fate_above != Fate::Reset)
            return fate_above;
        if (parallel_(parent->second->kind)) return again;
        const auto culprit = last_failed_.find(above);
        if (culprit == last_failed_.end()) return again;
        if (parent->second->status == StageStatus::Failed && path > culprit->second)
            return Fate::Forget;
        // A failure that the code got over: it went on with what it knew then. In a stage that failed that
        // is every failure but the last; in one that was stopped, every one that something came after.
        const bool is_culprit =
            path == culprit->second &&
            (parent->second->status == StageStatus::Failed || !has_later_sibling(path, above));
        return status == StageStatus::Failed && !is_culprit ? Fate::Keep : again;
    }

    // Whether two paths part inside a stage whose children run side by side.
    bool is_other_branch(const Path& other) const {
        const auto found = stages_.find(failed_.common_with(other));
        return found != stages_.end() && parallel_(found->second->kind);
    }

    bool has_later_sibling(const Path& path, const Path& parent) const {
        for (auto next = stages_.upper_bound(path);
             next != stages_.end() && parent.is_ancestor_of(next->first); ++next) {
            if (!path.is_ancestor_of(next->first)) return true;
        }
        return false;
    }

    const Path failed_;
    bool (*const parallel_)(StageKind);
    const bool unreadable_;
    std::map<Path, const Stage*> stages_;
    std::map<Path, Path> last_failed_;  // by the stage above it
    std::map<Path, Fate> fates_;
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
              bool (*parallel)(StageKind), bool unreadable) {
    // A failure at a mark ("patch:name") has no place in the order: as if the workflow's own code
    // threw.
    const Judgement judgement{stages, Path::parse(failed_path).value_or(Path{}), parallel,
                              unreadable};

    Rewind result;
    for (const Stage& stage : stages) {
        const auto path = Path::parse(stage.path);
        if (!path) continue;
        switch (judgement.of(*path)) {
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

Rewind rewind(const std::vector<Stage>& stages, const std::optional<Failure>& failure) {
    if (!failure) return rewind(stages, "");
    return rewind(stages, failure->path, is_parallel, is_unreadable(*failure));
}

bool may_be_retried(const Run& run) {
    if (run.undo_plan) return false;
    if (run.status == RunStatus::Paused) return run.failure && is_unreadable(*run.failure);
    return run.status == RunStatus::Failed || run.status == RunStatus::Canceled;
}

}  // namespace belay::model
