// told.hpp — what a committed batch means to the other workers.
//
// The writer says it after its commit; the heart (heart.hpp) passes it on with NOTIFY, many at a time, on a
// connection of its own: a NOTIFY inside the batch would make all commits of all workers wait in one line.
#pragma once

#include <set>
#include <string>

namespace belay::store::postgres {

class Told {
public:
    struct News {
        bool due = false;                 // something is there to be claimed
        bool ended = false;               // a run has ended: someone may wait for it elsewhere
        bool requests = false;            // a request is there to be taken
        std::set<std::string> workers{};  // whose running runs were signalled or asked to stop

        bool empty() const { return !due && !ended && !requests && workers.empty(); }
    };

    virtual ~Told() = default;

    // This process is that worker from now on, alive. Returns when it is on record. Throws PgError.
    virtual void is_worker(const std::string& name) = 0;
    virtual void tell(News news) = 0;
    // Something due was left because another worker had its hand on it: look again soon.
    virtual void look_again_soon() = 0;
};

}  // namespace belay::store::postgres
