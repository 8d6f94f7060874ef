-- failed or canceled, or paused at a record that cannot be read → queued. The epoch rises, so that two people who ask for a retry of what they
-- both saw fail get one retry.
UPDATE workflow_runs
SET status = 'queued',
    attempts = attempts + 1,
    epoch = epoch + 1,
    recoveries = 0,
    charges = 0,
    cancel_requested = 0,
    pause_requested = 0,
    request_reason = NULL,
    result = NULL,
    error_code = NULL,
    error_message = NULL,
    error_stage = NULL,
    error_path = NULL,
    completed_at = NULL,
    wake_at = NULL,
    undo = CASE WHEN undo IS NOT NULL THEN 1 END,
    updated_at = ?2
WHERE id = ?1
    AND (status IN ('failed', 'canceled') OR (status = 'paused' AND error_code = 'BadValue'))
