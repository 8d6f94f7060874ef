-- All of its stages are gone.
DELETE FROM workflow_runs_gone WHERE workflow_run_id = ?1
