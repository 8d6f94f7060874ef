-- What a run awaits and that has not ended.
SELECT waiter.path, awaited.public_id
FROM workflow_waiters AS waiter
JOIN workflow_runs AS awaited ON awaited.id = waiter.workflow_run_id
WHERE waiter.waiter_id = $1 AND NOT waiter.came
