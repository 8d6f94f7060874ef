#include "core/engine/writer.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/failpoint.hpp"
#include "core/base/limits.hpp"
#include "core/engine/lost_verb.hpp"

namespace belay::engine {

namespace {
constexpr Duration kRepairFirst{50};
constexpr Duration kRepairLongest{2000};

// The lease under which a verb writes for a run; null for the others.
const store::Lease* lease_of(const store::Verb& verb) {
    return std::visit(
        [](const auto& v) -> const store::Lease* {
            if constexpr (requires { v.lease; }) {
                return &v.lease;
            } else {
                return nullptr;
            }
        },
        verb);
}

// Whether it has a part of a program's own that ran in the commit.
bool has_body(const store::Verb& verb) {
    return std::visit(
        [](const auto& v) {
            if constexpr (requires { static_cast<bool>(v.body); }) {
                return static_cast<bool>(v.body);
            } else if constexpr (std::is_same_v<decltype(v), const store::End&>) {
                return static_cast<bool>(v.on_end);
            } else {
                return false;
            }
        },
        verb);
}

}  // namespace

void Writer::push(store::Verb verb, Done done) {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    verbs_.push_back(std::move(verb));
    dones_.push_back(std::move(done));
    schedule_locked();
}

void Writer::ride_along(store::Verb verb, Done done) {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    verbs_.push_back(std::move(verb));
    dones_.push_back(std::move(done));
}

void Writer::push_all(std::vector<Entry> entries) {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    for (Entry& entry : entries) {
        verbs_.push_back(std::move(entry.verb));
        dones_.push_back(std::move(entry.done));
    }
    schedule_locked();
}

std::uint64_t Writer::failures() const {
    const std::lock_guard lock(mutex_);
    return failures_;
}

void Writer::forget_lost(std::uint64_t failures) {
    const std::lock_guard lock(mutex_);
    if (failures == failures_) lost_.clear();
}

void Writer::close() {
    std::vector<store::Verb> verbs;
    std::vector<Done> dones;  // destroyed without the lock: they may call back
    const std::lock_guard lock(mutex_);
    closed_ = true;
    verbs.swap(verbs_);
    dones.swap(dones_);
}

std::size_t Writer::waiting() const {
    const std::lock_guard lock(mutex_);
    return verbs_.size();
}

bool Writer::broken() const {
    const std::lock_guard lock(mutex_);
    return broken_;
}

std::optional<std::string> Writer::broken_why() const {
    const std::lock_guard lock(mutex_);
    return broken_ ? std::optional(why_broken_) : std::nullopt;
}

void Writer::schedule_locked() {
    if (scheduled_ || broken_ || verbs_.empty()) return;
    scheduled_ = true;
    world_.executor.post(env::Lane::Commit, [this] { pump(); });
}

// How many of the verbs that wait make one batch: all of them, but for the two bounds.
std::size_t Writer::batch_size_locked() const {
    const std::size_t most = std::min(verbs_.size(), base::kBatchOpsMax);
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < most; ++i) {
        const auto* record = std::get_if<store::Record>(&verbs_[i]);
        if (record != nullptr && record->stage.output) bytes += record->stage.output->size();
        if (bytes > base::kBatchBytesMax) return i + 1;
    }
    return most;
}

void Writer::pump() {
    store::Batch batch;
    std::vector<Done> dones;
    {
        const std::lock_guard lock(mutex_);
        scheduled_ = false;
        if (broken_ || verbs_.empty()) return;
        const std::size_t size = batch_size_locked();
        if (size == verbs_.size()) {
            batch.verbs = std::exchange(verbs_, {});
            dones = std::exchange(dones_, {});
            verbs_.reserve(batch.verbs.size());
            dones_.reserve(batch.verbs.size());
        } else {
            const auto count = static_cast<std::ptrdiff_t>(size);
            batch.verbs.assign(std::make_move_iterator(verbs_.begin()),
                               std::make_move_iterator(verbs_.begin() + count));
            dones.assign(std::make_move_iterator(dones_.begin()),
                         std::make_move_iterator(dones_.begin() + count));
            verbs_.erase(verbs_.begin(), verbs_.begin() + count);
            dones_.erase(dones_.begin(), dones_.begin() + count);
        }
    }
    set_aside_lost(batch.verbs, dones);
    if (batch.verbs.empty()) {
        const std::lock_guard lock(mutex_);
        return schedule_locked();
    }
    batch.now = world_.clock.now();
    base::failpoint("commit.before");
    const auto begun = std::chrono::steady_clock::now();
    try {
        store_.commit(batch);
    } catch (const Error& error) {
        ++counters_.commits_failed;
        log_(LogLevel::Failure, "commit_failed", error.what());
        {
            const std::lock_guard lock(mutex_);
            broken_ = true;
            why_broken_ = error.what();
            ++failures_;
            for (std::size_t i = 0; i < dones.size(); ++i) {
                // One that nobody waits to hear of leaves no hole.
                const auto* lease = dones[i] ? lease_of(batch.verbs[i]) : nullptr;
                if (lease != nullptr) lost_.insert({lease->run, lease->epoch});
            }
        }
        failed(std::move(batch.verbs), std::move(dones), error.code() == ErrorCode::CommitUnknown,
               error.what());
        // A store that reopens but cannot commit (a full disk) must not be tried without a pause.
        if (++failures_in_a_row_ == 1) return repair(kRepairFirst);
        const Duration wait = std::min(kRepairFirst * failures_in_a_row_, kRepairLongest);
        world_.executor.post_at(world_.clock.now() + wait, env::Lane::Commit,
                                [this, wait] { repair(wait); });
        return;
    }
    failures_in_a_row_ = 0;
    base::failpoint("commit.after");
    counters_.commit_seconds.observe(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count());
    counters_.batch_writes.observe(static_cast<double>(batch.verbs.size()));
    ++counters_.commits;
    counters_.verbs_committed += static_cast<std::int64_t>(batch.verbs.size());
    auto lost = note_lost_bodies(batch.verbs);
    const bool reopens = lost.has_value();
    deliver(std::move(batch), std::move(dones), std::move(lost));
    if (reopens) return repair(kRepairFirst);
    const std::lock_guard lock(mutex_);
    schedule_locked();
}

// The batch stands, but a body in it met a failure of the store: whoever it belongs to has lost a commit.
std::optional<Writer::FailedBatch> Writer::note_lost_bodies(std::vector<store::Verb>& verbs) {
    FailedBatch lost;
    bool has_some = false;
    bool has_good_ones = false;
    const std::lock_guard lock(mutex_);
    for (store::Verb& verb : verbs) {
        const store::Lost* why = told_lost(verb);
        has_good_ones = has_good_ones || (why == nullptr && has_body(verb));
        if (why == nullptr) continue;
        has_some = true;
        lost.why = why->why;
        if (const auto* lease = lease_of(verb)) lost_.insert({lease->run, lease->epoch});
    }
    if (!has_some) {
        if (has_good_ones) lost_bodies_in_a_row_ = 0;
        return std::nullopt;
    }
    ++counters_.bodies_lost;
    log_(LogLevel::Failure, "body_lost",
         fmt::format(
             "A transaction or a hook met a failure of the store and will be tried again: {}",
             lost.why));
    broken_ = true;
    why_broken_ = lost.why;
    lost.number = ++failures_;
    // The first may be bad luck; one that keeps meeting it must not keep the writer busy with nothing else.
    const int before = std::min(lost_bodies_in_a_row_++, 10);
    if (before > 0) lost.hold = std::min(kRepairFirst * (1 << before), kRepairLongest);
    return lost;
}

void Writer::deliver(store::Batch batch, std::vector<Done> dones, std::optional<FailedBatch> lost) {
    world_.executor.post(env::Lane::Loop, [this, batch = std::move(batch), dones = std::move(dones),
                                           lost = std::move(lost)]() mutable {
        if (listener_.committed) listener_.committed(batch);
        for (const store::Woken& woken : batch.woken) listener_.woken(woken);
        if (lost) listener_.failed(std::move(*lost));
        for (std::size_t i = 0; i < batch.verbs.size(); ++i) {
            if (dones[i]) dones[i](batch.verbs[i]);
        }
        listener_.after_batch();
    });
}

void Writer::failed(std::vector<store::Verb> verbs, std::vector<Done> dones, bool unknown,
                    std::string why) {
    FailedBatch batch{failures(), std::move(verbs), std::move(dones), unknown, std::move(why)};
    world_.executor.post(env::Lane::Loop, [this, batch = std::move(batch)]() mutable {
        listener_.failed(std::move(batch));
    });
}

// Takes out what belongs to a run that was in a failed batch. It is told as failed, too.
void Writer::set_aside_lost(std::vector<store::Verb>& verbs, std::vector<Done>& dones) {
    std::vector<store::Verb> lost_verbs;
    std::vector<Done> lost_dones;
    {
        const std::lock_guard lock(mutex_);
        if (lost_.empty()) return;
        std::size_t kept = 0;
        for (std::size_t i = 0; i < verbs.size(); ++i) {
            const auto* lease = lease_of(verbs[i]);
            if (lease != nullptr && lost_.contains({lease->run, lease->epoch})) {
                lost_verbs.push_back(std::move(verbs[i]));
                lost_dones.push_back(std::move(dones[i]));
                continue;
            }
            if (kept != i) {
                verbs[kept] = std::move(verbs[i]);
                dones[kept] = std::move(dones[i]);
            }
            ++kept;
        }
        verbs.erase(verbs.begin() + static_cast<std::ptrdiff_t>(kept), verbs.end());
        dones.erase(dones.begin() + static_cast<std::ptrdiff_t>(kept), dones.end());
    }
    if (lost_verbs.empty()) return;
    failed(std::move(lost_verbs), std::move(lost_dones), false,
           "an earlier write of the run was lost");
}

// Whoever asked from outside a run is told now; only runs can wait for as long as it takes.
void Writer::give_up_callers(const std::string& why) {
    std::vector<store::Verb> verbs;
    std::vector<Done> dones;
    {
        const std::lock_guard lock(mutex_);
        why_broken_ = why;
        std::vector<store::Verb> kept;
        std::vector<Done> kept_dones;
        for (std::size_t i = 0; i < verbs_.size(); ++i) {
            const bool asked = loss_of(verbs_[i]) == Loss::OfCaller;
            (asked ? verbs : kept).push_back(std::move(verbs_[i]));
            (asked ? dones : kept_dones).push_back(std::move(dones_[i]));
        }
        verbs_.swap(kept);
        dones_.swap(kept_dones);
    }
    if (!verbs.empty()) failed(std::move(verbs), std::move(dones), false, why);
}

void Writer::repair(Duration wait) {
    {
        const std::lock_guard lock(mutex_);
        if (closed_) return;
    }
    try {
        store_.reopen();
    } catch (const Error& error) {
        log_(LogLevel::Failure, "store_unavailable",
             fmt::format("{} Trying again in {} ms.", error.what(), wait.count()));
        give_up_callers(error.what());
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
