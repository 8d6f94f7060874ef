-- end_run.sql for many that nobody awaits. Found by their numbers: the index of running runs holds every run that has
-- run since the last vacuum, so the status is compared in a way that it does not serve.
UPDATE workflow_runs AS run
SET status = ending.status,
    current_stage = coalesce(
        ending.stage,
        (SELECT stage.stage_key
         FROM workflow_stage_runs AS stage
         WHERE stage.workflow_run_id = run.id
         ORDER BY stage.id DESC
         LIMIT 1),
        run.current_stage),
    result = ending.result,
    error_code = ending.error_code,
    error_message = ending.error_message,
    error_stage = ending.error_stage,
    error_path = ending.error_path,
    completed_at = ending.completed_at,
    updated_at = $11::bigint,
    cancel_requested = false,
    pause_requested = false,
    request_reason = NULL
FROM (SELECT unnest($1::bigint[]) AS id, unnest($2::bigint[]) AS epoch, unnest($3::text[]) AS status,
             unnest($4::text[]) AS stage, unnest($5::text[]) AS result, unnest($6::text[]) AS error_code,
             unnest($7::text[]) AS error_message, unnest($8::text[]) AS error_stage, unnest($9::text[]) AS error_path,
             unnest($10::bigint[]) AS completed_at) AS ending
WHERE run.id = ending.id AND run.epoch = ending.epoch AND run.status || '' = 'running' AND NOT run.is_awaited
RETURNING run.id
