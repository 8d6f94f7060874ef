-- The workers that hold runs of a workflow, one at a time in the order of their names. There are few:
-- this one, and those that died.
SELECT worker
FROM workflow_runs
WHERE status = 'running' AND workflow_key = ?1 AND worker > ?2
ORDER BY worker
LIMIT 1
