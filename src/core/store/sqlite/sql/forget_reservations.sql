-- Of a run that is gone.
DELETE FROM workflow_reservations WHERE workflow_run_id = ?1
