#include "core/testing/machine.hpp"

#include <utility>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/assert.hpp"
#include "core/store/memory/memory_disk.hpp"
#include "core/store/memory/memory_store.hpp"

namespace belay::testing {

Machine::Machine(std::uint64_t seed, const EngineOptions& options)
    : simulation_(seed), options_(options), disk_(store::make_memory_disk()),
      reader_(std::make_unique<store::MemoryStore>(disk_, false)) {}

Machine::~Machine() = default;

std::shared_ptr<engine::Core> Machine::boot() {
    BELAY_ASSERT(!has_power(), "one process at a time");
    executor_ = simulation_.make_executor();
    auto store = std::make_unique<store::FaultStore>(std::make_unique<store::MemoryStore>(disk_));
    store_ = store.get();
    store->before_commit = [this](std::int64_t n, const store::Batch& batch) {
        before_commit(commits_before_ + n, batch);
    };
    store->after_commit = [this](std::int64_t n, const store::Batch& batch) {
        after_commit(commits_before_ + n, batch);
    };
    for (const auto& [number, fault] : faults_) arm(number, fault);
    return std::make_shared<engine::Core>(
        engine::Parts{std::move(store),
                      {simulation_.clock(), simulation_.random(), *executor_},
                      options_,
                      {},
                      executor_,
                      [this](const Attempt& attempt, const std::string& path) {
                          if (on_attempt) on_attempt(attempt, path);
                      }});
}

void Machine::cut_power() {
    if (!has_power()) return;
    executor_->kill();
    commits_before_ += store_->commits();
    store_ = nullptr;
    executor_.reset();
}

std::int64_t Machine::commits() const {
    return commits_before_ + (store_ != nullptr ? store_->commits() : 0);
}

void Machine::fail_commit(std::int64_t number, Fault fault) {
    faults_[number] = fault;
    if (has_power()) arm(number, fault);
}

void Machine::arm(std::int64_t number, Fault fault) {
    const std::int64_t n = number - commits_before_;
    switch (fault) {
        case Fault::CrashBefore:
        case Fault::CrashInside:
        case Fault::CrashAfter:
            return;  // before_commit and after_commit look for these
        case Fault::Refused:
            return store_->fail_commit(n, store::Fault::Unavailable);
        case Fault::UnknownDone:
            return store_->fail_commit(n, store::Fault::UnknownApplied);
        case Fault::UnknownNotDone:
            return store_->fail_commit(n, store::Fault::UnknownLost);
    }
}

void Machine::before_commit(std::int64_t number, const store::Batch& batch) {
    const auto found = faults_.find(number);
    if (found == faults_.end()) return;
    if (found->second != Fault::CrashBefore && found->second != Fault::CrashInside) return;
    if (found->second == Fault::CrashInside) run_and_take_back(batch);
    cut_power();
    // Ends the commit before it has begun. Whoever catches it is dead: what it posts is dropped.
    throw Error(ErrorCode::StoreUnavailable, "the power is off");
}

// Commits the batch with one more verb at its end, which throws: a claim that asks for the hook of a run made
// in the same batch. A store that is left by an exception has taken back everything.
void Machine::run_and_take_back(store::Batch batch) {
    constexpr const char* kNobody = "belay.testing/nobody";
    struct TakeBack {};
    store::Submit submit;
    submit.run.id = submit.run.workflow_key = kNobody;
    submit.run.input = "null";
    store::Claim claim;
    claim.worker = kNobody;
    claim.workflow_keys = {kNobody};
    claim.limit = 1;
    claim.on_start = [](const model::Run&) -> store::TxBody { throw TakeBack{}; };
    batch.verbs.emplace_back(std::move(submit));
    batch.verbs.emplace_back(std::move(claim));
    try {
        store_->inner().commit(batch);
        BELAY_ASSERT(false, "the commit was to be taken back");
    } catch (const TakeBack&) {
        // As wanted.
    }
}

void Machine::after_commit(std::int64_t number, const store::Batch& batch) {
    if (on_commit) on_commit(number, batch);
    const auto found = faults_.find(number);
    if (found != faults_.end() && found->second == Fault::CrashAfter) cut_power();
}

}  // namespace belay::testing
