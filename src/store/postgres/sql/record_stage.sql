-- Records of stages. A late or repeated record meets the row that is there: it changes only what
-- kStageTransitions allows, so a finished stage is never overwritten. Gives those that were written.
INSERT INTO workflow_stage_runs AS stage (
    workflow_run_id, path, stage_key, kind, status, position, attempt, started_at, finished_at,
    next_attempt_at, message, error_code, output, cost, attempts_before)
SELECT *
FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[],
            $9::bigint[], $10::bigint[], $11::text[], $12::text[], $13::text[], $14::text[], $15::bigint[])
ON CONFLICT (workflow_run_id, path) DO UPDATE SET
    stage_key = excluded.stage_key,
    kind = excluded.kind,
    status = excluded.status,
    position = excluded.position,
    attempt = excluded.attempt,
    attempts_before = excluded.attempts_before,
    started_at = excluded.started_at,
    finished_at = excluded.finished_at,
    next_attempt_at = excluded.next_attempt_at,
    message = excluded.message,
    error_code = excluded.error_code,
    output = excluded.output,
    cost = excluded.cost
WHERE stage.status IN ('running', 'queued', 'retrying') AND excluded.status <> 'queued'
RETURNING stage.workflow_run_id, stage.path
