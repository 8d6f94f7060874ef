#include "engine/writer.hpp"

#include <fmt/format.h>

#include <belay/error.hpp>

#include "base/failpoint.hpp"
#include "base/limits.hpp"

namespace belay::engine {

namespace {
constexpr Duration kRepairFirst{50};
constexpr Duration kRepairLongest{2000};
}  // namespace

void Writer::push(store::Verb verb, Done done) {
    const std::lock_guard lock(mutex_);
    verbs_.push_back(std::move(verb));
    dones_.push_back(std::move(done));
    schedule_locked();
}

void Writer::push_all(std::vector<Entry> entries) {
    const std::lock_guard lock(mutex_);
    for (Entry& entry : entries) {
        verbs_.push_back(std::move(entry.verb));
        dones_.push_back(std::move(entry.done));
    }
    schedule_locked();
}

std::size_t Writer::waiting() const {
    const std::lock_guard lock(mutex_);
    return verbs_.size();
}

bool Writer::broken() const {
    const std::lock_guard lock(mutex_);
    return broken_;
}

void Writer::schedule_locked() {
    if (scheduled_ || broken_ || verbs_.empty()) return;
    scheduled_ = true;
    world_.executor.post(env::Lane::Commit, [this] { pump(); });
}

void Writer::pump() {
    store::Batch batch;
    std::vector<Done> dones;
    {
        const std::lock_guard lock(mutex_);
        scheduled_ = false;
        if (broken_ || verbs_.empty()) return;
        if (verbs_.size() <= base::kBatchOpsMax) {
            batch.verbs = std::exchange(verbs_, {});
            dones = std::exchange(dones_, {});
            verbs_.reserve(batch.verbs.size());
            dones_.reserve(batch.verbs.size());
        } else {
            const auto count = static_cast<std::ptrdiff_t>(base::kBatchOpsMax);
            batch.verbs.assign(std::make_move_iterator(verbs_.begin()),
                               std::make_move_iterator(verbs_.begin() + count));
            dones.assign(std::make_move_iterator(dones_.begin()),
                         std::make_move_iterator(dones_.begin() + count));
            verbs_.erase(verbs_.begin(), verbs_.begin() + count);
            dones_.erase(dones_.begin(), dones_.begin() + count);
        }
    }
    batch.now = world_.clock.now();
    base::failpoint("commit.before");
    try {
        store_.commit(batch);
    } catch (const Error& error) {
        ++counters_.commits_failed;
        log_(LogLevel::Failure, "commit_failed", error.what());
        {
            const std::lock_guard lock(mutex_);
            broken_ = true;
        }
        FailedBatch failed{std::move(batch.verbs), std::move(dones),
                           error.code() == ErrorCode::CommitUnknown, error.what()};
        world_.executor.post(env::Lane::Loop, [this, failed = std::move(failed)]() mutable {
            listener_.failed(std::move(failed));
        });
        repair(kRepairFirst);
        return;
    }
    base::failpoint("commit.after");
    ++counters_.commits;
    counters_.verbs_committed += static_cast<std::int64_t>(batch.verbs.size());
    deliver(std::move(batch.verbs), std::move(dones));
    const std::lock_guard lock(mutex_);
    schedule_locked();
}

void Writer::deliver(std::vector<store::Verb> verbs, std::vector<Done> dones) {
    world_.executor.post(env::Lane::Loop,
                         [this, verbs = std::move(verbs), dones = std::move(dones)]() mutable {
                             for (std::size_t i = 0; i < verbs.size(); ++i) {
                                 if (dones[i]) dones[i](verbs[i]);
                             }
                             listener_.after_batch();
                         });
}

void Writer::repair(Duration wait) {
    try {
        store_.reopen();
    } catch (const Error& error) {
        log_(LogLevel::Failure, "store_unavailable",
             fmt::format("{} Trying again in {} ms.", error.what(), wait.count()));
        world_.executor.post_at(world_.clock.now() + wait, env::Lane::Commit,
                                [this, wait] { repair(std::min(wait * 2, kRepairLongest)); });
        return;
    }
    log_(LogLevel::Info, "store_repaired", "The store can be written again; runs go on.");
    {
        const std::lock_guard lock(mutex_);
        broken_ = false;
        schedule_locked();
    }
    world_.executor.post(env::Lane::Loop, [this] { listener_.repaired(); });
}

}  // namespace belay::engine
