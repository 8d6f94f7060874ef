SELECT path, attempt, started_at, finished_at, error_code, message, worker
FROM workflow_stage_attempts
WHERE workflow_run_id = $1
ORDER BY id
