// tail.hpp — what changed in runs since the last look, as lines.
//
// A look reads only what may have changed: the newest runs and the unfinished ones, at most
// kTailRunsMax of each state, and the stages of those that are running or whose row changed.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/model/run.hpp"
#include "core/model/stage.hpp"
#include "core/store/store.hpp"

namespace belay::cli {

inline constexpr int kTailRunsMax = 100;

struct TailLine {
    Time at{};
    std::string run_id{};
    std::string workflow_key{};
    std::string organization_id{};
    std::string stage_key{};  // empty: the run itself changed
    std::string path{};       // of the stage
    std::string status{};
    std::int64_t attempt = 0;
    std::string message{};
    std::optional<RunStatus> run_status{};  // one of these two
    std::optional<StageStatus> stage_status{};
};

class Tail {
public:
    // Follows one run, or all of them without an `only`.
    Tail(store::Store& store, std::optional<store::RunNo> only) : store_(store), only_(only) {}

    // The changes since the look before, oldest first. The first look gives all that one run has
    // recorded, and of all runs only how the unfinished ones stand.
    std::vector<TailLine> look();

    // Whether the last look may have missed something, because there was more than it looks at.
    bool missed_some() const { return missed_; }

    // The one run that is followed has ended, and all of it was given.
    bool ended() const { return ended_; }

private:
    // What was last given of a run.
    struct Seen {
        RunStatus status = RunStatus::Queued;
        Time updated_at{};
        std::int64_t attempts = 0;
        std::map<std::string, std::pair<StageStatus, std::int64_t>>
            stages{};  // by path: status, attempt
    };

    std::vector<model::Run> candidates();
    void look_at(const model::Run& run, bool quiet, std::vector<TailLine>& lines);

    store::Store& store_;
    std::optional<store::RunNo> only_;
    std::map<store::RunNo, Seen> seen_;
    bool first_ = true;
    bool missed_ = false;
    store::RunNo newest_{};
    bool ended_ = false;
};

}  // namespace belay::cli
