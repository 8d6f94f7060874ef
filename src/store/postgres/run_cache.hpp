// run_cache.hpp — the runs of this batch that are running, and at which epoch: what a lease is checked against.
//
// Other workers write too, so what is known is read anew for every batch, under the lock of the worker's row
// (lock_workers.sql). Only what the holder of a lease alone can change outlives a batch: which stages were
// recorded, and that no child was started. It holds only runs that are running here.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include <boost/unordered/unordered_flat_map.hpp>

#include "model/run.hpp"

namespace belay::store::postgres {

struct HeldRun {
    std::int64_t epoch = 0;
    std::int64_t recoveries = 0;
    bool cancel_requested = false;
    bool pause_requested = false;
    std::int64_t signals = 0;
    bool is_awaited = false;
    bool may_have_children = true;  // false: it was made here and has started none
    // The highest position of its stages that have rows; nothing if that is not known. At its first epoch a run has only
    // the stages that its worker wrote.
    std::optional<std::int64_t> last_position{};
    std::string current_stage{};  // the last one recorded by this worker; empty if none was
    std::uint64_t batch = 0;      // which one it was read in
};

inline constexpr std::int64_t kNoStageYet = std::numeric_limits<std::int64_t>::min();

class RunCache {
public:
    void begin_batch() { ++batch_; }

    // Null if it was not read or written in this batch. Valid until the next put.
    HeldRun* find(model::RunNo run) {
        const auto found = runs_.find(run.value);
        return found == runs_.end() || found->second.batch != batch_ ? nullptr : &found->second;
    }
    HeldRun* put(model::RunNo run, HeldRun held) {
        held.batch = batch_;
        return &runs_.insert_or_assign(run.value, std::move(held)).first->second;
    }
    // As read from its row: what only this worker could change is kept if the epoch is the one it knew.
    HeldRun* refresh(model::RunNo run, HeldRun read) {
        const auto known = runs_.find(run.value);
        if (known != runs_.end() && known->second.epoch == read.epoch) {
            read.may_have_children = known->second.may_have_children;
            read.last_position = known->second.last_position;
            read.current_stage = std::move(known->second.current_stage);
        }
        return put(run, std::move(read));
    }
    void forget(model::RunNo run) { runs_.erase(run.value); }
    void clear() { runs_.clear(); }

private:
    boost::unordered_flat_map<std::int64_t, HeldRun> runs_;
    std::uint64_t batch_ = 0;
};

}  // namespace belay::store::postgres
