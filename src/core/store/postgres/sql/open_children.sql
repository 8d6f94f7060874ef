-- Where a run started the attached children that are not over.
SELECT parent_path
FROM workflow_runs
WHERE parent_id = $1 AND status IN ('queued', 'running', 'waiting', 'paused')
ORDER BY id
