-- Whoever ends a run tells each of those who wait for it, once.
DELETE FROM workflow_waiters WHERE workflow_run_id = $1 RETURNING waiter_id, path
