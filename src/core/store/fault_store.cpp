#include "core/store/fault_store.hpp"

#include <fmt/format.h>

#include <belay/error.hpp>

namespace belay::store {

void FaultStore::commit(Batch& batch) {
    const std::int64_t commit = ++commits_;
    const auto found = faults_.find(commit);
    if (found == faults_.end()) return commit_inside(batch);
    switch (found->second) {
        case Fault::Unavailable:
            throw Error(ErrorCode::StoreUnavailable,
                        fmt::format("commit {} fails by order", commit));
        case Fault::UnknownApplied: {
            // On a copy: a caller that reads the outcomes of an unknown commit must find nothing
            // there.
            Batch applied = batch;
            commit_inside(applied);
            break;
        }
        case Fault::UnknownLost:
            break;
    }
    throw Error(ErrorCode::CommitUnknown, fmt::format("commit {} is lost by order", commit));
}

void FaultStore::commit_inside(Batch& batch) {
    if (before_commit) before_commit(commits_, batch);
    inner_->commit(batch);
    if (after_commit) after_commit(commits_, batch);
}

void FaultStore::reopen() {
    ++reopens_;
    if (reopens_to_fail_ > 0) {
        --reopens_to_fail_;
        throw Error(ErrorCode::StoreUnavailable, "the store cannot be reopened yet, by order");
    }
    inner_->reopen();
}

}  // namespace belay::store
