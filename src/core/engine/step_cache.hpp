// step_cache.hpp — answers of steps that other runs have worked out (rule 11).
//
// One flight at a time: while a run works out the answer to a key, others of this process that ask for it
// wait, and find it in the store when it has landed. An answer is kept in the commit of the step's own record,
// so it is there if and only if the step is; what comes from the cache is copied into the record, so a replay
// never asks again. Used on the Loop lane, except find() and take().
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <belay/detail/work.hpp>

#include "core/engine/services.hpp"

namespace belay::engine {

class StepCache {
public:
    explicit StepCache(Services& services)
        : services_(services), flights_(std::make_shared<Flights>()) {}

    // The call may go ahead, and others wait for it until its `flight` is let go. False: another one is under
    // way; `landed` is called when it is over, to ask again.
    bool take_off(belay::detail::Work& work, std::function<void()> landed);

    // From any thread: the answer, if there is one. What does not fit the step's type is none. Changes nothing of
    // the call, whose attempt may be given up meanwhile.
    std::optional<store::Store::Cached> find(const belay::detail::Work& work, int attempt);
    // The call has this answer. Only for whoever has settled its attempt.
    void take(belay::detail::Work& work, store::Store::Cached answer);

private:
    // By key: who waits for the answer. Shared with flights that are let go on other threads.
    using Flights = std::unordered_map<std::string, std::vector<std::function<void()>>>;

    Services& services_;
    std::shared_ptr<Flights> flights_;
};

// The key under which the answer is stored: organization and step included.
std::string stored_key(const std::string& organization_id, const belay::detail::CacheUse& cache);

}  // namespace belay::engine
