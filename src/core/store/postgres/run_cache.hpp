// run_cache.hpp — the runs of this batch that are running, and at which epoch: what a lease is checked against.
//
// Other workers write too, so what is known is read anew for a batch, under the lock of the worker's row
// (lock_workers.sql). Two things outlive it. What the holder of a lease alone can change: which stages were recorded, and
// that no child was started. And the epochs, for as long as the worker's row has the mark that it had when they were
// read: whoever takes a run away changes the mark, so a batch that finds it unchanged need not read them
// (writer_certain.cpp). What others may change without it (a request, a signal, that someone awaits the run) is only
// known in the batch that read it. It holds only runs that are running here.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <boost/unordered/unordered_flat_map.hpp>

#include "core/model/run.hpp"

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
    std::uint64_t mark = 0;       // at which mark of the worker; kNoMark: at none
};

inline constexpr std::uint64_t kNoMark = 0;
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
        held.mark = mark_number_;
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
    // The worker's mark as its row has it; empty: not known.
    const std::string& mark() const { return mark_; }
    void learn_mark(std::string_view mark) {
        if (mark == mark_) return;
        mark_ = mark;
        ++mark_number_;
    }
    // What is known of it if the mark is still that; null if nothing is.
    const HeldRun* at_mark(model::RunNo run) const {
        const auto found = runs_.find(run.value);
        const bool counts = found != runs_.end() && found->second.mark == mark_number_;
        return counts && !mark_.empty() ? &found->second : nullptr;
    }
    // By the mark it is as if it had been read in this batch.
    void vouch(model::RunNo run) {
        if (const auto found = runs_.find(run.value); found != runs_.end())
            found->second.batch = batch_;
    }

    void forget(model::RunNo run) { runs_.erase(run.value); }
    void clear() { runs_.clear(); }

private:
    boost::unordered_flat_map<std::int64_t, HeldRun> runs_;
    std::uint64_t batch_ = 0;
    std::string mark_;
    std::uint64_t mark_number_ = kNoMark;  // counts the marks this worker has had
};

}  // namespace belay::store::postgres
