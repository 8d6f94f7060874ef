-- paused → queued.
UPDATE workflow_runs
SET status = 'queued',
    error_code = NULL,
    error_message = NULL,
    error_stage = NULL,
    error_path = NULL,
    recoveries = 0,
    charges = 0,
    pause_requested = false,
    request_reason = CASE WHEN cancel_requested THEN request_reason END,
    wake_at = NULL,
    updated_at = $2
WHERE id = $1 AND status = 'paused'
