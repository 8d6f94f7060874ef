-- Records of stages. A late or repeated record meets the row that is there: it changes only what
-- kStageTransitions allows, so a finished stage is never overwritten. Gives those that were written.
INSERT INTO workflow_stage_runs AS stage (
    workflow_run_id, path, stage_key, kind, status, position, attempt, started_at, finished_at,
    next_attempt_at, message, error_code, output, cost, attempts_before)
SELECT unnest($1::bigint[]), unnest($2::text[]), unnest($3::text[]), unnest($4::text[]), unnest($5::text[]),
       unnest($6::bigint[]), unnest($7::bigint[]), unnest($8::bigint[]), unnest($9::bigint[]), unnest($10::bigint[]),
       unnest($11::text[]), unnest($12::text[]), unnest($13::text[]), unnest($14::text[]), unnest($15::bigint[])
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
