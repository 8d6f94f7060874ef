-- Some of the stages of a run that is gone, so that no commit is long.
DELETE FROM workflow_stage_runs
WHERE id IN (SELECT id FROM workflow_stage_runs WHERE workflow_run_id = ?1 LIMIT ?2)
