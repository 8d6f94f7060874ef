-- Whether a run has a child that is not over. Most have none, and cancel_children.sql costs three tables.
SELECT 1 FROM workflow_runs
WHERE parent_id = ?1 AND parent_path > ?2 AND parent_path < ?3
    AND status IN ('queued', 'running', 'waiting', 'paused')
LIMIT 1
