INSERT INTO workflow_stage_attempts (
    workflow_run_id, path, attempt, started_at, finished_at, error_code, message, worker)
SELECT unnest($1::bigint[]), unnest($2::text[]), unnest($3::bigint[]), unnest($4::bigint[]), unnest($5::bigint[]),
       unnest($6::text[]), unnest($7::text[]), unnest($8::text[])
