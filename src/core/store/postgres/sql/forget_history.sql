DELETE FROM workflow_stage_runs WHERE workflow_run_id = $1
