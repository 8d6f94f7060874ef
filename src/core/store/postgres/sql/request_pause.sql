-- The reason of a cancel that was asked for before stays: it is what the run will end with.
UPDATE workflow_runs
SET pause_requested = true,
    request_reason = CASE WHEN cancel_requested THEN request_reason ELSE $3 END,
    updated_at = $2
WHERE id = $1 AND status = 'running'
