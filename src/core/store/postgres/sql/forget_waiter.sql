-- What came is recorded, or nobody is left who would.
DELETE FROM workflow_waiters WHERE workflow_run_id = $1 AND waiter_id = $2 AND path = $3
