-- What a run that is gone was waiting for.
DELETE FROM workflow_waiters WHERE waiter_id = ?1 OR workflow_run_id = ?1
