-- The call is over.
DELETE FROM workflow_reservations WHERE workflow_run_id = ?1 AND path = ?2
