// claims.hpp — when to ask the store for runs to execute, and for how many.
//
// One claim is on its way at a time. Another follows when room was made, when a run is due, or when
// something changed while the last one was under way. Runs that may be what kills their workers (suspects)
// are asked for one at a time. Used on the Loop lane only.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/engine/room.hpp"
#include "core/engine/services.hpp"
#include "core/engine/timers.hpp"
#include "core/engine/watchers.hpp"
#include "core/store/batch.hpp"

namespace belay::engine {

class Claims {
public:
    // `admit` gets the runs that a claim brought.
    Claims(Services& services, Timers& timers, Room& room, Watchers& watchers,
           std::function<void(std::vector<model::Run>)> admit)
        : services_(services), timers_(timers), room_(room), watchers_(watchers),
          admit_(std::move(admit)) {}

    // Claims runs of these workflows from now on, until stop().
    void start(std::vector<std::string> workflow_keys);
    void stop() { stopped_ = true; }

    // There may be something to claim.
    void soon();
    // There will be at that time.
    void due_at(Time when);
    // A run has given up its room: claims what the last claim had to leave.
    void room_made();

    // The commit of a batch failed: what may have become due without our hearing of it is claimed when the
    // store works again, by room_made().
    void commit_lost() { more_due_ = true; }
    // A claim was among what was lost.
    void claim_lost() { under_way_ = false; }

    // A run that is here, or being loaded, is a suspect; it is none any more, or has left.
    void suspect_came(model::RunNo run) { suspects_.insert(run); }
    void suspect_left(model::RunNo run);
    // The same, without asking for the next one.
    void forget_suspect(model::RunNo run) { suspects_.erase(run); }

private:
    void claim();
    void committed(store::Claim& claim);

    Services& services_;
    Timers& timers_;
    Room& room_;
    Watchers& watchers_;
    std::function<void(std::vector<model::Run>)> admit_;
    std::vector<std::string> workflow_keys_;
    std::unordered_set<model::RunNo> suspects_;
    bool started_ = false;
    bool stopped_ = false;
    bool under_way_ = false;   // a claim is on its way
    bool again_ = false;       // and something changed since it was sent
    bool more_due_ = false;    // the last claim left due runs behind
    std::optional<Time> due_;  // when the next claim is armed for
    std::optional<Timers::Key> due_timer_;
};

}  // namespace belay::engine
