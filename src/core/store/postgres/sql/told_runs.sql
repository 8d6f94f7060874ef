-- What others asked of the runs that this worker holds.
SELECT id, signals, cancel_requested, pause_requested, coalesce(undo = 2, false),
    request_reason
FROM workflow_runs
WHERE status = 'running' AND worker = $1
ORDER BY id
