-- The steps of those runs, and the time that they took.
SELECT
    run.completed_at / 86400000 * 86400000 AS day, run.workflow_key, coalesce(run.organization_id, ''),
    count(*), coalesce(sum(greatest(0, stage.finished_at - stage.started_at)), 0)
FROM workflow_runs AS run
JOIN workflow_stage_runs AS stage ON stage.workflow_run_id = run.id
WHERE run.completed_at >= $1 AND run.completed_at < $2
    AND ($3::text = '' OR run.workflow_key = $3) AND ($4::text = '' OR run.organization_id = $4)
    AND (stage.kind = 'step' OR stage.kind = 'transaction') AND stage.status = 'succeeded'
GROUP BY 1, 2, 3
