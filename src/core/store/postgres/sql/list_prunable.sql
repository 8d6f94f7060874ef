-- Runs of a workflow that are over and old enough, oldest first. One whose parent is not over stays: it may be
-- retried with it, and its end may not have been read.
SELECT run.id
FROM workflow_runs AS run
WHERE run.workflow_key = $1
    AND run.completed_at IS NOT NULL
    AND ((run.status = 'succeeded' AND run.completed_at < $2)
         OR ((run.status = 'failed' OR run.status = 'canceled') AND run.completed_at < $3))
    AND NOT EXISTS (
        SELECT 1 FROM workflow_runs AS parent
        WHERE parent.id = run.parent_id
            AND parent.status <> 'succeeded' AND parent.status <> 'failed' AND parent.status <> 'canceled')
    AND NOT (run.is_awaited AND EXISTS (
        SELECT 1
        FROM workflow_stage_runs AS stage
        JOIN workflow_runs AS waiter ON waiter.id = stage.workflow_run_id
        WHERE stage.output = to_json(run.public_id)::text
            AND stage.kind = 'child' AND (stage.status = 'running' OR stage.status = 'queued')
            AND waiter.status <> 'succeeded' AND waiter.status <> 'failed' AND waiter.status <> 'canceled'))
ORDER BY run.id
LIMIT $4
