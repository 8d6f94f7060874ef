// step_checkpoints.hpp — how far a long step is, on its way from the attempt's thread to the store.
//
// A checkpoint is the stage's own record, as running, with the value where its result will be: so the store fences it by
// the lease, seals it, loads it with the history, and a success puts the result in its place. The thread leaves it with
// the Loop lane, which knows whether the attempt is still the one: one that was given up keeps nothing. While one is on
// its way to disk the newest of the others waits, so that a step that keeps a thousand a second writes no faster than
// commits go.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/engine/answer.hpp"
#include "core/engine/steps.hpp"

namespace belay::engine {

// Of one attempt that keeps something; shared by its thread and the Loop lane, neither of which knows when the other ends.
struct Steps::Kept {
    explicit Kept(const Going& whose) : going(whose) {}

    const Going going;

    std::mutex mutex;                           // guards the rest
    std::shared_ptr<const std::string> newest;  // not yet taken by the Loop lane
    std::vector<Promise> waiting;               // to be told when it is durable
    bool is_asked = false;  // the Loop lane is about to take it, or has one on its way
};

// On the attempt's own thread, for as long as its code runs.
class Steps::Keeper final : public belay::detail::CheckpointKeeper {
public:
    Keeper(Steps& steps, const Going& going, bool may_block)
        : steps_(steps), going_(going), may_block_(may_block) {}

    void keep(std::shared_ptr<const std::string> json, bool wait) override;

private:
    Steps& steps_;
    const Going& going_;
    const bool may_block_;
    std::shared_ptr<Kept> kept_{};  // null: it has kept nothing
};

}  // namespace belay::engine
