-- An unfinished run that still needs this one: its parent, or one that awaits its end.
SELECT parent.public_id
FROM workflow_runs AS run
JOIN workflow_runs AS parent ON parent.id = run.parent_id
WHERE run.id = $1
    AND parent.status <> 'succeeded' AND parent.status <> 'failed' AND parent.status <> 'canceled'
UNION ALL
SELECT waiter.public_id
FROM workflow_runs AS run
JOIN workflow_stage_runs AS stage ON stage.output = to_json(run.public_id)::text
JOIN workflow_runs AS waiter ON waiter.id = stage.workflow_run_id
WHERE run.id = $1
    AND stage.kind = 'child' AND (stage.status = 'running' OR stage.status = 'queued')
    AND waiter.status <> 'succeeded' AND waiter.status <> 'failed' AND waiter.status <> 'canceled'
LIMIT 1
