-- insert_stages.sql for steps that succeeded at their first attempt, which are nearly all: an array less for each column that
-- is the same in all of them.
INSERT INTO workflow_stage_runs (
    workflow_run_id, path, stage_key, kind, status, position, attempt, started_at, finished_at, output,
    attempts_before)
SELECT unnest($1::bigint[]), unnest($2::text[]), unnest($3::text[]), 'step', 'succeeded', unnest($4::bigint[]), 1,
       unnest($5::bigint[]), unnest($6::bigint[]), unnest($7::text[]), 0
