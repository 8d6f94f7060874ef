-- A run as model::Run has it; code adds the WHERE. The row of a running run may be behind its stages (a
-- record does not write its run), so the current stage is read from the newest of them.
SELECT
    run.id, run.public_id, run.workflow_key, run.status,
    CASE
        WHEN run.status <> 'running' THEN run.current_stage
        ELSE coalesce(
            (SELECT stage.stage_key
             FROM workflow_stage_runs AS stage
             WHERE stage.id = (SELECT max(newest.id)
                               FROM workflow_stage_runs AS newest
                               WHERE newest.workflow_run_id = run.id)),
            run.current_stage)
    END,
    run.input, run.result, run.error_code, run.error_message, run.error_stage, run.error_path,
    run.progress_done, run.progress_total, run.progress_text, run.organization_id,
    run.source_channel, run.file_id, run.content_hash, run.code_version, run.worker, run.epoch,
    run.attempts, run.recoveries, run.cancel_requested, run.pause_requested, run.wake_at,
    run.created_at, run.updated_at, run.started_at, run.completed_at, run.request_reason,
    run.parent_id, run.parent_path, run.deadline_at, run.signals, run.is_awaited,
    run.generation, run.continued_input, run.forked_from, run.seed_id, run.stall_reason,
    run.stall_text, run.stalled_at,
    (SELECT parent.public_id FROM workflow_runs AS parent WHERE parent.id = run.parent_id),
    run.saved,
    run.queue, run.priority, run.partition_key, run.dedupe_id, run.turn, run.let_in, run.schedule,
    run.charges, run.undo, run.undo_plan
FROM workflow_runs AS run
