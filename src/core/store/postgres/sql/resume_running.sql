-- A pause that was requested and not yet obeyed is taken back.
UPDATE workflow_runs
SET pause_requested = false,
    request_reason = CASE WHEN cancel_requested THEN request_reason END,
    updated_at = $2
WHERE id = $1 AND status = 'running'
