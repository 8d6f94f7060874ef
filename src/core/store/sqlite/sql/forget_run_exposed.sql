-- All that a run exposed that is gone.
DELETE FROM workflow_exposed WHERE workflow_run_id = ?1
