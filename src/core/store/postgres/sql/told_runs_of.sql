-- What others asked of these runs, if this worker holds them.
SELECT id, signals, cancel_requested, pause_requested, coalesce(undo = 2, false),
    request_reason
FROM workflow_runs
WHERE id = ANY($2::bigint[]) AND status = 'running' AND worker = $1
ORDER BY id
