// tick.hpp — what a tick of a schedule does, the same in every store.
#pragma once

#include "core/store/batch.hpp"

namespace belay::store {

// What a store does for it, inside the verb's transaction.
class TickPort {
public:
    virtual ~TickPort() = default;

    // Whether a run of that schedule has not finished.
    virtual bool has_unfinished(const std::string& schedule) = 0;
    // Requests a cancel of all of those, and of their children: whoever runs one ends it, and one that
    // nobody runs becomes due for it.
    virtual void cancel_unfinished(const std::string& schedule) = 0;
    // By the rules of Submit.
    virtual SubmitOutcome start(const model::NewRun& run) = 0;
};

// Deals with the verb's ticks: changes `row`, which the caller read at the verb's version, and fills the
// verb's outcome. True if the caller must write the row back; false if there was nothing to do.
bool fire(Tick& verb, model::StoredSchedule& row, TickPort& port, Time now);

// What a ChangeSchedule makes of the row that is there, if one is; nothing if it changes nothing.
std::optional<model::StoredSchedule> changed(const ChangeSchedule& verb,
                                             const std::optional<model::StoredSchedule>& row,
                                             Time now);

// The same for a queue.
std::optional<model::Queue> changed(const ChangeQueue& verb, const std::optional<model::Queue>& row,
                                    Time now);

// Why a queue is not removed.
std::string still_has_runs(const std::string& queue, std::int64_t count);
std::string is_named_by(const std::string& queue, const std::string& schedule);

}  // namespace belay::store
