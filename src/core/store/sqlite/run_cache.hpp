// run_cache.hpp — the runs that are running, and at which epoch: what a lease is checked against.
//
// Reading the run's row for every record would cost a third of the record itself. So what the writer has
// read or written is kept for as long as it is certain: a transaction that is rolled back clears it, and
// so does one that finds, after BEGIN IMMEDIATE, that any other connection has committed since (PRAGMA
// data_version). An answer from here is therefore what the row says in this very transaction (P5).
// It holds only runs that are running, so it is as large as the runs in flight.
#pragma once

#include <cstdint>
#include <string>

#include <boost/unordered/unordered_flat_map.hpp>

#include "core/model/run.hpp"

namespace belay::store::sqlite {

struct HeldRun {
    std::int64_t epoch = 0;
    std::int64_t recoveries = 0;
    bool cancel_requested = false;
    bool pause_requested = false;
    std::int64_t signals = 0;
    bool is_awaited = false;
    bool may_have_children = true;  // false: it was made here and has started none
    std::string current_stage;      // the last one recorded since it was read; empty if none was
};

class RunCache {
public:
    // Null if it is not known. Valid until the next put.
    HeldRun* find(model::RunNo run) {
        const auto found = runs_.find(run.value);
        return found == runs_.end() ? nullptr : &found->second;
    }
    HeldRun* put(model::RunNo run, HeldRun held) {
        return &runs_.insert_or_assign(run.value, std::move(held)).first->second;
    }
    void forget(model::RunNo run) { runs_.erase(run.value); }
    void clear() { runs_.clear(); }

private:
    boost::unordered_flat_map<std::int64_t, HeldRun> runs_;
};

}  // namespace belay::store::sqlite
