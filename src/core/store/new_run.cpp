#include "core/store/new_run.hpp"

namespace belay::store {

model::Run as_created(const model::NewRun& from, const std::string& claim_as, Time now) {
    model::Run run;
    run.id = from.id;
    run.workflow_key = from.workflow_key;
    run.current_stage = "queued";
    run.input = from.input;
    run.organization_id = from.organization_id;
    run.source_channel = from.source_channel;
    run.file_id = from.file_id;
    run.content_hash = from.content_hash;
    run.code_version = from.code_version;
    run.parent = from.parent;
    run.parent_path = from.parent_path;
    run.deadline_at = from.deadline_at;
    run.queue = from.queue;
    run.priority = from.priority;
    run.partition = from.partition;
    run.dedupe_id = from.dedupe_id;
    run.schedule = from.schedule;
    run.forked_from = from.forked_from;
    run.seed_id = from.seed_id;
    run.created_at = now;
    run.updated_at = now;
    const bool starts = from.available_at <= now && !claim_as.empty() && from.queue.empty();
    if (starts) {
        run.status = RunStatus::Running;
        run.worker = claim_as;
        run.epoch = 1;
        run.started_at = now;
    } else if (from.available_at != Time{}) {
        run.wake_at = from.available_at;
    }
    return run;
}

bool may_be_retried(RunStatus status) {
    return status == RunStatus::Failed || status == RunStatus::Canceled;
}

}  // namespace belay::store
