// told.hpp — what a committed batch means to the other workers.
//
// The writer says it after its commit; the heart (heart.hpp) passes it on with NOTIFY, many at a time, on a
// connection of its own: a NOTIFY inside the batch would make all commits of all workers wait in one line.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace belay::store::postgres {

// Some runs, so that whoever hears of them reads only those; too many are any run.
class SomeRuns {
public:
    static SomeRuns all() {
        SomeRuns some;
        some.any_ = true;
        return some;
    }
    void add(std::int64_t run);
    void add(const SomeRuns& others);
    bool none() const { return !any_ && runs_.empty(); }
    bool any() const { return any_; }
    const std::set<std::int64_t>& runs() const { return runs_; }

    // As a notification carries them. What cannot be read, as what an older worker says, is any run.
    std::string text() const;
    static SomeRuns from(std::string_view text);

private:
    bool any_ = false;
    std::set<std::int64_t> runs_;
};

class Told {
public:
    struct News {
        bool due = false;       // something is there to be claimed
        bool requests = false;  // a request is there to be taken
        SomeRuns ended{};       // someone may wait for them elsewhere
        // Runs that were signalled or asked to stop, by the worker that holds them.
        std::map<std::string, SomeRuns> runs{};

        bool empty() const { return !due && !requests && ended.none() && runs.empty(); }
    };

    virtual ~Told() = default;

    // This process is that worker from now on, alive. Returns when it is on record. Throws PgError.
    virtual void is_worker(const std::string& name) = 0;
    virtual void tell(News news) = 0;
    // Something due was left because another worker had its hand on it: look again soon.
    virtual void look_again_soon() = 0;
};

}  // namespace belay::store::postgres
