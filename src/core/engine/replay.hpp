// replay.hpp — answers a run's code from what is recorded of it, for as long as something is.
//
// A run that is picked up is called from its start. Each call asks here first: what has its end recorded
// is answered at once, what was under way goes on where it was, and what the code does otherwise than the
// history says is a divergence, told with both names and never guessed at. Used on the Loop lane only.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <belay/detail/call.hpp>

#include "core/engine/history.hpp"
#include "core/model/run.hpp"

namespace belay::engine {

class Replay {
public:
    explicit Replay(std::vector<model::Stage> history);

    // What the history says about a call; its path and name are set.
    struct Nothing {};                // it is not recorded
    using Diverged = model::Failure;  // something else is recorded there
    using Answer = std::variant<Nothing, belay::detail::Begin, Diverged>;
    Answer answer(belay::detail::Call& call);

    // The record at a path, for a run that is to be undone: its code is shown all that is recorded, also what a replay
    // passes by, and may be shown it twice. Null: there is none.
    const model::Stage* visit(std::string_view path);
    // Whether something is recorded inside it.
    bool has_inside(std::string_view path) const;
    // What the record says about a call.
    Answer answer(belay::detail::Call& call, const model::Stage& record);

    // The code has ended, or has left a scope (`inside` is its path and a dot): is something recorded that
    // it did not ask for?
    std::optional<Diverged> left_over(std::string_view inside = {}) const;

    // The code went through a scope: does the history agree?
    std::optional<Diverged> passed(const belay::detail::Call& scope) const;

    // Which way a patch takes. Once said, it holds for the rest of the run: a loop must not change its way in
    // the middle, because the replay would then change it from the start. `next_path` is where the code's
    // next call will be.
    enum class Patch {
        OldWay,  // the run has passed here without it
        NewWay,
        NewWayToMark,  // and that has to be recorded at `path`
    };
    Patch patch(const std::string& path, const std::string& next_path);

    // Whether a mark that is no patch ("guard:WF1_") has to be recorded: it is not there, and this was not asked
    // before.
    bool is_new_mark(const std::string& path);

    // What is recorded inside this path is done with.
    void skip_inside(std::string_view path);

    // The place of a new record among the run's.
    std::int64_t next_position() { return ++positions_; }
    std::int64_t positions() const { return positions_; }

    // Gives back the memory of a history that has been consumed.
    void trim();

private:
    std::unique_ptr<History> history_;  // null once it is consumed
    // What patch() said; null until it is asked.
    std::unique_ptr<std::map<std::string, bool, std::less<>>> patched_;
    std::int64_t positions_ = 0;
};

}  // namespace belay::engine
