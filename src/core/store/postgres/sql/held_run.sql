-- Who may write for a run. Its worker's row, or its own, is locked when this is read.
SELECT id, epoch, status, recoveries, cancel_requested, pause_requested, signals, is_awaited, worker
FROM workflow_runs
WHERE id = ANY($1::bigint[])
