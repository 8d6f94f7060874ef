-- Requests a cancel of every attached child that is not over, and of all theirs, in the commit that
-- cancels or leaves behind their parents (rule 10). $2 and $3 bound the stages they were started at. One
-- that nobody runs becomes due, so that a worker ends it with its hook.
WITH RECURSIVE tree (id) AS (
    SELECT id FROM workflow_runs
    WHERE parent_id = ANY($1::bigint[]) AND parent_path > $2 AND parent_path < $3
        AND status IN ('queued', 'running', 'waiting', 'paused')
    UNION ALL
    SELECT child.id
    FROM workflow_runs AS child
    JOIN tree ON child.parent_id = tree.id
    WHERE child.status IN ('queued', 'running', 'waiting', 'paused')
), locked AS (
    SELECT id FROM workflow_runs WHERE id IN (SELECT id FROM tree) ORDER BY id FOR NO KEY UPDATE
)
UPDATE workflow_runs AS run
SET cancel_requested = true,
    request_reason = 'canceled with its parent',
    wake_at = CASE WHEN status = 'running' THEN wake_at ELSE $4::bigint END,
    status = CASE WHEN status = 'paused' THEN 'queued' ELSE status END,
    turn = NULL,  -- it needs no slot to end
    updated_at = $4::bigint
FROM locked
WHERE run.id = locked.id AND run.status IN ('queued', 'running', 'waiting', 'paused')
RETURNING run.id, run.signals, run.worker, run.status
