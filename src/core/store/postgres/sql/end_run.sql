-- running → its end, or paused. Of two ends only one finds the run running at its epoch. Without a
-- stage of its own the run keeps the newest stage as its last.
UPDATE workflow_runs AS run
SET status = $3,
    current_stage = coalesce(
        $4,
        (SELECT stage.stage_key
         FROM workflow_stage_runs AS stage
         WHERE stage.workflow_run_id = $1
         ORDER BY stage.id DESC
         LIMIT 1),
        run.current_stage),
    result = $5,
    error_code = $6,
    error_message = $7,
    error_stage = $8,
    error_path = $9,
    completed_at = $10,
    updated_at = $11,
    cancel_requested = false,
    pause_requested = false,
    request_reason = NULL
WHERE id = $1 AND epoch = $2 AND status = 'running'
