// cli_test.hpp — a store with runs in every state, and a screen whose text a test can read.
#pragma once

#include <sstream>
#include <string>
#include <utility>

#include "core/env/clock.hpp"
#include "core/store/memory/memory_store.hpp"
#include "service/cli/screen.hpp"

namespace belay::cli {

struct CliBench {
    env::ManualClock clock;
    std::shared_ptr<store::MemoryDisk> disk = store::make_memory_disk();
    store::MemoryStore store{disk};           // executes
    store::MemoryStore outside{disk, false};  // what another process has
    std::ostringstream text;
    Screen screen{text};

    template <class V>
    V commit(V verb) {
        store::Batch batch;
        batch.now = clock.now();
        batch.verbs.emplace_back(std::move(verb));
        store.commit(batch);
        return std::get<V>(std::move(batch.verbs.front()));
    }

    // Queued; or running, under the lease that is given back, if `worker` is given.
    store::Lease submit(const std::string& id, const std::string& worker = {}) {
        store::Submit submit;
        submit.run.id = id;
        submit.run.workflow_key = "INVOICE";
        submit.run.input = R"({"file_id":"f"})";
        submit.claim_as = worker;
        const auto done = commit(std::move(submit));
        const auto& run = std::get<store::SubmitOutcome>(done.outcome).run;
        return {run.no, run.epoch};
    }

    void record(const store::Lease& lease, model::Stage stage,
                std::vector<model::Attempt> attempts = {}) {
        store::Record record;
        record.lease = lease;
        record.stage = std::move(stage);
        record.attempts = std::move(attempts);
        commit(std::move(record));
    }

    model::Stage stage(std::string path, std::string key, StageStatus status) const {
        model::Stage stage;
        stage.path = std::move(path);
        stage.stage_key = std::move(key);
        stage.status = status;
        stage.position = 1;
        stage.started_at = clock.now();
        if (is_finished(status)) stage.finished_at = clock.now();
        return stage;
    }

    void end(const store::Lease& lease, RunStatus status,
             std::optional<model::Failure> failure = {}) {
        store::End end;
        end.lease = lease;
        end.status = status;
        if (status == RunStatus::Succeeded) end.result = R"({"total":"12.50"})";
        end.failure = std::move(failure);
        commit(std::move(end));
    }

    model::Run run(const std::string& id) { return store.find_run(id).value(); }
    Time now() const { return clock.now(); }
};

}  // namespace belay::cli
