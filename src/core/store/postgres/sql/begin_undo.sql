-- From now on the run only does what is in its plan. Of this and a request to leave what it did, the first is done.
UPDATE workflow_runs
SET undo_plan = $4,
    cancel_requested = false,
    request_reason = CASE WHEN pause_requested THEN request_reason END,
    updated_at = $3
WHERE id = $1 AND epoch = $2 AND status = 'running' AND undo = 1 AND undo_plan IS NULL
