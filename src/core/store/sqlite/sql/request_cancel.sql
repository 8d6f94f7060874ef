UPDATE workflow_runs
SET cancel_requested = 1, request_reason = ?3, updated_at = ?2
WHERE id = ?1 AND status = 'running'
