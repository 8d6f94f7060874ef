#include "core/model/fork.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/base/limits.hpp"
#include "core/model/path.hpp"
#include "core/model/rewind.hpp"
#include "core/model/undo.hpp"

namespace belay::model {

namespace {

// So many steps are named to someone who asked for one that is not there.
constexpr std::size_t kNamesTold = 20;

std::string names_of(const std::vector<Stage>& stages) {
    std::vector<std::string> names;
    for (const Stage& stage : stages) {
        if (is_mark(stage)) continue;
        if (names.size() == kNamesTold) {
            names.emplace_back("…");
            break;
        }
        names.push_back(fmt::format("{} ({})", stage.stage_key, stage.path));
    }
    return names.empty() ? "nothing is recorded of it" : fmt::format("{}", fmt::join(names, ", "));
}

const Stage& find_stage(const Run& run, const std::vector<Stage>& stages, const std::string& name) {
    std::vector<const Stage*> found;
    for (const Stage& stage : stages) {
        if (is_mark(stage)) continue;
        if (stage.path == name) return stage;
        if (stage.stage_key == name) found.push_back(&stage);
    }
    if (found.size() == 1) return *found.front();
    if (found.empty()) {
        throw Error(ErrorCode::NotFound, fmt::format("run `{}` has no step `{}`; it has: {}",
                                                     run.id, name, names_of(stages)));
    }
    std::vector<std::string> paths;
    for (const Stage* stage : found) {
        if (paths.size() == kNamesTold) break;
        paths.push_back(stage->path);
    }
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("`{}` stands for {} steps of run `{}`; say which by its path: {}", name,
                            found.size(), run.id, fmt::join(paths, ", ")));
}

void check_json(const std::string& text, const std::string& what) {
    if (text.size() > base::kPayloadBytesMax) {
        throw Error(ErrorCode::PayloadTooLarge,
                    fmt::format("{} is {} bytes of JSON; at most {} are allowed", what, text.size(),
                                base::kPayloadBytesMax));
    }
    boost::json::error_code error;
    boost::json::parse(text, error);
    if (error) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("{} is not JSON ({}); a text needs its quotes: '\"like this\"'",
                                what, error.message()));
    }
}

// A stage that shall have returned something else.
Stage edited(const Run& run, Stage stage, const std::string& output) {
    switch (stage.kind) {
        case StageKind::Fan:
            throw Error(ErrorCode::InvalidArgument,
                        fmt::format("`{}` is a fan, whose outcome is made of its branches; give "
                                    "the output of one of "
                                    "those",
                                    stage.stage_key));
        case StageKind::Sleep:
            throw Error(ErrorCode::InvalidArgument,
                        fmt::format("`{}` is a sleep, which returns nothing", stage.stage_key));
        case StageKind::Receive:
            stage.output = fmt::format("[{}]", output);
            break;
        default:
            stage.output = output;
            break;
    }
    stage.status = StageStatus::Succeeded;
    if (!stage.finished_at) stage.finished_at = stage.started_at.value_or(run.updated_at);
    if (!stage.started_at) stage.started_at = stage.finished_at;
    stage.next_attempt_at.reset();
    stage.error_code.clear();
    stage.message = "its output was given to a fork";
    return stage;
}

// Where a fork parts from its origin.
struct Cut {
    Path path;                        // of the stage where it begins; the root: nothing is cut off
    std::int64_t position = 0;        // and when that began
    std::map<Path, StageKind> kinds;  // of every stage of the run

    bool is_other_branch(const Path& other) const {
        const auto found = kinds.find(path.common_with(other));
        return found != kinds.end() && is_parallel(found->second);
    }

    bool keeps(const Stage& stage) const {
        const auto other = Path::parse(stage.path);
        if (!other)
            return stage.kind == StageKind::Patch && (path.is_root() || stage.position < position);
        const bool succeeded = stage.status == StageStatus::Succeeded;
        const bool passed = succeeded || stage.status == StageStatus::Failed ||
                            stage.status == StageStatus::Skipped;
        if (path.is_root()) return passed;
        if (*other == path || other->is_ancestor_of(path) || path.is_ancestor_of(*other))
            return false;
        if (is_other_branch(*other)) return succeeded;
        return *other < path && passed;
    }
};

// What was undone did not happen: a run that goes on from its record would go on from nothing.
void refuse_undone(const Run& run, const std::vector<Stage>& stages,
                   const std::set<std::string>& kept) {
    for (const Stage& stage : stages) {
        if (!is_undo(stage) || !kept.contains(undone_path(stage))) continue;
        throw Error(
            ErrorCode::InvalidArgument,
            fmt::format(
                "steps of run `{}` were undone, `{}` first of all: the fork has to begin at "
                "it or before",
                run.id, first_undone(stages)->stage_key));
    }
}

}  // namespace

Fork fork_of(const Run& run, const std::vector<Stage>& stages, const std::vector<Attempt>& attempts,
             const ForkOptions& options) {
    Fork fork;
    fork.input = options.input.value_or(run.continued_input.value_or(run.input));
    if (options.input) check_json(*options.input, "the input");

    std::map<std::string, Stage> given;  // by path
    const Stage* last_given = nullptr;
    for (const auto& [name, output] : options.outputs) {
        check_json(output, fmt::format("the output of `{}`", name));
        const Stage& stage = find_stage(run, stages, name);
        given.insert_or_assign(stage.path, edited(run, stage, output));
        const bool is_last =
            last_given == nullptr || Path::parse(stage.path) > Path::parse(last_given->path);
        if (is_last) last_given = &stage;
    }

    const Stage* begin = nullptr;
    if (!options.from.empty()) {
        begin = &find_stage(run, stages, options.from);
    } else if (last_given != nullptr) {
        begin = last_given;
    } else if (options.input) {
        return fork;
    } else if (run.status == RunStatus::Failed) {
        const std::string path = run.failure ? run.failure->path : "";
        if (!path.empty()) begin = &find_stage(run, stages, path);
    } else {
        throw Error(
            ErrorCode::InvalidArgument,
            fmt::format(
                "run `{}` is {}, not failed: say from which step the fork begins, or give another "
                "input. It has: {}",
                run.id, to_string(run.status), names_of(stages)));
    }

    Cut cut;
    for (const Stage& stage : stages) {
        if (const auto path = Path::parse(stage.path)) cut.kinds.emplace(*path, stage.kind);
    }
    if (begin != nullptr) {
        cut.path = Path::parse(begin->path).value_or(Path{});
        cut.position = begin->position;
    }
    std::set<std::string> kept;
    for (const Stage& stage : stages) {
        const auto edit = given.find(stage.path);
        const bool is_begin = begin != nullptr && stage.path == begin->path;
        if (!cut.keeps(stage) && !(is_begin && edit != given.end())) {
            if (edit == given.end()) continue;
            throw Error(ErrorCode::InvalidArgument,
                        fmt::format("the output of `{}` would be forgotten: the fork begins at "
                                    "`{}`, before or around "
                                    "it",
                                    stage.stage_key, begin->stage_key));
        }
        fork.stages.push_back(edit != given.end() ? edit->second : stage);
        if (edit == given.end()) kept.insert(stage.path);
    }
    refuse_undone(run, stages, kept);
    for (const Attempt& attempt : attempts) {
        if (kept.contains(attempt.path)) fork.attempts.push_back(attempt);
    }
    return fork;
}

NewRun forked_run(const Run& run, const Fork& fork, std::string id, std::string code_version) {
    NewRun made;
    made.id = std::move(id);
    made.workflow_key = run.workflow_key;
    made.input = fork.input;
    made.organization_id = run.organization_id;
    made.source_channel = "fork";
    made.file_id = run.file_id;
    made.content_hash = run.content_hash;
    made.code_version = std::move(code_version);
    made.queue = run.queue;  // its limits hold for the fork, too
    made.priority = run.priority;
    made.partition = run.partition;
    made.forked_from = run.id;
    made.seed_id = seed_name(run);
    return made;
}

}  // namespace belay::model
