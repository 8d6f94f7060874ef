-- What was under way at the old epoch is refused from now on; no recovery is counted. This worker's row is
-- locked.
UPDATE workflow_runs
SET epoch = epoch + 1, updated_at = $3
WHERE id = $1 AND status = 'running' AND worker = $2
