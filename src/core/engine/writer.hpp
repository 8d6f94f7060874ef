// writer.hpp — group commit: every write of every run goes through here.
//
// All that is waiting commits in one transaction; then those who wait are told, in one go, on the Loop
// lane. While one batch is being synced to disk the next one gathers, so the more runs there are, the
// larger the batches. When a commit fails, nobody is told anything but "it failed": the writer stops,
// reopens the store until it works, says so, and goes on with what gathered meanwhile (rule 2). What
// gathered for a run that was in the failed batch is lost with it: its history would have a hole. A body
// that met a failure of the store is lost alone; its neighbours are told, and the store is reopened as well.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/base/unique_function.hpp"
#include "core/engine/services.hpp"
#include "core/store/store.hpp"

namespace belay::engine {

class Writer {
public:
    // Told on the Loop lane, when the verb's outcome is durable.
    using Done = base::UniqueFunction<void(store::Verb&)>;

    struct Entry {
        store::Verb verb;
        Done done;
    };

    // A batch that did not commit, or may not have.
    struct FailedBatch {
        std::uint64_t number = 0;  // which failure it was
        std::vector<store::Verb> verbs;
        std::vector<Done> dones;
        bool unknown = false;  // it may have committed
        std::string why;
        Duration hold{0};  // what was lost is not to be tried again before this is over
    };

    // On the Loop lane: told at once of a failure, and later that the store works again.
    struct Listener {
        std::function<void(FailedBatch)> failed;
        std::function<void()> repaired;
        std::function<void(const store::Woken&)>
            woken;  // before anybody is told of the batch that did it
        std::function<void(const store::Batch&)>
            committed;                      // before that: the batch as it is durable
        std::function<void()> after_batch;  // every `done` of a batch has been called
    };

    Writer(store::Store& store, Environment& world, Counters& counters, const Log& log)
        : store_(store), world_(world), counters_(counters), log_(log) {}

    void set_listener(Listener listener) { listener_ = std::move(listener); }

    // From any thread. The verbs of one caller commit in the order pushed.
    void push(store::Verb verb, Done done);
    void push_all(std::vector<Entry> entries);
    // With the next commit, which it does not bring about: for whoever pushes something else soon.
    void ride_along(store::Verb verb, Done done);

    std::uint64_t failures() const;  // commits that failed so far
    // The runs that were in failed batches have been taken again, at new epochs, since `failures` of them:
    // the store itself refuses the old epochs now.
    void forget_lost(std::uint64_t failures);

    // Nothing is committed any more: what waits, and what is pushed from now on, is destroyed untold.
    void close();

    // How many verbs wait for a commit.
    std::size_t waiting() const;
    bool broken() const;
    // Why the store cannot be written now; nothing while it can.
    std::optional<std::string> broken_why() const;

private:
    void schedule_locked();
    std::size_t batch_size_locked() const;
    void pump();
    void deliver(store::Batch batch, std::vector<Done> dones, std::optional<FailedBatch> lost = {});
    std::optional<FailedBatch> note_lost_bodies(std::vector<store::Verb>& verbs);
    void failed(std::vector<store::Verb> verbs, std::vector<Done> dones, bool unknown,
                std::string why);
    void set_aside_lost(std::vector<store::Verb>& verbs, std::vector<Done>& dones);
    void repair(Duration wait);
    void give_up_callers(const std::string& why);

    store::Store& store_;
    Environment& world_;
    Counters& counters_;
    const Log& log_;
    Listener listener_;

    mutable std::mutex mutex_;  // guards the rest
    std::vector<store::Verb> verbs_;
    std::vector<Done> dones_;
    bool scheduled_ = false;
    bool broken_ = false;
    std::string why_broken_;
    bool closed_ = false;
    std::set<std::pair<model::RunNo, std::int64_t>> lost_;  // leases of the runs in failed batches
    std::uint64_t failures_ = 0;

    // On the Commit lane.
    int failures_in_a_row_ = 0;
    int lost_bodies_in_a_row_ = 0;  // batches that committed without one of their bodies
};

}  // namespace belay::engine
