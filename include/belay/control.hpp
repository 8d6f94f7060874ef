// control.hpp — what can be asked of runs from outside: forks, and one thing of many runs at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <belay/options.hpp>
#include <belay/status.hpp>
#include <belay/time.hpp>

namespace belay {

// A new run that keeps what another has recorded before some step, and goes on from there. Steps are named
// by their name, or by their path ("4.2") where a name stands for several.
struct ForkOptions {
    // The step to begin at: it and all that came after it runs again. Empty: after the last step that
    // `outputs` names; without those, at the step that failed; with another input, at the beginning.
    std::string from{};
    std::optional<std::string> input{};  // JSON; the same as the run's if not given
    // What steps shall have returned instead, as JSON, by step. They are kept, not run.
    std::map<std::string, std::string> outputs{};
    std::string id{};  // of the new run; made up if empty
};

struct CancelOptions {
    std::string reason{};
    // False: what the run did stays as it is. Also ends one that is being undone, as it would have ended.
    bool undo = true;
};

// Which runs a bulk command is about; all that is given must hold.
struct RunQuery {
    std::optional<RunStatus> status{};
    std::string workflow{};
    std::string organization_id{};
    std::string text{};                 // part of the id or the workflow's key
    std::optional<Time> since{};        // created then or later
    std::optional<Time> until{};        // created before then
    std::optional<Time> ended_since{};  // ended then or later
    std::optional<Time> ended_until{};  // ended before then
    bool stalled = false;               // only those that nothing will get going
    Labels labels{};                    // with all of these
};

// A run as it is listed.
struct RunSummary {
    std::string id{};
    std::string workflow{};
    RunStatus status = RunStatus::Queued;
    std::string organization_id{};
    std::string stage{};  // the last that was written
    Time created_at{};
    std::optional<Time> ended_at{};
    std::string error{};  // a sentence, when failed, canceled or paused
    Labels labels{};
};

struct ListOptions {
    int limit = 50;       // at most 500
    std::string after{};  // RunList::next of the page before
};

struct RunList {
    std::vector<RunSummary> runs{};  // newest first
    std::string next{};              // empty: there are no more
};

enum class BulkAction { Cancel, Pause, Resume, Retry, Fork };

struct BulkOptions {
    bool dry_run = false;  // only counts
    std::string reason{};  // of a cancel or a pause
    bool undo = true;      // of a cancel, as CancelOptions has it
    ForkOptions fork{};    // without an id: each gets its own
};

struct BulkRefusal {
    std::string id{};
    std::string why{};
};

struct BulkReport {
    std::int64_t matched = 0;  // runs that are like that and that the action is for
    std::int64_t done = 0;     // carried out, or asked of a run that is running; none of a dry run
    std::int64_t refused = 0;
    std::vector<std::string>
        ids{};  // the first thousand: matched; of forks that were made, the new runs
    std::vector<BulkRefusal> refusals{};  // the first hundred
};

// What came of running today's code against a history, without any effect.
struct ReplayReport {
    bool agrees = false;
    std::string sentence{};  // what was found: the first divergence, or how far the history goes
    std::string stage{};     // where it diverged
    std::string path{};
    std::int64_t records = 0;   // in the history
    std::int64_t replayed = 0;  // answered from it
};

}  // namespace belay
