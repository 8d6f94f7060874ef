-- Runs of a worker that is gone, oldest first, of those recovered between ?3 and ?4 times.
SELECT id, recoveries
FROM workflow_runs
WHERE status = 'running' AND workflow_key = ?1 AND worker = ?2 AND recoveries BETWEEN ?3 AND ?4
ORDER BY id
LIMIT ?5
