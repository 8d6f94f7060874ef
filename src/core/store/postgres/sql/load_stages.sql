SELECT path, stage_key, kind, status, position, attempt, started_at, finished_at, next_attempt_at,
    message, error_code, output, cost, attempts_before, workflow_run_id
FROM workflow_stage_runs
WHERE workflow_run_id = ANY($1::bigint[])
ORDER BY workflow_run_id, position, id
