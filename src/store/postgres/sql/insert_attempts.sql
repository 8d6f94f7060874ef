INSERT INTO workflow_stage_attempts (
    workflow_run_id, path, attempt, started_at, finished_at, error_code, message, worker)
SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::text[],
                     $8::text[])
