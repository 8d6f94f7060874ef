UPDATE workflow_stage_runs
SET status = 'canceled', finished_at = ?2, next_attempt_at = NULL
WHERE workflow_run_id = ?1 AND status IN ('queued', 'running', 'retrying')
