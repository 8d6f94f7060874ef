-- Requests a cancel of every attached child that is not over, and of all theirs, in the commit that
-- cancels or leaves behind their parent (rule 10). ?2 and ?3 bound the stages they were started at. One
-- that nobody runs becomes due, so that a worker ends it with its hook.
WITH RECURSIVE tree (id) AS (
    SELECT id FROM workflow_runs
    WHERE parent_id = ?1 AND parent_path > ?2 AND parent_path < ?3
        AND status IN ('queued', 'running', 'waiting', 'paused')
    UNION ALL
    SELECT child.id
    FROM workflow_runs AS child
    JOIN tree ON child.parent_id = tree.id
    WHERE child.status IN ('queued', 'running', 'waiting', 'paused')
)
UPDATE workflow_runs
SET cancel_requested = 1,
    request_reason = 'canceled with its parent',
    wake_at = CASE WHEN status = 'running' THEN wake_at ELSE ?4 END,
    status = CASE WHEN status = 'paused' THEN 'queued' ELSE status END,
    turn = NULL,  -- it needs no slot to end
    updated_at = ?4
WHERE id IN (SELECT id FROM tree)
RETURNING id, signals
