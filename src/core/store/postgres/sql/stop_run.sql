-- Stops a run that nobody executes: canceled, paused, or failed before it began. Its epoch does not
-- matter; its status was read in this transaction, under its lock.
UPDATE workflow_runs
SET status = $2,
    current_stage = $3,
    error_code = $4,
    error_message = $5,
    error_stage = $6,
    error_path = $7,
    completed_at = $8,
    updated_at = $9,
    cancel_requested = $10::bigint <> 0,
    pause_requested = $11::bigint <> 0,
    request_reason = CASE WHEN $10::bigint <> 0 OR $11::bigint <> 0 THEN request_reason END,
    wake_at = NULL,
    turn = CASE WHEN $2 = 'paused' THEN turn END  -- one that is paused keeps its place
WHERE id = $1
