-- Every run that a worker holds.
SELECT id FROM workflow_runs
WHERE status = 'running' AND worker = $1
ORDER BY id
