-- All deaths of a run that is gone.
DELETE FROM run_deaths WHERE workflow_run_id = ?1
