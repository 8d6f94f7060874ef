-- A cancel that its worker has to carry out, of a run that nobody executes: it becomes due, and needs no slot to end.
UPDATE workflow_runs
SET cancel_requested = true,
    request_reason = $3,
    wake_at = $2,
    status = CASE WHEN status = 'paused' THEN 'queued' ELSE status END,
    error_code = NULL,
    error_message = NULL,
    error_stage = NULL,
    error_path = NULL,
    turn = NULL,
    updated_at = $2
WHERE id = $1
