DELETE FROM workflow_stage_attempts WHERE workflow_run_id = $1 AND path = $2
