-- The record of a stage. A late or repeated record meets the row that is there: it changes only what
-- kStageTransitions allows, so a finished stage is never overwritten.
INSERT INTO workflow_stage_runs (
    workflow_run_id, path, stage_key, kind, status, position, attempt, started_at, finished_at,
    next_attempt_at, message, error_code, output, cost, attempts_before)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
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
WHERE (status = 'running' OR status = 'queued' OR status = 'retrying')
    AND excluded.status <> 'queued'
