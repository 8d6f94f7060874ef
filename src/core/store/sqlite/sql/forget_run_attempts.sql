-- All failed attempts of a run that is gone.
DELETE FROM workflow_stage_attempts WHERE workflow_run_id = ?1
