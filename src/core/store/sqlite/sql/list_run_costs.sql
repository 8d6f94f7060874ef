-- What the stages of one run cost.
SELECT cost FROM workflow_stage_runs INDEXED BY workflow_stage_runs_cost
WHERE workflow_run_id = ?1 AND cost IS NOT NULL
