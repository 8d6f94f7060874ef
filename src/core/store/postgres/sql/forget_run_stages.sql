-- Some of the stages of a run that is gone, so that no commit is long.
DELETE FROM workflow_stage_runs
WHERE workflow_run_id = $1
    AND path IN (SELECT path FROM workflow_stage_runs WHERE workflow_run_id = $1 LIMIT $2)
