-- What their stages cost, and what each run's checkpoints saved.
SELECT run.completed_at / 86400000 * 86400000 AS day, run.workflow_key, coalesce(run.organization_id, ''),
       stage.cost, NULL
FROM workflow_stage_runs AS stage
JOIN workflow_runs AS run ON run.id = stage.workflow_run_id
WHERE stage.cost IS NOT NULL
    AND run.completed_at >= $1 AND run.completed_at < $2
    AND ($3::text = '' OR run.workflow_key = $3) AND ($4::text = '' OR run.organization_id = $4)
UNION ALL
SELECT run.completed_at / 86400000 * 86400000, run.workflow_key, coalesce(run.organization_id, ''),
       NULL, run.saved
FROM workflow_runs AS run
WHERE run.saved IS NOT NULL
    AND run.completed_at >= $1 AND run.completed_at < $2
    AND ($3::text = '' OR run.workflow_key = $3) AND ($4::text = '' OR run.organization_id = $4)
