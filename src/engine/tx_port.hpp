// tx_port.hpp — the public Tx on top of a store's SqlTx, and the bodies that run in a commit.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include <belay/detail/call.hpp>
#include <belay/tx.hpp>

#include "engine/services.hpp"
#include "store/sql_tx.hpp"

namespace belay::engine {

// Whose transaction it is: what a run started inside it inherits.
struct TxOwner {
    std::string run_id;
    std::string place;  // "4:finalize", "on_end": derived ids of runs submitted here build on it
    std::string organization_id;
    std::string code_version;
    const env::Clock* clock = nullptr;
    std::atomic<bool>* submitted = nullptr;  // raised when a body has started a run
};

// The place of a run's on_end hook. A run that was retried ends again, and what its hook starts then is
// another run.
inline std::string end_place(std::int64_t run_attempts) {
    return run_attempts <= 1 ? "on_end" : "on_end:" + std::to_string(run_attempts);
}

// The commit part of a step: runs call->commit(Tx&).
store::TxBody body_of(std::shared_ptr<belay::detail::StepCall> call, TxOwner owner);

// A hook of the workflow, told `info`; null if there is no hook.
store::TxBody body_of(const Hook& hook, RunInfo info, TxOwner owner);

}  // namespace belay::engine
