-- Who has to keep still while runs go, for each of them: the run itself, its parent, and those who await its end.
SELECT run.id, run.id FROM workflow_runs AS run WHERE run.id = ANY($1::bigint[])
UNION ALL
SELECT run.id, parent.id
FROM workflow_runs AS run
JOIN workflow_runs AS parent ON parent.id = run.parent_id
WHERE run.id = ANY($1::bigint[])
UNION ALL
SELECT run.id, waiter.id
FROM workflow_runs AS run
JOIN workflow_stage_runs AS stage ON stage.output = to_json(run.public_id)::text
JOIN workflow_runs AS waiter ON waiter.id = stage.workflow_run_id
WHERE run.id = ANY($1::bigint[])
    AND run.is_awaited
    AND stage.kind = 'child' AND (stage.status = 'running' OR stage.status = 'queued')
