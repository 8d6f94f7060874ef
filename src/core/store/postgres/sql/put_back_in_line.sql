-- A dead worker's run for which this worker has no slot: running → queued, and it is the next to go on. The
-- recovery is counted, as a claim would have.
UPDATE workflow_runs
SET status = 'queued', turn = 0, recoveries = recoveries + 1, updated_at = $2
WHERE id = $1 AND status = 'running'
