-- Every run that a worker holds, whatever its workflow: all that is running is read, which is little.
SELECT id FROM workflow_runs INDEXED BY workflow_runs_running
WHERE status = 'running' AND worker = ?1
ORDER BY id
